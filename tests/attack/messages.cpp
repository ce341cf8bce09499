// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <numeric>

#include "operation.hpp"
#include "scenes.hpp"

namespace attack {
namespace {

// No smaller message is compressed.
constexpr std::size_t bytes_of_envelope = 80;

using ranks::text;

enum class Matching { by_tag, any_source, any_tag_and_source, in_order };
enum class Calls { nonblocking, one_after_another, sendrecv };

// A message; it only moves data, so it is checked like a broadcast from its sender.
struct Letter {
  Call call;
  int from = 0;
  int to = 0;
  int tag = 0;

  std::size_t bytes() const { return call.count * width_of(call.type->number); }
  Bytes content(int size) const {
    Shape shape;
    shape.pattern = call.pattern;
    shape.shared = call.seed;
    shape.own = call.seed + 1;
    shape.bound = call.options.bound.value;
    shape.step = 2 * shape.bound;
    shape.rank = from;
    shape.ranks = size;
    return make_numbers(shape, call.type->number, call.count);
  }
};

// One end of a letter (its send or its receive) on this rank.
struct End {
  std::size_t letter = 0;
  GuardedBytes memory;
  std::size_t room = 0;  // in numbers
  laconic_options options{};
  laconic_stats stats{};
  MPI_Status status{};
};

Letter draw_letter(Random& random, const Group& group, const Offer& offer, const NamedType* type) {
  Letter l;
  const auto ranks = static_cast<std::uint64_t>(group.size);
  l.from = static_cast<int>(random.below(ranks));
  l.to = static_cast<int>(random.below(ranks));
  Call& c = l.call;
  c.routine = Routine::bcast;
  c.root = l.from;
  c.type = type;
  c.options = draw_options(random, type->number, offer);
  if (random.below(20) == 0) c.options.algorithm = LACONIC_ALGORITHM_PLAIN;
  c.options.target = LACONIC_TARGET_UNSET;
  c.pattern = static_cast<Pattern>(random.below(patterns));
  c.count = draw_count(random, c.options, offer.largest / 8);
  c.seed = random.bits() >> 24;
  return l;
}

class Exchange {
 public:
  Exchange(World& world, Random& random) : world_(world), group_(world.groups[random.below(3)]) {
    matching_ = static_cast<Matching>(random.below(4));
    calls_ = static_cast<Calls>(random.below(3));
    const std::size_t number = 1 + random.below(8);
    const auto& types = named_types();
    const auto draw_type = [&] { return &types[random.below(3) == 0 ? random.below(types.size()) : random.below(2)]; };
    const NamedType* type = draw_type();
    const int first_tag = static_cast<int>(random.below(30000));
    // A ring, in which every rank sends and receives at once, has one message for each rank.
    const int shift = static_cast<int>(random.below(static_cast<std::uint64_t>(group_.size)));
    if (calls_ == Calls::sendrecv) matching_ = Matching::by_tag;
    for (std::size_t k = 0; k < (calls_ == Calls::sendrecv ? static_cast<std::size_t>(group_.size) : number); ++k) {
      Letter l = draw_letter(random, group_, world.offer, type);
      if (matching_ == Matching::by_tag) l.call.type = draw_type();
      if (l.call.type != type && !is_floating(l.call.type->number)) l.call.options.bound = {LACONIC_BOUND_LOSSLESS, 0};
      l.tag = first_tag + (matching_ == Matching::in_order ? 0 : static_cast<int>(k));
      if (calls_ == Calls::sendrecv) {
        l.from = l.call.root = static_cast<int>(k);
        l.to = (l.from + shift) % group_.size;
      }
      // A blocking message from a rank to itself would deadlock.
      if (calls_ == Calls::one_after_another && l.from == l.to) continue;
      letters_.push_back(l);
    }
    own_ = Random(random.bits() + static_cast<std::uint64_t>(group_.rank));
    describe_all();
  }

  void play() {
    if (calls_ == Calls::sendrecv)
      send_and_receive();
    else if (calls_ == Calls::one_after_another)
      one_after_another();
    else
      at_once();
    for (const End& e : sent_) check_sent(e);
    check_received();
  }

 private:
  void describe_all() {
    constexpr const char* matchings[] = {"by tag", "from any source", "any message", "in order"};
    constexpr const char* calls[] = {"isend and irecv", "send and recv", "sendrecv"};
    std::string all =
        text("%s, %s, %s:", calls[static_cast<int>(calls_)], matchings[static_cast<int>(matching_)], group_.name);
    for (const Letter& l : letters_)
      all +=
          text(" | %d to %d, %zu %s %s, %s, numbers %llu", l.from, l.to, l.call.count, l.call.type->name,
               name_of(l.call.pattern), describe(l.call.options).c_str(), static_cast<unsigned long long>(l.call.seed));
    world_.journal.begin(all);
    world_.journal.count("operation", calls[static_cast<int>(calls_)], letters_.size());
    for (const Letter& l : letters_) {
      world_.journal.count("codec", laconic_codec_name(l.call.codec()));
      world_.journal.count("type", l.call.type->name);
    }
  }

