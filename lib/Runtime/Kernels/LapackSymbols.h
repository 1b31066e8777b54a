//===- LapackSymbols.h - LAPACK as overloads --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Fortran routines of LAPACK that OpenBLAS has, one overload for each
// element type: `Lapack<float>::potrf` is spotrf_. Fortran passes the
// lengths of strings at the end.

#ifndef HETERO_LIB_RUNTIME_KERNELS_LAPACKSYMBOLS_H
#define HETERO_LIB_RUNTIME_KERNELS_LAPACKSYMBOLS_H

#include <complex>
#include <cstddef>

namespace hetero::runtime {

using C64 = std::complex<float>;
using C128 = std::complex<double>;

} // namespace hetero::runtime

// NOLINTBEGIN(bugprone-macro-parentheses)
#define HETERO_LAPACK_COMMON(T, R, p, sy, orth)                                \
  void p##potrf_(const char *, const int *, T *, const int *, int *, size_t);  \
  void p##getrf_(const int *, const int *, T *, const int *, int *, int *);    \
  void p##geqrf_(const int *, const int *, T *, const int *, T *, T *,         \
                 const int *, int *);                                          \
  void orth##gqr_(const int *, const int *, const int *, T *, const int *,     \
                  const T *, T *, const int *, int *);                         \
  void orth##mqr_(const char *, const char *, const int *, const int *,        \
                  const int *, const T *, const int *, const T *, T *,         \
                  const int *, T *, const int *, int *, size_t, size_t);       \
  void p##gehrd_(const int *, const int *, const int *, T *, const int *, T *, \
                 T *, const int *, int *);                                     \
  void p##sy##trd_(const char *, const int *, T *, const int *, R *, R *, T *, \
                   T *, const int *, int *, size_t);                           \
  void p##gtsv_(const int *, const int *, T *, T *, T *, T *, const int *,     \
                int *);
#define HETERO_LAPACK_REAL(T, p, orth)                                         \
  HETERO_LAPACK_COMMON(T, T, p, sy, orth)                                      \
  void p##geqp3_(const int *, const int *, T *, const int *, int *, T *, T *,  \
                 const int *, int *);                                          \
  void p##syevd_(const char *, const char *, const int *, T *, const int *,    \
                 T *, T *, const int *, int *, const int *, int *, size_t,     \
                 size_t);                                                      \
  void p##gesdd_(const char *, const int *, const int *, T *, const int *,     \
                 T *, T *, const int *, T *, const int *, T *, const int *,    \
                 int *, int *, size_t);                                        \
  void p##gesvd_(const char *, const char *, const int *, const int *, T *,    \
                 const int *, T *, T *, const int *, T *, const int *, T *,    \
                 const int *, int *, size_t, size_t);                          \
  void p##geev_(const char *, const char *, const int *, T *, const int *,     \
                T *, T *, T *, const int *, T *, const int *, T *,             \
                const int *, int *, size_t, size_t);                           \
  void p##gees_(const char *, const char *, void *, const int *, T *,          \
                const int *, int *, T *, T *, T *, const int *, T *,           \
                const int *, int *, int *, size_t, size_t);
#define HETERO_LAPACK_COMPLEX(T, R, p, orth)                                   \
  HETERO_LAPACK_COMMON(T, R, p, he, orth)                                      \
  void p##geqp3_(const int *, const int *, T *, const int *, int *, T *, T *,  \
                 const int *, R *, int *);                                     \
  void p##heevd_(const char *, const char *, const int *, T *, const int *,    \
                 R *, T *, const int *, R *, const int *, int *, const int *,  \
                 int *, size_t, size_t);                                       \
  void p##gesdd_(const char *, const int *, const int *, T *, const int *,     \
                 R *, T *, const int *, T *, const int *, T *, const int *,    \
                 R *, int *, int *, size_t);                                   \
  void p##gesvd_(const char *, const char *, const int *, const int *, T *,    \
                 const int *, R *, T *, const int *, T *, const int *, T *,    \
                 const int *, R *, int *, size_t, size_t);                     \
  void p##geev_(const char *, const char *, const int *, T *, const int *,     \
                T *, T *, const int *, T *, const int *, T *, const int *,     \
                R *, int *, size_t, size_t);                                   \
  void p##gees_(const char *, const char *, void *, const int *, T *,          \
                const int *, int *, T *, T *, const int *, T *, const int *,   \
                R *, int *, int *, size_t, size_t);

extern "C" {
HETERO_LAPACK_REAL(float, s, sor)
HETERO_LAPACK_REAL(double, d, dor)
HETERO_LAPACK_COMPLEX(hetero::runtime::C64, float, c, cun)
HETERO_LAPACK_COMPLEX(hetero::runtime::C128, double, z, zun)
}

namespace hetero::runtime {

/// The routines for elements of type T, as pointers.
template <typename T>
struct Lapack;

#define HETERO_LAPACK_TABLE(T, R, p, sy, orth, isComplexType)                  \
  template <>                                                                  \
  struct Lapack<T> {                                                           \
    using Real = R;                                                            \
    static constexpr bool isComplex = isComplexType;                           \
    static constexpr auto potrf = &p##potrf_;                                  \
    static constexpr auto getrf = &p##getrf_;                                  \
    static constexpr auto geqrf = &p##geqrf_;                                  \
    static constexpr auto geqp3 = &p##geqp3_;                                  \
    static constexpr auto orgqr = &orth##gqr_;                                 \
    static constexpr auto ormqr = &orth##mqr_;                                 \
    static constexpr auto syevd = &p##sy##evd_;                                \
    static constexpr auto gesdd = &p##gesdd_;                                  \
    static constexpr auto gesvd = &p##gesvd_;                                  \
    static constexpr auto geev = &p##geev_;                                    \
    static constexpr auto gees = &p##gees_;                                    \
    static constexpr auto gehrd = &p##gehrd_;                                  \
    static constexpr auto sytrd = &p##sy##trd_;                                \
    static constexpr auto gtsv = &p##gtsv_;                                    \
  };
HETERO_LAPACK_TABLE(float, float, s, sy, sor, false)
HETERO_LAPACK_TABLE(double, double, d, sy, dor, false)
HETERO_LAPACK_TABLE(C64, float, c, he, cun, true)
HETERO_LAPACK_TABLE(C128, double, z, he, zun, true)
#undef HETERO_LAPACK_TABLE
#undef HETERO_LAPACK_COMPLEX
#undef HETERO_LAPACK_REAL
#undef HETERO_LAPACK_COMMON
// NOLINTEND(bugprone-macro-parentheses)

} // namespace hetero::runtime

#endif // HETERO_LIB_RUNTIME_KERNELS_LAPACKSYMBOLS_H
