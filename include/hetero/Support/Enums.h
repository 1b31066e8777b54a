//===- Enums.h - Enumerations of all layers ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C++ of hetero/Support/Enums.td. For each enumeration:
//
//   stringify(ScheduleKind::OneFOneB)   // "1f1b"
//   symbolizeScheduleKind("1f1b")       // ScheduleKind::OneFOneB
//   symbolizeScheduleKind("zigzag")     // nothing

#ifndef HETERO_SUPPORT_ENUMS_H
#define HETERO_SUPPORT_ENUMS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/DenseMapInfo.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <string>

#include "hetero/Support/Enums.h.inc"

namespace hetero {

/// The word of a value, as it is written in YAML and in assembly.
template <typename EnumT>
auto stringify(EnumT value) -> decltype(stringifyEnum(value)) {
  return stringifyEnum(value);
}

} // namespace hetero

#endif // HETERO_SUPPORT_ENUMS_H
