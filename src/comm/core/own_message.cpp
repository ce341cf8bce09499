// SPDX-License-Identifier: BSD-3-Clause
#include "comm/core/own_message.hpp"

#include <string>

#include "comm/core/binding.hpp"
#include "comm/core/errors.hpp"
#include "comm/core/large_count.hpp"

namespace laconic {

Status move_by_message(const Typed& from, const Typed& to, int rank, MPI_Comm comm) {
  const LargeCount sent(from.count, from.type);
  const LargeCount received(to.count, to.type);
  const int code = MPI_Sendrecv(from.buffer, sent.count(), sent.type(), rank, Machinery::own_tag, to.buffer,
                                received.count(), received.type(), rank, Machinery::own_tag, comm, MPI_STATUS_IGNORE);
  if (code == MPI_SUCCESS) return {};
  return {Code::transport, "a message to this rank itself failed: " + message_of(code)};
}

}  // namespace laconic
