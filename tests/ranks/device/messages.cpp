// SPDX-License-Identifier: BSD-3-Clause
// Messages from and to device memory, of all types, bounds and codecs, several in flight at a time: each arrives
// unchanged or within its bound, whatever the memory type at the other end.
#include "device_memory.hpp"
#include "messages_letters.hpp"

namespace {

using namespace ranks;

// One end of a letter (its send or its receive).
struct End {
  std::size_t letter;
  std::unique_ptr<MemoryOf> memory;
  void* there = nullptr;
  std::vector<unsigned char> bytes;
  laconic_stats stats{};
  MPI_Status status{};
};

class Round {
 public:
  Round(Test& t, MPI_Comm comm, Random& random, Random& own, cudaStream_t stream)
      : t_(t), comm_(comm), own_(own), stream_(stream), blocking_(random.below(2) == 0) {
    const std::size_t letters = 1 + random.below(10);
    for (std::size_t k = 0; k < letters; ++k) {
      Letter l = random_letter(random, t.size());
      l.count = std::min<std::size_t>(l.count, 60000);
      l.tag = static_cast<int>(k);
      letters_.push_back(l);
    }
  }

  void play() {
    for (std::size_t k = 0; k < letters_.size(); ++k)
      if (letters_[k].to == t_.rank()) receive(k);
    for (std::size_t k = 0; k < letters_.size(); ++k)
      if (letters_[k].from == t_.rank()) send(k);
    t_.doing(text("completing %zu requests", requests_.size()));
    std::vector<MPI_Status> statuses(requests_.size());
    const int rc = laconic_waitall(static_cast<int>(requests_.size()), requests_.data(), statuses.data());
    CHECK(t_, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
    for (std::size_t k = 0; k < received_.size(); ++k) received_[k]->status = statuses[k];
    check();
  }

 private:
  std::unique_ptr<End> make_end(std::size_t k, std::vector<unsigned char> bytes) {
    auto end = std::make_unique<End>();
    end->letter = k;
    const auto memory = own_.below(2) == 0 ? Memory::device : static_cast<Memory>(own_.below(memories));
    end->memory = std::make_unique<MemoryOf>(t_, memory, own_.below(3) == 0 ? nullptr : stream_);
    end->bytes = std::move(bytes);
    end->there = end->memory->reserve(end->bytes.size());
    end->memory->push(end->there, end->bytes.data(), end->bytes.size());
    t_.doing(describe(letters_[k]) + ", here in " + name_of(memory) + " memory");
    return end;
  }

  void receive(std::size_t k) {
    const Letter& l = letters_[k];
    const std::size_t spare = width_of(l.numbers) * own_.below(3);
    auto end = make_end(k, std::vector<unsigned char>(l.bytes() + spare, untouched));
    laconic_options o{};
    laconic_options_init(&o);
    o.stream = end->memory->stream();
    o.stats = &end->stats;
    requests_.push_back(LACONIC_REQUEST_NULL);
    const auto count = static_cast<MPI_Count>(end->bytes.size() / width_of(l.numbers));
    const int rc = laconic_irecv(end->there, count, mpi_type(l.numbers), l.from, l.tag, comm_, &requests_.back(), &o);
    CHECK(t_, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
    received_.push_back(std::move(end));
  }

  void send(std::size_t k) {
    const Letter& l = letters_[k];
    auto end = make_end(k, content(l));
    laconic_options o = l.options;
    o.stream = end->memory->stream();
    o.stats = &end->stats;
    const auto count = static_cast<MPI_Count>(l.count);
    int rc = MPI_SUCCESS;
    if (blocking_ && l.from != l.to) {
      rc = laconic_send(end->there, count, mpi_type(l.numbers), l.to, l.tag, comm_, &o);
    } else {
      requests_.push_back(LACONIC_REQUEST_NULL);
      rc = laconic_isend(end->there, count, mpi_type(l.numbers), l.to, l.tag, comm_, &requests_.back(), &o);
    }
    CHECK(t_, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
    sent_.push_back(std::move(end));
  }

  void check() {
    for (const auto& end : received_) {
      const Letter& l = letters_[end->letter];
      t_.doing("checking " + describe(l));
      end->memory->pull(end->bytes.data(), end->there, end->bytes.size());
      int count = -1;
      MPI_Get_count(&end->status, mpi_type(l.numbers), &count);
      CHECK(t_, count == static_cast<int>(l.count), "count %d for %zu", count, l.count);
      check_letter(t_, l, end->bytes);
      check_stats(t_, l, end->stats, false);
    }
    for (const auto& end : sent_) {
      const Letter& l = letters_[end->letter];
      t_.doing("checking as its sender " + describe(l));
      end->memory->pull(end->bytes.data(), end->there, end->bytes.size());
      CHECK(t_, end->bytes == content(l), "the buffer of the sender was changed");
      check_stats(t_, l, end->stats, true);
    }
  }

  Test& t_;
  MPI_Comm comm_;
  Random& own_;
  cudaStream_t stream_;
  bool blocking_;
  std::vector<Letter> letters_;
  std::vector<std::unique_ptr<End>> received_;
  std::vector<std::unique_ptr<End>> sent_;
  std::vector<laconic_request> requests_;
};

// A type with gaps: every other number, where the numbers between stay unchanged.
void send_with_gaps(Test& t, MPI_Comm comm, Random& own, cudaStream_t stream, bool compressed) {
  constexpr int numbers = 5000;
  const int right = (t.rank() + 1) % t.size();
  const int left = (t.rank() + t.size() - 1) % t.size();
  t.doing(compressed ? "a compressed message to every other number" : "every other number");
  MPI_Datatype gaps = MPI_DATATYPE_NULL;
  MPI_Type_vector(numbers, 1, 2, MPI_FLOAT, &gaps);
  MPI_Type_commit(&gaps);
  std::vector<float> from(2 * numbers);
  std::vector<float> to(2 * numbers, -1);
  for (std::size_t i = 0; i < from.size(); ++i)
    from[i] = static_cast<float>(i * static_cast<std::size_t>(t.rank() + 1));
  const std::size_t bytes = from.size() * sizeof(float);
  MemoryOf sending(t, static_cast<Memory>(own.below(memories)), stream);
  MemoryOf receiving(t, Memory::device, stream);
  void* const out = sending.reserve(bytes);
  void* const in = receiving.reserve(bytes);
  sending.push(out, from.data(), bytes);
  receiving.push(in, to.data(), bytes);
  laconic_options o = options_with(LACONIC_BOUND_ABS, 1e-3);
  o.codec = LACONIC_CODEC_RAW;
  o.stream = stream;
  MPI_Status status;
  // Only arrays of numbers are compressed; the receiver may use any type.
  const int rc = compressed
                     ? laconic_sendrecv(out, numbers, MPI_FLOAT, right, 7, in, 1, gaps, left, 7, comm, &status, &o)
                     : laconic_sendrecv(out, 1, gaps, right, 7, in, 1, gaps, left, 7, comm, &status, &o);
  CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
  receiving.pull(to.data(), in, bytes);
  const std::size_t step = compressed ? 1 : 2;
  for (std::size_t i = 0; i < numbers; ++i) {
    const auto expected = static_cast<float>(step * i * static_cast<std::size_t>(left + 1));
    if (!CHECK(t, to[2 * i] == expected, "number %zu is %g, not %g", i, to[2 * i], expected)) break;
    if (!CHECK(t, i + 1 == numbers || to[2 * i + 1] == -1, "the gap behind number %zu is %g", i, to[2 * i + 1])) break;
  }
  MPI_Type_free(&gaps);
}

// A fixed rate, which the receiver's device has to be told: the numbers are those that the codec makes on the host.
void send_at_a_rate(Test& t, MPI_Comm comm, cudaStream_t stream) {
  constexpr std::size_t numbers = 20000;
  t.doing("a message at a fixed rate");
  laconic_options o = options_with(LACONIC_BOUND_RATE, 8);
  o.codec = LACONIC_CODEC_ZFP;
  o.chunk_elements = 4096;
  const std::size_t most = laconic_max_compressed_size(numbers, MPI_FLOAT, &o);
  if (most == 0) return;  // a build without zfp
  const int right = (t.rank() + 1) % t.size();
  const int left = (t.rank() + t.size() - 1) % t.size();
  const auto field = [](int rank) { return laconic::test::make_field<float>(Kind::walk, numbers, 5, rank); };
  std::vector<unsigned char> frames(most);
  std::size_t bytes = 0;
  std::vector<float> expected(numbers);
  CHECK(t, laconic_compress(field(left).data(), numbers, MPI_FLOAT, frames.data(), most, &bytes, &o) == MPI_SUCCESS);
  CHECK(t, laconic_decompress(frames.data(), bytes, expected.data(), numbers, MPI_FLOAT) == MPI_SUCCESS);
  if (t.size() == 1) expected = field(0);  // a message from a rank to itself is sent uncompressed
  MemoryOf memory(t, Memory::device, stream);
  void* const out = memory.reserve(numbers * sizeof(float));
  void* const in = memory.reserve(numbers * sizeof(float));
  memory.push(out, field(t.rank()).data(), numbers * sizeof(float));
  o.stream = stream;
  MPI_Status status;
  const int rc =
      laconic_sendrecv(out, numbers, MPI_FLOAT, right, 9, in, numbers, MPI_FLOAT, left, 9, comm, &status, &o);
  CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
  std::vector<float> found(numbers);
  memory.pull(found.data(), in, numbers * sizeof(float));
  CHECK(t, std::memcmp(found.data(), expected.data(), numbers * sizeof(float)) == 0, "other numbers than on the host");
  t.count_case();
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "device messages");
  if (!have_device()) return t.doing("nothing: there is no device"), t.finish();
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  CHECK(t, laconic_comm_set_info(comm, MPI_INFO_NULL) == MPI_SUCCESS);
  {
    const Stream stream;
    Random random(t.seed());
    Random own(t.seed() * 77 + static_cast<std::uint64_t>(t.rank()));
    const long long rounds = environment_number("TEST_CASES", 30);
    for (long long k = 0; k < rounds; ++k) {
      t.doing(text("round %lld", k));
      Round(t, comm, random, own, stream.get()).play();
      t.count_case();
    }
    send_at_a_rate(t, comm, stream.get());
    for (const bool compressed : {false, true}) send_with_gaps(t, comm, own, stream.get(), compressed);
  }
  MPI_Comm_free(&comm);
  return t.finish();
}
