//===- Contraction.h - Sums of products over strided operands ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compiled kernels call for dot products and convolutions: one loop nest
// over three operands, carried out by OpenBLAS.
//
// The idea
// --------
// A contraction is a loop nest in which each operand moves by a fixed number of
// elements along each dimension:
//
//   c[i . sc] += a[i . sa] * b[i . sb]      for all i
//
// Dimensions along which c does not move are summed over (K); of the others,
// those that move both a and b are the batch, those that move a alone are rows
// (M) and those that move b alone are columns (N). Transposes are other
// strides; a convolution is rows and summed dimensions that move over the same
// input. Neighbouring dimensions that form one longer dimension are merged.
// Operands that the library can read as matrices go to it as they are; others
// are packed, a block at a time.
//
// A worked example, `c = a b` with a: 4x8, b: 8x6, both row-major. The table is
//
//   {3, 0,            dimensions; 0: write c, 1: add to it
//    4, 8, 0, 6,      i: size, steps of a, b, c
//    6, 0, 1, 1,      j
//    8, 1, 6, 0}      k
//
// which becomes one call of cblas_sgemm with m = 4, n = 6, k = 8.
//
// Calls from several threads at once are safe. A call is shared by the threads
// of the current device: they take members of the batch, or tiles of the rows
// or columns, always the same ones. The library itself uses one thread.

#ifndef HETERO_RUNTIME_CONTRACTION_H
#define HETERO_RUNTIME_CONTRACTION_H

#include <cstdint>

extern "C" {
void hetero_contract_f32(const float *a, const float *b, float *c,
                         const int64_t *table);
void hetero_contract_f64(const double *a, const double *b, double *c,
                         const int64_t *table);
}

#endif // HETERO_RUNTIME_CONTRACTION_H
