//===- Npz.h - Arrays in NumPy's files --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes .npz archives: what `numpy.savez` and `savez_compressed`
// write (an archive of .npy entries, in order, versions 1 to 3), and what
// `numpy.load` reads.
//
//   Result<std::vector<Array>> arrays = readNpz("in.npz");
//   if (!arrays)
//     report(arrays.error());      // in.npz: 'x.npy': ...
//   writeNpz("out.npz", *arrays);
//
// NumPy has no bfloat16 of its own: arrays of JAX's type are stored as two
// bytes of nothing in particular (`V2`), and that is how they are read and
// written here. In Python, `array.view(ml_dtypes.bfloat16)` brings it back.
//
// Arrays in Fortran's order are read into rows. Big-endian and structured
// arrays, strings and objects are refused.

#ifndef HETERO_RUNTIME_NPZ_H
#define HETERO_RUNTIME_NPZ_H

#include "hetero/Runtime/Error.h"
#include "hetero/Runtime/Program.h"

namespace hetero::runtime {

/// A dense row-major array.
struct Array {
  /// Of the entry, without ".npy".
  std::string name;
  TensorType type;
  std::vector<char> data;
};

/// All arrays of the archive in the order of its entries. Errors name the file
/// and the entry.
Result<std::vector<Array>> readNpz(const std::string &path);

/// Writes an archive; an existing file is replaced when all is written. The
/// same arrays give the same bytes.
MaybeError writeNpz(const std::string &path, const std::vector<Array> &arrays);

/// The header of a .npy file, up to the data.
std::string makeNpyHeader(const TensorType &type);

/// What a header says.
struct NpyHeader {
  TensorType type;
  bool isFortranOrder = false;
  /// Bytes in front of the data.
  int64_t size = 0;
};

/// Reads the header at the beginning of `text`, which has at least as many
/// bytes as `getNpyHeaderSize` says.
Result<NpyHeader> parseNpyHeader(const std::string &text);

/// How long the header is, from the first 12 bytes of the file.
Result<int64_t> getNpyHeaderSize(const std::string &start);

} // namespace hetero::runtime

#endif // HETERO_RUNTIME_NPZ_H
