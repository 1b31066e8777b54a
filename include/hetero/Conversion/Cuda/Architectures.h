//===- Architectures.h - CUDA devices that code can be for ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The architectures that LLVM writes PTX for, and the toolkit that makes cubins
// of it. Which ones a ptxas knows it says itself: those of CUDA 13 have dropped
// what is older than sm_75, and those of CUDA 12 lack what came later.

#ifndef HETERO_CONVERSION_CUDA_ARCHITECTURES_H
#define HETERO_CONVERSION_CUDA_ARCHITECTURES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <set>
#include <string>

namespace hetero {

struct CudaArchitecture {
  llvm::StringLiteral name;
  /// The version of PTX to write, as LLVM's feature.
  llvm::StringLiteral features;

  /// 80 for sm_80, 90 for sm_90a.
  int getCapability() const;
  /// Whether later devices run its PTX, and those of its generation its cubins:
  /// not of sm_90a, which is for one device alone.
  bool isPortable() const;
};

/// All of them, the oldest first.
llvm::ArrayRef<CudaArchitecture> getCudaArchitectures();
/// That of the name, or null.
const CudaArchitecture *findCudaArchitecture(llvm::StringRef name);
/// What to compile for a device: its own, or for one that is newer than all of
/// them the newest that it runs. Null for one that is too old.
const CudaArchitecture *chooseCudaArchitecture(int capability);

/// The directory of the CUDA toolkit with libdevice, or nothing: `given`, those
/// that NVIDIA's variables name, that of ptxas, the usual place.
std::string findCudaToolkit(llvm::StringRef given);
/// That of the toolkit, else that of the PATH, or nothing.
std::string findPtxas(llvm::StringRef toolkit);
/// The architectures that it knows; none if it cannot be asked.
std::set<std::string> askPtxas(const std::string &ptxas);

} // namespace hetero

#endif // HETERO_CONVERSION_CUDA_ARCHITECTURES_H
