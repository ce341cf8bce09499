// SPDX-License-Identifier: BSD-3-Clause
// Messages of all types, sizes, bounds and codecs between all ranks, several in flight at a time, matched by tag, by
// order and by wildcards, completed in any order: each arrives unchanged or within its bound.
#include "messages_letters.hpp"

namespace {

using namespace ranks;

enum class Matching { tags, order, any_source, any_tag, any };
enum class Calls { nonblocking, blocking_sends, one_after_another };

struct Receive {
  int letter;  // the letter that it was posted for
  std::vector<unsigned char> room;
  laconic_stats stats{};
  MPI_Status status{};
};

struct Round {
  Matching matching;
  Calls calls;
  std::vector<Letter> letters;

  // The letters that a receive may take follow from how the letters of one sender are told apart.
  bool by_tag() const { return matching != Matching::order; }
};

Round random_round(Random& random, int size) {
  Round r;
  r.matching = static_cast<Matching>(random.below(5));
  r.calls = static_cast<Calls>(random.below(3));
  const int letters = 1 + static_cast<int>(random.below(16));
  const Numbers numbers = random_letter(random, size).numbers;
  const int first_tag = static_cast<int>(random.below(1000));
  for (int k = 0; k < letters; ++k) {
    Letter l = random_letter(random, size);
    l.tag = r.by_tag() ? first_tag + k : first_tag;
    if (r.matching != Matching::tags) l.numbers = numbers;  // a receive with wildcards must know the type
    // A blocking message from a rank to itself would deadlock.
    if (r.calls == Calls::one_after_another && l.from == l.to) l.to = (l.to + 1) % size;
    if (l.from == l.to && r.calls == Calls::one_after_another) continue;
    r.letters.push_back(l);
  }
  return r;
}

// Receives pass the receiver's own settings, which must have no effect.
laconic_options receiver_options(Random& random) {
  laconic_options o = random_letter(random, 1).options;
  o.stats = nullptr;
  return o;
}

void shuffle(std::vector<int>& order, Random& random) {
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
}

void complete(Test& t, std::vector<laconic_request>& requests, std::vector<MPI_Status>& statuses, Random& random) {
  const int n = static_cast<int>(requests.size());
  statuses.assign(requests.size(), MPI_Status{});
  int rc = MPI_SUCCESS;
  switch (random.below(5)) {
    case 0: rc = laconic_waitall(n, requests.data(), statuses.data()); break;
    case 1:
      for (int flag = 0; !flag && rc == MPI_SUCCESS;) rc = laconic_testall(n, requests.data(), &flag, statuses.data());
      break;
    case 2: {
      std::vector<int> order(requests.size());
      for (int k = 0; k < n; ++k) order[static_cast<std::size_t>(k)] = k;
      shuffle(order, random);
      for (const int k : order) {
        const auto at = static_cast<std::size_t>(k);
        CHECK(t, (rc = laconic_wait(&requests[at], &statuses[at])) == MPI_SUCCESS, "%s", message_of(rc).c_str());
      }
      break;
    }
    case 3:
      for (;;) {
        int index = 0;
        MPI_Status status;
        rc = laconic_waitany(n, requests.data(), &index, &status);
        if (rc != MPI_SUCCESS || index == MPI_UNDEFINED) break;
        statuses[static_cast<std::size_t>(index)] = status;
      }
      break;
    default:
      for (int left = n; left > 0;)
        for (std::size_t k = 0; k < requests.size(); ++k) {
          if (requests[k] == LACONIC_REQUEST_NULL) continue;
          int flag = 0;
          CHECK(t, (rc = laconic_test(&requests[k], &flag, &statuses[k])) == MPI_SUCCESS, "%s", message_of(rc).c_str());
          left -= flag;
        }
  }
  CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
  for (const laconic_request request : requests) CHECK(t, request == LACONIC_REQUEST_NULL);
}

// Finds the letter that a receive took, and checks that it is right.
void check_receives(Test& t, const Round& round, const std::vector<Receive>& receives) {
  std::vector<bool> seen(round.letters.size(), false);
  for (const Receive& r : receives) {
    std::size_t found = round.letters.size();
    for (std::size_t k = 0; k < round.letters.size() && found == round.letters.size(); ++k) {
      const Letter& l = round.letters[k];
      if (l.to == t.rank() && l.from == r.status.MPI_SOURCE && l.tag == r.status.MPI_TAG && !seen[k]) found = k;
    }
    if (!CHECK(t, found < round.letters.size(), "a message from %d with tag %d that nobody sent", r.status.MPI_SOURCE,
               r.status.MPI_TAG))
      continue;
    seen[found] = true;
    const Letter& l = round.letters[found];
    t.doing("checking " + describe(l));
    if (round.matching == Matching::tags) CHECK(t, static_cast<int>(found) == r.letter, "not the one of that tag");
    MPI_Count elements = -1;
    MPI_Get_elements_x(&r.status, mpi_type(l.numbers), &elements);
    int count = -1;
    MPI_Get_count(&r.status, mpi_type(l.numbers), &count);
    CHECK(t, count == static_cast<int>(l.count) && elements == count, "count %d for %zu", count, l.count);
    check_letter(t, l, r.room);
    check_stats(t, l, r.stats, false);
  }
}

void play(Test& t, const Round& round, MPI_Comm comm, std::uint64_t seed) {
  Random mine(seed + static_cast<std::uint64_t>(t.rank()) * 77);
  std::vector<int> order(round.letters.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<int>(k);
  if (round.by_tag() && round.calls != Calls::one_after_another) shuffle(order, mine);
  std::size_t most = 0;
  for (const Letter& l : round.letters) most = std::max(most, l.bytes());

  std::vector<Receive> receives;
  std::vector<std::vector<unsigned char>> sent(round.letters.size());
  std::vector<laconic_stats> send_stats(round.letters.size());
  receives.reserve(order.size());
  std::vector<laconic_request> requests;
  std::vector<std::size_t> whose;  // the receive of each request
  const auto receive = [&](int k, bool blocking) {
    const Letter& l = round.letters[static_cast<std::size_t>(k)];
    receives.push_back({k, {}, {}, {}});
    Receive& r = receives.back();
    const bool exact = round.matching == Matching::tags && mine.below(2) == 0;
    r.room.assign((exact ? l.bytes() : most + width_of(l.numbers) * mine.below(3)), untouched);
    laconic_options o = receiver_options(mine);
    o.stats = &r.stats;
    const bool any_source = round.matching == Matching::any_source || round.matching == Matching::any;
    const bool any_tag = round.matching == Matching::any_tag || round.matching == Matching::any;
    const auto count = static_cast<MPI_Count>(r.room.size() / width_of(l.numbers));
    const int source = any_source ? MPI_ANY_SOURCE : l.from;
    const int tag = any_tag ? MPI_ANY_TAG : l.tag;
    t.doing((blocking ? "receiving " : "posting ") + describe(l));
    int rc = MPI_SUCCESS;
    if (blocking) {
      rc = laconic_recv(r.room.data(), count, mpi_type(l.numbers), source, tag, comm, &r.status, &o);
    } else {
      requests.push_back(LACONIC_REQUEST_NULL);
      whose.push_back(receives.size() - 1);
      rc = laconic_irecv(r.room.data(), count, mpi_type(l.numbers), source, tag, comm, &requests.back(), &o);
    }
    CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
  };
  const auto send = [&](int k, bool blocking) {
    const auto at = static_cast<std::size_t>(k);
    const Letter& l = round.letters[at];
    sent[at] = content(l);
    laconic_options o = l.options;
    o.stats = &send_stats[at];
    t.doing((blocking ? "sending " : "beginning ") + describe(l));
    int rc = MPI_SUCCESS;
    const auto count = static_cast<MPI_Count>(l.count);
    if (blocking) {
      rc = laconic_send(sent[at].data(), count, mpi_type(l.numbers), l.to, l.tag, comm, &o);
    } else {
      requests.push_back(LACONIC_REQUEST_NULL);
      whose.push_back(order.size());
      rc = laconic_isend(sent[at].data(), count, mpi_type(l.numbers), l.to, l.tag, comm, &requests.back(), &o);
    }
    CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
  };

  const bool one_after_another = round.calls == Calls::one_after_another;
  if (round.calls != Calls::nonblocking && !one_after_another)
    for (const int k : order)
      if (round.letters[static_cast<std::size_t>(k)].to == t.rank()) receive(k, false);
  for (const int k : order) {
    const Letter& l = round.letters[static_cast<std::size_t>(k)];
    if (l.to == t.rank() && (round.calls == Calls::nonblocking || one_after_another)) receive(k, one_after_another);
    if (l.from == t.rank()) send(k, round.calls != Calls::nonblocking);
  }
  t.doing(text("completing %zu requests", requests.size()));
  std::vector<MPI_Status> statuses;
  complete(t, requests, statuses, mine);
  for (std::size_t k = 0; k < whose.size(); ++k)
    if (whose[k] < receives.size() && whose[k] != order.size()) receives[whose[k]].status = statuses[k];
  check_receives(t, round, receives);
  for (std::size_t k = 0; k < round.letters.size(); ++k) {
    const Letter& l = round.letters[k];
    if (l.from != t.rank()) continue;
    t.doing("checking as its sender " + describe(l));
    CHECK(t, sent[k] == content(l), "the buffer of the sender was changed");
    check_stats(t, l, send_stats[k], true);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "messages");
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  CHECK(t, laconic_comm_set_info(comm, MPI_INFO_NULL) == MPI_SUCCESS);
  const long long rounds = environment_number("TEST_CASES", 40);
  Random random(t.seed());
  for (long long k = 0; k < rounds; ++k) {
    const Round round = random_round(random, t.size());
    t.doing(text("round %lld", k));
    play(t, round, comm, random.bits());
    t.count_case();
    // A wildcard must not take a message of the next round.
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Comm_free(&comm);
  return t.finish();
}
