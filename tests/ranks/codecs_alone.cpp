// SPDX-License-Identifier: BSD-3-Clause
// laconic_compress() and laconic_decompress(): the bound, exactness, sizes, damaged bytes and wrong arguments.
#include <cmath>

#include "support.hpp"
#include "support/fields.hpp"

namespace {

using namespace ranks;
using laconic::test::Kind;

template <class T>
void round_trip(Test& t, const char* bound, const char* codec, Kind kind, std::size_t count, std::int64_t frame,
                std::uint64_t seed) {
  t.doing(text("%s, %s, field %s, %zu numbers of %zu bytes, frames of %lld", bound, codec,
               laconic::test::name_of(kind).c_str(), count, sizeof(T), static_cast<long long>(frame)));
  t.count_case();
  const std::vector<T> x = laconic::test::make_field<T>(kind, count, seed, t.rank());
  laconic_options o;
  laconic_options_init(&o);
  CHECK(t, laconic_options_set(&o, "bound", bound) == MPI_SUCCESS);
  if (*codec) CHECK(t, laconic_options_set(&o, "codec", codec) == MPI_SUCCESS);
  o.chunk_elements = frame;
  const bool kept = seed % 2 == 0;
  if (kept) CHECK(t, laconic_options_set(&o, "denormals", "exact") == MPI_SUCCESS);
  const auto n = static_cast<MPI_Count>(count);
  const std::size_t room = laconic_max_compressed_size(n, mpi_type<T>(), &o);
  std::vector<unsigned char> bytes(room + 16, 0xab);
  std::size_t size = 0;
  const int rc = laconic_compress(x.data(), n, mpi_type<T>(), bytes.data(), room, &size, &o);
  if (!CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str())) return;
  CHECK(t, size <= room);
  for (std::size_t i = 0; i < 16; ++i) CHECK(t, bytes[room + i] == 0xab, "written beyond the room");
  std::vector<T> y(count + 1, T(-3));
  const int back = laconic_decompress(bytes.data(), size, y.data(), n, mpi_type<T>());
  if (!CHECK(t, back == MPI_SUCCESS, "%s", message_of(back).c_str())) return;
  CHECK(t, y[count] == T(-3), "written beyond the numbers");
  double least = INFINITY;
  double greatest = -INFINITY;
  for (const T v : x)
    if (std::isfinite(v)) {
      least = std::min(least, static_cast<double>(v));
      greatest = std::max(greatest, static_cast<double>(v));
    }
  double e = std::atof(bound + 4);
  if (std::string(bound).starts_with("rel")) e = greatest > least ? e * (greatest - least) : 0;
  const bool exact = std::string(bound) == "lossless";
  const bool free = std::string(bound).starts_with("r") && !std::string(bound).starts_with("rel");
  for (std::size_t i = 0; i < count && (kept || !free); ++i) {
    if (kept && (std::fpclassify(x[i]) == FP_SUBNORMAL || !std::isfinite(x[i])) &&
        !CHECK(t, std::memcmp(&x[i], &y[i], sizeof(T)) == 0, "number %zu is %a, not %a to the bit", i,
               static_cast<double>(y[i]), static_cast<double>(x[i])))
      return;
    if (free) continue;
    const bool same = std::memcmp(&x[i], &y[i], sizeof(T)) == 0 || (x[i] != x[i] && y[i] != y[i]);
    if (exact || !std::isfinite(x[i])) {
      if (!CHECK(t, same, "number %zu is %g, not %g", i, static_cast<double>(y[i]), static_cast<double>(x[i]))) return;
      continue;
    }
    const double ulp = std::nextafter(std::fabs(x[i]), std::numeric_limits<T>::infinity()) - std::fabs(x[i]);
    const double error = std::fabs(static_cast<double>(x[i]) - static_cast<double>(y[i]));
    if (!CHECK(t, error <= e + ulp / 2, "number %zu is off by %g", i, error)) return;
  }
  // Bytes cut at any place give an error; so does a different count.
  if (size > 0) CHECK(t, laconic_decompress(bytes.data(), size - 1, y.data(), n, mpi_type<T>()) != MPI_SUCCESS);
  if (count > 0) CHECK(t, laconic_decompress(bytes.data(), size, y.data(), n - 1, mpi_type<T>()) != MPI_SUCCESS);
  y.resize(count + 1);
  CHECK(t, laconic_decompress(bytes.data(), size, y.data(), n + 1, mpi_type<T>()) != MPI_SUCCESS);
}

