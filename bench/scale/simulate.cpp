// SPDX-License-Identifier: BSD-3-Clause
// One collective, or a stencil, on ranks that SimGrid's SMPI simulates: the library's schedules, engine, codecs and
// transport run as they are, on real numbers, and every result is checked.  The network and the time of coding are
// simulated.
//
// The agreement of the ranks is one MPI_Allreduce of as many numbers.  All ranks live in one process and take turns,
// so static objects are shared by all of them.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "arguments.hpp"
#include "base/bound.hpp"
#include "base/checksum.hpp"
#include "checks.hpp"
#include "codec/range.hpp"
#include "codec/resolve_bound.hpp"
#include "connections.hpp"
#include "data.hpp"
#include "device/host/host_device.hpp"
#include "engine/predict.hpp"
#include "engine/run.hpp"
#include "engine/sampled_sum.hpp"
#include "input.hpp"
#include "measured_rates.hpp"
#include "messages.hpp"
#include "schedule/messages.hpp"
#include "timed_codec.hpp"
#include "transport/mpi/mpi_transport.hpp"
#include "tune/candidates.hpp"
#include "tune/chunk_counts.hpp"

namespace laconic::scale {
namespace {

constexpr int agreed_numbers = 48;
constexpr std::uint64_t message_numbers = 4096;

struct Outcome {
  double seconds = 0;    // of the slowest rank
  double predicted = 0;  // by the model of tune/, which gets the rates, the network and the ratio; 0: plans too large
  double coding = 0;     // the most of any rank
  double sent = 0;       // bytes, of all ranks
  double numbers = 0;    // the same, uncompressed
  double error = 0;      // the greatest of the checked numbers
  double bound = 0;
  std::uint64_t messages = 0;  // the most that a rank sends
  std::uint64_t hash = 0;      // of the results of rank 0
  bool kept = true;
  bool bits_equal = true;
  Rates rates;
};

double greatest(double value) {
  double all = 0;
  MPI_Allreduce(&value, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}
double total(double value) {
  double all = 0;
  MPI_Allreduce(&value, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

// The range of the numbers of all ranks, agreed as the library does it.
Range agree(const float* numbers, std::size_t count, double seconds_of_search) {
  const Range own = finite_range(numbers, count, Dtype::f32);
  if (seconds_of_search > 0) smpi_execute(seconds_of_search);
  std::array<double, agreed_numbers> mine{own.greatest, -own.least};
  std::array<double, agreed_numbers> all{};
  MPI_Allreduce(mine.data(), all.data(), agreed_numbers, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return {-all[1], all[0]};
}

// The width of the range that a relative bound on a sum refers to, agreed as the library does it.
double agree_on_sum(const Arguments& a, const Range& inputs, const float* numbers, std::size_t count, int size) {
  const double width = inputs.greatest - inputs.least;
  if (a.target == "input" || a.range_of == "input" || !SampledSum::pays(count * sizeof(float), size)) return width;
  std::vector<double> sample(Sample::size_for(count * sizeof(float)));
  const RangeJob::Part part{numbers, count};
  take_sample(std::span(&part, 1), Dtype::f32, sample);
  const SampledSum sum(inputs, sample.size());
  SampledSum::Words mine;
  sum.write_words(sample, mine);
  SampledSum::Words all(mine.size());
  MPI_Allreduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return std::max(width, sum.range_of(all, size));
}

BoundTarget target_of(const Arguments& a) {
  return a.target == "input" ? BoundTarget::input : a.target == "likely" ? BoundTarget::likely : BoundTarget::result;
}

// The nodes of the ranks: a host is named after its node, with the rank behind a dot where each rank has a host.
NodeShape simulated_nodes(int size) {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  const std::string_view node = std::string_view(name.data()).substr(0, std::string_view(name.data()).find('.'));
  std::uint64_t mine = checksum::sum(std::as_bytes(std::span(node)));
  std::vector<std::uint64_t> all(static_cast<std::size_t>(size));
  MPI_Allgather(&mine, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
  return NodeShape(all);
}

// The place of a rank in the grid.  That of a stencil is not periodic, as in `laconic bench`.
Neighborhood neighborhood_of(const Arguments& a, int rank, int size) {
  const std::vector<int> grid = a.grid.empty() ? balanced_grid(size) : a.grid;
  if (std::accumulate(grid.begin(), grid.end(), 1, std::multiplies<>()) != size)
    throw std::runtime_error("--grid: the product of its sides is not the number of ranks, " + std::to_string(size));
  const std::vector<int> periods(grid.size(), a.collective == "stencil" ? 0 : 1);
  return cartesian_neighborhood(grid, periods, rank);
}

// The messages of a rank to its neighbours and from them, as programs with a stencil exchange their faces.
void run_mpi_messages(const Place& at, const Input& input, Data& data) {
  std::vector<MPI_Request> requests;
  const auto number = static_cast<int>(data.count_of(0));
  for (std::size_t k = 0; k < at.neighborhood->sources.size(); ++k)
    if (const Neighbor& from = at.neighborhood->sources[k]; from.exists())
      MPI_Irecv(&data.result[data.begin_of(static_cast<int>(k))], number, MPI_FLOAT, from.rank, from.label,
                MPI_COMM_WORLD, &requests.emplace_back());
  for (std::size_t k = 0; k < at.neighborhood->destinations.size(); ++k)
    if (const Neighbor& to = at.neighborhood->destinations[k]; to.exists())
      MPI_Isend(input.of(at.rank) + data.begin_of(static_cast<int>(k)), number, MPI_FLOAT, to.rank, to.label,
                MPI_COMM_WORLD, &requests.emplace_back());
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

// The simulated MPI's own collective.
void run_mpi(Collective collective, const Place& at, const Input& input, Data& data) {
  if (traits_of(collective).neighborhood()) return run_mpi_messages(at, input, data);
  const auto n = static_cast<int>(data.count());
  const int part = n / at.size;
  const float* mine = input.of(at.rank);
  float* out = data.result.data();
  const MPI_Comm world = MPI_COMM_WORLD;
  switch (collective) {
    case Collective::allreduce: MPI_Allreduce(mine, out, n, MPI_FLOAT, MPI_SUM, world); break;
    case Collective::reduce_scatter: MPI_Reduce_scatter_block(mine, out, part, MPI_FLOAT, MPI_SUM, world); break;
    case Collective::allgather: MPI_Allgather(mine, part, MPI_FLOAT, out, part, MPI_FLOAT, world); break;
    case Collective::scatter: MPI_Scatter(mine, part, MPI_FLOAT, out, part, MPI_FLOAT, at.root, world); break;
    case Collective::alltoall: MPI_Alltoall(mine, part, MPI_FLOAT, out, part, MPI_FLOAT, world); break;
    default:
      if (at.rank == at.root) std::copy_n(mine, n, out);
      MPI_Bcast(out, n, MPI_FLOAT, at.root, world);
  }
}

// Whether a number is the same on all ranks.
bool equal_everywhere(std::uint64_t number) {
  unsigned long long mine[2] = {number, ~number};
  unsigned long long most[2] = {0, 0};
  MPI_Allreduce(mine, most, 2, MPI_UNSIGNED_LONG_LONG, MPI_MAX, MPI_COMM_WORLD);
  return most[0] == ~most[1];
}

template <class BoundOf>
void check(Collective collective, const Place& at, const std::vector<std::int32_t>& wanted, const BoundOf& bound_of,
           const Data& data, Outcome& o) {
  const Checked mine = compare(collective, at.rank, wanted, bound_of, data);
  o.error = greatest(mine.error);
  o.kept = greatest(o.kept && mine.kept ? 0 : 1) == 0;
  o.hash = checksum::sum(std::as_bytes(data.result));
}

// The model's prediction for a call with this chunk.  seconds_of_search: for the range of a rank's numbers.
double predict(const Arguments& a, const Algorithm& algorithm, Ranks ranks, Travel travel, std::size_t chunk,
               const Outcome& o, double seconds_of_search) {
  if (traits_of(algorithm.collective).neighborhood()) return 0;  // the model does not know the grid
  CallModel call;
  call.collective = algorithm.collective;
  const auto part = static_cast<double>(a.part);
  call.bytes = static_cast<double>(a.bytes) * part;
  call.size = ranks.size;
  call.nodes = ranks.nodes;
  call.travel = travel;
  call.chunk = chunk * a.part;
  call.depth = a.depth;
  call.limits = long_walk;
  call.shared_cables = true;
  call.within = {};
  call.within.latency = a.node_latency;
  call.within.bytes_per_second = a.node_rate / 8 * part;
  call.within.per_message = 0;
  CodingCost cost;
  // The model takes 0 for a cost that is not known.
  const auto known = [&](double seconds_per_byte) { return std::max(seconds_per_byte / a.threads, 1e-15); };
  cost.encode = known(o.rates.encode);
  cost.decode = known(o.rates.decode);
  cost.fold = known(o.rates.fold);
  cost.add = known(o.rates.add);
  cost.frame = o.numbers > 0 ? o.sent / o.numbers : 1;
  Path path;
  path.latency = a.latency;
  path.bytes_per_second = a.rate / 8 * part;
  path.per_message = 0;
  for (const Candidate& c : candidates(call, cost, path))
    if (c.algorithm == &algorithm) return c.predicted + seconds_of_search;
  return 0;
}

void fail(const std::string& what) { throw std::runtime_error(what); }

Collective collective_of(const std::string& name) {
  // The pattern of a stencil's messages.
  if (name == "stencil") return Collective::neighbor_alltoall;
  return *std::find_if(std::begin(all_collectives), std::end(all_collectives),
                       [&](Collective c) { return name_of(c) == name; });
}

// The numbers in a frame, of the part that is simulated.
std::size_t chunk_of(const Arguments& a, std::size_t largest) {
  if (a.no_overlap) return largest;
  const std::size_t numbers = largest * a.part;
  const std::size_t whole = a.chunk > 0                 ? a.chunk
                            : a.collective == "stencil" ? ChunkCounts::usual_chunk(numbers, sizeof(float))
                                                        : choose_chunk(numbers, Dtype::f32, a.depth);
  return std::min((whole + a.part - 1) / a.part, largest);
}

Outcome simulate(const Arguments& a, int rank, int size) {
  if (rank == 0) put_messages_in_order();
  const NodeShape nodes = simulated_nodes(size);
  const Ranks ranks(size, &nodes);
  const bool stencil = a.collective == "stencil";
  const Collective collective = collective_of(a.collective);
  const bool neighbors = traits_of(collective).neighborhood();
  if (!a.grid.empty() && !neighbors) fail("--grid is for stencil and neighbor_alltoall");
  const Neighborhood neighborhood = neighbors ? neighborhood_of(a, rank, size) : Neighborhood{};
  const Place at{rank, size, 0, &neighborhood, &nodes};
  static const Input input(a.field, a.bytes / sizeof(float) * (stencil ? assumed_neighbors : 1), size, a.coherent,
                           a.seed);
  if (a.one_result && (!traits_of(collective).replicates() || a.per_hop))
    fail("--one-result serves collectives whose ranks all get the same numbers, and no --per-hop");
  Data data(a, collective, at, input);
  Outcome o;
  if (a.algorithm == "mpi") {
    for (int k = 0; k < a.iterations; ++k) {
      MPI_Barrier(MPI_COMM_WORLD);
      const double begin = MPI_Wtime();
      run_mpi(collective, at, input, data);
      o.seconds = greatest(MPI_Wtime() - begin);
    }
    o.hash = checksum::sum(std::as_bytes(data.result));
    if (neighbors)
      check(
          collective, at, wanted_blocks(collective, at, 2 * assumed_neighbors), [](auto) { return 0.0; }, data, o);
    return o;
  }
  if (stencil && a.algorithm != "messages") fail("--algorithm " + a.algorithm + ": a stencil has mpi and messages");
  const Algorithm* const algorithm = find_algorithm(collective, stencil ? "direct" : a.algorithm);
  if (algorithm == nullptr) fail("--algorithm " + a.algorithm + ": not one of " + a.collective);
  if (!algorithm->fits(ranks)) fail("--algorithm " + a.algorithm + " does not serve these ranks");
  const Codec* const found = find_codec(a.codec);
  if (found == nullptr) fail("--codec " + a.codec + " is not in this build");
  const Codec& codec = *found;
  const Travel travel = travel_of(codec, a.per_hop);
  Schedule schedule = algorithm->build(at);
  const std::int32_t cut = schedule.blocks;
  data.set_blocks(cut);
  Bound bound;
  if (Status s = parse_bound(a.bound, bound); !s.ok()) fail("--bound: " + s.message());
  if (!codec.supports_bound(bound.mode)) fail("--bound: " + a.bound + " is not one of --codec " + a.codec);

  const bool sum = reduces(collective);
  const bool at_rate = bound.mode == BoundMode::rate;
  if (at_rate && (sum || a.per_hop)) fail("--bound: a rate is for numbers that are moved, without --per-hop");
  const std::size_t own = traits_of(collective).send.contents == Contents::block && !traits_of(collective).all_to_all()
                              ? data.count() / static_cast<std::size_t>(size)
                              : data.count();
  const auto coding_of = [&](const Range& range) {
    o.bound = absolute_bound(bound, range);
    const Budget budget = budget_for(o.bound, target_of(a), Op::sum, false, *algorithm, ranks, codec, a.per_hop);
    o.bound = budget.worst_case;
    Coding coding = coding_for(bound, Dtype::f32);
    budget.apply(sum, coding);
    return std::pair{coding, budget.last_allowance};
  };
  // Before simulated time begins.
  const auto agree_on_range = [&](double seconds_of_search) {
    const Range inputs = agree(input.of(rank), own, seconds_of_search);
    if (!sum || bound.mode != BoundMode::rel) return inputs;
    return Range{0, agree_on_sum(a, inputs, input.of(rank), own, size)};
  };
  const Range range = agree_on_range(0);
  static Rates rates;
  if (rank == 0 && !a.free_coding) rates = rates_of(a, codec, coding_of(range).first, input, size, data.count(), own);
  MPI_Barrier(MPI_COMM_WORLD);
  o.rates = rates;

  std::vector<Region> regions;
  std::size_t largest = 0;
  const int parts = num_parts(collective, cut, size);
  for (std::int32_t b = 0; b < parts; ++b) largest = std::max(largest, data.begin_of(b + 1) - data.begin_of(b));
  const std::size_t chunk = chunk_of(a, largest);
  const Plan plan = lower(join(std::move(schedule), blocks_per_message(chunk)), collective, at, travel);
  for (const std::int32_t b : plan.blocks) regions.push_back(data.region(b));
  const auto part = static_cast<double>(a.part);
  const TimedCodec timed(codec, {rates.encode * part, rates.fold * part, rates.add * part, rates.decode * part, 0},
                         a.threads, a.one_result);
  HostDevice host(1);
  Work work;
  work.plan = &plan;
  work.codec = &timed;
  work.regions = regions;
  work.largest = largest;
  work.depth = a.no_overlap ? 1 : a.depth;
  work.chunk = chunk;
  work.checksum = false;
  double coded = 0;
  std::uint64_t decoded = 0;
  const bool searches = bound.mode == BoundMode::rel && a.codec != "raw";
  const double search_of_byte = searches ? rates.search * part / a.threads : 0;
  const double seconds_of_search = search_of_byte * static_cast<double>(own * sizeof(float));
  std::uint64_t sent = 0;
  std::uint64_t numbers = 0;
  const auto iterate = [&](const auto& call) {
    for (int k = 0; k < a.iterations; ++k) {
      std::fill(data.result.begin(), data.result.end(), -1.0f);
      MPI_Barrier(MPI_COMM_WORLD);
      const double begin = MPI_Wtime();
      const double before = timed.seconds();
      const std::uint64_t decoded_before = timed.decoded();
      call(k);
      o.seconds = MPI_Wtime() - begin;
      coded = timed.seconds() - before;
      decoded = timed.decoded() - decoded_before;
    }
  };
  // The bound of a message is a share of the range of its own numbers.
  const auto bound_of_message = [&](const void* of, std::size_t count) {
    return bound.mode == BoundMode::rel ? absolute_bound(bound, finite_range(of, count, Dtype::f32))
                                        : absolute_bound(bound, {});
  };
  if (stencil) {
    SharedChannel channel(MPI_COMM_WORLD, assumed_neighbors, message_numbers / assumed_neighbors);
    Messages messages(channel, host);
    work.coding = coding_for(bound, Dtype::f32);
    const auto add = [&](bool sends, const Neighbor& neighbor, std::int32_t block) {
      if (!neighbor.exists()) return;
      work.sequence = static_cast<std::uint64_t>(neighbor.label);
      messages.add(sends, neighbor.rank, data.region(block), work);
    };
    for (std::int32_t k = 0; k < assumed_neighbors; ++k) {
      add(false, neighborhood.sources[static_cast<std::size_t>(k)], k);
      add(true, neighborhood.destinations[static_cast<std::size_t>(k)], assumed_neighbors + k);
    }
    iterate([&](int) {
      messages.exchange([&](Work& send) {
        const Region& face = send.regions.front();
        if (search_of_byte > 0) smpi_execute(search_of_byte * static_cast<double>(face.count * sizeof(float)));
        send.coding.allowance = send.last_allowance = bound_of_message(face.input, face.count);
      });
    });
    sent = messages.bytes_sent();
    numbers = messages.bytes_uncompressed();
  } else {
    MpiTransport transport(MPI_COMM_WORLD, 0, 1, message_numbers);
    Run run(transport, host);
    iterate([&](int k) {
      const auto [coding, last] = coding_of(agree_on_range(seconds_of_search));
      work.coding = coding;
      work.last_allowance = last;
      work.sequence = static_cast<std::uint64_t>(k);
      run.start(work);
      while (!run.poll())
        if (run.waiting()) run.wait();
      if (!run.status().ok()) fail(run.status().message());
    });
    sent = run.account().bytes_sent;
    numbers = run.account().bytes_uncompressed;
  }
  o.seconds = greatest(o.seconds);
  o.coding = greatest(coded);
  o.sent = total(static_cast<double>(sent * a.part));
  o.numbers = total(static_cast<double>(numbers * a.part));
  // On one rank alone: with 1,024 ranks a prediction takes longer than the simulation of one.
  if (rank == 0) o.predicted = predict(a, *algorithm, ranks, travel, work.chunk, o, seconds_of_search);
  std::uint64_t sends = 0;
  for (const Action& action : plan.actions) sends += action.act == Act::send;
  o.messages =
      static_cast<std::uint64_t>(greatest(static_cast<double>(sends * ((largest + work.chunk - 1) / work.chunk))));
  const std::vector<std::int32_t> wanted = wanted_blocks(collective, at, plan.cut);
  const auto bound_of = [&](std::int32_t b) {
    if (a.codec == "raw" && !sum) return 0.0;
    if (a.codec == "raw" || at_rate) return std::numeric_limits<double>::infinity();
    return stencil ? bound_of_message(data.moved(b), data.count_of(b)) : o.bound;
  };
  if (at_rate) o.kept = decoded_as_coded(wanted, rank, codec, coding_for(bound, Dtype::f32), work.chunk, data);
  check(collective, at, wanted, bound_of, data, o);
  if (stencil && !at_rate) {
    double widest = 0;
    for (const std::int32_t b : wanted) widest = std::max(widest, bound_of_message(data.moved(b), data.count_of(b)));
    o.bound = greatest(widest);
  }
  if (traits_of(collective).replicates()) o.bits_equal = equal_everywhere(a.one_result ? decoded : o.hash);
  return o;
}

void print(const Arguments& a, int size, const Outcome& o) {
  const auto speed = [](double seconds_per_byte) { return seconds_per_byte > 0 ? 1e-9 / seconds_per_byte : 0; };
  std::printf(
      "{\"collective\": \"%s\", \"algorithm\": \"%s\", \"codec\": \"%s\", \"per_hop\": %s, \"bound\": \"%s\", "
      "\"target\": \"%s\", \"ranks\": %d, \"bytes\": %zu, \"threads\": %d, \"coherent\": %s, \"free_coding\": %s, "
      "\"seconds\": %.9g, \"predicted_seconds\": %.9g, \"coding_seconds\": %.9g, \"bytes_sent\": %.0f, \"ratio\": "
      "%.6g, \"messages\": %llu, "
      "\"error\": %.6g, \"bound_result\": %.6g, \"bound_kept\": %s, \"bits_equal\": %s, \"hash\": \"%016llx\", "
      "\"encode_GB_s\": %.4g, \"fold_GB_s\": %.4g, \"add_GB_s\": %.4g, \"decode_GB_s\": %.4g, \"search_GB_s\": %.4g}\n",
      a.collective.c_str(), a.algorithm.c_str(), a.codec.c_str(), a.per_hop ? "true" : "false", a.bound.c_str(),
      a.target.c_str(), size, a.bytes * a.part, a.threads, a.coherent ? "true" : "false",
      a.free_coding ? "true" : "false", o.seconds, o.predicted, o.coding, o.sent, o.sent > 0 ? o.numbers / o.sent : 1,
      static_cast<unsigned long long>(o.messages), o.error, o.bound, o.kept ? "true" : "false",
      o.bits_equal ? "true" : "false", static_cast<unsigned long long>(o.hash), speed(o.rates.encode),
      speed(o.rates.fold), speed(o.rates.add), speed(o.rates.decode), speed(o.rates.search));
}

int run_program(int argc, char** argv) {
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Arguments a;
  int status = 0;
  if (!read_arguments(argc, argv, rank == 0, a, status)) return status;
  try {
    const Outcome o = simulate(a, rank, size);
    if (rank == 0) print(a, size, o);
    return o.kept && o.bits_equal ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, 2);
    return 2;
  }
}

}  // namespace
}  // namespace laconic::scale

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = laconic::scale::run_program(argc, argv);
  MPI_Finalize();
  return status;
}
