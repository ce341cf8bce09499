/* SPDX-License-Identifier: BSD-3-Clause */
/* A flow with FFTW's MPI transforms: the vortices of Taylor and Green in a periodic box, by the Fourier-Galerkin method
   in rotational form, 2/3 dealiasing, second-order Runge-Kutta.  Rank 0 prints the energy and the enstrophy; every rank
   writes its velocities.

     flow_fftw N STEPS FILE */
#include <fftw3-mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { nu_inverse = 400 };
static const double step_length = 0.01;

typedef struct {
  ptrdiff_t n, half, planes, first, spectral, real; /* real: doubles that FFTW wants for a field in place */
  int rank;
  fftw_plan forward, backward;
  double* work;
} Grid;

static double wave(const Grid* g, ptrdiff_t k) { return (double)(k <= g->n / 2 ? k : k - g->n); }

static void wave_numbers(const Grid* g, ptrdiff_t at, double k[3]) {
  k[0] = wave(g, g->first + at / (g->n * g->half));
  k[1] = wave(g, at / g->half % g->n);
  k[2] = (double)(at % g->half);
}

static int kept(const Grid* g, const double k[3]) {
  const double most = (double)g->n / 3;
  return fabs(k[0]) < most && fabs(k[1]) < most && fabs(k[2]) < most;
}

/* Physical fields have rows of 2 * half numbers, the last of which are padding. */
static void to_space(const Grid* g, const fftw_complex* in, double* out) {
  memcpy(g->work, in, sizeof(fftw_complex) * (size_t)g->spectral);
  fftw_mpi_execute_dft_c2r(g->backward, (fftw_complex*)g->work, g->work);
  memcpy(out, g->work, sizeof(double) * (size_t)g->real);
}

static void to_waves(const Grid* g, const double* in, fftw_complex* out) {
  memcpy(g->work, in, sizeof(double) * (size_t)g->real);
  fftw_mpi_execute_dft_r2c(g->forward, g->work, (fftw_complex*)g->work);
  memcpy(out, g->work, sizeof(fftw_complex) * (size_t)g->spectral);
}

/* i k x u, without assuming that the arrays differ from one another. */
static void curl(const Grid* g, fftw_complex* const u[3], fftw_complex* const out[3]) {
  for (ptrdiff_t at = 0; at < g->spectral; ++at) {
    double k[3];
    wave_numbers(g, at, k);
    for (int c = 0; c < 3; ++c) {
      const int a = (c + 1) % 3, b = (c + 2) % 3;
      const double re = k[a] * u[b][at][0] - k[b] * u[a][at][0], im = k[a] * u[b][at][1] - k[b] * u[a][at][1];
      out[c][at][0] = -im;
      out[c][at][1] = re;
    }
  }
}

static void rate(const Grid* g, fftw_complex* const u[3], fftw_complex* const out[3], double* const velocity[3],
                 double* const vorticity[3]) {
  const double scale = 1.0 / ((double)g->n * (double)g->n * (double)g->n);
  curl(g, u, out);
  for (int c = 0; c < 3; ++c) {
    to_space(g, out[c], vorticity[c]);
    to_space(g, u[c], velocity[c]);
  }
  for (ptrdiff_t at = 0; at < g->real; ++at) {
    double v[3], w[3];
    for (int c = 0; c < 3; ++c) {
      v[c] = velocity[c][at] * scale;
      w[c] = vorticity[c][at] * scale;
    }
    for (int c = 0; c < 3; ++c) velocity[c][at] = v[(c + 1) % 3] * w[(c + 2) % 3] - v[(c + 2) % 3] * w[(c + 1) % 3];
  }
  for (int c = 0; c < 3; ++c) to_waves(g, velocity[c], out[c]);
  for (ptrdiff_t at = 0; at < g->spectral; ++at) {
    double k[3];
    wave_numbers(g, at, k);
    const double square = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
    for (int part = 0; part < 2; ++part) {
      double along = 0;
      for (int c = 0; c < 3; ++c) along += k[c] * out[c][at][part];
      for (int c = 0; c < 3; ++c) {
        const double pressure = square > 0 ? k[c] * along / square : 0;
        const double force = kept(g, k) ? out[c][at][part] - pressure : 0;
        out[c][at][part] = force - square / nu_inverse * u[c][at][part];
      }
    }
  }
}

