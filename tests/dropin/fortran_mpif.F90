! SPDX-License-Identifier: BSD-3-Clause
program with_mpif
  implicit none
  include 'mpif.h'
#include "fortran_variables.inc"
  integer :: requests(3), status(MPI_STATUS_SIZE)
#include "fortran_body.inc"
end program
