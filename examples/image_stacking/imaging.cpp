// SPDX-License-Identifier: BSD-3-Clause
#include "imaging.hpp"

#include <algorithm>
#include <cstddef>

#include "vectorised.hpp"

namespace stacking {
namespace {

constexpr int kBatch = 8;                    // snapshots per pass over the image, which does not fit into the caches
constexpr double kIlluminationFloor = 0.02;  // epsilon, as a share of the mean illumination

using Record = std::vector<float>;  // [step][receiver]

// Forward modelling.  `snapshots`, if not null, receives the field every steps_per_image steps.
Record model_shot(const VelocityModel& model, const Survey& survey, Point source, std::vector<float>* snapshots) {
  Propagator wave(model, survey.time_step);
  const std::size_t receivers = survey.receivers.size();
  const std::size_t points = model.grid.points();
  Record record(static_cast<std::size_t>(survey.steps) * receivers);
  for (int step = 0; step < survey.steps; ++step) {
    if (snapshots != nullptr && step % survey.steps_per_image == 0) {
      // Before the step: the field of time `step`, as is the reversed one after it has taken row `step`.
      wave.copy_to(snapshots->data() + static_cast<std::size_t>(step / survey.steps_per_image) * points);
    }
    wave.step();
    wave.inject(source, ricker(step * survey.time_step, survey.peak_frequency));
    float* row = record.data() + static_cast<std::size_t>(step) * receivers;
    for (std::size_t r = 0; r < receivers; ++r) {
      row[r] = wave.at(survey.receivers[r]);
    }
  }
  return record;
}

// image[z] += sum over kBatch snapshots of S(z) R(z), for one column and one offset.
STACKING_VECTORISED
void correlate_column(const float* const* __restrict s, const float* const* __restrict r, float* __restrict image,
                      std::ptrdiff_t count) {
  static_assert(kBatch == 8);
  const float *s0 = s[0], *s1 = s[1], *s2 = s[2], *s3 = s[3], *s4 = s[4], *s5 = s[5], *s6 = s[6], *s7 = s[7];
  const float *r0 = r[0], *r1 = r[1], *r2 = r[2], *r3 = r[3], *r4 = r[4], *r5 = r[5], *r6 = r[6], *r7 = r[7];
  for (std::ptrdiff_t z = 0; z < count; ++z) {
    image[z] += s0[z] * r0[z] + s1[z] * r1[z] + s2[z] * r2[z] + s3[z] * r3[z] + s4[z] * r4[z] + s5[z] * r5[z] +
                s6[z] * r6[z] + s7[z] * r7[z];
  }
}

void correlate(const Grid& g, const float* const* sources, const float* const* reflections, ExtendedImage& image) {
  const float* s[kBatch];
  const float* r[kBatch];
  for (int x = 0; x < g.nx; ++x) {
    const int reach = std::min({image.max_offset, x, g.nx - 1 - x});
    for (int h = -reach; h <= reach; ++h) {
      for (int k = 0; k < kBatch; ++k) {
        s[k] = sources[k] + g.index(x - h, 0);
        r[k] = reflections[k] + g.index(x + h, 0);
      }
      correlate_column(s, r, image.plane(h) + g.index(x, 0), g.nz);
    }
  }
}

// 1 / (sum_t S^2 + epsilon)
std::vector<float> inverse_illumination(const Grid& g, const std::vector<float>& snapshots) {
  const std::size_t points = g.points();
  std::vector<float> sum(points);
  for (std::size_t first = 0; first < snapshots.size(); first += points) {
    for (std::size_t i = 0; i < points; ++i) {
      sum[i] += snapshots[first + i] * snapshots[first + i];
    }
  }
  double mean = 0;
  for (const float v : sum) {
    mean += v;
  }
  const auto epsilon = static_cast<float>(kIlluminationFloor * mean / static_cast<double>(points));
  for (float& v : sum) {
    v = 1 / (v + epsilon);
  }
  return sum;
}

}  // namespace

void migrate_shot(const VelocityModel& truth, const VelocityModel& background, const Survey& survey, Point source,
                  ExtendedImage& image) {
  const Grid& g = truth.grid;
  const std::size_t points = g.points();
  const std::size_t receivers = survey.receivers.size();
  const int images = (survey.steps - 1) / survey.steps_per_image + 1;

  std::vector<float> sources(static_cast<std::size_t>(images) * points);
  Record reflections = model_shot(truth, survey, source, nullptr);
  const Record without_reflectors = model_shot(background, survey, source, &sources);
  for (std::size_t i = 0; i < reflections.size(); ++i) {
    reflections[i] -= without_reflectors[i];
  }

  ExtendedImage shot(g, image.max_offset);
  std::vector<float> batch(kBatch * points);
  const std::vector<float> silence(points);
  const float* s[kBatch];
  const float* r[kBatch];
  int filled = 0;
  Propagator wave(background, survey.time_step);
  for (int step = survey.steps - 1; step >= 0; --step) {
    wave.step();
    const float* row = reflections.data() + static_cast<std::size_t>(step) * receivers;
    for (std::size_t i = 0; i < receivers; ++i) {
      wave.inject(survey.receivers[i], row[i]);
    }
    if (step % survey.steps_per_image != 0) {
      continue;
    }
    float* snapshot = batch.data() + static_cast<std::size_t>(filled) * points;
    wave.copy_to(snapshot);
    s[filled] = sources.data() + static_cast<std::size_t>(step / survey.steps_per_image) * points;
    r[filled] = snapshot;
    ++filled;
    if (step == 0) {
      for (; filled < kBatch; ++filled) {
        s[filled] = r[filled] = silence.data();
      }
    }
    if (filled == kBatch) {
      correlate(g, s, r, shot);
      filled = 0;
    }
  }

  const std::vector<float> weight = inverse_illumination(g, sources);
  for (int h = -image.max_offset; h <= image.max_offset; ++h) {
    float* sum = image.plane(h);
    const float* one = shot.plane(h);
    for (std::size_t i = 0; i < points; ++i) {
      sum[i] += one[i] * weight[i];
    }
  }
}

void finish_image(const VelocityModel& background, ExtendedImage& image) {
  const Grid& g = image.grid;
  const std::vector<int> floor = sea_floor(background);
  std::vector<float> filtered(g.points());
  for (int h = -image.max_offset; h <= image.max_offset; ++h) {
    float* plane = image.plane(h);
    std::fill(filtered.begin(), filtered.end(), 0.0f);
    for (int x = 1; x < g.nx - 1; ++x) {
      for (int z = std::max(1, floor[static_cast<std::size_t>(x)] - 1); z < g.nz - 1; ++z) {
        const float* p = plane + g.index(x, z);
        filtered[g.index(x, z)] = 4 * p[0] - p[1] - p[-1] - p[g.nz] - p[-g.nz];
      }
    }
    std::copy(filtered.begin(), filtered.end(), plane);
  }
}

}  // namespace stacking