  End outgoing(std::size_t k) {
    const Letter& l = letters_[k];
    End e;
    e.letter = k;
    e.memory.reset(l.bytes(), 0, l.call.seed);
    const Bytes content = l.content(group_.size);
    e.memory.put(0, content.data(), content.size());
    e.memory.keep();
    e.options = l.call.options;
    return e;
  }

  End incoming(std::size_t k) {
    const Letter& l = letters_[k];
    End e;
    e.letter = k;
    e.room = l.call.count;
    if (matching_ == Matching::any_tag_and_source)
      for (const Letter& other : letters_) e.room = std::max(e.room, other.call.count);
    if (own_.below(2) == 0) e.room += own_.below(5);
    e.memory.reset(e.room * width_of(l.call.type->number), 0, l.call.seed + 1);
    e.memory.keep();
    // The receiver's settings have no effect.
    e.options = draw_options(own_, l.call.type->number, world_.offer);
    return e;
  }

  int source(const Letter& l) const {
    return matching_ == Matching::any_source || matching_ == Matching::any_tag_and_source ? MPI_ANY_SOURCE : l.from;
  }
  int tag(const Letter& l) const { return matching_ == Matching::any_tag_and_source ? MPI_ANY_TAG : l.tag; }

  void succeeded(int rc, const char* what) {
    CHECK(world_.journal, rc == MPI_SUCCESS, "%s: %s", what, ranks::message_of(rc).c_str());
  }

  // All ends in flight; they must not move in memory any more.
  void at_once() {
    std::vector<std::size_t> order(letters_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (matching_ != Matching::in_order)
      for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[own_.below(i)]);
    for (const std::size_t k : order) {
      if (letters_[k].from == group_.rank) sent_.push_back(outgoing(k));
      if (letters_[k].to == group_.rank) received_.push_back(incoming(k));
    }
    std::vector<laconic_request> requests(sent_.size() + received_.size(), LACONIC_REQUEST_NULL);
    std::size_t r = 0;
    std::size_t s = 0;
    while (r < received_.size() || s < sent_.size()) {
      const std::size_t at = r + s;
      if (s == sent_.size() || (r < received_.size() && own_.below(2) == 0)) {
        End& e = received_[r++];
        const Letter& l = letters_[e.letter];
        where_.push_back(&e);
        e.options.stats = &e.stats;
        succeeded(laconic_irecv(e.memory.data(), static_cast<MPI_Count>(e.room), l.call.type->type, source(l), tag(l),
                                group_.comm, &requests[at], &e.options),
                  "laconic_irecv");
      } else {
        End& e = sent_[s++];
        const Letter& l = letters_[e.letter];
        where_.push_back(&e);
        e.options.stats = &e.stats;
        succeeded(laconic_isend(e.memory.data(), static_cast<MPI_Count>(l.call.count), l.call.type->type, l.to, l.tag,
                                group_.comm, &requests[at], &e.options),
                  "laconic_isend");
      }
    }
    std::vector<MPI_Status> statuses;
    complete(world_, own_, requests, &statuses);
    for (std::size_t k = 0; k < where_.size(); ++k) where_[k]->status = statuses[k];
    for (const laconic_request request : requests) CHECK(world_.journal, request == LACONIC_REQUEST_NULL);
  }

  void one_after_another() {
    for (std::size_t k = 0; k < letters_.size(); ++k) {
      const Letter& l = letters_[k];
      if (l.to == group_.rank) {
        received_.push_back(incoming(k));
        End& e = received_.back();
        e.options.stats = &e.stats;
        // This receive must not take a message that an earlier sender still has in flight.
        const int from = matching_ == Matching::in_order ? l.from : source(l);
        const int with = matching_ == Matching::any_tag_and_source ? l.tag : tag(l);
        succeeded(laconic_recv(e.memory.data(), static_cast<MPI_Count>(e.room), l.call.type->type, from, with,
                               group_.comm, &e.status, &e.options),
                  "laconic_recv");
      }
      if (l.from != group_.rank) continue;
      sent_.push_back(outgoing(k));
      End& e = sent_.back();
      e.options.stats = &e.stats;
      succeeded(laconic_send(e.memory.data(), static_cast<MPI_Count>(l.call.count), l.call.type->type, l.to, l.tag,
                             group_.comm, &e.options),
                "laconic_send");
    }
  }

