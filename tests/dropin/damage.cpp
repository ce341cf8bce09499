// SPDX-License-Identifier: BSD-3-Clause
// Compressed messages that are damaged in transit: rank 0 sends one through the drop-in, rank 1 receives it directly
// from MPI and sends it back, and rank 0 passes it on again, damaged. The receive has to be an error.
#include <dlfcn.h>

#include "support.hpp"

using namespace dropin;
using ranks::Random;
using ranks::Test;
using ranks::text;

namespace {

constexpr int count = 20000;
constexpr int tag = 7;
constexpr int back = 8;

using Bytes = std::vector<unsigned char>;

// MPI's own function. The drop-in has PMPI's names of those that receive, too; MPI's library is that of a name it has
// not.
template <class F>
F* own(F*, const char* name) {
  Dl_info where{};
  dladdr(reinterpret_cast<void*>(&PMPI_Type_size), &where);
  void* library = dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  return library != nullptr ? reinterpret_cast<F*>(dlsym(library, name)) : nullptr;
}

Bytes receive_as_it_came(int source, int with_tag, MPI_Comm comm) {
  MPI_Status status;
  own(&PMPI_Probe, "PMPI_Probe")(source, with_tag, comm, &status);
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  Bytes message(static_cast<std::size_t>(bytes));
  own(&PMPI_Recv, "PMPI_Recv")(message.data(), bytes, MPI_BYTE, source, with_tag, comm, MPI_STATUS_IGNORE);
  return message;
}

void send_as_it_is(const Bytes& message, int dest, int with_tag, MPI_Comm comm) {
  own(&PMPI_Send, "PMPI_Send")(message.data(), static_cast<int>(message.size()), MPI_BYTE, dest, with_tag, comm);
}

// The bytes of an envelope before its frames, and of the frames themselves: the rest is padding.
constexpr std::size_t header = 48;
std::size_t end_of_frames(const Bytes& message) {
  std::uint64_t frames = 0;
  std::memcpy(&frames, message.data() + 24, sizeof frames);
  return header + frames;
}

enum class Fault { none, bit, bit_of_header, byte, burst, zeros, shorter, other_tag };
constexpr int kinds = 8;

int damage(Bytes& message, Fault fault, Random& random) {
  const std::size_t end = end_of_frames(message);
  switch (fault) {
    case Fault::bit:
      message[header + random.below(end - header)] ^= static_cast<unsigned char>(1U << random.below(8));
      break;
    case Fault::bit_of_header:
      message[random.below(header)] ^= static_cast<unsigned char>(1U << random.below(8));
      break;
    case Fault::byte: message[random.below(end)] ^= static_cast<unsigned char>(1 + random.below(255)); break;
    case Fault::burst: {
      const std::size_t from = header + random.below(end - header);
      for (std::size_t k = from; k < std::min(end, from + 64); ++k) message[k] ^= 0xa5;
      break;
    }
    case Fault::zeros: {
      const std::size_t from = header + random.below(end - header - 64);
      std::fill_n(message.begin() + static_cast<std::ptrdiff_t>(from), 64, static_cast<unsigned char>(0));
      message[from] ^= 1;  // it may have been 0
      break;
    }
    // Lengths of envelopes are 48 beyond a multiple of 256.
    case Fault::shorter: message.resize(message.size() - 256 * (1 + random.below((message.size() - 304) / 256))); break;
    case Fault::other_tag: return tag + 100;
    default: break;
  }
  return tag;
}

void faults(Test& t, Random& random, MPI_Comm comm, int cases) {
  std::vector<double> mine = numbers<double>(count, random);
  std::vector<double> got(count);
  const bool sends = t.rank() == 0;
  Bytes intact;
  if (sends) {
    MPI_Send(mine.data(), count, MPI_DOUBLE, 1, tag, comm);
    intact = receive_as_it_came(1, back, comm);
    CHECK(t, intact.size() > 304 && intact.size() < count * sizeof(double), "%zu bytes", intact.size());
  } else {
    send_as_it_is(receive_as_it_came(0, tag, comm), 0, back, comm);
  }
  for (int k = 0; k < cases; ++k) {
    const auto fault = static_cast<Fault>(k % kinds);
    t.doing(text("fault %d of kind %d", k, k % kinds));
    t.count_case();
    if (sends) {
      Bytes message = intact;
      send_as_it_is(message, 1, damage(message, fault, random), comm);
      continue;
    }
    MPI_Status status;
    status.MPI_ERROR = MPI_SUCCESS;
    const int code = MPI_Recv(got.data(), count, MPI_DOUBLE, 0, MPI_ANY_TAG, comm, &status);
    if (fault == Fault::none) {
      CHECK(t, code == MPI_SUCCESS && status.MPI_TAG == tag);
      continue;
    }
    CHECK(t, code != MPI_SUCCESS, "it went unnoticed");
    char message[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, message, &length);
    if (k == 1) CHECK(t, std::strstr(message, "from rank 0 with tag 7 was damaged") != nullptr, "%s", message);
  }
  // The communicator still works afterwards.
  if (sends)
    MPI_Send(mine.data(), count, MPI_DOUBLE, 1, tag, comm);
  else
    CHECK(t, MPI_Recv(got.data(), count, MPI_DOUBLE, 0, tag, comm, MPI_STATUS_IGNORE) == MPI_SUCCESS);
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "dropin damage");
  const Expectation expected(argc, argv);
  Random random(t.seed());
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const int cases = static_cast<int>(ranks::environment_number("TEST_CASES", 400));
  if (t.rank() < 2 && t.size() > 1) faults(t, random, comm, cases);
  MPI_Comm_free(&comm);
  return t.finish();
}
