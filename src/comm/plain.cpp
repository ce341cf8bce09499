#include "comm/plain.hpp"

#include <algorithm>
#include <cstddef>

namespace laconic {
namespace {

// Large-count functions are younger than the MPI libraries in use.  A reduction works element by element, so it may
// be cut anywhere.
constexpr MPI_Count piece = MPI_Count{1} << 30;

template <class T>
void divide(void* numbers, MPI_Count count, int size) {
  auto* x = static_cast<T*>(numbers);
  for (MPI_Count i = 0; i < count; ++i) x[i] = static_cast<T>(static_cast<double>(x[i]) / size);
}

// Between the groups of an intercommunicator each gets what the other contributed.
int contributors(MPI_Comm comm) {
  int between_groups = 0;
  MPI_Comm_test_inter(comm, &between_groups);
  int size = 1;
  if (between_groups)
    MPI_Comm_remote_size(comm, &size);
  else
    MPI_Comm_size(comm, &size);
  return size;
}

}  // namespace

int plain_allreduce(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                    MPI_Comm comm, bool mean) {
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  if (count > piece)
    if (const int rc = MPI_Type_get_extent(datatype, &lower_bound, &extent); rc != MPI_SUCCESS) return rc;
  MPI_Count done = 0;
  do {
    const MPI_Count n = std::min(piece, count - done);
    const auto offset = static_cast<std::ptrdiff_t>(done) * extent;
    const void* from = sendbuf == MPI_IN_PLACE ? MPI_IN_PLACE : static_cast<const std::byte*>(sendbuf) + offset;
    const int rc = MPI_Allreduce(from, static_cast<std::byte*>(recvbuf) + offset, static_cast<int>(n), datatype,
                                 mean ? MPI_SUM : op, comm);
    if (rc != MPI_SUCCESS) return rc;
    done += n;
  } while (done < count);
  if (mean) {
    const int size = contributors(comm);
    if (datatype == MPI_FLOAT) divide<float>(recvbuf, count, size);
    if (datatype == MPI_DOUBLE) divide<double>(recvbuf, count, size);
  }
  return MPI_SUCCESS;
}

}  // namespace laconic
