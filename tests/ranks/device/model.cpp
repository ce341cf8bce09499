// SPDX-License-Identifier: BSD-3-Clause
// The choice of algorithm and chunks for numbers on devices: by the model of the device that all ranks have, by that of
// any device where they have different ones, and the same on every rank.
#include "base/build.hpp"
#include "device_memory.hpp"

#if LACONIC_CUDA_EMULATED

#include "emulator/control.hpp"

namespace {

using namespace ranks;

struct Choice {
  laconic_algorithm algorithm;
  std::uint64_t chunks;
  bool operator==(const Choice&) const = default;
};

// The choice for a sum, where this rank's device has this name.
Choice choice_of(Test& t, const char* name, std::size_t count) {
  laconic::emulator::set_device_name(name);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MemoryOf memory(t, Memory::device, nullptr);
  std::vector<float> mine(count), found(count);
  for (std::size_t i = 0; i < count; ++i) mine[i] = static_cast<float>(i % 1000 + static_cast<std::size_t>(t.rank()));
  void* const send = memory.reserve(count * sizeof(float));
  void* const recv = memory.reserve(count * sizeof(float));
  memory.push(send, mine.data(), count * sizeof(float));
  laconic_options o = options_with(LACONIC_BOUND_ABS, 1e-3);
  o.tune = LACONIC_TUNE_OFF;
  laconic_stats stats{};
  o.stats = &stats;
  const int code = laconic_allreduce(send, recv, static_cast<MPI_Count>(count), MPI_FLOAT, MPI_SUM, comm, &o);
  CHECK(t, code == MPI_SUCCESS, "%s: %s", name, message_of(code).c_str());
  memory.pull(found.data(), recv, count * sizeof(float));
  double worst = 0;
  const auto p = static_cast<double>(t.size());
  for (std::size_t i = 0; i < count; ++i)
    worst = std::max(worst, std::fabs(found[i] - (p * static_cast<double>(i % 1000) + p * (p - 1) / 2)));
  CHECK(t, worst <= 1e-3, "%s: an error of %g", name, worst);
  const Choice choice{stats.algorithm, stats.most_chunks};
  for (const std::uint64_t number : {static_cast<std::uint64_t>(choice.algorithm), choice.chunks})
    CHECK(t, same_everywhere(number, comm), "%s: the ranks have chosen differently", name);
  MPI_Comm_free(&comm);
  t.count_case();
  return choice;
}

void choose(Test& t) {
  const char* const named = "NVIDIA H200";
  const char* const unnamed = "some other device";
  int different = 0;
  for (const std::size_t kibi : {256, 512}) {
    t.doing("an allreduce of " + std::to_string(kibi) + " KiB");
    const std::size_t count = kibi << 8;
    const Choice known = choice_of(t, named, count);
    const Choice any = choice_of(t, unnamed, count);
    // A rank that went by its own device alone would wait for messages that nobody sends.
    const Choice mixed = choice_of(t, t.rank() == 0 ? named : unnamed, count);
    CHECK(t, mixed == any, "different devices: algorithm %d, %llu chunks", mixed.algorithm,
          static_cast<unsigned long long>(mixed.chunks));
    different += known != any;
  }
  // With 2 ranks the models disagree on one of these sizes.
  CHECK(t, different > 0 || t.size() > 2, "the model of the H200 has not been asked");
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "device model");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (t.size() > 1) choose(t);
  return t.finish();
}

#else

int main(int argc, char** argv) {
  ranks::Test t(&argc, &argv, "device model");
  t.doing("nothing: devices cannot be given names");
  return t.finish();
}

#endif
