//===- Fields.h - Equality of structs by their fields -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A struct that lists its fields once is compared by them:
//
//   struct Pin {
//     int64_t layer = 0;
//     std::vector<int64_t> devices;
//     auto fields() const { return std::tie(layer, devices); }
//   };
//   using hetero::operator==;  // once, in the namespace of the struct

#ifndef HETERO_SUPPORT_FIELDS_H
#define HETERO_SUPPORT_FIELDS_H

#include <tuple>

namespace hetero {

template <typename T>
auto operator==(const T &left, const T &right)
    -> decltype(left.fields() == right.fields()) {
  return left.fields() == right.fields();
}

} // namespace hetero

#endif // HETERO_SUPPORT_FIELDS_H
