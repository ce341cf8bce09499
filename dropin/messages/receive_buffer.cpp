// SPDX-License-Identifier: BSD-3-Clause
#include "messages/receive_buffer.hpp"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>
#include <string>

#include "core/datatypes.hpp"
#include "messages/envelope.hpp"
#include "mpi/mpi_itself.hpp"

namespace laconic::dropin {
namespace {

MPI_Comm self_comm = MPI_COMM_NULL;
std::mutex self_turn;

bool in_a_row(const ReceiveBuffer& receive_buffer) {
  return is_plain_memory(receive_buffer.buffer, receive_buffer.type);
}

struct Items {
  MPI_Count each = 0;  // bytes
  MPI_Aint extent = 0;
  MPI_Count at_once = 1;  // number of items whose bytes fit into an int
};

int items_of(const ReceiveBuffer& receive_buffer, Items& items) {
  MPI_Aint lower = 0;
  if (const int code = PMPI_Type_size_x(receive_buffer.type, &items.each); code != MPI_SUCCESS) return code;
  if (const int code = PMPI_Type_get_extent(receive_buffer.type, &lower, &items.extent); code != MPI_SUCCESS)
    return code;
  if (items.each <= 0 || items.each > INT_MAX) return MPI_ERR_COUNT;
  items.at_once = std::max<MPI_Count>(1, (MPI_Count{1} << 30) / items.each);
  return MPI_SUCCESS;
}

// Copies between memory of any layout and contiguous bytes, by a message to this process. MPI_Unpack could not handle
// incomplete items, which a message may end with.
int exchange(const void* from, int count, MPI_Datatype type, void* to, int room, MPI_Datatype as) {
  const std::lock_guard lock(self_turn);
  return mpi::Sendrecv(from, count, type, 0, 0, to, room, as, 0, 0, self_comm, MPI_STATUS_IGNORE);
}

// Packs the first `bytes` bytes of the content of the receive buffer.
int gather(const ReceiveBuffer& receive_buffer, MPI_Count bytes, Buffer& out) {
  if (in_a_row(receive_buffer)) {
    out = Buffer(static_cast<std::size_t>(bytes));
    std::memcpy(out.data(), receive_buffer.buffer, static_cast<std::size_t>(bytes));
    return MPI_SUCCESS;
  }
  Items items;
  if (const int code = items_of(receive_buffer, items); code != MPI_SUCCESS) return code;
  // The length of an envelope fits into an int, but the last item may be much longer than the part that is needed.
  const MPI_Count count = std::min(receive_buffer.count, (bytes + items.each - 1) / items.each);
  if (count * items.each > INT_MAX) return MPI_ERR_COUNT;
  const int room = static_cast<int>(count * items.each);
  out = Buffer(static_cast<std::size_t>(room));
  return exchange(receive_buffer.buffer, static_cast<int>(count), receive_buffer.type, out.data(), room, MPI_PACKED);
}

int scatter(const std::byte* message, MPI_Count bytes, const ReceiveBuffer& receive_buffer) {
  Items items;
  if (const int code = items_of(receive_buffer, items); code != MPI_SUCCESS) return code;
  for (MPI_Count at = 0; at * items.each < bytes; at += items.at_once) {
    const MPI_Count count = std::min(items.at_once, receive_buffer.count - at);
    const MPI_Count part = std::min(bytes - at * items.each, count * items.each);
    const int code = exchange(message + at * items.each, static_cast<int>(part), MPI_PACKED,
                              static_cast<std::byte*>(receive_buffer.buffer) + at * items.extent,
                              static_cast<int>(count), receive_buffer.type);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

bool aligned(const void* address) { return reinterpret_cast<std::uintptr_t>(address) % alignof(double) == 0; }

// The error for a damaged message. There is one error code, whose text is replaced each time.
int damaged(const MPI_Status& status) {
  static std::mutex making;
  static int code = MPI_ERR_OTHER;
  const std::lock_guard lock(making);
  int error_class = MPI_SUCCESS;
  if (code == MPI_ERR_OTHER &&
      (PMPI_Add_error_class(&error_class) != MPI_SUCCESS || PMPI_Add_error_code(error_class, &code) != MPI_SUCCESS))
    return code = MPI_ERR_OTHER;
  const std::string text = "laconic: a compressed message from rank " + std::to_string(status.MPI_SOURCE) +
                           " with tag " + std::to_string(status.MPI_TAG) + " was damaged on its way";
  PMPI_Add_error_string(code, text.c_str());
  return code;
}

int open_into(const ReceiveBuffer& receive_buffer, const Envelope& envelope, MPI_Status& status) {
  const MPI_Count room = receive_buffer.room();
  if (!envelope.intact(status.MPI_SOURCE, status.MPI_TAG)) return damaged(status);
  if (envelope.bytes() > room) {
    set_bytes(status, std::max<MPI_Count>(room, 0));
    return MPI_ERR_TRUNCATE;
  }
  set_bytes(status, envelope.bytes());
  if (in_a_row(receive_buffer) && aligned(receive_buffer.buffer)) return envelope.open(receive_buffer.buffer);
  const Buffer numbers(static_cast<std::size_t>(envelope.bytes()));
  if (const int code = envelope.open(numbers.data()); code != MPI_SUCCESS) return code;
  return scatter(numbers.data(), envelope.bytes(), receive_buffer);
}

}  // namespace

MPI_Count ReceiveBuffer::room() const {
  MPI_Count each = 0;
  if (count < 0 || type == MPI_DATATYPE_NULL || PMPI_Type_size_x(type, &each) != MPI_SUCCESS) return -1;
  return count * each;
}

MPI_Count bytes_of(const MPI_Status& status) {
  MPI_Count bytes = 0;
  if (PMPI_Get_elements_x(&status, MPI_BYTE, &bytes) != MPI_SUCCESS || bytes == MPI_UNDEFINED) return -1;
  return bytes;
}

void set_bytes(MPI_Status& status, MPI_Count bytes) { PMPI_Status_set_elements_x(&status, MPI_BYTE, bytes); }

void tell(const MPI_Status& found, MPI_Status& status) {
  const int error = status.MPI_ERROR;
  status = found;
  status.MPI_ERROR = error;
}

namespace {

int open_if_compressed(const ReceiveBuffer& receive_buffer, MPI_Status& status) {
  const MPI_Count bytes = bytes_of(status);
  if (!may_be_envelope(bytes)) return MPI_SUCCESS;
  int cancelled = 0;
  PMPI_Test_cancelled(&status, &cancelled);
  if (cancelled) return MPI_SUCCESS;
  try {
    Buffer message;
    if (const int code = gather(receive_buffer, sizeof(Envelope::Header), message); code != MPI_SUCCESS) return code;
    Envelope::Header header;
    std::memcpy(&header, message.data(), sizeof header);
    if (!is_marked(header)) return MPI_SUCCESS;
    if (const int code = gather(receive_buffer, bytes, message); code != MPI_SUCCESS) return code;
    const auto envelope = read_envelope(message.data(), bytes);
    return envelope ? open_into(receive_buffer, *envelope, status) : MPI_SUCCESS;
  } catch (const std::bad_alloc&) {
    return MPI_ERR_NO_MEM;
  }
}

int open_or_copy(const ReceiveBuffer& receive_buffer, const std::byte* message, MPI_Count bytes, MPI_Status& status) {
  try {
    if (const auto envelope = read_envelope(message, bytes)) return open_into(receive_buffer, *envelope, status);
    const MPI_Count room = std::max<MPI_Count>(receive_buffer.room(), 0);
    const MPI_Count fits = std::min(bytes, room);
    set_bytes(status, fits);
    const int code = fits > 0 ? scatter(message, fits, receive_buffer) : MPI_SUCCESS;
    return code == MPI_SUCCESS && bytes > room ? MPI_ERR_TRUNCATE : code;
  } catch (const std::bad_alloc&) {
    return MPI_ERR_NO_MEM;
  }
}

}  // namespace

int settle(const ReceiveBuffer& receive_buffer, MPI_Status& status) {
  const int code = open_if_compressed(receive_buffer, status);
  laconic_receive_ended();
  return code;
}

int deliver(const ReceiveBuffer& receive_buffer, const std::byte* message, MPI_Count bytes, MPI_Status& status) {
  const int code = open_or_copy(receive_buffer, message, bytes, status);
  laconic_receive_ended();
  return code;
}

int copy_of(const ReceiveBuffer& receive_buffer, Buffer& out, int& bytes) {
  const MPI_Count all = receive_buffer.room();
  if (all < 0 || all > INT_MAX) return MPI_ERR_COUNT;
  bytes = static_cast<int>(all);
  return all > 0 ? gather(receive_buffer, all, out) : MPI_SUCCESS;
}

void open_self() {
  if (self_comm != MPI_COMM_NULL) return;
  PMPI_Comm_dup(MPI_COMM_SELF, &self_comm);
  PMPI_Comm_set_errhandler(self_comm, MPI_ERRORS_RETURN);
}

void close_self() {
  if (self_comm != MPI_COMM_NULL) PMPI_Comm_free(&self_comm);
}

MPI_Comm self() { return self_comm; }

}  // namespace laconic::dropin
