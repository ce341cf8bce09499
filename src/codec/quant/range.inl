// SPDX-License-Identifier: BSD-3-Clause
// The two smallest and the two largest numbers of a block, with the vectors SingleLanes and DoubleLanes, which are
// defined before this is included inside a target region.

// In each lane, the two smallest and the two largest of the numbers taken.
template <class Lanes>
struct Ends {
  using Vector = typename Lanes::Vector;
  using Number = typename Lanes::Number;
  static constexpr Number infinity = std::numeric_limits<Number>::infinity();

  Vector min;
  Vector second_min;
  Vector max;
  Vector second_max;

  // Constructors that are implicit would be compiled for any processor.
  LACONIC_INLINE Ends() : min(Lanes::all(infinity)), second_min(min), max(Lanes::all(-infinity)), second_max(max) {}
  // The ends of four numbers.
  LACONIC_INLINE Ends(Vector a, Vector b, Vector c, Vector d) {
    const Vector low_ab = Lanes::min(a, b);
    const Vector low_cd = Lanes::min(c, d);
    const Vector high_ab = Lanes::max(a, b);
    const Vector high_cd = Lanes::max(c, d);
    const Vector middle = Lanes::max(low_ab, low_cd);
    const Vector other = Lanes::min(high_ab, high_cd);
    min = Lanes::min(low_ab, low_cd);
    second_min = Lanes::min(middle, other);
    max = Lanes::max(high_ab, high_cd);
    second_max = Lanes::max(middle, other);
  }

  LACONIC_INLINE void take(const Ends& o) {
    second_min = Lanes::min(Lanes::min(second_min, o.second_min), Lanes::max(min, o.min));
    second_max = Lanes::max(Lanes::max(second_max, o.second_max), Lanes::min(max, o.max));
    min = Lanes::min(min, o.min);
    max = Lanes::max(max, o.max);
  }

  // Leaves the ends of all lanes in each lane.
  template <int step = 0>
  LACONIC_INLINE void unite() {
    if constexpr (step < Lanes::steps) {
      Ends o;
      o.min = Lanes::template turned<step>(min);
      o.second_min = Lanes::template turned<step>(second_min);
      o.max = Lanes::template turned<step>(max);
      o.second_max = Lanes::template turned<step>(second_max);
      take(o);
      unite<step + 1>();
    }
  }
};

// block_range(x, n).
template <class Lanes, class T = typename Lanes::Number>
double range_in_lanes(const T* x, std::size_t n) {
  constexpr std::size_t four = 4 * Lanes::lanes;
  Ends<Lanes> ends;
  int nan = 0;
  std::size_t i = 0;
  for (; i + four <= n; i += four) {
    typename Lanes::Vector v[4];
    for (std::size_t k = 0; k < 4; ++k) v[k] = Lanes::load(x + i + k * Lanes::lanes);
    nan |= Lanes::some_nan(v[0], v[1]) | Lanes::some_nan(v[2], v[3]);
    ends.take(Ends<Lanes>(v[0], v[1], v[2], v[3]));
  }
  ends.unite();
  Extremes<T> extremes{{Lanes::first(ends.min), Lanes::first(ends.second_min)},
                       {-Lanes::first(ends.max), -Lanes::first(ends.second_max)}};
  for (; i < n; ++i) {
    nan |= x[i] != x[i];
    extremes.add(x[i]);
  }
  return nan != 0 ? std::numeric_limits<double>::quiet_NaN() : range_between(extremes, x, n);
}

template <class T>
constexpr auto find_range = range_in_lanes<std::conditional_t<sizeof(T) == 4, SingleLanes, DoubleLanes>>;