  // One call with one set of options and statistics for both directions.
  void send_and_receive() {
    std::size_t out = 0;
    std::size_t in = 0;
    for (std::size_t k = 0; k < letters_.size(); ++k) {
      if (letters_[k].from == group_.rank) out = k;
      if (letters_[k].to == group_.rank) in = k;
    }
    sent_.push_back(outgoing(out));
    received_.push_back(incoming(in));
    End& from = sent_.back();
    End& to = received_.back();
    laconic_options options = from.options;
    options.stats = &to.stats;
    const Letter& a = letters_[out];
    const Letter& b = letters_[in];
    succeeded(laconic_sendrecv(from.memory.data(), static_cast<MPI_Count>(a.call.count), a.call.type->type, a.to, a.tag,
                               to.memory.data(), static_cast<MPI_Count>(to.room), b.call.type->type, source(b), tag(b),
                               group_.comm, &to.status, &options),
              "laconic_sendrecv");
  }

  void check_sent(const End& e) {
    const Letter& l = letters_[e.letter];
    CHECK(world_.journal, e.memory.unchanged({}), "the send buffer was changed, %d to %d", l.from, l.to);
    if (calls_ != Calls::sendrecv) check_plain(l, e.stats);
  }

  void check_plain(const Letter& l, const laconic_stats& s) {
    const laconic_options& o = l.call.options;
    const bool codes = is_floating(l.call.type->number) || l.call.codes_integers();
    const std::size_t least = o.min_bytes == 0 ? 65536 : static_cast<std::size_t>(o.min_bytes);
    const bool plain = o.bound.mode == LACONIC_BOUND_UNSET || o.algorithm == LACONIC_ALGORITHM_PLAIN ||
                       o.variant == LACONIC_VARIANT_PLAIN || l.from == l.to || !codes || l.bytes() < least ||
                       l.bytes() <= bytes_of_envelope;
    CHECK(world_.journal, s.calls == 1 && (s.plain_calls == 1) == plain, "%d to %d: %d calls, %d plain, because %s",
          l.from, l.to, static_cast<int>(s.calls), static_cast<int>(s.plain_calls),
          laconic_plain_reason_string(s.plain_reason));
  }

  void check_received() {
    std::vector<bool> seen(letters_.size(), false);
    for (End& e : received_) {
      std::size_t k = e.letter;
      if (matching_ != Matching::by_tag)
        for (k = 0; k < letters_.size(); ++k)
          if (!seen[k] && letters_[k].to == group_.rank && letters_[k].from == e.status.MPI_SOURCE &&
              letters_[k].tag == e.status.MPI_TAG)
            break;
      if (!CHECK(world_.journal, k < letters_.size(), "a message from %d with tag %d that nobody sent",
                 e.status.MPI_SOURCE, e.status.MPI_TAG))
        continue;
      seen[k] = true;
      check_one(letters_[k], e);
    }
  }

  void check_one(const Letter& l, End& e) {
    Journal& journal = world_.journal;
    CHECK(journal, e.status.MPI_SOURCE == l.from && e.status.MPI_TAG == l.tag,
          "status: source %d tag %d, not %d and %d", e.status.MPI_SOURCE, e.status.MPI_TAG, l.from, l.tag);
    int count = -1;
    MPI_Get_count(&e.status, l.call.type->type, &count);
    CHECK(journal, count == static_cast<int>(l.call.count), "status: count %d, not %zu", count, l.call.count);
    CHECK(journal, e.memory.unchanged({{0, l.bytes()}}), "memory about the message from %d was changed", l.from);
    std::vector<Bytes> inputs(static_cast<std::size_t>(group_.size));
    inputs[static_cast<std::size_t>(l.from)] = l.content(group_.size);
    const Layout layout(l.call, group_.rank, group_.size);
    const Facts facts{l.call, layout, group_.rank, group_.size, inputs};
    laconic_stats stats = e.stats;
    if (calls_ == Calls::sendrecv) {  // its statistics are those of two calls
      stats.bound = stats.achieved_bound = resolved_bound(facts);
      stats.plain_calls = l.from == l.to;
    } else {
      check_plain(l, stats);
      CHECK(journal, stats.plain_calls > 0 || stats.achieved_bound <= stats.bound, "achieved %.17g, bound %.17g",
            stats.achieved_bound, stats.bound);
      CHECK(journal, stats.plain_calls > 0 || stats.bound == resolved_bound(facts), "bound %.17g, asked for %.17g",
            stats.bound, resolved_bound(facts));
    }
    journal.count("values", l.call.type->name, check_results(journal, facts, stats, e.memory.data(), false));
  }

  World& world_;
  const Group& group_;
  Random own_{0};
  Matching matching_ = Matching::by_tag;
  Calls calls_ = Calls::nonblocking;
  std::vector<Letter> letters_;
  std::vector<End> sent_;
  std::vector<End> received_;
  std::vector<End*> where_;
};

}  // namespace

void play_messages(World& world, Random& random) {
  Exchange exchange(world, random);
  exchange.play();
}

Scene draw_scene(Random& random) {
  const auto which = random.below(20);
  return which < 13 ? Scene::collectives : which < 16 ? Scene::misuse : Scene::messages;
}

}  // namespace attack
