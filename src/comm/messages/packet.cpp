// SPDX-License-Identifier: BSD-3-Clause
#include "comm/messages/packet.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "comm/core/datatypes.hpp"
#include "comm/core/large_count.hpp"
#include "comm/core/staging_buffer.hpp"

namespace laconic {

std::size_t Data::bytes() const {
  MPI_Count size = 0;
  MPI_Type_size_x(type, &size);
  return static_cast<std::size_t>(std::max<MPI_Count>(size, 0)) * static_cast<std::size_t>(count);
}

std::span<std::byte> Data::extent() const { return extent_of(buffer, 0, count, type); }

bool Data::gapless() const {
  if (find_dtype(type).has_value()) return true;
  int integers = 0;
  int addresses = 0;
  int types = 0;
  int combiner = MPI_COMBINER_NAMED;
  MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  if (combiner != MPI_COMBINER_NAMED) return false;
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  int size = 0;
  MPI_Type_get_extent(type, &lower_bound, &extent);
  MPI_Type_size(type, &size);
  return lower_bound == 0 && extent == size;  // false for pairs such as MPI_DOUBLE_INT
}

namespace {

// A buffer for MPI_Pack and MPI_Unpack, which refuse MPI_BOTTOM in MPICH 4.0: its type is then moved by as much as the
// address of an object that stands for the buffer.
class PackBuffer {
 public:
  explicit PackBuffer(const Data& data) : buffer_(data.buffer), type_(data.type) {
    if (data.buffer != MPI_BOTTOM) return;
    MPI_Aint at = 0;
    MPI_Get_address(&near_, &at);
    const MPI_Aint back = -at;
    const int one = 1;
    MPI_Type_create_hindexed(1, &one, &back, data.type, &moved_);
    MPI_Type_commit(&moved_);
    buffer_ = &near_;
    type_ = moved_;
  }
  ~PackBuffer() {
    if (moved_ != MPI_DATATYPE_NULL) MPI_Type_free(&moved_);
  }
  PackBuffer(const PackBuffer&) = delete;
  PackBuffer& operator=(const PackBuffer&) = delete;

  // The bytes of the first `count` elements.
  int pack(MPI_Count count, std::vector<std::byte>& out) const {
    const auto elements = static_cast<int>(count);
    int room = 0;
    if (const int code = MPI_Pack_size(elements, type_, MPI_COMM_SELF, &room); code != MPI_SUCCESS) return code;
    out.resize(static_cast<std::size_t>(room));
    int at = 0;
    return MPI_Pack(buffer_, elements, type_, out.data(), room, &at, MPI_COMM_SELF);
  }

  int unpack(MPI_Count count, const std::vector<std::byte>& in) const {
    int at = 0;
    return MPI_Unpack(in.data(), static_cast<int>(in.size()), &at, buffer_, static_cast<int>(count), type_,
                      MPI_COMM_SELF);
  }

 private:
  void* buffer_;
  MPI_Datatype type_;
  MPI_Datatype moved_ = MPI_DATATYPE_NULL;
  std::byte near_{};
};

}  // namespace

int Packet::send(const Data& data, const wire::Route& route, MPI_Comm comm) {
  code_ = MPI_SUCCESS;
  const LargeCount numbers(data.count, data.type);
  return MPI_Isend(data.buffer, numbers.count(), numbers.type(), route.dest, route.tag, comm, &request_);
}

int Packet::send_envelope(const wire::Envelope& envelope, const wire::Route& route, MPI_Comm comm) {
  code_ = MPI_SUCCESS;
  checksum_ = wire::write_envelope(envelope, route, near_);
  return MPI_Isend(near_.data(), static_cast<int>(near_.size()), MPI_BYTE, route.dest, route.tag, comm, &request_);
}

int Packet::receive(const Data& room, int source, int tag, MPI_Comm comm) {
  code_ = MPI_SUCCESS;
  // MPI would fail to receive an envelope into less room, and the sender would wait for ever.
  aside_ = room.bytes() < near_.size();
  if (aside_) return MPI_Irecv(near_.data(), static_cast<int>(near_.size()), MPI_BYTE, source, tag, comm, &request_);
  const LargeCount elements(room.count, room.type);
  return MPI_Irecv(room.buffer, elements.count(), elements.type(), source, tag, comm, &request_);
}

void Packet::take(const MPI_Status& arrived) {
  code_ = MPI_SUCCESS;
  aside_ = false;
  status_ = arrived;
}

void Packet::wait() { code_ = MPI_Wait(&request_, &status_); }

int Packet::poll(bool& finished) {
  finished = request_ == MPI_REQUEST_NULL;
  if (finished) return code_;
  int done = 0;
  const int code = MPI_Test(&request_, &done, &status_);
  finished = done != 0 || code != MPI_SUCCESS;
  return code;
}

std::size_t Packet::received() const {
  MPI_Count bytes = 0;
  MPI_Get_elements_x(&status_, MPI_BYTE, &bytes);
  return static_cast<std::size_t>(std::max<MPI_Count>(bytes, 0));
}

// The message may end within an element, so the elements are packed, overwritten and unpacked.
int Packet::copy_to(const Data& room) const {
  const std::size_t bytes = received();
  if (bytes == 0) return MPI_SUCCESS;
  if (room.gapless()) return std::memcpy(room.buffer, near_.data(), bytes), MPI_SUCCESS;
  const PackBuffer buffer(room);
  std::vector<std::byte> packed;
  if (const int code = buffer.pack(room.count, packed); code != MPI_SUCCESS) return code;
  std::memcpy(packed.data(), near_.data(), bytes);
  return buffer.unpack(room.count, packed);
}

int Packet::read_back(const Data& room) {
  if (room.gapless()) return std::memcpy(near_.data(), room.buffer, near_.size()), MPI_SUCCESS;
  MPI_Count each = 0;
  MPI_Type_size_x(room.type, &each);
  std::vector<std::byte> packed;
  const auto bytes = static_cast<MPI_Count>(near_.size());
  if (const int code = PackBuffer(room).pack((bytes + each - 1) / each, packed); code != MPI_SUCCESS) return code;
  std::memcpy(near_.data(), packed.data(), near_.size());
  return MPI_SUCCESS;
}

}  // namespace laconic
