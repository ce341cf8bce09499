// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/audit.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "schedule/messages.hpp"
#include "schedule/travel.hpp"

namespace laconic {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// A block on its way: `part` of a message of `parts` blocks.
struct Sent {
  std::uint32_t label;
  std::uint32_t part;
  std::uint32_t parts;
  Holding value;
};

// The blocks from one rank to another.
struct Channel {
  std::vector<Sent> blocks;
  std::size_t taken = 0;              // blocks
  int messages = 0;                   // sent so far
  std::vector<std::size_t> receives;  // the indices of their receives among all receives of the rank
};

struct Unmet {
  int peer;
  std::size_t place;
};

struct Rank {
  Schedule schedule;
  std::vector<std::unique_ptr<Holding>> holds;  // null: the rank never had a value of the block
  std::vector<std::ptrdiff_t> last_change;      // per block in a reduction: the last step that takes a message
  std::size_t position = 0;
  std::size_t sent = 0;  // blocks
  std::size_t taken = 0;
  std::size_t messages_sent = 0;
  std::size_t messages_taken = 0;
  std::vector<Unmet> unmet;  // messages whose receives have not been posted
};

class World {
 public:
  World(const Algorithm& algorithm, Ranks ranks, int root, std::span<const Neighborhood> topology, std::uint32_t most)
      : collective_(algorithm.collective),
        traits_(traits_of(collective_)),
        size_(ranks.size),
        nodes_(ranks.nodes),
        root_(root),
        topology_(topology.begin(), topology.end()),
        channels_(at(ranks.size) * at(ranks.size)) {
    for (int r = 0; traits_.neighborhood() && topology.empty() && r < size_; ++r)
      topology_.push_back(assumed_neighborhood(r, size_));
    for (int r = 0; r < size_ && problem_.empty(); ++r) {
      ranks_.emplace_back().schedule = join(algorithm.build(place(r)), most);
      enter(r);
    }
  }

  Audit run() {
    for (bool progress = problem_.empty(); progress;) {
      progress = false;
      for (int r = 0; r < size_; ++r)
        while (step(r)) progress = true;
      if (!problem_.empty()) break;
    }
    Audit result;
    if (problem_.empty()) check_end();
    if (problem_.empty()) check_blocks(result);
    if (problem_.empty()) count(result);
    result.problem = problem_;
    result.ok = problem_.empty();
    return result;
  }

 private:
  Place place(int r) const { return {r, size_, root_, topology_.empty() ? &no_neighbors_ : &topology_[at(r)], nodes_}; }
  Ownership ownership(int r, int block) const { return ownership_of(collective_, place(r), block); }
  Channel& channel(int from, int to) { return channels_[at(from) * at(size_) + at(to)]; }
  static std::string place_of(std::uint32_t part, std::uint32_t parts) {
    return std::to_string(part + 1) + " of " + std::to_string(parts);
  }
  static std::string name(int r) { return "rank " + std::to_string(r); }
  static std::string name_block(std::int64_t b) { return "block " + std::to_string(b); }

  void enter(int r) {
    Rank& rank = ranks_[at(r)];
    const Schedule& schedule = rank.schedule;
    const int cut = schedule.blocks;
    if (traits_.neighborhood()) {
      if (cut != blocks_of(topology_[at(r)])) {
        problem_ = name(r) + " has " + std::to_string(cut) + " blocks";
        return;
      }
    } else if (cut < 1 || cut != ranks_[0].schedule.blocks) {
      problem_ = name(r) + " cuts the data into " + std::to_string(cut) + " blocks, rank 0 into " +
                 std::to_string(ranks_[0].schedule.blocks);
      return;
    }
    const int blocks = traits_.all_to_all() ? size_ * size_ : size_;
    if (!traits_.cut_freely() && !traits_.neighborhood() && cut != blocks) {
      problem_ = name(r) + " cuts the data into " + std::to_string(cut) + " blocks where " + std::to_string(blocks) +
                 " are asked for";
      return;
    }
    rank.holds.resize(at(cut));
    for (int b = 0; b < cut; ++b)
      if (ownership(r, b).has) rank.holds[at(b)] = std::make_unique<Holding>(Holding::of(r));
    if (traits_.reduces) rank.last_change.assign(at(cut), -1);
    std::size_t receives = 0;
    const Step* open = nullptr;  // the last block taken, where more of its message follow
    for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
      const Step& s = schedule.steps[i];
      if (s.peer < 0 || s.peer >= size_ || s.peer == r || s.block < 0 || s.block >= cut) {
        problem_ = name(r) + " names peer " + std::to_string(s.peer) + ", " + name_block(s.block);
        return;
      }
      if (s.verb == Verb::send) continue;
      if (open != nullptr && (s.peer != open->peer || s.part != open->part + 1)) {
        problem_ = name(r) + " takes a block from " + std::to_string(s.peer) + " amid those of a message from " +
                   std::to_string(open->peer);
        return;
      }
      open = s.part + 1 < s.parts ? &s : nullptr;
      if (s.part == 0) channel(s.peer, r).receives.push_back(receives++);
      if (traits_.reduces) rank.last_change[at(s.block)] = static_cast<std::ptrdiff_t>(i);
    }
  }

