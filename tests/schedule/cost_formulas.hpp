// SPDX-License-Identifier: BSD-3-Clause
// The cost of every algorithm as docs/algorithms.md states it.  The library has no formulas: it walks along the plans.
#pragma once

#include <bit>

#include "schedule/patterns.hpp"
#include "support/place.hpp"

namespace laconic::test {

struct CostFormula {
  Collective collective;
  AlgorithmName algorithm;
  Cost (*cost)(int size);
};

inline const CostFormula cost_formulas[] = {
    {Collective::allreduce, AlgorithmName::ring,
     [](int size) {
       return Cost{2.0 * (size - 1), part(2 * (size - 1), size)};
     }},
    {Collective::allreduce, AlgorithmName::recursive_doubling,
     [](int size) {
       const auto [power, extra] = Pairs(size);
       const int exchanges = log2_below(size);
       const int returned = (extra > 0 ? 1 : 0) + (2 * extra > power ? 1 : 0);
       return Cost{static_cast<double>(exchanges + (extra > 0 ? 1 : 0)), static_cast<double>(exchanges + returned)};
     }},
    {Collective::allreduce, AlgorithmName::recursive_halving,
     [](int size) {
       const int folded = powers_of_two(size) ? 0 : 1;
       const int power = power_below(size);
       return Cost{2.0 * (log2_below(size) + folded), part(2 * (power - 1), power) + folded};
     }},
    {Collective::allreduce, AlgorithmName::direct,
     [](int size) {
       return Cost{size > 1 ? 2.0 : 0.0, part(2 * (size - 1), size)};
     }},
    {Collective::allreduce, AlgorithmName::hierarchical,
     [](int size) {
       const NodeShape& nodes = *nodes_of(size);
       return Cost{2.0 * (nodes.nodes() - 1) + nodes.per_node(), part(2 * (size - 1), size)};
     }},
    {Collective::reduce, AlgorithmName::binomial,
     [](int size) {
       return Cost{static_cast<double>(log2_below(size)), static_cast<double>(log2_above(size))};
     }},
    {Collective::reduce, AlgorithmName::chain,
     [](int size) {
       return Cost{size - 1.0, size > 1 ? 1.0 : 0.0};
     }},
    {Collective::reduce, AlgorithmName::ring,
     [](int size) {
       return Cost{size > 1 ? size * 1.0 : 0.0, part(2 * (size - 1), size)};
     }},
    // If there are pairs, the busiest rank is the odd rank of the pair that heads the largest subtree.
    {Collective::reduce, AlgorithmName::recursive_halving,
     [](int size) {
       const auto [power, extra] = Pairs(size);
       const int folded = extra > 0 ? power_below(extra) : 0;
       return Cost{2.0 * log2_below(size), part(2 * (power - 1) + folded, power)};
     }},
    {Collective::reduce, AlgorithmName::direct,
     [](int size) {
       return Cost{size > 1 ? 2.0 : 0.0, part(2 * (size - 1), size)};
     }},
    {Collective::reduce, AlgorithmName::hierarchical,
     [](int size) {
       const NodeShape& nodes = *nodes_of(size);
       return Cost{nodes.nodes() + nodes.per_node() - 1.0, part(2 * (size - 1), size)};
     }},
    {Collective::reduce_scatter, AlgorithmName::ring,
     [](int size) {
       return Cost{size - 1.0, part(size - 1, size)};
     }},
    // A sum takes log2(size) hops between two participants whose numbers differ in every bit.  Both can be pairs only
    // if more than half of the participants are pairs.  The first pair receives most, because it always keeps the half
    // with more pairs.
    {Collective::reduce_scatter, AlgorithmName::recursive_halving,
     [](int size) {
       if (powers_of_two(size)) return Cost{static_cast<double>(log2_below(size)), part(size - 1, size)};
       const Pairs pairs(size);
       int blocks = size - 1;
       for (int distance = pairs.power / 2; distance > 0; distance /= 2) blocks += pairs.first_of(distance);
       const int folded = 2 * pairs.extra > pairs.power ? 2 : 1;
       return Cost{static_cast<double>(log2_below(size) + folded), part(blocks, size)};
     }},
    {Collective::reduce_scatter, AlgorithmName::direct,
     [](int size) {
       return Cost{size > 1 ? 1.0 : 0.0, part(size - 1, size)};
     }},
    {Collective::reduce_scatter, AlgorithmName::hierarchical,
     [](int size) {
       const NodeShape& nodes = *nodes_of(size);
       return Cost{nodes.nodes() + nodes.per_node() - 2.0, part(size - 1, size)};
     }},
    {Collective::allgather, AlgorithmName::ring,
     [](int size) {
       return Cost{size - 1.0, part(size - 1, size)};
     }},
    // The block of rank+k takes as many hops as k has bits.
    {Collective::allgather, AlgorithmName::bruck,
     [](int size) {
       return Cost{static_cast<double>(log2_below(size)), part(size - 1, size)};
     }},
    {Collective::allgather, AlgorithmName::recursive_doubling,
     [](int size) {
       return Cost{static_cast<double>(log2_below(size)), part(size - 1, size)};
     }},
    {Collective::allgather, AlgorithmName::direct,
     [](int size) {
       return Cost{size > 1 ? 1.0 : 0.0, part(size - 1, size)};
     }},
    {Collective::allgather, AlgorithmName::hierarchical,
     [](int size) {
       const NodeShape& nodes = *nodes_of(size);
       return Cost{static_cast<double>(nodes.nodes()), part(size - 1, size)};
     }},
    {Collective::bcast, AlgorithmName::binomial,
     [](int size) {
       return Cost{static_cast<double>(log2_below(size)), static_cast<double>(log2_above(size))};
     }},
    {Collective::bcast, AlgorithmName::chain,
     [](int size) {
       return Cost{size - 1.0, size > 1 ? 1.0 : 0.0};
     }},
    {Collective::bcast, AlgorithmName::ring,
     [](int size) {
       return Cost{size - 1.0, size > 1 ? part(2 * (size - 1), size) : 0.0};
     }},
    {Collective::bcast, AlgorithmName::hierarchical,
     [](int size) {
       const NodeShape& nodes = *nodes_of(size);
       return Cost{nodes.nodes() + 1.0, part(2 * (size - 1), size)};
     }},
    {Collective::scatter, AlgorithmName::binomial,
     [](int size) {
       return Cost{static_cast<double>(log2_below(size)), part(size - 1, size)};
     }},
    {Collective::scatter, AlgorithmName::direct,
     [](int size) {
       return Cost{size > 1 ? 1.0 : 0.0, part(size - 1, size)};
     }},
    {Collective::gather, AlgorithmName::binomial,
     [](int size) {
       return Cost{static_cast<double>(log2_below(size)), part(size - 1, size)};
     }},
    {Collective::gather, AlgorithmName::direct,
     [](int size) {
       return Cost{size > 1 ? 1.0 : 0.0, part(size - 1, size)};
     }},
    {Collective::alltoall, AlgorithmName::pairwise,
     [](int size) {
       return Cost{size > 1 ? 1.0 : 0.0, part(size - 1, size)};
     }},
    {Collective::alltoall, AlgorithmName::bruck,
     [](int size) {
       int blocks = 0;
       for (int k = 1; k < size; ++k) blocks += std::popcount(static_cast<unsigned>(k));
       return Cost{static_cast<double>(log2_below(size)), part(blocks, size)};
     }},
    {Collective::alltoall, AlgorithmName::hierarchical,
     [](int size) {
       const NodeShape& nodes = *nodes_of(size);
       return Cost{2.0, part((nodes.per_node() - 1) * nodes.nodes() + (nodes.nodes() - 1) * nodes.per_node(), size)};
     }},
    {Collective::scan, AlgorithmName::chain,
     [](int size) {
       return Cost{size - 1.0, size > 1 ? 1.0 : 0.0};
     }},
    {Collective::scan, AlgorithmName::recursive_doubling,
     [](int size) {
       return Cost{static_cast<double>(log2_below(size)), static_cast<double>(log2_above(size))};
     }},
    {Collective::exscan, AlgorithmName::chain,
     [](int size) {
       if (size < 3) return Cost{size - 1.0, size - 1.0};
       return Cost{size - 2.0, 2.0};
     }},
    {Collective::exscan, AlgorithmName::recursive_doubling,
     [](int size) {
       if (size < 3) return Cost{size - 1.0, size - 1.0};
       return Cost{static_cast<double>(log2_below(size - 1)), 1.0 + log2_above(size - 1)};
     }},
    {Collective::neighbor_allgather, AlgorithmName::direct,
     [](int size) {
       return Cost{size > 1 ? 1.0 : 0.0, size > 1 ? 1.0 : 0.0};
     }},
    {Collective::neighbor_alltoall, AlgorithmName::direct,
     [](int size) {
       return Cost{size > 1 ? 1.0 : 0.0, size > 1 ? 1.0 : 0.0};
     }},
};

inline const CostFormula* find_cost_formula(const Algorithm& algorithm) {
  for (const CostFormula& f : cost_formulas)
    if (f.collective == algorithm.collective && f.algorithm == algorithm.id) return &f;
  return nullptr;
}

}  // namespace laconic::test
