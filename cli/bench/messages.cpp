// SPDX-License-Identifier: BSD-3-Clause
// Messages between two ranks, as in the OSU micro-benchmarks, and between all neighbours of a grid.
#include <algorithm>
#include <array>

#include "bench/operation.hpp"

namespace laconic::cli::bench {
namespace {

constexpr int data_tag = 1;
constexpr int answer_tag = 2;

// Short messages are repeated until this many bytes have been sent, because reading a clock takes tens of nanoseconds.
constexpr std::size_t bytes_per_reading = std::size_t{1} << 18;
constexpr int most_repeats = 100;

// One message to or from a peer, with the offset of its numbers in the buffer.
struct Message {
  int peer;
  int tag;
  std::size_t at;
};

class Messages : public Operation {
 public:
  Messages(std::size_t bytes, const Ranks& ranks, const BufferMemory& memory)
      : Operation(memory), ranks_(ranks), count_(bytes / sizeof(float)) {}
  void use(MPI_Comm comm) override { ranks_.comm = comm; }

 protected:
  int number() const { return static_cast<int>(count_); }

  void send(int peer, int tag, std::size_t at) { sends_.push_back({peer, tag, at}); }
  void receive(int peer, int tag, std::size_t first) {
    receives_.push_back({peer, tag, out_.on_host().size()});
    expect({count_, peer, first});
  }

  // Starts all messages at once, and waits until all are complete.
  int exchange_plain() {
    std::vector<MPI_Request> requests;
    requests.reserve(receives_.size() + sends_.size());
    int code = MPI_SUCCESS;
    for (const Message& m : receives_) {
      requests.push_back(MPI_REQUEST_NULL);
      code = std::max(code,
                      MPI_Irecv(out_.data() + m.at, number(), MPI_FLOAT, m.peer, m.tag, ranks_.comm, &requests.back()));
    }
    for (const Message& m : sends_) {
      requests.push_back(MPI_REQUEST_NULL);
      code = std::max(code,
                      MPI_Isend(in_.data() + m.at, number(), MPI_FLOAT, m.peer, m.tag, ranks_.comm, &requests.back()));
    }
    const int waited = MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    return std::max(code, waited);
  }

  int exchange_compressed(const laconic_options& options) {
    std::vector<laconic_request> requests;
    requests.reserve(receives_.size() + sends_.size());
    int code = MPI_SUCCESS;
    for (const Message& m : receives_) {
      requests.push_back(LACONIC_REQUEST_NULL);
      code = std::max(code, laconic_irecv(out_.data() + m.at, number(), MPI_FLOAT, m.peer, m.tag, ranks_.comm,
                                          &requests.back(), &options));
    }
    for (const Message& m : sends_) {
      requests.push_back(LACONIC_REQUEST_NULL);
      code = std::max(code, laconic_isend(in_.data() + m.at, number(), MPI_FLOAT, m.peer, m.tag, ranks_.comm,
                                          &requests.back(), &options));
    }
    const int waited = laconic_waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    return std::max(code, waited);
  }

  Ranks ranks_;
  std::size_t count_;
  std::vector<Message> sends_, receives_;
};

// Ping-pong between ranks 0 and 1; the time is that of one way.
class Latency final : public Messages {
 public:
  Latency(std::size_t bytes, const Ranks& ranks, const Input& input, const BufferMemory& memory)
      : Messages(bytes, ranks, memory) {
    rounds_ =
        static_cast<int>(std::clamp<std::size_t>(bytes_per_reading / std::max<std::size_t>(bytes, 1), 1, most_repeats));
    if (ranks.rank > 1) return;
    in_.resize(count_);
    fill(input, ranks.rank, 0);
    expect({count_, 1 - ranks.rank, 0});
  }

  int repeats() const override { return 2 * rounds_; }
  int sends() const override { return rounds_; }

  int call_plain() override {
    return rounds([&] { return MPI_Send(in_.data(), number(), MPI_FLOAT, 1 - ranks_.rank, data_tag, ranks_.comm); },
                  [&] {
                    return MPI_Recv(out_.data(), number(), MPI_FLOAT, 1 - ranks_.rank, data_tag, ranks_.comm,
                                    MPI_STATUS_IGNORE);
                  });
  }

  int compressed(const laconic_options& o) override {
    return rounds(
        [&] { return laconic_send(in_.data(), number(), MPI_FLOAT, 1 - ranks_.rank, data_tag, ranks_.comm, &o); },
        [&] {
          return laconic_recv(out_.data(), number(), MPI_FLOAT, 1 - ranks_.rank, data_tag, ranks_.comm,
                              MPI_STATUS_IGNORE, &o);
        });
  }

