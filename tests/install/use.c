/* SPDX-License-Identifier: BSD-3-Clause */
/* A user's program, outside the source tree and in C: what the installed package must be able to build and run. */
#include <laconic/laconic.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int major = -1, minor = -1, patch = -1;
  laconic_version(&major, &minor, &patch);
  int same_version = major == LACONIC_VERSION_MAJOR && minor == LACONIC_VERSION_MINOR && patch == LACONIC_VERSION_PATCH;

  double in[3] = {1.0, -2.5, 1e9}, out[3] = {0.0, 0.0, 0.0};
  int rc = laconic_allreduce(in, out, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF, NULL);
  int same_values = rc == MPI_SUCCESS && out[0] == in[0] && out[1] == in[1] && out[2] == in[2];

  printf("laconic %d.%d.%d, allreduce of one rank: %s\n", major, minor, patch, same_values ? "right" : "wrong");
  MPI_Finalize();
  return same_version && same_values ? 0 : 1;
}
