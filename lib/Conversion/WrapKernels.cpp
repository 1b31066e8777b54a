//===- WrapKernels.cpp - The calling convention of kernels ----------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hetero/Conversion/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace hetero;

namespace hetero {
#define GEN_PASS_DEF_WRAPKERNELSPASS
#include "hetero/Conversion/Passes.h.inc"
} // namespace hetero

/// Makes the function private under another name, and one of its name that
/// reads the pointers from a list.
static void wrap(LLVM::LLVMFuncOp function) {
  std::string name = function.getName().str();
  function->removeAttr(kKernelAttr);
  function.setName(name + ".impl");
  function.setLinkage(LLVM::Linkage::Internal);
  ImplicitLocOpBuilder b(function.getLoc(), function);
  b.setInsertionPointAfter(function);
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()), {pointer});
  auto wrapper = LLVM::LLVMFuncOp::create(b, name, type);
  Block *entry = wrapper.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  SmallVector<Value> arguments;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    Value slot = LLVM::GEPOp::create(b, pointer, pointer, entry->getArgument(0),
                                     ArrayRef<LLVM::GEPArg>{int32_t(i)});
    arguments.push_back(LLVM::LoadOp::create(b, pointer, slot));
  }
  LLVM::CallOp::create(b, function, arguments);
  LLVM::ReturnOp::create(b, ValueRange());
}

namespace {
struct WrapKernels : public hetero::impl::WrapKernelsPassBase<WrapKernels> {
  using WrapKernelsPassBase::WrapKernelsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::pair<StringRef, StringRef> renamed[] = {
        {"_mlir_memref_to_llvm_alloc",
         device ? "hetero_cuda_alloc" : "hetero_workspace_alloc"},
        {"_mlir_memref_to_llvm_free",
         device ? "hetero_cuda_free" : "hetero_workspace_free"}};
    for (auto [from, to] : renamed) {
      auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(from);
      if (!function)
        continue;
      auto name = StringAttr::get(&getContext(), to);
      if (failed(SymbolTable::replaceAllSymbolUses(function, name, module)))
        return signalPassFailure();
      function.setName(to);
    }
    SmallVector<LLVM::LLVMFuncOp> kernels;
    for (auto function : module.getOps<LLVM::LLVMFuncOp>())
      if (function->hasAttr(kKernelAttr))
        kernels.push_back(function);
    SymbolTable symbols(module);
    for (LLVM::LLVMFuncOp function : kernels) {
      std::string name = (function.getName() + ".impl").str();
      if (Operation *known = symbols.lookup(name)) {
        InFlightDiagnostic error =
            known->emitError() << "has the name that the body of a kernel gets";
        error.attachNote(function.getLoc()) << "the kernel is here";
        return signalPassFailure();
      }
      wrap(function);
    }
    numKernels += kernels.size();
  }
};
} // namespace
