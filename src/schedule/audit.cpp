#include "schedule/audit.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>

namespace laconic {
namespace {

// What a block holds: who contributed how often, how many encodes lie behind it, and a hash of the expression that is
// the same for a+b and b+a (kernels are commutative) but not for (a+b)+c and a+(b+c) (rounding is not associative).
struct Value {
  std::vector<std::uint16_t> contributions;
  int errors = 0;
  bool coded = false;
  std::uint64_t expression = 0;
};

std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

Value combine_values(const Value& a, const Value& b) {
  Value v;
  v.contributions.resize(a.contributions.size());
  for (std::size_t i = 0; i < v.contributions.size(); ++i)
    v.contributions[i] = static_cast<std::uint16_t>(a.contributions[i] + b.contributions[i]);
  v.errors = a.errors + b.errors + 1;
  v.coded = true;
  v.expression = mix(a.expression + b.expression + 0x9e3779b97f4a7c15ULL);
  return v;
}

struct Message {
  std::int32_t block;
  std::shared_ptr<const Value> value;
};

class World {
 public:
  World(const Algorithm& algorithm, int size) : size_(size), channels_(static_cast<std::size_t>(size) * at(size)) {
    for (int r = 0; r < size; ++r) {
      schedules_.push_back(algorithm.build({r, size, 0}));
      const int cut = schedules_.back().blocks;
      if (cut < 1 || cut != schedules_[0].blocks) {
        problem_ = "rank " + std::to_string(r) + " cuts the data into " + std::to_string(cut) +
                   " blocks, rank 0 into " + std::to_string(schedules_[0].blocks);
        return;
      }
      std::vector<Value> blocks(at(cut));
      for (Value& v : blocks) {
        v.contributions.assign(at(size), 0);
        v.contributions[at(r)] = 1;
        v.expression = mix(static_cast<std::uint64_t>(r) + 1);
      }
      values_.push_back(std::move(blocks));
    }
    position_.assign(at(size), 0);
    sent_.assign(channels_.size(), 0);
    taken_.assign(at(size), 0);
    unmet_.resize(at(size));
    receives_.resize(channels_.size());
    for (int r = 0; r < size; ++r) {
      std::size_t place = 0;
      for (const Step& s : schedules_[at(r)].steps)
        if (s.verb != Verb::send && s.peer >= 0 && s.peer < size) receives_[channel(s.peer, r)].push_back(place++);
    }
  }

  Audit run() {
    Audit result;
    result.blocks = schedules_[0].blocks;
    for (bool progress = problem_.empty(); progress;) {
      progress = false;
      for (int r = 0; r < size_; ++r)
        while (step(r)) progress = true;
      if (!problem_.empty()) break;
    }
    if (problem_.empty()) check_end(result);
    result.problem = problem_;
    result.ok = problem_.empty();
    return result;
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  std::size_t channel(int from, int to) const { return at(from) * at(size_) + at(to); }

  // As the engine: a rank waits while too many of its sends have found no receive.
  bool may_send(int r) {
    auto& unmet = unmet_[at(r)];
    std::erase_if(unmet, [&](const Unmet& u) { return u.place < taken_[at(u.peer)] + receives_ahead; });
    return unmet.size() < sends_ahead;
  }

  // Executes the next step of rank r; false when it has to wait or there is none.
  bool step(int r) {
    const Schedule& schedule = schedules_[at(r)];
    if (!problem_.empty() || position_[at(r)] == schedule.steps.size()) return false;
    const Step& s = schedule.steps[position_[at(r)]];
    if (s.peer < 0 || s.peer >= size_ || s.peer == r || s.block < 0 || s.block >= schedule.blocks) {
      problem_ =
          "rank " + std::to_string(r) + " names peer " + std::to_string(s.peer) + ", block " + std::to_string(s.block);
      return false;
    }
    Value& mine = values_[at(r)][at(s.block)];
    if (s.verb == Verb::send) {
      if (!may_send(r)) return false;
      if (!mine.coded) {
        mine.coded = true;
        mine.errors += 1;
      }
      const std::size_t way = channel(r, s.peer);
      channels_[way].push_back({s.block, std::make_shared<Value>(mine)});
      const auto number = at(sent_[way]++);
      // A message without a receive is found at the end.
      if (number < receives_[way].size()) unmet_[at(r)].push_back({s.peer, receives_[way][number]});
    } else {
      auto& queue = channels_[channel(s.peer, r)];
      if (queue.empty()) return false;
      const Message message = queue.front();
      queue.pop_front();
      ++taken_[at(r)];
      if (message.block != s.block)
        problem_ = "rank " + std::to_string(r) + " takes block " + std::to_string(message.block) + " from " +
                   std::to_string(s.peer) + " where it expects " + std::to_string(s.block);
      mine = s.verb == Verb::receive ? *message.value : combine_values(mine, *message.value);
    }
    ++position_[at(r)];
    return true;
  }

  void check_end(Audit& result) {
    for (int r = 0; r < size_ && problem_.empty(); ++r) {
      const Schedule& schedule = schedules_[at(r)];
      if (position_[at(r)] != schedule.steps.size())
        problem_ = "rank " + std::to_string(r) + " waits for ever at step " + std::to_string(position_[at(r)]);
      std::size_t sends = 0;
      for (const Step& s : schedule.steps) sends += s.verb == Verb::send;
      result.bytes_factor_numerator = std::max(result.bytes_factor_numerator, sends);
      for (int b = 0; b < schedule.blocks && problem_.empty(); ++b) check_block(r, b, result);
    }
    for (std::size_t c = 0; c < channels_.size() && problem_.empty(); ++c) {
      result.most_messages = std::max(result.most_messages, sent_[c]);
      if (!channels_[c].empty()) problem_ = "a message is never received";
    }
  }

  void check_block(int r, int b, Audit& result) {
    const Value& v = values_[at(r)][at(b)];
    for (std::size_t i = 0; i < v.contributions.size(); ++i)
      if (v.contributions[i] != 1)
        problem_ = "rank " + std::to_string(r) + ", block " + std::to_string(b) + " holds the contribution of rank " +
                   std::to_string(i) + " " + std::to_string(v.contributions[i]) + " times";
    if (v.expression != values_[0][at(b)].expression)
      problem_ = "ranks 0 and " + std::to_string(r) + " add block " + std::to_string(b) + " in different orders";
    result.reencoded_terms = std::max(result.reencoded_terms, v.errors);
  }

  int size_;
  std::vector<Schedule> schedules_;
  std::vector<std::vector<Value>> values_;
  std::vector<std::size_t> position_;
  std::vector<std::deque<Message>> channels_;
  std::vector<int> sent_;
  std::vector<std::size_t> taken_;                  // receives that a rank has taken
  std::vector<std::vector<std::size_t>> receives_;  // of each channel, their places among all receives of the rank
  struct Unmet {
    int peer;
    std::size_t place;
  };
  std::vector<std::vector<Unmet>> unmet_;  // sends that no receive has been posted for
  std::string problem_;
};

}  // namespace

Audit audit(const Algorithm& algorithm, int size) { return World(algorithm, size).run(); }

}  // namespace laconic
