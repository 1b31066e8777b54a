//===- Lapack.h - Factorizations of matrices --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compiled kernels call for stablehlo.cholesky, triangular_solve and the
// custom calls that JAX makes of jax.numpy.linalg on the CPU: the LAPACK of
// OpenBLAS on row-major matrices, which are transposed on the way in and out.
//
// A worked example, the factor of a 3x3 matrix of f32:
//
//   const int64_t call[] = {kPotrf, kLapackF32, /*batch=*/1, /*m=*/3, /*n=*/3,
//                           /*k=*/0, 'L', 0, 0, 0,
//                           int64_t(a), int64_t(factor), int64_t(info)};
//   hetero_lapack(call);
//
// Calls from several threads at once are safe.

#ifndef HETERO_RUNTIME_LAPACK_H
#define HETERO_RUNTIME_LAPACK_H

#include <cstdint>

extern "C" {
/// `call` is the routine, the element type, how many matrices follow one
/// another, three sizes, four options, and where the operands and results are.
void hetero_lapack(const int64_t *call);
}

namespace hetero::runtime {

/// Operands; results; sizes; options. Sizes are those of the first operand
/// (m x n) where nothing else is said; `info` is a 32-bit integer.
enum LapackRoutine : int64_t {
  kPotrf, ///< a; factor, info. uplo, whether `info` is left out.
  kTrsm,  ///< a, b; x. m x n of b; side, uplo, trans, diag.
  kGetrf, ///< a; lu, pivots from 1, info.
  kGeqrf, ///< a; qr, tau.
  kGeqp3, ///< a, pivots; qr, pivots, tau.
  kOrgqr, ///< qr, tau; q. k of tau.
  kOrmqr, ///< qr, tau, c; product. m x n of c, k of tau; left, transposed,
          ///< columns of qr.
  kSyevd, ///< a; vectors, values, info. mode, uplo.
  kGesdd, ///< a; a, values, u, vt, info. k: columns of u; mode, rows of vt.
  kGesvd, ///< The same.
  kGeev,  ///< a; values (real: two parts), left, right, info. Two modes.
  kGees,  ///< a; form, vectors, values (real: two parts), 0, info. mode.
  kGehrd, ///< a; form, tau, info. low, high.
  kSytrd, ///< a; form, diagonal, beside it, tau, info. uplo.
  kGtsv,  ///< three diagonals, b; the same, info. m x n of b.
};

enum LapackElement : int64_t {
  kLapackF32,
  kLapackF64,
  kLapackC64,
  kLapackC128
};

} // namespace hetero::runtime

#endif // HETERO_RUNTIME_LAPACK_H
