! SPDX-License-Identifier: BSD-3-Clause
program with_mpi_f08
  use mpi_f08
  implicit none
#include "fortran_variables.inc"
  type(MPI_Request) :: requests(3)
  type(MPI_Status) :: status
#include "fortran_body.inc"
end program
