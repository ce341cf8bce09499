// SPDX-License-Identifier: BSD-3-Clause
// The messages between a rank and its neighbours, as a program makes them: all receives begin, then all sends, then the
// rank waits for all.  Every message is an operation of the engine, as in src/comm/messages; the envelope is left out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "device/host/host_device.hpp"
#include "engine/run.hpp"
#include "transport/mpi/mpi_transport.hpp"

namespace laconic::scale {

// Operations at the same time over one channel of MPI, told apart by their sequence numbers.  The wait of one operation
// ends when a message of any has arrived.  The library tests one operation after another instead; in the simulation a
// test takes no time, so a rank that only tests would never see a message.
class SharedChannel final : public Transport {
 public:
  SharedChannel(MPI_Comm comm, std::uint64_t operations, std::uint64_t messages)
      : mpi_(comm, 0, 1, operations * messages),
        channel_(mpi_.make_channel()),
        operations_(operations),
        messages_(messages) {
    channel_->open(0);
  }

  int rank() const override { return mpi_.rank(); }
  int size() const override { return mpi_.size(); }
  std::uint64_t messages() const override { return messages_; }
  std::unique_ptr<Channel> make_channel() override { return std::make_unique<Part>(*this); }

 private:
  class Part final : public Channel {
   public:
    explicit Part(SharedChannel& whole) : whole_(whole) {}
    void open(std::uint64_t sequence) override { first_ = sequence % whole_.operations_ * whole_.messages_; }
    Status send(std::span<const std::byte> bytes, int peer, std::uint64_t message, std::uint64_t cookie) override {
      return whole_.channel_->send(bytes, peer, first_ + message % whole_.messages_, whole_.remember(*this, cookie));
    }
    Status receive(std::span<std::byte> room, int peer, std::uint64_t message, std::uint64_t cookie) override {
      return whole_.channel_->receive(room, peer, first_ + message % whole_.messages_, whole_.remember(*this, cookie));
    }
    Status poll(std::vector<Completion>& done) override {
      Status status = whole_.hand_out(whole_.channel_->poll(whole_.completions_));
      take(done);
      return status;
    }
    Status wait(std::vector<Completion>& done) override {
      // The rank first looks at completions that another operation has been handed.
      Status status = whole_.untaken_ == 0 ? whole_.hand_out(whole_.channel_->wait(whole_.completions_)) : Status{};
      take(done);
      return status;
    }
    void add(const Completion& completion) { completed_.push_back(completion); }

   private:
    void take(std::vector<Completion>& done) {
      done.insert(done.end(), completed_.begin(), completed_.end());
      whole_.untaken_ -= completed_.size();
      completed_.clear();
    }

    SharedChannel& whole_;
    std::uint64_t first_ = 0;
    std::vector<Completion> completed_;
  };

  std::uint64_t remember(Part& part, std::uint64_t cookie) {
    under_way_.emplace(next_, std::pair{&part, cookie});
    return next_++;
  }

  // Gives what has completed to the operations that it belongs to.
  Status hand_out(Status status) {
    for (const Completion& completion : completions_) {
      const auto of = under_way_.find(completion.cookie);
      const auto [part, cookie] = of->second;
      part->add({cookie, completion.bytes});
      under_way_.erase(of);
    }
    untaken_ += completions_.size();
    completions_.clear();
    return status;
  }

  MpiTransport mpi_;
  std::unique_ptr<Channel> channel_;
  std::uint64_t operations_;
  std::uint64_t messages_;
  std::uint64_t next_ = 0;
  std::size_t untaken_ = 0;
  std::map<std::uint64_t, std::pair<Part*, std::uint64_t>> under_way_;
  std::vector<Completion> completions_;
};

// Messages that a rank exchanges with its neighbours again and again.
class Messages {
 public:
  Messages(Transport& transport, Device& device) : transport_(transport), device_(device) {}

  // work: all but the plan and the region.  Work::sequence tells the messages between two ranks apart.
  void add(bool sends, int peer, const Region& region, const Work& work) {
    auto message = std::make_unique<Message>(transport_, device_);
    message->plan = plan_of_message(sends);
    for (Action& action : message->plan.actions)
      if (action.peer >= 0) action.peer = peer;
    message->region = region;
    message->work = work;
    message->work.plan = &message->plan;
    message->work.regions = {&message->region, 1};
    (sends ? sends_ : receives_).push_back(std::move(message));
  }

  // before_send: called before each send, which is given the work to fill in.
  template <class BeforeSend>
  void exchange(const BeforeSend& before_send) {
    for (auto& receive : receives_) receive->start();
    for (auto& send : sends_) {
      before_send(send->work);
      send->start();
    }
    std::vector<Message*> left;
    for (auto* const messages : {&receives_, &sends_})
      for (auto& message : *messages) left.push_back(message.get());
    while (!left.empty()) {
      std::erase_if(left, [](Message* message) { return message->run.poll(); });
      const auto waits = [](Message* message) { return message->run.waiting(); };
      if (!left.empty() && std::all_of(left.begin(), left.end(), waits)) left.front()->run.wait();
    }
    for (auto* const messages : {&receives_, &sends_})
      for (auto& message : *messages)
        if (const Status& s = message->run.status(); !s.ok()) throw std::runtime_error(s.message());
  }

  std::uint64_t bytes_sent() const {
    return sum([](const Account& account) { return account.bytes_sent; });
  }
  std::uint64_t bytes_uncompressed() const {
    return sum([](const Account& account) { return account.bytes_uncompressed; });
  }

 private:
  struct Message {
    Message(Transport& transport, Device& device) : run(transport, device) {}
    // As the library does it: a call sends all that MPI takes before it returns.
    void start() {
      run.start(work);
      while (!run.poll() && !run.waiting()) {
      }
    }

    Run run;
    Plan plan;
    Region region;
    Work work;
  };

  template <class Of>
  std::uint64_t sum(const Of& of) const {
    std::uint64_t all = 0;
    for (const auto& send : sends_) all += of(send->run.account());
    return all;
  }

  Transport& transport_;
  Device& device_;
  std::vector<std::unique_ptr<Message>> receives_;
  std::vector<std::unique_ptr<Message>> sends_;
};

}  // namespace laconic::scale
