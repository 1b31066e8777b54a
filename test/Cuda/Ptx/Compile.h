//===- Compile.h - C, as code that can be called ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_TEST_CUDA_PTX_COMPILE_H
#define HETERO_TEST_CUDA_PTX_COMPILE_H

#include <string>

namespace hetero::standin::ptx {

/// A shared object that is closed at the end.
class Library {
public:
  Library() = default;
  Library(const Library &) = delete;
  ~Library();

  /// False, with the reason, if the code cannot be compiled. The compiler is
  /// what HETERO_PTX_COMPILER names, or the one that built the project. If
  /// HETERO_PTX_CACHE names a directory, results are kept there. IR, if it is
  /// not empty, goes through hetero-host-image and is linked with the code.
  bool compile(const std::string &code, std::string &error,
               const std::string &ir = "");
  void *find(const std::string &symbol) const;

private:
  bool open(const std::string &path, std::string &error);

  void *handle = nullptr;
};

} // namespace hetero::standin::ptx

#endif // HETERO_TEST_CUDA_PTX_COMPILE_H