 private:
  template <class Send, class Receive>
  int rounds(Send&& send, Receive&& receive) {
    int code = MPI_SUCCESS;
    for (int k = 0; k < rounds_ && ranks_.rank <= 1; ++k) {
      if (ranks_.rank == 0) code = std::max(code, send());
      code = std::max(code, receive());
      if (ranks_.rank == 1) code = std::max(code, send());
    }
    return code;
  }

  int rounds_ = 1;
};

// A window of messages from rank 0 to rank 1, or both ways, and a short acknowledgement of all of them.
class Bandwidth final : public Messages {
 public:
  Bandwidth(std::size_t bytes, int window, bool both_ways, const Ranks& ranks, const Input& input,
            const BufferMemory& memory)
      : Messages(bytes, ranks, memory) {
    if (ranks.rank > 1) return;
    const int peer = 1 - ranks.rank;
    if (both_ways || ranks.rank == 0) {
      in_.resize(count_);
      fill(input, ranks.rank, 0);
      for (int k = 0; k < window; ++k) send(peer, data_tag, 0);
    }
    if (both_ways || ranks.rank == 1)
      for (int k = 0; k < window; ++k) receive(peer, data_tag, 0);
  }

  int call_plain() override { return answered(exchange_plain()); }
  int compressed(const laconic_options& o) override { return answered(exchange_compressed(o)); }

 private:
  int answered(int code) const {
    if (ranks_.rank > 1) return code;
    int mine = 0;
    int other = 0;
    const int answer = MPI_Sendrecv(&mine, 1, MPI_INT, 1 - ranks_.rank, answer_tag, &other, 1, MPI_INT, 1 - ranks_.rank,
                                    answer_tag, ranks_.comm, MPI_STATUS_IGNORE);
    return std::max(code, answer);
  }
};

// Every rank of a grid sends one face to each neighbour and gets one back.  The grid is not periodic.
class Stencil final : public Messages {
 public:
  Stencil(std::size_t bytes, const std::array<int, 3>& grid, const Ranks& ranks, const Input& input,
          const BufferMemory& memory)
      : Messages(bytes, ranks, memory) {
    in_.resize(6 * count_);  // faces: -x, +x, -y, +y, -z, +z
    fill(input, ranks.rank, 0);
    const std::array<int, 3> stride{grid[1] * grid[2], grid[2], 1};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const int here = ranks.rank / stride[axis] % grid[axis];
      for (const int way : {0, 1}) {
        if (here + 2 * way - 1 < 0 || here + 2 * way - 1 >= grid[axis]) continue;
        const int peer = ranks.rank + (2 * way - 1) * stride[axis];
        const int face = 2 * static_cast<int>(axis) + way;
        const int facing = 2 * static_cast<int>(axis) + 1 - way;
        send(peer, 10 + face, static_cast<std::size_t>(face) * count_);
        receive(peer, 10 + facing, static_cast<std::size_t>(facing) * count_);
      }
    }
  }

  int call_plain() override { return exchange_plain(); }
  int compressed(const laconic_options& o) override { return exchange_compressed(o); }
};

}  // namespace

std::unique_ptr<Operation> make_messages(const Request& request, std::size_t bytes, int window, const Ranks& ranks,
                                         const Input& input, const BufferMemory& memory) {
  switch (request.operation.kind) {
    case Kind::latency: return std::make_unique<Latency>(bytes, ranks, input, memory);
    case Kind::stencil: return std::make_unique<Stencil>(bytes, request.grid, ranks, input, memory);
    default:
      return std::make_unique<Bandwidth>(bytes, window, request.operation.kind == Kind::bidirectional, ranks, input,
                                         memory);
  }
}

int messages_each_way(const Request& request, int window) {
  switch (request.operation.kind) {
    case Kind::collective: return 0;
    case Kind::bandwidth:
    case Kind::bidirectional: return window;
    case Kind::latency: return 1;
    case Kind::stencil: break;
  }
  int faces = 0;
  for (const int side : request.grid) faces += std::min(side - 1, 2);
  return faces;
}

long long chunk_elements(std::size_t bytes, int chunks) {
  const auto count = static_cast<long long>(bytes / sizeof(float));
  return std::max((count + chunks - 1) / chunks, 1LL);
}

}  // namespace laconic::cli::bench
