// SPDX-License-Identifier: BSD-3-Clause
// Numbers on a device that kernels cannot work on: they are coded on the host, with the same results, and the
// statistics say why.  Uses the emulator's means to make old devices and to count.
#include "base/build.hpp"
#include "device_memory.hpp"

#if LACONIC_CUDA_EMULATED

#include "emulator/control.hpp"

namespace {

using namespace ranks;
using laconic::emulator::calls;

constexpr std::size_t numbers = 30000;

struct Situation {
  const char* name;
  laconic_through_host reason;
  int capability = 9;
  std::size_t offset = 0;  // of the buffers, in bytes
  laconic_codec codec = LACONIC_CODEC_RAW;
  Memory receiving = Memory::device;
  std::int64_t min_bytes = 1;
  int gap = 1;  // elements from one number to the next
};

class Calls {
 public:
  Calls(Test& t, const Stream& stream, const Situation& s)
      : t_(t),
        s_(s),
        sent_(t, Memory::device, stream.get()),
        received_(t, s.receiving, stream.get()),
        mine_(numbers * static_cast<std::size_t>(s.gap)) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);  // a device is asked for its capability once for each communicator
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    laconic_comm_set_info(comm_, MPI_INFO_NULL);
    laconic::emulator::set_capability(s.capability);
    for (std::size_t i = 0; i < mine_.size(); ++i) mine_[i] = number(i, t.rank());
    const std::size_t room = mine_.size() * sizeof(float) + s.offset;
    from_ = static_cast<std::byte*>(sent_.reserve(room)) + s.offset;
    to_ = static_cast<std::byte*>(received_.reserve(room)) + (s.receiving == Memory::device ? s.offset : 0);
    sent_.push(from_, mine_.data(), mine_.size() * sizeof(float));
    received_.push(to_, mine_.data(), mine_.size() * sizeof(float));
    options_ = options_with(LACONIC_BOUND_ABS, 1e-3);
    options_.codec = s.codec;
    options_.min_bytes = static_cast<uint64_t>(s.min_bytes);
    options_.chunk_elements = 1000;
    options_.stream = stream.get();
    options_.stats = &stats_;
    launches_ = calls("kernel");
  }
  ~Calls() {
    MPI_Comm_free(&comm_);
    laconic::emulator::set_capability(9);
  }
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;

  void allreduce() {
    t_.doing(text("an allreduce: %s", s_.name));
    CHECK(t_, laconic_allreduce(from_, to_, numbers, MPI_FLOAT, MPI_SUM, comm_, &options_) == MPI_SUCCESS);
    const auto p = static_cast<float>(t_.size());
    check_numbers([&](std::size_t i) { return p * number(i, 0) + p * (p - 1) / 2; });
    check_stats(s_.reason);
  }

  // Ranks send to the next one.  The receiver's reason may be another one than the sender's.
  void message(laconic_through_host of_receiver) {
    t_.doing(text("messages: %s", s_.name));
    const int size = t_.size();
    const int next = (t_.rank() + 1) % size;
    const int before = (t_.rank() + size - 1) % size;
    MPI_Datatype type = MPI_FLOAT;
    if (s_.gap > 1) {
      MPI_Type_vector(static_cast<int>(numbers), 1, s_.gap, MPI_FLOAT, &type);
      MPI_Type_commit(&type);
    }
    laconic_stats of_send{};
    laconic_options sending = options_;
    sending.stats = &of_send;
    laconic_request request = LACONIC_REQUEST_NULL;
    const MPI_Count count = s_.gap > 1 ? 1 : static_cast<MPI_Count>(numbers);
    CHECK(t_, laconic_isend(from_, numbers, MPI_FLOAT, next, 1, comm_, &request, &sending) == MPI_SUCCESS);
    CHECK(t_, laconic_recv(to_, count, type, before, 1, comm_, MPI_STATUS_IGNORE, &options_) == MPI_SUCCESS);
    CHECK(t_, laconic_wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    if (s_.gap > 1) MPI_Type_free(&type);
    check_numbers([&](std::size_t i) { return number(i, before); });
    check_stats(of_receiver);
    stats_ = of_send;
    check_stats(s_.gap > 1 ? LACONIC_THROUGH_HOST_NOT : s_.reason);
  }

  // The reasons are those of the latest call, and the calls add up.
  void check_total(std::uint64_t through_host) {
    laconic_stats total{};
    CHECK(t_, laconic_stats_get(comm_, &total) == MPI_SUCCESS);
    CHECK(t_, total.through_host_calls == through_host, "%d", static_cast<int>(total.through_host_calls));
    CHECK(t_, (total.through_host == LACONIC_THROUGH_HOST_NOT) == (through_host == 0));
  }

 private:
  static float number(std::size_t i, int rank) { return static_cast<float>(i % 1000 + static_cast<std::size_t>(rank)); }

  template <class F>
  void check_numbers(F&& expected) {
    std::vector<float> found(mine_.size());
    received_.pull(found.data(), to_, found.size() * sizeof(float));
    for (std::size_t i = 0; i < numbers; ++i) {
      const float x = found[i * static_cast<std::size_t>(s_.gap)];
      if (!CHECK(t_, std::abs(x - expected(i)) <= 2e-3f, "number %zu is %g, not %g", i, x, expected(i))) return;
    }
  }

  void check_stats(laconic_through_host expected) {
    CHECK(t_, stats_.through_host == expected, "through the host because %s, not because %s",
          laconic_through_host_string(stats_.through_host), laconic_through_host_string(expected));
    CHECK(t_, stats_.through_host_calls == (expected == LACONIC_THROUGH_HOST_NOT ? 0 : 1));
    CHECK(t_, stats_.plain_calls == (expected == LACONIC_THROUGH_HOST_MPI ? 1 : 0));
    if (expected != LACONIC_THROUGH_HOST_NOT) CHECK(t_, stats_.seconds_copy > 0);
    // Numbers without gaps are sent by kernels, whatever their receiver does.
    if (expected != LACONIC_THROUGH_HOST_NOT && s_.gap == 1) CHECK(t_, calls("kernel") == launches_, "a kernel ran");
  }

  Test& t_;
  const Situation s_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  MemoryOf sent_;
  MemoryOf received_;
  std::vector<float> mine_;
  std::byte* from_ = nullptr;
  std::byte* to_ = nullptr;
  laconic_options options_{};
  laconic_stats stats_{};
  std::uint64_t launches_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "device through_host");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const Stream stream;
  const Situation situations[] = {
      {"kernels work", LACONIC_THROUGH_HOST_NOT},
      {"an old device", LACONIC_THROUGH_HOST_CAPABILITY, 7},
      {"buffers off by 1", LACONIC_THROUGH_HOST_ALIGNMENT, 9, 1},
      {"buffers off by 2", LACONIC_THROUGH_HOST_ALIGNMENT, 9, 2},
      {"a codec without kernels", LACONIC_THROUGH_HOST_CODEC, 9, 0, LACONIC_CODEC_DENSE},
      {"a plain call", LACONIC_THROUGH_HOST_MPI, 9, 0, LACONIC_CODEC_RAW, Memory::device, 1 << 30},
  };
  for (const Situation& s : situations) {
    if (t.size() == 1) continue;  // plain MPI, for which the host stands in
    Calls call(t, stream, s);
    call.allreduce();
    call.message(s.reason);
    call.check_total(s.reason == LACONIC_THROUGH_HOST_NOT ? 0 : 3);
    t.count_case();
  }
  if (t.size() > 1) {
    Situation s{"a result on the host", LACONIC_THROUGH_HOST_BUFFERS};
    s.receiving = Memory::pageable;
    Calls(t, stream, s).allreduce();
    s = {"numbers with gaps", LACONIC_THROUGH_HOST_LAYOUT};
    s.gap = 2;
    Calls(t, stream, s).message(LACONIC_THROUGH_HOST_LAYOUT);
  }
  CHECK(t, laconic_through_host_string(static_cast<laconic_through_host>(99)) == nullptr);
  return t.finish();
}

#else

int main(int argc, char** argv) {
  ranks::Test t(&argc, &argv, "device through_host");
  t.doing("nothing: devices cannot be told to be old");
  return t.finish();
}

#endif
