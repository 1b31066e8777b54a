//===- Passes.h - From what JAX emits to one function -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_TRANSFORMS_IMPORT_PASSES_H
#define HETERO_TRANSFORMS_IMPORT_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

namespace hetero {

#define GEN_PASS_DECL
#include "hetero/Transforms/Import/Passes.h.inc"

/// Options of the pipeline `hetero-import`.
struct ImportOptions : public mlir::PassPipelineOptions<ImportOptions> {
  ListOption<std::string> roles{
      *this, "roles",
      llvm::cl::desc("Roles that are given, see hetero-infer-roles")};
  Option<bool> inferRoles{*this, "infer-roles",
                          llvm::cl::desc("Infer the other roles"),
                          llvm::cl::init(true)};
  Option<bool> unrollAll{
      *this, "unroll-all",
      llvm::cl::desc("Unroll every loop with a constant trip count, not only "
                     "loops over layers"),
      llvm::cl::init(false)};
};

/// From what JAX emits to one canonical function: checked, inlined, CHLO
/// expanded, loops over layers unrolled, simplified, with roles.
void buildImportPipeline(mlir::OpPassManager &manager,
                         const ImportOptions &options);

/// Registers the pipeline by name.
void registerImportPipeline();

#define GEN_PASS_REGISTRATION
#include "hetero/Transforms/Import/Passes.h.inc"

} // namespace hetero

#endif // HETERO_TRANSFORMS_IMPORT_PASSES_H
