// SPDX-License-Identifier: BSD-3-Clause
// Edge cases of messages: truncation, MPI_PROC_NULL, types that are not arrays of numbers, statuses, and arguments that
// are not valid.
#include "message_world.hpp"

namespace {

using namespace ranks;

void nobody(Test& t, const World& w) {
  t.doing("MPI_PROC_NULL");
  t.count_case();
  std::vector<float> x(100000, 1.0F);
  laconic_options o = compressing();
  laconic_stats stats{};
  o.stats = &stats;
  CHECK(t, laconic_send(x.data(), count_of(x), MPI_FLOAT, MPI_PROC_NULL, 1, w.comm, &o) == MPI_SUCCESS);
  CHECK(t, stats.calls == 1 && stats.plain_calls == 1);
  for (int form = 0; form < 3; ++form) {
    MPI_Status status;
    std::memset(&status, 0x33, sizeof status);
    if (form == 0) {
      CHECK(t, laconic_recv(x.data(), 1, MPI_FLOAT, MPI_PROC_NULL, MPI_ANY_TAG, w.comm, &status, &o) == MPI_SUCCESS);
    } else if (form == 1) {
      laconic_request request = LACONIC_REQUEST_NULL;
      CHECK(t, laconic_irecv(x.data(), 1, MPI_FLOAT, MPI_PROC_NULL, 5, w.comm, &request, nullptr) == MPI_SUCCESS);
      CHECK(t, request != LACONIC_REQUEST_NULL);
      CHECK(t, laconic_wait(&request, &status) == MPI_SUCCESS);
    } else {
      CHECK(t, laconic_sendrecv(x.data(), 5, MPI_FLOAT, MPI_PROC_NULL, 1, x.data(), 5, MPI_FLOAT, MPI_PROC_NULL, 1,
                                w.comm, &status, nullptr) == MPI_SUCCESS);
    }
    int count = -1;
    MPI_Get_count(&status, MPI_FLOAT, &count);
    CHECK(t, status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG && count == 0);
  }
  CHECK(t, x[0] == 1.0F);
}

// The receiver gets the error, the sender does not, and the next message arrives normally.
void too_long(Test& t, const World& w) {
  for (const bool compressed : {false, true})
    for (const std::size_t count : {std::size_t{50}, std::size_t{3000}, std::size_t{400000}})
      for (const bool blocking : {false, true}) {
        if (w.alone()) continue;
        t.doing(text("a %s message of %zu for a receive of less, %s", compressed ? "compressed" : "plain", count,
                     blocking ? "blocking" : "nonblocking"));
        t.count_case();
        laconic_options o = compressing();
        if (!compressed) o.algorithm = LACONIC_ALGORITHM_PLAIN;
        o.chunk_elements = 1024;
        const std::vector<float> x = wave(count, w.rank);
        laconic_request sends[2] = {send_on(t, w, x, 3, o), send_on(t, w, x, 4, o)};
        std::vector<float> room(count - 1, 0.0F);
        std::vector<float> good(count, 0.0F);
        MPI_Status status[2];
        if (blocking) {
          const int rc = laconic_recv(room.data(), count_of(room), MPI_FLOAT, w.previous(), 3, w.comm, &status[0], &o);
          CHECK(t, class_of(rc) == MPI_ERR_TRUNCATE, "%d: %s", rc, message_of(rc).c_str());
          CHECK(t, laconic_recv(good.data(), count_of(good), MPI_FLOAT, w.previous(), 4, w.comm, &status[1], &o) ==
                       MPI_SUCCESS);
        } else {
          laconic_request receives[2];
          laconic_irecv(room.data(), count_of(room), MPI_FLOAT, MPI_ANY_SOURCE, 3, w.comm, &receives[0], nullptr);
          laconic_irecv(good.data(), count_of(good), MPI_FLOAT, w.previous(), 4, w.comm, &receives[1], nullptr);
          CHECK(t, laconic_waitall(2, receives, status) == MPI_ERR_IN_STATUS);
          CHECK(t, class_of(status[0].MPI_ERROR) == MPI_ERR_TRUNCATE);
          CHECK(t, status[1].MPI_ERROR == MPI_SUCCESS);
        }
        CHECK(t, status[0].MPI_SOURCE == w.previous() && status[0].MPI_TAG == 3);
        CHECK(t, near(good, wave(count, w.previous()), compressed ? 1e-3 : 0));
        finish(t, sends[0]);
        finish(t, sends[1]);
      }
}

void with_gaps(Test& t, const World& w) {
  for (const std::size_t count : {std::size_t{30}, std::size_t{200000}})
    for (const bool from_gaps : {false, true})
      for (const bool to_gaps : {false, true})
        for (const bool bottom : {false, true}) {
          t.doing(text("%zu numbers, gaps %d to %d, %s", count, from_gaps, to_gaps, bottom ? "MPI_BOTTOM" : "address"));
          t.count_case();
          const std::vector<float> x = wave(count, w.rank);
          const std::vector<float> expected = wave(count, w.previous());
          std::vector<float> wide(2 * count, -1.0F);
          for (std::size_t i = 0; i < count; ++i) wide[2 * i] = x[i];
          std::vector<float> out((to_gaps ? 2 : 1) * count, -2.0F);
          MPI_Datatype type = comb(MPI_FLOAT, static_cast<int>(count));
          MPI_Datatype at_bottom = MPI_DATATYPE_NULL;
          MPI_Aint address = 0;
          MPI_Get_address(out.data(), &address);
          int one = 1;
          if (bottom) {
            MPI_Datatype inner = to_gaps ? type : MPI_FLOAT;
            int length = to_gaps ? 1 : static_cast<int>(count);
            MPI_Type_create_struct(one, &length, &address, &inner, &at_bottom);
            MPI_Type_commit(&at_bottom);
          }
          laconic_options o = compressing();
          laconic_stats stats{};
          o.stats = &stats;
          laconic_request send = LACONIC_REQUEST_NULL;
          if (from_gaps)
            laconic_isend(wide.data(), 1, type, w.next(), 8, w.comm, &send, &o);
          else
            send = send_on(t, w, x, 8, o);
          MPI_Status status;
          int rc = MPI_SUCCESS;
          if (bottom)
            rc = laconic_recv(MPI_BOTTOM, 1, at_bottom, w.previous(), 8, w.comm, &status, nullptr);
          else if (to_gaps)
            rc = laconic_recv(out.data(), 1, type, w.previous(), 8, w.comm, &status, nullptr);
          else
            rc = laconic_recv(out.data(), count_of(out), MPI_FLOAT, w.previous(), 8, w.comm, &status, nullptr);
          CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
          finish(t, send);
          CHECK(t,
                stats.plain_reason == (w.alone()   ? LACONIC_PLAIN_ONE_RANK
                                       : from_gaps ? LACONIC_PLAIN_TYPE
                                                   : LACONIC_PLAIN_NOT),
                "%s", laconic_plain_reason_string(stats.plain_reason));
          int elements = 0;
          MPI_Get_count(&status, MPI_FLOAT, &elements);
          CHECK(t, elements == static_cast<int>(count));
          if (to_gaps || bottom) {
            MPI_Get_count(&status, bottom ? at_bottom : type, &elements);
            CHECK(t, elements == 1);
          }
          std::vector<float> got(count);
          for (std::size_t i = 0; i < count; ++i) got[i] = out[(to_gaps ? 2 : 1) * i];
          CHECK(t, near(got, expected, from_gaps || w.alone() ? 0 : 1e-3));
          for (std::size_t i = 0; to_gaps && i < count; ++i)
            if (!CHECK(t, out[2 * i + 1] == -2.0F, "the gap behind number %zu was written", i)) break;
          if (bottom) MPI_Type_free(&at_bottom);
          MPI_Type_free(&type);
        }
}

// Messages shorter than the receive, with elements of every size.
void shorter_with_gaps(Test& t, const World& w) {
  for (const MPI_Datatype basic : {MPI_CHAR, MPI_SHORT, MPI_FLOAT, MPI_DOUBLE, MPI_C_DOUBLE_COMPLEX})
    for (const int sent : {0, 1, 3000})
      for (const int room : {3000, 50000}) {
        t.doing(text("%d of %d elements with gaps", sent, room));
        t.count_case();
        MPI_Datatype type = comb(basic, 2);
        MPI_Aint lower_bound = 0;
        MPI_Aint extent = 0;
        MPI_Type_get_extent(type, &lower_bound, &extent);
        std::vector<unsigned char> x(static_cast<std::size_t>(extent) * static_cast<std::size_t>(sent + 1), 0x11);
        std::vector<unsigned char> y(static_cast<std::size_t>(extent) * static_cast<std::size_t>(room + 1), 0x22);
        laconic_request requests[2];
        laconic_irecv(y.data(), room, type, w.previous(), 2, w.comm, &requests[0], nullptr);
        laconic_isend(x.data(), sent, type, w.next(), 2, w.comm, &requests[1], nullptr);
        MPI_Status statuses[2];
        CHECK(t, laconic_waitall(2, requests, statuses) == MPI_SUCCESS);
        int count = -1;
        MPI_Get_count(&statuses[0], type, &count);
        CHECK(t, count == sent, "%d", count);
        CHECK(t, y[0] == (sent > 0 ? 0x11 : 0x22));
        MPI_Type_free(&type);
      }
}

void errors(Test& t, const World& w) {
  t.doing("bad arguments");
  float x[4] = {};
  float y[4] = {};
  int* greatest = nullptr;
  int found = 0;
  MPI_Comm_get_attr(w.comm, MPI_TAG_UB, static_cast<void*>(&greatest), &found);
  laconic_request request = LACONIC_REQUEST_NULL;
  const auto expect = [&](int rc, int error_class, const char* words) {
    t.count_case();
    CHECK(t, class_of(rc) == error_class, "class %d, expected %d: %s", class_of(rc), error_class,
          message_of(rc).c_str());
    CHECK(t, message_of(rc).find(words) != std::string::npos, "'%s' does not say '%s'", message_of(rc).c_str(), words);
  };
  const auto send = [&](const void* buf, MPI_Count count, MPI_Datatype type, int dest, int tag) {
    const int rc = laconic_send(buf, count, type, dest, tag, w.comm, nullptr);
    CHECK(t, class_of(laconic_isend(buf, count, type, dest, tag, w.comm, &request, nullptr)) == class_of(rc));
    CHECK(t, request == LACONIC_REQUEST_NULL);
    return rc;
  };
  const auto receive = [&](void* buf, MPI_Count count, MPI_Datatype type, int source, int tag) {
    const int rc = laconic_recv(buf, count, type, source, tag, w.comm, MPI_STATUS_IGNORE, nullptr);
    CHECK(t, class_of(laconic_irecv(buf, count, type, source, tag, w.comm, &request, nullptr)) == class_of(rc));
    CHECK(t, request == LACONIC_REQUEST_NULL);
    return rc;
  };
  expect(send(x, -1, MPI_FLOAT, 0, 0), MPI_ERR_COUNT, "count is -1; valid are 0 and above");
  expect(send(x, 4, MPI_DATATYPE_NULL, 0, 0), MPI_ERR_TYPE, "datatype is MPI_DATATYPE_NULL");
  expect(send(nullptr, 4, MPI_FLOAT, 0, 0), MPI_ERR_BUFFER, "buf is NULL");
  expect(send(MPI_IN_PLACE, 4, MPI_FLOAT, 0, 0), MPI_ERR_BUFFER, "buf is MPI_IN_PLACE");
  expect(send(x, 4, MPI_FLOAT, w.size, 0), MPI_ERR_RANK, "dest is ");
  expect(send(x, 4, MPI_FLOAT, -77, 0), MPI_ERR_RANK, "dest is -77; valid are 0 to ");
  expect(send(x, 4, MPI_FLOAT, MPI_ANY_SOURCE, 0), MPI_ERR_RANK, "dest is ");
  expect(send(x, 4, MPI_FLOAT, 0, -77), MPI_ERR_TAG, "tag is -77; valid are 0 to ");
  expect(send(x, 4, MPI_FLOAT, 0, MPI_ANY_TAG), MPI_ERR_TAG, "tag is ");
  if (*greatest < 2147483647) expect(send(x, 4, MPI_FLOAT, 0, *greatest + 1), MPI_ERR_TAG, "tag is ");
  expect(receive(y, -1, MPI_FLOAT, 0, 0), MPI_ERR_COUNT, "count is -1");
  expect(receive(y, 4, MPI_DATATYPE_NULL, 0, 0), MPI_ERR_TYPE, "datatype is MPI_DATATYPE_NULL");
  expect(receive(nullptr, 4, MPI_DOUBLE, 0, 0), MPI_ERR_BUFFER, "buf is NULL");
  expect(receive(y, 4, MPI_FLOAT, w.size, 0), MPI_ERR_RANK, "MPI_ANY_SOURCE");
  expect(receive(y, 4, MPI_FLOAT, 0, -77), MPI_ERR_TAG, "MPI_ANY_TAG");
  const auto both = [&](MPI_Count sendcount, int dest, int sendtag, MPI_Count recvcount, int source, int recvtag) {
    return laconic_sendrecv(x, sendcount, MPI_FLOAT, dest, sendtag, y, recvcount, MPI_FLOAT, source, recvtag, w.comm,
                            MPI_STATUS_IGNORE, nullptr);
  };
  expect(both(-1, 0, 0, 1, 0, 0), MPI_ERR_COUNT, "sendcount is -1");
  expect(both(1, w.size, 0, 1, 0, 0), MPI_ERR_RANK, "dest is");
  expect(both(1, 0, -5, 1, 0, 0), MPI_ERR_TAG, "sendtag is -5");
  expect(both(1, 0, 0, -1, 0, 0), MPI_ERR_COUNT, "recvcount is -1");
  expect(both(1, 0, 0, 1, -9, 0), MPI_ERR_RANK, "source is -9");
  expect(both(1, 0, 0, 1, 0, -5), MPI_ERR_TAG, "recvtag is -5");
  expect(laconic_isend(x, 4, MPI_FLOAT, 0, 0, w.comm, nullptr, nullptr), MPI_ERR_REQUEST, "request is NULL");
  expect(laconic_irecv(x, 4, MPI_FLOAT, 0, 0, w.comm, nullptr, nullptr), MPI_ERR_REQUEST, "request is NULL");
  if (MPI_STATUS_IGNORE != nullptr)
    expect(laconic_recv(x, 4, MPI_FLOAT, 0, 0, w.comm, nullptr, nullptr), MPI_ERR_ARG, "status is NULL");
  laconic_options o = compressing();
  o.depth = 1000;
  expect(laconic_send(x, 4, MPI_FLOAT, 0, 0, w.comm, &o), MPI_ERR_ARG, "depth");
  expect(laconic_recv(x, 4, MPI_FLOAT, 0, 0, w.comm, MPI_STATUS_IGNORE, &o), MPI_ERR_ARG, "depth");
  o = options_with(LACONIC_BOUND_RMS, 0.1);
  o.codec = LACONIC_CODEC_RAW;
  expect(laconic_send(x, 4, MPI_FLOAT, 0, 0, w.comm, &o), MPI_ERR_ARG, "needs the codec quant");
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  expect(laconic_send(x, 4, MPI_FLOAT, 0, 0, MPI_COMM_NULL, nullptr), MPI_ERR_COMM, "MPI_COMM_NULL");
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "messages_edges");
  World w = make_world(t);
  errors(t, w);
  nobody(t, w);
  too_long(t, w);
  with_gaps(t, w);
  shorter_with_gaps(t, w);
  MPI_Comm_free(&w.comm);
  return t.finish();
}
