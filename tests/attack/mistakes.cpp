// SPDX-License-Identifier: BSD-3-Clause
#include "mistakes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace attack {
namespace {

bool always(const Call&, const Layout&) { return true; }

std::size_t numbers_of(const std::vector<Place>& places) {
  std::size_t n = 0;
  for (const Place& p : places) n += p.count;
  return n;
}

bool scatters(const Call& c) { return c.traits().recv_in_place(); }
bool gathers_to_root(const Call& c) { return c.traits().recv.cut() && c.rooted(); }

// Whether a rank has a buffer of its own to send from, or to receive in.
bool sends(const Call& c, const Layout& l) {
  return !c.traits().one_buffer() && !l.input_in_place && (!scatters(c) || l.is_root);
}
bool receives(const Call& c, const Layout& l) {
  return !l.output_in_place && ((!gathers_to_root(c) && c.routine != Routine::reduce) || l.is_root);
}

bool has_send_type(const Call& c, const Layout& l) { return !c.reduces() && sends(c, l); }
bool has_send_count(const Call& c, const Layout& l) {
  return has_send_type(c, l) && c.routine != Routine::scatterv && c.routine != Routine::alltoallv;
}
bool has_recv_count(const Call& c, const Layout& l) {
  if (c.routine == Routine::reduce) return true;
  return receives(c, l) && !(c.uneven() && c.routine != Routine::scatterv);
}
bool has_send_counts(const Call& c, const Layout& l) {
  return sends(c, l) && (c.routine == Routine::scatterv || c.routine == Routine::alltoallv);
}
bool has_recv_counts(const Call& c, const Layout& l) {
  return receives(c, l) && c.uneven() && c.routine != Routine::scatterv;
}

// Counts on which all ranks have to agree; in other calls a rank sees only a part of them.
bool shares_counts(const Call& c) { return !c.traits().counts_partial(); }
bool shares_type(const Call& c) { return shares_counts(c) && !scatters(c) && !gathers_to_root(c); }

void negative(std::vector<MPI_Count>& kept, const MPI_Count*& counts, int size, Random& random) {
  kept.assign(counts, counts + size);
  kept[random.below(kept.size())] = -1 - static_cast<MPI_Count>(random.below(5));
  counts = kept.data();
}

template <class Option>
Option another(Option now, std::initializer_list<Option> all) {
  return *std::find_if(all.begin(), all.end(), [&](Option o) { return o != now; });
}

void add_arguments(std::vector<Mistake>& all) {
  all.push_back({"a root that is none", false, [](const Call& c, const Layout&) { return c.rooted(); },
                 [](const Call&, const Layout& l, Spoilt& s, Random& random) {
                   s.arguments.root = random.below(2) == 0 ? -1 - static_cast<int>(random.below(9))
                                                           : static_cast<int>(l.send.counts.size() + random.below(9));
                 }});
  all.push_back({"a negative sendcount", false, has_send_count,
                 [](const Call&, const Layout&, Spoilt& s, Random&) { s.arguments.sendcount = -1; }});
  all.push_back({"a negative count", false, has_recv_count,
                 [](const Call&, const Layout&, Spoilt& s, Random&) { s.arguments.recvcount = -3; }});
  all.push_back({"a negative count in sendcounts", false, has_send_counts,
                 [](const Call&, const Layout& l, Spoilt& s, Random& random) {
                   negative(s.counts, s.arguments.sendcounts, static_cast<int>(l.send.counts.size()), random);
                 }});
  all.push_back({"a negative count in recvcounts", false, has_recv_counts,
                 [](const Call&, const Layout& l, Spoilt& s, Random& random) {
                   negative(s.counts, s.arguments.recvcounts, static_cast<int>(l.recv.counts.size()), random);
                 }});
  all.push_back({"no sendcounts", false, has_send_counts,
                 [](const Call&, const Layout&, Spoilt& s, Random&) { s.arguments.sendcounts = nullptr; }});
  all.push_back({"no recvcounts", false, has_recv_counts,
                 [](const Call&, const Layout&, Spoilt& s, Random&) { s.arguments.recvcounts = nullptr; }});
  all.push_back({"no displacements to send from", false, has_send_counts,
                 [](const Call&, const Layout&, Spoilt& s, Random&) { s.arguments.sdispls = nullptr; }});
  all.push_back({"no displacements to receive at", false,
                 [](const Call& c, const Layout& l) { return c.displaced() && has_recv_counts(c, l); },
                 [](const Call&, const Layout&, Spoilt& s, Random&) { s.arguments.rdispls = nullptr; }});
  all.push_back({"no sendbuf", false,
                 [](const Call& c, const Layout& l) { return sends(c, l) && numbers_of(l.inputs) > 0; },
                 [](const Call&, const Layout&, Spoilt& s, Random&) { s.arguments.sendbuf = nullptr; }});
  all.push_back({"no recvbuf", false,
                 [](const Call& c, const Layout& l) { return receives(c, l) && numbers_of(l.results) > 0; },
                 [](const Call&, const Layout&, Spoilt& s, Random&) { s.arguments.recvbuf = nullptr; }});
  all.push_back({"no sendtype", false, has_send_type,
                 [](const Call&, const Layout&, Spoilt& s, Random&) { s.arguments.sendtype = MPI_DATATYPE_NULL; }});
  all.push_back({"no datatype", false,
                 [](const Call& c, const Layout& l) { return receives(c, l) || c.routine == Routine::reduce; },
                 [](const Call&, const Layout&, Spoilt& s, Random&) { s.arguments.recvtype = MPI_DATATYPE_NULL; }});
  all.push_back({"no op", false, [](const Call& c, const Layout&) { return c.reduces(); },
                 [](const Call&, const Layout&, Spoilt& s, Random&) { s.arguments.op = MPI_OP_NULL; }});
  all.push_back({"recvbuf in place", false,
                 [](const Call& c, const Layout& l) { return receives(c, l) && !(scatters(c) && l.is_root); },
                 [](const Call&, const Layout&, Spoilt& s, Random&) { s.arguments.recvbuf = MPI_IN_PLACE; }});
  all.push_back({"sendbuf in place on another rank than the root", false,
                 [](const Call& c, const Layout& l) {
                   return (c.routine == Routine::reduce || gathers_to_root(c)) && !l.is_root;
                 },
                 [](const Call&, const Layout&, Spoilt& s, Random&) { s.arguments.sendbuf = MPI_IN_PLACE; }});
}

void add_options(std::vector<Mistake>& all) {
  all.push_back(
      {"a bound that is none", false, always, [](const Call&, const Layout&, Spoilt& s, Random& random) {
         constexpr double infinity = std::numeric_limits<double>::infinity();
         constexpr std::array<double, 6> values{0.0,      -0.0,      -1.0,
                                                infinity, -infinity, std::numeric_limits<double>::quiet_NaN()};
         s.options.bound = {static_cast<laconic_bound_mode>(1 + random.below(4)), values[random.below(values.size())]};
         if (s.options.bound.mode == LACONIC_BOUND_RATE) s.options.codec = LACONIC_CODEC_ZFP;
       }});
  all.push_back({"an unknown bound", false, always, [](const Call&, const Layout&, Spoilt& s, Random& random) {
                   s.options.bound.mode = static_cast<laconic_bound_mode>(
                       random.below(2) == 0 ? LACONIC_BOUND_RANGE + 1 + random.below(9) : -1);
                 }});
  all.push_back({"an unknown codec", false, always, [](const Call&, const Layout&, Spoilt& s, Random& random) {
                   s.options.codec = static_cast<laconic_codec>(random.below(2) == 0 ? 7 + random.below(9) : -1);
                 }});
  all.push_back({"an unknown algorithm", false, always, [](const Call&, const Layout&, Spoilt& s, Random& random) {
                   s.options.algorithm =
                       static_cast<laconic_algorithm>(random.below(2) == 0 ? 11 + random.below(9) : -1);
                 }});
  all.push_back(
      {"an algorithm of another collective", false, always, [](const Call& c, const Layout&, Spoilt& s, Random&) {
         const bool alltoall = c.traits().all_to_all();
         s.options.algorithm = alltoall ? LACONIC_ALGORITHM_CHAIN : LACONIC_ALGORITHM_PAIRWISE;
       }});
  all.push_back({"an unknown variant, target or denormals", false, always,
                 [](const Call&, const Layout&, Spoilt& s, Random& random) {
                   const auto which = random.below(3);
                   if (which == 0) s.options.variant = static_cast<laconic_variant>(6);
                   if (which == 1) s.options.target = static_cast<laconic_target>(4);
                   if (which == 2) s.options.denormals = static_cast<laconic_denormals>(-1);
                 }});
  all.push_back(
      {"options of another size", false, always, [](const Call&, const Layout&, Spoilt& s, Random& random) {
         constexpr std::array<std::uint32_t, 5> sizes{0, 8, sizeof(laconic_options) - 4, 8192, std::uint32_t(-1)};
         const std::uint32_t size = sizes[random.below(sizes.size())];
         (random.below(2) == 0 ? s.options.size : s.options.stats_size) = size;
       }});
  all.push_back({"a number out of range", false, always, [](const Call&, const Layout&, Spoilt& s, Random& random) {
                   switch (random.below(7)) {
                     case 0: s.options.depth = -1; break;
                     case 1: s.options.depth = 65; break;
                     case 2: s.options.threads = -2; break;
                     case 3: s.options.threads = 257; break;
                     case 4: s.options.chunk_elements = -1; break;
                     case 5: s.options.chunk_elements = std::numeric_limits<std::int64_t>::max(); break;
                     default: s.options.min_bytes = -1; break;
                   }
                 }});
  all.push_back({"a bound and a codec that do not go together", false, always,
                 [](const Call&, const Layout&, Spoilt& s, Random& random) {
                   const bool rate = random.below(2) == 0;
                   s.options.bound = {rate ? LACONIC_BOUND_RATE : LACONIC_BOUND_RMS, rate ? 8.0 : 0.1};
                   s.options.codec = rate ? LACONIC_CODEC_QUANT : LACONIC_CODEC_SZX;
                 }});
}

void add_differences(std::vector<Mistake>& all) {
  all.push_back({"another root", true, [](const Call& c, const Layout&) { return c.rooted(); },
                 [](const Call&, const Layout& l, Spoilt& s, Random&) {
                   s.arguments.root = (s.arguments.root + 1) % static_cast<int>(l.send.counts.size());
                 }});
  all.push_back({"another count", true, [](const Call& c, const Layout&) { return shares_counts(c); },
                 [](const Call&, const Layout& l, Spoilt& s, Random&) {
                   if (s.arguments.sendcount >= 0) ++s.arguments.sendcount;
                   if (s.arguments.recvcount >= 0) ++s.arguments.recvcount;
                   if (s.arguments.recvcounts == nullptr) return;
                   s.counts.assign(s.arguments.recvcounts, s.arguments.recvcounts + l.recv.counts.size());
                   for (MPI_Count& n : s.counts) ++n;
                   s.arguments.recvcounts = s.counts.data();
                 }});
  all.push_back({"another op", true, [](const Call& c, const Layout&) { return c.reduces(); },
                 [](const Call&, const Layout&, Spoilt& s, Random& random) {
                   const std::vector<MPI_Op> ops{MPI_SUM, MPI_MAX, MPI_MIN};
                   const MPI_Op now = s.arguments.op;
                   do {
                     s.arguments.op = random.pick(ops);
                   } while (s.arguments.op == now);
                 }});
  all.push_back({"another type", true,
                 [](const Call& c, const Layout&) { return shares_type(c) && is_floating(c.type->number); },
                 [](const Call& c, const Layout&, Spoilt& s, Random&) {
                   const MPI_Datatype other = c.type->number == Number::f32 ? MPI_DOUBLE : MPI_FLOAT;
                   if (s.arguments.sendtype != MPI_DATATYPE_NULL) s.arguments.sendtype = other;
                   if (s.arguments.recvtype != MPI_DATATYPE_NULL) s.arguments.recvtype = other;
                 }});
  all.push_back({"another bound", true, always, [](const Call& c, const Layout&, Spoilt& s, Random& random) {
                   if (!is_floating(c.type->number)) {
                     s.options.codec = another(c.codec(), {LACONIC_CODEC_RAW, LACONIC_CODEC_LOSSLESS});
                     s.options.effort = LACONIC_EFFORT_UNSET;
                   } else if (s.options.bound.mode == LACONIC_BOUND_ABS && random.below(2) == 0) {
                     s.options.bound.value = std::nextafter(s.options.bound.value, HUGE_VAL);
                   } else {
                     s.options.bound = {another(s.options.bound.mode, {LACONIC_BOUND_ABS, LACONIC_BOUND_REL}), 1e-3};
                   }
                 }});
  all.push_back({"another codec", true, always, [](const Call& c, const Layout&, Spoilt& s, Random&) {
                   s.options.codec = another(c.codec(), {LACONIC_CODEC_RAW, LACONIC_CODEC_LOSSLESS});
                   s.options.effort = LACONIC_EFFORT_UNSET;
                 }});
  all.push_back({"another algorithm", true, always, [](const Call& c, const Layout& l, Spoilt& s, Random& random) {
                   const int size = static_cast<int>(l.send.counts.size());
                   const auto all_of_them = algorithms_of(c.routine, size, size);
                   const laconic_algorithm now = s.options.algorithm;
                   do {
                     s.options.algorithm = random.pick(all_of_them);
                   } while (s.options.algorithm == now);
                 }});
  all.push_back({"another variant", true, always, [](const Call&, const Layout&, Spoilt& s, Random&) {
                   s.options.variant = another(s.options.variant, {LACONIC_VARIANT_ND, LACONIC_VARIANT_CPR_P2P});
                 }});
  all.push_back({"another target", true, always, [](const Call&, const Layout&, Spoilt& s, Random&) {
                   s.options.target = another(s.options.target, {LACONIC_TARGET_INPUT, LACONIC_TARGET_RESULT});
                 }});
  all.push_back(
      {"other denormals", true, always, [](const Call&, const Layout&, Spoilt& s, Random&) {
         s.options.denormals = another(s.options.denormals, {LACONIC_DENORMALS_EXACT, LACONIC_DENORMALS_ROUND});
       }});
  all.push_back({"another chunk or depth", true, always, [](const Call&, const Layout&, Spoilt& s, Random& random) {
                   if (random.below(2) == 0)
                     s.options.chunk_elements += 17;
                   else
                     s.options.depth = s.options.depth == 63 ? 62 : 63;
                 }});
}

}  // namespace

const std::vector<Mistake>& all_mistakes() {
  static const std::vector<Mistake> all = [] {
    std::vector<Mistake> made;
    add_arguments(made);
    add_options(made);
    add_differences(made);
    return made;
  }();
  return all;
}

}  // namespace attack