  // As in the engine, a rank waits while too many of its sends have no posted receive.
  bool may_send(Rank& rank) {
    std::erase_if(rank.unmet,
                  [&](const Unmet& u) { return u.place < ranks_[at(u.peer)].messages_taken + receives_ahead; });
    return rank.unmet.size() < sends_ahead;
  }

  // Executes the next step of rank r; returns false if the step has to wait or there is none.
  bool step(int r) {
    Rank& rank = ranks_[at(r)];
    if (!problem_.empty() || rank.position == rank.schedule.steps.size()) return false;
    const Step s = rank.schedule.steps[rank.position];
    if (s.verb == Verb::send ? !send(r, s) : !take(r, s)) return false;
    ++rank.position;
    return true;
  }

  bool send(int r, Step s) {
    Rank& rank = ranks_[at(r)];
    Holding* mine = rank.holds[at(s.block)].get();
    if (mine == nullptr) {
      problem_ =
          name(r) + " sends " + name_block(s.block) + " before it has it, at step " + std::to_string(rank.position);
      return false;
    }
    // The blocks of a message are consecutive steps, so that none of them waits once the first is through.
    if (s.part == 0 && !may_send(rank)) return false;
    Channel& way = channel(r, s.peer);
    way.blocks.push_back(
        {label_of(collective_, place(r), s.block), s.part, s.parts, mine->send(is_result(r, s.block))});
    ++rank.sent;
    if (s.part + 1 == s.parts) depart(way, s.parts);
    if (s.part > 0) return true;
    ++rank.messages_sent;
    const auto number = static_cast<std::size_t>(way.messages++);
    // A message without a receive is reported at the end, by check_end().
    if (number < way.receives.size()) rank.unmet.push_back({s.peer, way.receives[number]});
    return true;
  }

  // The blocks of a message arrive together.
  static void depart(Channel& way, std::uint32_t parts) {
    int hops = 0;
    for (auto sent = way.blocks.end() - parts; sent != way.blocks.end(); ++sent)
      hops = std::max(hops, sent->value.hops);
    for (auto sent = way.blocks.end() - parts; sent != way.blocks.end(); ++sent) sent->value.hops = hops;
  }

  // Whether the current value of the block is a final result.
  bool is_result(int r, int block) const {
    if (!traits_.reduces) return true;
    const Rank& rank = ranks_[at(r)];
    return ownership(r, block).wants && !traits_.prefix() &&
           rank.last_change[at(block)] < static_cast<std::ptrdiff_t>(rank.position);
  }

  bool take(int r, Step s) {
    Rank& rank = ranks_[at(r)];
    Channel& way = channel(s.peer, r);
    if (way.taken == way.blocks.size()) return false;
    const Sent& sent = way.blocks[way.taken++];
    ++rank.taken;
    rank.messages_taken += s.part + 1 == s.parts;
    if (const std::uint32_t expected = label_of(collective_, place(r), s.block); sent.label != expected)
      problem_ = name(r) + " takes " + name_block(sent.label) + " from " + std::to_string(s.peer) +
                 " where it expects " + std::to_string(expected);
    else if (sent.part != s.part || sent.parts != s.parts)
      problem_ = name(r) + " takes " + name_block(sent.label) + " as " + place_of(s.part, s.parts) +
                 " of a message from " + std::to_string(s.peer) + ", which sends it as " +
                 place_of(sent.part, sent.parts);
    auto& mine = rank.holds[at(s.block)];
    if (s.verb == Verb::reduce && mine == nullptr)
      problem_ = name(r) + " reduces " + name_block(s.block) + " before it has it";
    if (!problem_.empty()) return false;
    if (mine == nullptr) mine = std::make_unique<Holding>();
    s.verb == Verb::receive ? mine->receive(sent.value) : mine->reduce(sent.value);
    return true;
  }

  void check_end() {
    for (int r = 0; r < size_ && problem_.empty(); ++r)
      if (ranks_[at(r)].position != ranks_[at(r)].schedule.steps.size())
        problem_ = name(r) + " waits for ever at step " + std::to_string(ranks_[at(r)].position);
    for (const Channel& c : channels_)
      if (c.taken != c.blocks.size() && problem_.empty()) problem_ = "a message is never received";
  }