static void* memory(size_t bytes) {
  void* place = fftw_malloc(bytes);
  if (place == NULL) {
    fprintf(stderr, "flow_fftw: no memory for %zu bytes\n", bytes);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  memset(place, 0, bytes);
  return place;
}

static void start(const Grid* g, fftw_complex* const u[3], double* field) {
  const double h = 2 * acos(-1.0) / (double)g->n;
  for (int c = 0; c < 3; ++c) {
    memset(field, 0, sizeof(double) * (size_t)g->real);
    for (ptrdiff_t x = 0; x < g->planes && c < 2; ++x)
      for (ptrdiff_t y = 0; y < g->n; ++y)
        for (ptrdiff_t z = 0; z < g->n; ++z) {
          const double at_x = h * (double)(g->first + x), at_y = h * (double)y, at_z = h * (double)z;
          field[(x * g->n + y) * 2 * g->half + z] =
              c == 0 ? sin(at_x) * cos(at_y) * cos(at_z) : -cos(at_x) * sin(at_y) * cos(at_z);
        }
    to_waves(g, field, u[c]);
  }
}

/* The mean of the squares of a vector in Fourier space, halved. */
static double half_square(const Grid* g, fftw_complex* const u[3]) {
  double own = 0, all = 0;
  for (ptrdiff_t at = 0; at < g->spectral; ++at) {
    const double twice = at % g->half == 0 || at % g->half == g->n / 2 ? 1 : 2;
    for (int c = 0; c < 3; ++c) own += twice * (u[c][at][0] * u[c][at][0] + u[c][at][1] * u[c][at][1]);
  }
  MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return 0.5 * all / pow((double)g->n, 6);
}

static void write_velocities(const Grid* g, fftw_complex* const u[3], double* field, const char* name) {
  char path[4096];
  snprintf(path, sizeof path, "%s.%d", name, g->rank);
  FILE* file = fopen(path, "wb");
  size_t wrong = file == NULL;
  const double scale = 1.0 / ((double)g->n * (double)g->n * (double)g->n);
  for (int c = 0; c < 3; ++c) {
    to_space(g, u[c], field);
    for (ptrdiff_t row = 0; row < g->planes * g->n && !wrong; ++row) {
      double* numbers = field + row * 2 * g->half;
      for (ptrdiff_t z = 0; z < g->n; ++z) numbers[z] *= scale;
      wrong = fwrite(numbers, sizeof(double), (size_t)g->n, file) != (size_t)g->n;
    }
  }
  if (wrong || fclose(file) != 0) {
    fprintf(stderr, "flow_fftw: cannot write %s\n", path);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  Grid g = {.n = argc == 4 ? atoi(argv[1]) : 0};
  const int steps = argc == 4 ? atoi(argv[2]) : 0;
  if (g.n < 4 || g.n % 2 != 0 || steps < 1) {
    fprintf(stderr, "usage: flow_fftw N STEPS FILE, with an even N from 4 and STEPS from 1\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &g.rank);
  g.half = g.n / 2 + 1;
  const ptrdiff_t room = fftw_mpi_local_size_3d(g.n, g.n, g.half, MPI_COMM_WORLD, &g.planes, &g.first);
  g.spectral = g.planes * g.n * g.half;
  g.real = 2 * g.spectral;
  const size_t bytes = sizeof(fftw_complex) * (size_t)room;
  g.work = memory(bytes);
  /* FFTW_MEASURE would choose by time: another order of operations in every run. */
  g.forward = fftw_mpi_plan_dft_r2c_3d(g.n, g.n, g.n, g.work, (fftw_complex*)g.work, MPI_COMM_WORLD, FFTW_ESTIMATE);
  g.backward = fftw_mpi_plan_dft_c2r_3d(g.n, g.n, g.n, (fftw_complex*)g.work, g.work, MPI_COMM_WORLD, FFTW_ESTIMATE);

  fftw_complex *u[3], *middle[3], *change[3];
  double *velocity[3], *vorticity[3];
  for (int c = 0; c < 3; ++c) {
    u[c] = memory(bytes);
    middle[c] = memory(bytes);
    change[c] = memory(bytes);
    velocity[c] = memory(bytes);
    vorticity[c] = memory(bytes);
  }
  start(&g, u, velocity[0]);
  for (int step = 0; step < steps; ++step)
    for (int stage = 0; stage < 2; ++stage) {
      rate(&g, stage == 0 ? u : middle, change, velocity, vorticity);
      for (int c = 0; c < 3; ++c)
        for (ptrdiff_t at = 0; at < g.spectral; ++at)
          for (int part = 0; part < 2; ++part) {
            fftw_complex* to = stage == 0 ? middle[c] : u[c];
            to[at][part] = u[c][at][part] + (stage == 0 ? 0.5 : 1.0) * step_length * change[c][at][part];
          }
    }
  const double energy = half_square(&g, u);
  write_velocities(&g, u, velocity[0], argv[3]);
  curl(&g, u, change);
  const double enstrophy = half_square(&g, change);
  if (g.rank == 0) printf("energy %.17g\nenstrophy %.17g\n", energy, enstrophy);
  MPI_Finalize();
  return 0;
}
