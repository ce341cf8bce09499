// SPDX-License-Identifier: BSD-3-Clause
// Every collective with buffers on devices, on some ranks or all, on one side or both: the results are those of the
// host, with the same bits on all ranks that receive a result, whatever the memory type.
#include "device_memory.hpp"

namespace {

using namespace ranks;

void complete(Test& t, AnyCall& call, Random& random) {
  laconic_request request = LACONIC_REQUEST_NULL;
  const Setting& s = call.setting();
  const auto good = [&](int rc) { return CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str()); };
  const auto finish = [&] {
    if (random.below(2) == 0) return good(laconic_wait(&request, MPI_STATUS_IGNORE));
    for (int flag = 0; !flag;)
      if (!good(laconic_test(&request, &flag, MPI_STATUS_IGNORE))) return false;
    return true;
  };
  if (s.mode == Mode::blocking) {
    if (good(call.run())) call.check(t);
  } else if (s.mode == Mode::nonblocking) {
    if (good(call.begin(&request)) && finish()) call.check(t);
  } else {
    if (!good(call.init(&request))) return;
    for (int k = 0; k < 2; ++k) {
      call.prepare();
      if (good(laconic_start(&request)) && finish()) call.check(t);
    }
    good(laconic_request_free(&request));
  }
}

// own: this rank's memory type, which may differ from that of other ranks.
template <class T>
void one(Test& t, const Setting& s, Random& own, cudaStream_t stream) {
  const auto sending = static_cast<Memory>(own.below(memories));
  const auto receiving = own.below(4) == 0 ? static_cast<Memory>(own.below(memories)) : sending;
  t.doing(describe(s) + ", from " + name_of(sending) + " to " + name_of(receiving) + " memory");
  t.count_case();
  const cudaStream_t by = own.below(3) == 0 ? nullptr : stream;
  MemoryOf from(t, sending, by);
  MemoryOf to(t, receiving, by);
  CollectiveCall<T> call(s, MPI_COMM_WORLD, &from, &to);
  complete(t, call, own);
  const bool common = s.routine == Routine::allreduce || s.routine == Routine::allgather ||
                      s.routine == Routine::allgatherv || s.routine == Routine::bcast;
  const bool per_hop = s.variant == LACONIC_VARIANT_CPR_P2P || s.variant == LACONIC_VARIANT_HOST_CENTRIC;
  if (common && !per_hop && s.field != Kind::special && s.field != Kind::integers)
    CHECK(t, same_everywhere(call.hash(), MPI_COMM_WORLD), "other bits than on other ranks");
}

// Many operations in flight at a time, of all kinds, completed in any order.
void several(Test& t, const std::vector<Setting>& settings, Random& own, cudaStream_t stream) {
  struct InFlight {
    std::unique_ptr<MemoryOf> memory;
    std::unique_ptr<AnyCall> call;
    laconic_request request = LACONIC_REQUEST_NULL;
  };
  t.doing(text("%zu operations in flight", settings.size()));
  std::vector<InFlight> all(settings.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    all[k].memory = std::make_unique<MemoryOf>(t, own.below(3) == 0 ? Memory::pinned : Memory::device, stream);
    Elsewhere* const at = all[k].memory.get();
    all[k].call = std::make_unique<CollectiveCall<float>>(settings[k], MPI_COMM_WORLD, at, at);
    const int rc = all[k].call->begin(&all[k].request);
    CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
  }
  while (!all.empty()) {
    const std::size_t k = own.below(all.size());
    int flag = 0;
    const int rc = laconic_test(&all[k].request, &flag, MPI_STATUS_IGNORE);
    CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
    if (!flag) continue;
    t.doing("one of several: " + describe(all[k].call->setting()));
    if (rc == MPI_SUCCESS) all[k].call->check(t);
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(k));
    t.doing(text("%zu more operations in flight", all.size()));
  }
  t.count_case();
}

void one(Test& t, const Setting& s, bool wide, Random& own, cudaStream_t stream) {
  if (wide)
    one<double>(t, s, own, stream);
  else
    one<float>(t, s, own, stream);
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "device collectives");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (!have_device()) return t.doing("nothing: there is no device"), t.finish();
  Random random(t.seed());
  Random own(t.seed() * 77 + static_cast<std::uint64_t>(t.rank()));
  {
    const Stream stream;
    const std::vector<laconic_codec> codecs{LACONIC_CODEC_RAW, LACONIC_CODEC_QUANT, LACONIC_CODEC_LOSSLESS};
    const auto draw = [&](std::size_t largest) {
      Setting s = random_setting(random, t.size(), largest);
      s.codec = random.pick(codecs);
      if (s.codec == LACONIC_CODEC_LOSSLESS) s.bound = {LACONIC_BOUND_LOSSLESS, 0};
      if (random.below(6) == 0) s.variant = LACONIC_VARIANT_HOST_CENTRIC;
      // Some calls go to MPI's own collective, too.
      if (random.below(8) == 0) s.min_bytes = 1 << 30;
      return s;
    };
    for (int f = 0; f < static_cast<int>(laconic::num_routines); ++f)
      for (const laconic_algorithm algorithm : algorithms_of(static_cast<Routine>(f))) {
        Setting s = draw(2000);
        s.routine = static_cast<Routine>(f);
        s.algorithm = algorithm;
        if (!s.reduces()) s.op = Op::sum;
        s.mean = s.mean && s.has_mean();
        s.in_place = s.in_place && s.may_be_in_place();
        one(t, s, random.below(2) == 0, own, stream.get());
      }
    const long long cases = environment_number("TEST_CASES", t.size() > 4 ? 60 : 120);
    for (long long k = 0; k < cases; ++k)
      one(t, draw(random.below(20) == 0 ? 20000 : 2000), random.below(2) == 0, own, stream.get());
    for (int round = 0; round < (t.size() > 4 ? 3 : 8); ++round) {
      std::vector<Setting> settings;
      for (int k = 0; k < 12; ++k) settings.push_back(draw(3000));
      several(t, settings, own, stream.get());
    }
  }
  return t.finish();
}
