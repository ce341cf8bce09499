! SPDX-License-Identifier: BSD-3-Clause
program with_mpi
  use mpi
  implicit none
#include "fortran_variables.inc"
  integer :: requests(3), status(MPI_STATUS_SIZE)
#include "fortran_body.inc"
end program