void mistakes(Test& t) {
  t.doing("mistakes");
  std::vector<float> x(100, 1);
  std::vector<unsigned char> bytes(4096);
  std::size_t size = 0;
  laconic_options o;
  laconic_options_init(&o);
  const auto refused = [&](int rc, int error_class, const char* says) {
    CHECK(t, rc != MPI_SUCCESS && class_of(rc) == error_class, "class %d: %s", class_of(rc), message_of(rc).c_str());
    CHECK(t, message_of(rc).find(says) != std::string::npos, "%s", message_of(rc).c_str());
  };
  refused(laconic_compress(x.data(), 100, MPI_FLOAT, bytes.data(), bytes.size(), &size, &o), MPI_ERR_ARG, "no bound");
  laconic_options_set(&o, "bound", "abs:1e-3");
  refused(laconic_compress(x.data(), -1, MPI_FLOAT, bytes.data(), bytes.size(), &size, &o), MPI_ERR_COUNT, "-1");
  refused(laconic_compress(x.data(), 100, MPI_INT, bytes.data(), bytes.size(), &size, &o), MPI_ERR_TYPE, "lossless");
  MPI_Datatype vector = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 3, MPI_FLOAT, &vector);
  const auto unsupported = [&](MPI_Datatype datatype, const char* says) {
    refused(laconic_compress(x.data(), 100, datatype, bytes.data(), bytes.size(), &size, &o), MPI_ERR_TYPE, says);
    refused(laconic_decompress(bytes.data(), 40, x.data(), 1, datatype), MPI_ERR_TYPE, says);
  };
  unsupported(MPI_CHAR, "unsupported datatype 'MPI_CHAR': expected MPI_FLOAT, MPI_DOUBLE, MPI_INT, ");
  unsupported(MPI_DATATYPE_NULL, "unsupported datatype 'MPI_DATATYPE_NULL': expected MPI_FLOAT, ");
  unsupported(vector, "unsupported datatype made by MPI_Type_vector: expected MPI_FLOAT, ");
  MPI_Type_set_name(vector, "every third");
  unsupported(vector, "unsupported datatype 'every third': expected MPI_FLOAT, ");
  MPI_Type_free(&vector);
  refused(laconic_compress(nullptr, 100, MPI_FLOAT, bytes.data(), bytes.size(), &size, &o), MPI_ERR_ARG, "numbers");
  refused(laconic_compress(x.data(), 100, MPI_FLOAT, bytes.data(), 10, &size, &o), MPI_ERR_ARG, "capacity");
  refused(laconic_compress(x.data(), 100, MPI_FLOAT, bytes.data(), bytes.size(), nullptr, &o), MPI_ERR_ARG, "bytes");
  CHECK(t, laconic_max_compressed_size(-1, MPI_FLOAT, &o) == 0);
  refused(laconic_decompress(bytes.data(), 40, x.data(), 1, MPI_FLOAT), MPI_ERR_INTERN, "magic");
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "codecs_alone");
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  Random random(t.seed() + static_cast<std::uint64_t>(t.rank()));
  const std::vector<std::size_t> counts{0, 1, 1000, 1025, 70000, 200001};
  const std::vector<std::int64_t> frames{0, 1000, 65536, 1 << 20};
  const std::vector<Kind> kinds{Kind::walk, Kind::normal, Kind::special, Kind::sparse, Kind::real, Kind::integers};
  for (const char* bound : {"abs:1e-3", "rel:1e-4", "lossless", "rms:0.1"})
    for (const char* codec : {"", "quant", "dense", "raw", "szx", "lossless"}) {
      const bool quant_only = std::string(bound) == "rms:0.1";
      if (quant_only && *codec && std::string(codec) != "quant") continue;
      for (int k = 0; k < 4; ++k) {
        round_trip<float>(t, bound, codec, random.pick(kinds), random.pick(counts), random.pick(frames), random.bits());
        round_trip<double>(t, bound, codec, random.pick(kinds), random.pick(counts), random.pick(frames),
                           random.bits());
      }
    }
  mistakes(t);
  return t.finish();
}
