/* SPDX-License-Identifier: BSD-3-Clause
 * A plugin whose own functions have names that a Fortran compiler could give to those of MPI, as R's binding of MPI
 * has. */
int mpi_init(int tag) { return tag + 1; }
int mpi_finalize(int tag) { return tag + 2; }
int mpi_comm_set_info(int tag) { return tag + 3; }
int mpi_allreduce(int tag) { return tag + 4; }
int mpi_bcast(int tag) { return tag + 5; }
int mpi_igather(int tag) { return tag + 6; }
int mpi_init__(int tag) { return tag + 7; }
int mpi_allreduce__(int tag) { return tag + 8; }

int plugin_total(void) {
  return mpi_init(0) + mpi_finalize(0) + mpi_comm_set_info(0) + mpi_allreduce(0) + mpi_bcast(0) + mpi_igather(0) +
         mpi_init__(0) + mpi_allreduce__(0);
}
