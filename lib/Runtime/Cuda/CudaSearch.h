//===- CudaSearch.h - Which CUDA libraries a machine can use ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A driver runs libraries of its own CUDA and of earlier ones, and a CUDA has
// code for the devices that were in use when it came out. So the driver and the
// oldest device of a machine decide between the libraries of CUDA 12 and 13,
// which may both be there. Nothing here opens a library.

#ifndef HETERO_LIB_RUNTIME_CUDA_CUDASEARCH_H
#define HETERO_LIB_RUNTIME_CUDA_CUDASEARCH_H

#include "hetero/Runtime/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace hetero::runtime {

/// What libraries have to run on.
struct CudaPlatform {
  /// 12040 for CUDA 12.4, as drivers say it.
  int driverVersion = 0;
  /// Of the oldest device: 70 for sm_70.
  int capability = 0;
};

/// The CUDAs that libraries are looked for of, the newest first.
std::vector<int> listCudaMajors();

/// "12.4" for 12040.
std::string writeCudaVersion(int version);

/// Why libraries of CUDA `major` do not run there, if they do not.
MaybeError checkCudaMajor(int major, const CudaPlatform &platform);

/// A file that may be the library.
struct CudaPlace {
  std::string path;
  /// Of the CUDA that it belongs to; 0 if only the file tells.
  int major = 0;
};

/// What is looked for.
struct CudaLibraryKind {
  /// For messages.
  std::string name;
  /// Its file is called this: "libcublas.so.12", by CUDA, or one name for all.
  std::string file;
  bool isFileByMajor = false;
  /// How far the number of its file is behind that of its CUDA.
  int lag = 0;
  /// That of the toolkit that this was built with, and its CUDA.
  std::string built;
  int builtMajor = 0;
};

/// Where it may be, in the order in which to try: `directories`, newer CUDAs
/// first; then the toolkit of the build, what the system finds by the name,
/// and the usual directories of toolkits. CUDAs that do not fit the platform
/// are left out, and so are files that do not exist.
std::vector<CudaPlace> listPlaces(const CudaLibraryKind &kind,
                                  const CudaPlatform &platform,
                                  const std::vector<std::string> &directories);

/// The CUDA that a file of NCCL was built for, 13 for "NCCL version
/// 2.28.9+cuda13.0", which is in it; its functions do not tell.
std::optional<int> readCudaMajorOfNccl(const std::string &file);

} // namespace hetero::runtime

#endif // HETERO_LIB_RUNTIME_CUDA_CUDASEARCH_H
