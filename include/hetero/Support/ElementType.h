//===- ElementType.h - Names of element types -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_SUPPORT_ELEMENTTYPE_H
#define HETERO_SUPPORT_ELEMENTTYPE_H

#include "hetero/Support/Yaml.h"

namespace hetero {

/// Whether `name` is an element type as MLIR writes it: one of its floats, an
/// integer like i8 or ui8, or complex of one of these.
bool isElementType(llvm::StringRef name);

/// Complains at `key` if its text is none.
void checkElementType(YamlReader &reader, const YamlNode &key);

} // namespace hetero

#endif // HETERO_SUPPORT_ELEMENTTYPE_H