  void check_blocks(Audit& result) {
    for (const Rank& rank : ranks_) result.blocks = std::max(result.blocks, rank.schedule.blocks);
    for (int b = 0; b < result.blocks; ++b) {
      Holding::Sources owners;
      for (int r = 0; r < size_ && !traits_.neighborhood(); ++r)
        if (ownership(r, b).has) owners.push_back(r);
      std::map<Holding::Sources, int> first;  // the first rank that has the result of these contributions
      for (int r = 0; r < size_ && problem_.empty(); ++r) {
        if (b >= ranks_[at(r)].schedule.blocks || !ownership(r, b).wants) continue;
        const Holding::Sources sources = sources_of(r, b, owners);
        check_block(r, b, sources, first.try_emplace(sources, r).first->second, result);
      }
    }
  }

  // The ranks whose contributions the result of a block holds on this rank.
  Holding::Sources sources_of(int r, int b, const Holding::Sources& owners) const {
    if (traits_.neighborhood()) return {topology_[at(r)].sources[at(b)].rank};
    if (!traits_.prefix()) return owners;
    return {owners.begin(), owners.begin() + contributions_of(collective_, place(r))};
  }

  void check_block(int r, int b, const Holding::Sources& sources, int first, Audit& result) {
    const Holding* holding = ranks_[at(r)].holds[at(b)].get();
    if (holding == nullptr) {
      problem_ = name(r) + " never gets " + name_block(b);
      return;
    }
    if (*holding->sources != sources) {
      problem_ = name(r) + ", " + name_block(b) + difference(*holding->sources, sources);
      return;
    }
    // In a neighborhood collective the block has other numbers on other ranks.
    const Holding& other = *ranks_[at(traits_.neighborhood() ? r : first)].holds[at(b)];
    const auto note = [&](Terms& most, Travel travel) {
      const Value& v = holding->under[static_cast<std::size_t>(travel)];
      most = {std::max(most.intermediate, v.errors.intermediate), std::max(most.final, v.errors.final)};
      if (travel != Travel::per_hop && v.expression != other.under[static_cast<std::size_t>(travel)].expression)
        problem_ = "ranks " + std::to_string(first) + " and " + std::to_string(r) + " add " + name_block(b) +
                   " in different orders" + (travel == Travel::reencoding ? " or after other encodes" : "");
    };
    note(result.homomorphic, Travel::homomorphic);
    note(result.reencoding, Travel::reencoding);
    note(result.per_hop, Travel::per_hop);
    result.cost.hops = std::max(result.cost.hops, static_cast<double>(holding->hops));
  }

  std::string difference(const Holding::Sources& is, const Holding::Sources& should) const {
    for (int i = 0; i < size_; ++i) {
      const auto times = std::count(is.begin(), is.end(), i);
      if (times != std::count(should.begin(), should.end(), i))
        return " holds the contribution of rank " + std::to_string(i) + " " + std::to_string(times) + " times";
    }
    return "";
  }

  void count(Audit& result) const {
    std::size_t most = 0, messages = 0;
    for (const Rank& rank : ranks_) {
      most = std::max({most, rank.sent, rank.taken});
      messages = std::max({messages, rank.messages_sent, rank.messages_taken});
    }
    if (most > 0) result.cost.share = static_cast<double>(most) / whole(result.blocks);
    result.cost.messages = static_cast<int>(messages);
    for (const Channel& c : channels_) result.most_messages = std::max(result.most_messages, c.messages);
  }

  // The number of blocks in all the data; in a neighborhood collective, on the rank with most messages.
  int whole(int blocks) const {
    if (traits_.all_to_all()) return size_;
    int edges = 0;
    for (int r = 0; r < static_cast<int>(topology_.size()); ++r)
      for (const auto* list : {&topology_[at(r)].sources, &topology_[at(r)].destinations})
        edges = std::max(edges, static_cast<int>(std::count_if(list->begin(), list->end(), [&](const Neighbor& n) {
                           return n.exists() && n.rank != r;
                         })));
    return traits_.neighborhood() ? edges : blocks;
  }

  int blocks_of(const Neighborhood& n) const {
    return static_cast<int>(n.sources.size() + (traits_.send.cut() ? n.destinations.size() : 1));
  }

  Collective collective_;
  const CollectiveTraits& traits_;
  int size_;
  const NodeShape* nodes_;
  int root_;
  std::vector<Neighborhood> topology_;
  Neighborhood no_neighbors_;  // where the collective has no topology
  std::vector<Rank> ranks_;
  std::vector<Channel> channels_;
  std::string problem_;
};

}  // namespace

Audit audit(const Algorithm& algorithm, Ranks ranks, int root, std::span<const Neighborhood> topology,
            std::uint32_t most) {
  return World(algorithm, ranks, root, topology, most).run();
}

}  // namespace laconic
