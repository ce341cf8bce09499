// SPDX-License-Identifier: BSD-3-Clause
// laconic.hpp: errors as exceptions with the text of the library, and requests that own their operations.
#include <numeric>

#include "cpp_face.hpp"

namespace {

namespace lac = laconic::mpi;
using ranks::same_bits;
using ranks::Test;
using ranks::thrown;
using Floats = std::vector<float>;

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

// Errors of the library are the same on all ranks; those of sizes come before the call, here on all ranks.
void errors(Test& t, MPI_Comm comm) {
  const lac::Options options = lac::Options().bound(LACONIC_BOUND_ABS, 1e-3).min_bytes(1);
  Floats one(100, 1.0F);
  Floats recv(100, -1.0F);
  const Floats untouched = recv;
  std::string text;

  t.doing("options that are not valid");
  t.count_case();
  lac::Options unchanged = options;
  text = thrown<lac::Error>(
      t, [&] { unchanged.set("bound", "abs:much"); }, MPI_ERR_ARG);
  CHECK(t, has(text, "abs:much"), "%s", text.c_str());
  CHECK(t, unchanged->bound.mode == LACONIC_BOUND_ABS && unchanged->bound.value == 1e-3);
  thrown<lac::Error>(t, [&] { unchanged.set("colour", "red"); });
  thrown<lac::Error>(
      t, [&] { (void)lac::compress(one, lac::Options().bound("abs:1").codec(LACONIC_CODEC_ZFP).bound("rms:1")); });

  t.doing("a root that does not exist");
  t.count_case();
  const int code = laconic_reduce(one.data(), recv.data(), 100, MPI_FLOAT, MPI_SUM, t.size(), comm, options);
  const std::string message = ranks::message_of(code);
  text = thrown<lac::Error>(
      t, [&] { lac::reduce(one, recv, MPI_SUM, t.size(), comm, options); }, MPI_ERR_ROOT);
  CHECK(t, has(text, "root") && text == message, "'%s', not '%s'", text.c_str(), message.c_str());
  lac::Request request = lac::ireduce(one, recv, MPI_SUM, t.size(), comm, options);
  text = thrown<lac::Error>(
      t, [&] { request.wait(); }, MPI_ERR_ROOT);
  CHECK(t, !request && has(text, "root"), "%s", text.c_str());
  CHECK(t, same_bits(recv, untouched));

  if (t.size() > 1) {
    t.doing("counts that differ");
    t.count_case();
    const std::span<const float> some = std::span(one).first(t.rank() == 1 ? 99 : 100);
    text = thrown<lac::Error>(t, [&] { lac::allreduce(some, recv, MPI_SUM, comm, options); });
    CHECK(t, has(text, "disagree on count"), "%s", text.c_str());
    CHECK(t, same_bits(recv, untouched));
  }

  t.doing("no communicator");
  t.count_case();
  thrown<lac::Error>(
      t, [&] { lac::allgather(one, recv, MPI_COMM_NULL, options); }, MPI_ERR_COMM);
  thrown<lac::Error>(
      t, [&] { (void)lac::iallreduce(one, recv, MPI_SUM, MPI_COMM_NULL, options); }, MPI_ERR_COMM);
  thrown<lac::Error>(
      t, [&] { (void)lac::predict_error("allsum", "sum", 2, 0, options); }, MPI_ERR_ARG);

  t.doing("sizes that do not fit");
  t.count_case();
  const auto size_error = [&](auto body, const char* part) {
    const std::string said = thrown<std::invalid_argument>(t, body);
    CHECK(t, has(said, part), "'%s' without '%s'", said.c_str(), part);
  };
  const auto p = static_cast<std::size_t>(t.size());
  const std::span<float> part = std::span(recv).first(99);
  std::vector<MPI_Count> counts(p, 1);
  std::vector<MPI_Aint> displs(p, 0);
  std::iota(displs.begin(), displs.end(), 0);
  const lac::Counts few = std::span(counts).first(p - 1);
  size_error([&] { lac::allreduce(one, part, MPI_SUM, comm); }, "recv has 99 elements; valid are 100 or more");
  size_error([&] { (void)lac::allreduce_init(one, part, MPI_SUM, comm); }, "recv has 99");
  size_error([&] { lac::reduce(one, part, MPI_SUM, t.rank(), comm); }, "recv has 99");
  size_error([&] { lac::reduce_scatter_block(part, one, MPI_SUM, comm); }, "send has 99");
  size_error([&] { lac::reduce_scatter(part, few, MPI_SUM, comm); }, "counts has");
  size_error([&] { lac::allgatherv(one, part, few, displs, comm); }, "counts has");
  displs.back() = 99;
  size_error([&] { lac::allgatherv(one, part, counts, displs, comm); }, "the 99 elements of recv");
  displs.back() = -1;
  size_error([&] { (void)lac::ialltoallv(part, counts, displs, comm); }, "displacement -1");
  size_error([&] { lac::scatterv(part, counts, displs, one, t.rank(), comm); }, "elements of send");
  counts.assign(p, 200);
  size_error([&] { lac::reduce_scatter(part, one, counts, MPI_SUM, comm); }, "send has 99");
  counts.assign(p, -1);
  text = thrown<lac::Error>(t, [&] { lac::allgatherv(one, part, counts, displs, comm, options); });  // the library's
  CHECK(t, has(text, "counts[0] is -1"), "%s", text.c_str());
  CHECK(t, same_bits(recv, untouched));

  lac::allreduce(one, recv, MPI_SUM, comm, options);
  CHECK(t, std::abs(recv[99] - static_cast<float>(t.size())) <= 2e-3F, "the communicator works afterwards");
}

void requests(Test& t, MPI_Comm comm) {
  const lac::Options options = lac::Options().bound("abs:1e-3").min_bytes(1);
  const std::vector<double> mine(5000, t.rank() + 1.0);
  const double sum = t.size() * (t.size() + 1) / 2.0;
  const auto right = [&](const std::vector<double>& x) {
    return std::all_of(x.begin(), x.end(), [&](double v) { return std::abs(v - sum) <= 1e-3; });
  };
  std::vector<double> a(mine.size());
  std::vector<double> b(mine.size());

  t.doing("a destructor with an operation in flight");
  t.count_case();
  { const lac::Request request = lac::iallreduce(mine, a, MPI_SUM, comm, options); }
  CHECK(t, right(a));
  try {
    const lac::Request request = lac::iallreduce(mine, b, MPI_SUM, comm, options);
    throw std::runtime_error("of the application");
  } catch (const std::runtime_error&) {
    CHECK(t, right(b));
  }
  { const lac::Request fails = lac::ireduce(mine, a, MPI_SUM, -7, comm, options); }  // throws nothing

  t.doing("moves");
  t.count_case();
  a.assign(a.size(), 0);
  b.assign(b.size(), 0);
  lac::Request first = lac::iallreduce(mine, a, MPI_SUM, comm, options);
  lac::Request second = std::move(first);
  CHECK(t, !first && second);  // NOLINT(bugprone-use-after-move): the null request is documented
  first.wait();
  CHECK(t, first.test());
  second = lac::iallreduce(mine, b, MPI_SUM, comm, options);  // completes the one before
  CHECK(t, right(a));
  lac::Request& same_one = second;
  second = std::move(same_one);
  CHECK(t, second);
  second.wait();
  CHECK(t, !second && right(b));
  std::vector<lac::Request> many;
  std::vector<std::vector<double>> results(10, std::vector<double>(mine.size()));
  for (auto& result : results) many.push_back(lac::iallreduce(mine, result, MPI_SUM, comm, options));
  many.clear();
  for (const auto& result : results) CHECK(t, right(result));
  first = lac::iallreduce(mine, a, MPI_SUM, comm, options);
  lac::Request taken(first.release());
  CHECK(t, !first && laconic_wait(taken.get(), MPI_STATUS_IGNORE) == MPI_SUCCESS && !taken);

  t.doing("persistent requests");
  t.count_case();
  std::vector<double> input = mine;
  lac::Request again = lac::allreduce_init(input, a, MPI_SUM, comm, options);
  for (int round = 0; round < 3; ++round) {
    a.assign(a.size(), 0);
    again.start();
    if (round == 0) {
      thrown<lac::Error>(
          t, [&] { again.start(); }, MPI_ERR_REQUEST);
      thrown<lac::Error>(
          t, [&] { again.free(); }, MPI_ERR_REQUEST);
    }
    lac::Request moved = std::move(again);
    moved.wait();
    CHECK(t, moved && right(a), "round %d", round);
    again = std::move(moved);
  }
  again.free();
  CHECK(t, !again);
  thrown<lac::Error>(
      t, [&] { again.start(); }, MPI_ERR_REQUEST);
  b.assign(b.size(), 0);
  {
    lac::Request in_flight = lac::allreduce_init(input, b, MPI_SUM, comm, options);
    in_flight.start();
  }
  CHECK(t, right(b));

  t.doing("statistics and predictions");
  t.count_case();
  CHECK(t, lac::stats(comm).calls > 10);
  laconic_prediction expected{};
  laconic_predict_error("allreduce", "sum", 4, 0, options, &expected);
  CHECK(t, lac::predict_error("allreduce", "sum", 4, 0, options).likely == expected.likely && expected.likely > 0);
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "cpp_requests");
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);  // for errors without a communicator
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  try {
    errors(t, comm);
    requests(t, comm);
  } catch (const std::exception& e) {
    CHECK(t, false, "an unexpected exception: %s", e.what());
  }
  MPI_Comm_free(&comm);
  return t.finish();
}
