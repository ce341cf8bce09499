/* SPDX-License-Identifier: BSD-3-Clause */
/* Poisson's equation with PETSc: a grid (DMDA) of N^3 points with walls at 0, a source of three waves, conjugate
   gradients. Rank 0 prints the iterations, the residual and the norm of the solution; the solution goes to FILE.

     poisson_petsc -n N -out FILE [options of PETSc] */
#include <petscdmda.h>
#include <petscksp.h>

static PetscErrorCode assemble(DM grid, Mat matrix, Vec source) {
  DMDALocalInfo info;
  PetscScalar*** b;
  PetscFunctionBeginUser;
  PetscCall(DMDAGetLocalInfo(grid, &info));
  PetscCall(DMDAVecGetArray(grid, source, &b));
  const PetscReal h = 1.0 / (info.mx + 1);
  for (PetscInt k = info.zs; k < info.zs + info.zm; ++k)
    for (PetscInt j = info.ys; j < info.ys + info.ym; ++j)
      for (PetscInt i = info.xs; i < info.xs + info.xm; ++i) {
        const PetscReal x = (i + 1) * h, y = (j + 1) * h, z = (k + 1) * h;
        b[k][j][i] =
            h * h * (PetscSinReal(3 * x + y) + x * y * PetscCosReal(7 * z) + PetscExpReal(-20 * (x - 0.3) * (x - 0.3)));
        const MatStencil row = {.i = i, .j = j, .k = k};
        const PetscInt offset[7][3] = {{0, 0, 0}, {-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
        MatStencil columns[7];
        PetscScalar values[7];
        PetscInt count = 0;
        for (int o = 0; o < 7; ++o) {
          const MatStencil column = {.i = i + offset[o][0], .j = j + offset[o][1], .k = k + offset[o][2]};
          if (column.i < 0 || column.i >= info.mx || column.j < 0 || column.j >= info.my || column.k < 0 ||
              column.k >= info.mz)
            continue;
          columns[count] = column;
          values[count++] = o == 0 ? 6 : -1;
        }
        PetscCall(MatSetValuesStencil(matrix, 1, &row, count, columns, values, INSERT_VALUES));
      }
  PetscCall(DMDAVecRestoreArray(grid, source, &b));
  PetscCall(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

static PetscErrorCode write_solution(Vec solution, const char* name) {
  PetscViewer file;
  PetscFunctionBeginUser;
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, name, FILE_MODE_WRITE, &file));
  PetscCall(VecView(solution, file));
  PetscCall(PetscViewerDestroy(&file));
  PetscFunctionReturn(0);
}

int main(int argc, char** argv) {
  DM grid;
  Mat matrix;
  Vec source, solution, residual;
  KSP solver;
  PC preconditioner;
  PetscInt n = 96, iterations;
  PetscReal norm, left;
  char name[4096] = "solution";
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-out", name, sizeof name, NULL));
  PetscCall(DMDACreate3d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, n,
                         n, n, 1, 1, PETSC_DECIDE, 1, 1, NULL, NULL, NULL, &grid));
  PetscCall(DMSetFromOptions(grid));
  PetscCall(DMSetUp(grid));
  PetscCall(DMCreateMatrix(grid, &matrix));
  PetscCall(DMCreateGlobalVector(grid, &source));
  PetscCall(VecDuplicate(source, &solution));
  PetscCall(VecDuplicate(source, &residual));
  PetscCall(assemble(grid, matrix, source));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &solver));
  PetscCall(KSPSetOperators(solver, matrix, matrix));
  PetscCall(KSPSetType(solver, KSPCG));
  PetscCall(KSPGetPC(solver, &preconditioner));
  PetscCall(PCSetType(preconditioner, PCJACOBI));
  PetscCall(KSPSetTolerances(solver, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, 5000));
  PetscCall(KSPSetFromOptions(solver));
  PetscCall(KSPSolve(solver, source, solution));
  PetscCall(KSPGetIterationNumber(solver, &iterations));
  PetscCall(VecNorm(solution, NORM_2, &norm));
  /* The true residual, which rounded messages could keep from what the recurrence says. */
  PetscCall(MatMult(matrix, solution, residual));
  PetscCall(VecAYPX(residual, -1, source));
  PetscCall(VecNorm(residual, NORM_2, &left));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "iterations %d\nresidual %.17g\nnorm %.17g\n", (int)iterations, left, norm));
  PetscCall(write_solution(solution, name));
  PetscCall(KSPDestroy(&solver));
  PetscCall(VecDestroy(&source));
  PetscCall(VecDestroy(&solution));
  PetscCall(VecDestroy(&residual));
  PetscCall(MatDestroy(&matrix));
  PetscCall(DMDestroy(&grid));
  PetscCall(PetscFinalize());
  return 0;
}
