// SPDX-License-Identifier: BSD-3-Clause
// MPI's functions that move data and are never compressed: buffered and partitioned sends, nonblocking and persistent
// MPI_Alltoallw, one-sided communication, and files. They are defined here to be counted in the report. The definitions
// are in counted_only.inl, which is included once for each width of counts.
#include <mpi.h>

#include <algorithm>

#include "calls/carried.hpp"
#include "core/process.hpp"
#include "mpi/exports.hpp"
#include "report/tally.hpp"

using namespace laconic::dropin;

namespace {

bool counts(const void* site) { return counts_traffic() && !from_library(site); }

TallyGroup& group_of_all(const char* name) {
  int ranks = 1;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return Tallies::instance().group(name, ranks);
}

// A window has no communicator that the program can ask for, and a file none at all.
CountedCall on_window(Activity activity, const void* site, const void* origin, MPI_Count count, MPI_Datatype type) {
  static TallyGroup& windows = group_of_all("windows");
  const std::uint64_t bytes = bytes_of(count, type);
  return {{activity, {origin, count, type}, bytes, bytes, site}, Reason::rule, windows};
}

CountedCall on_file(Activity activity, const void* site, const void* buffer, MPI_Count count, MPI_Datatype type) {
  static TallyGroup& files = group_of_all("files");
  const std::uint64_t bytes = bytes_of(count, type);
  // The contents of what is read are not there yet.
  const Items items{activity == Activity::file_write ? buffer : nullptr, count, type};
  return {{activity, items, bytes, bytes, site}, Reason::rule, files};
}

CountedCall to_rank(Activity activity, const void* site, const void* buffer, MPI_Count count, MPI_Datatype type,
                    int dest, MPI_Comm comm) {
  if (comm == MPI_COMM_NULL || dest < 0) return {};
  Communicator& communicator = Communicator::of(comm);
  const std::uint64_t bytes = bytes_of(count, type);
  const bool to_itself = dest == communicator.rank() && communicator.unfit() != Reason::intercomm;
  return {{activity, {buffer, count, type}, bytes, bytes, site},
          to_itself ? Reason::itself : Reason::rule,
          communicator.tallies()};
}

// The content is that of the first part that is not empty.
template <class Counts, class Displs>
CountedCall to_all(Activity activity, const void* site, const void* buffer, const Counts* counts, const Displs* displs,
                   const MPI_Datatype* types, MPI_Comm comm) {
  if (comm == MPI_COMM_NULL || counts == nullptr || types == nullptr) return {};
  Communicator& communicator = Communicator::of(comm);
  if (communicator.unfit() == Reason::intercomm) return {};
  const auto like = activity == Activity::alltoallw ? Operation::alltoallv : Operation::neighbor_alltoallv;
  const int parts = communicator.num_parts(traits_of(like), true);
  Carried carried;
  carried.activity = activity;
  carried.site = site;
  for (int part = 0; part < parts; ++part) {
    const std::uint64_t bytes = bytes_of(counts[part], types[part]);
    if (carried.bytes == 0 && bytes > 0)
      carried.items = {static_cast<const std::byte*>(buffer) + displs[part], counts[part], types[part]};
    carried.bytes += bytes;
  }
  carried.size = carried.bytes;
  return {carried, Reason::rule, communicator.tallies()};
}

// The starts of a persistent request count, and not its making.
int count_starts_of(int code, const CountedCall& call, const MPI_Request* request) {
  if (code == MPI_SUCCESS) count_starts(*request, call);
  return code;
}

}  // namespace

#define LACONIC_DEFINITIONS "calls/counted_only.inl"
#include "mpi/both_counts.inl"

#if MPI_VERSION >= 4
LACONIC_EXPORT int MPI_Psend_init(const void* buffer, int partitions, MPI_Count count, MPI_Datatype type, int dest,
                                  int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  // The contents are not there when the request is started, so there is no sample of them.
  const int code = PMPI_Psend_init(buffer, partitions, count, type, dest, tag, comm, info, request);
  if (!counts(LACONIC_SITE)) return code;
  return count_starts_of(code, to_rank(Activity::psend, LACONIC_SITE, nullptr, count * partitions, type, dest, comm),
                         request);
}
#endif
