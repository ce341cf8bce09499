#include "schedule/schedule.hpp"

namespace laconic {

#define LACONIC_ALGORITHM(function) Algorithm function();
#include "schedule/algorithms.def"
#undef LACONIC_ALGORITHM

std::string_view name_of(Collective collective) {
  switch (collective) {
    case Collective::allreduce: return "allreduce";
    case Collective::reduce: return "reduce";
    case Collective::reduce_scatter: return "reduce_scatter";
    case Collective::allgather: return "allgather";
    case Collective::bcast: return "bcast";
    case Collective::scatter: return "scatter";
    case Collective::gather: return "gather";
    case Collective::alltoall: return "alltoall";
  }
  return "?";
}

const std::vector<Algorithm>& all_algorithms() {
  static const std::vector<Algorithm> algorithms{
#define LACONIC_ALGORITHM(function) function(),
#include "schedule/algorithms.def"
#undef LACONIC_ALGORITHM
  };
  return algorithms;
}

const Algorithm* find_algorithm(Collective collective, std::string_view name) {
  for (const Algorithm& algorithm : all_algorithms())
    if (algorithm.collective == collective && algorithm.name == name) return &algorithm;
  return nullptr;
}

}  // namespace laconic
