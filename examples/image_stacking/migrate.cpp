// Models and migrates the shots of a seismic survey, shared out among the ranks.  Every rank leaves
// the sum of its own shots' images in partial_<rank>.f32: what `stack` adds up.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>

#include "acoustic.hpp"
#include "arguments.hpp"
#include "check.hpp"
#include "files.hpp"
#include "imaging.hpp"

namespace {

using namespace stacking;

VelocityModel read_model(const Arguments& arguments) {
  VelocityModel model;
  model.grid = {arguments.count("nx"), arguments.count("nz"), arguments.number("spacing")};
  if (model.grid.nx < 2 || model.grid.nz < 2 || !(model.grid.spacing > 0)) {
    throw std::runtime_error("--nx and --nz must be at least 2, --spacing above 0");
  }
  const std::vector<std::uint16_t> metres_per_second =
      read_array<std::uint16_t>(arguments.text("model"), model.grid.points());
  model.velocity.assign(metres_per_second.begin(), metres_per_second.end());
  if (*std::min_element(model.velocity.begin(), model.velocity.end()) < 100) {
    throw std::runtime_error(arguments.text("model") + " holds velocities below 100 m/s");
  }
  return model;
}

// Sources spread evenly over the line, receivers at every grid point; both just below the surface.
Survey plan_survey(const Arguments& arguments, const Grid& grid) {
  Survey survey;
  const int shots = arguments.count("shots");
  for (int i = 0; i < shots; ++i) {
    survey.sources.push_back({static_cast<int>((i + 0.5) * grid.nx / shots), 1});
  }
  for (int x = 0; x < grid.nx; ++x) {
    survey.receivers.push_back({x, 1});
  }
  survey.peak_frequency = arguments.number("frequency");
  survey.time_step = arguments.number("time-step");
  survey.steps = static_cast<int>(arguments.number("record") / survey.time_step);
  if (!(survey.peak_frequency > 0) || survey.steps < 1) {
    throw std::runtime_error("--frequency must be above 0, and --record at least one --time-step");
  }
  return survey;
}

// Waits for all ranks without keeping a core busy that a slower rank could use.
void gather_ranks() {
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int done = 0; done == 0;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    std::this_thread::sleep_for(std::chrono::milliseconds(done ? 0 : 20));
  }
}

void migrate(const Arguments& arguments, int rank, int ranks) {
  const VelocityModel truth = read_model(arguments);
  const VelocityModel background = smoothed_below_water(truth, arguments.number("smoothing"));
  const Survey survey = plan_survey(arguments, truth.grid);
  ExtendedImage image(truth.grid, arguments.count("offsets"));
  const int shots = static_cast<int>(survey.sources.size());
  for (int i = rank; i < shots; i += ranks) {
    const Point source = survey.sources[static_cast<std::size_t>(i)];
    const auto start = std::chrono::steady_clock::now();
    migrate_shot(truth, background, survey, source, image);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    std::printf("shot %d of %d at %.2f km migrated by rank %d in %.1f s\n", i + 1, shots,
                source.x * truth.grid.spacing / 1000, rank, took.count());
    std::fflush(stdout);
  }
  finish_image(background, image);
  write_array(arguments.text("out") + "/partial_" + std::to_string(rank) + ".f32", image.values.data(),
              image.values.size());
  if (rank == 0) {
    std::vector<std::uint16_t> shown(background.velocity.begin(), background.velocity.end());
    write_array(arguments.text("out") + "/background.u16", shown.data(), shown.size());
  }
  gather_ranks();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "--check") {
    return check_propagator() ? 0 : 1;
  }
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  try {
    const Arguments arguments(argc, argv,
                              {{"model", ""},  // velocities, uint16 in m/s, [x][z]
                               {"nx", ""},
                               {"nz", ""},
                               {"spacing", ""},  // metres
                               {"out", ""},      // an existing folder
                               {"shots", "16"},
                               {"offsets", "30"},       // half offsets to each side, in cells
                               {"frequency", "8"},      // Hz
                               {"time-step", "0.002"},  // seconds
                               {"record", "4"},         // seconds
                               {"smoothing", "200"}});  // metres, of the migration velocities
    migrate(arguments, rank, ranks);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "migrate, rank %d: %s\n", rank, e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
