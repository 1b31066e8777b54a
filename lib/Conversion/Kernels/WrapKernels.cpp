//===- WrapKernels.cpp - The calling convention of kernels ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Conversion/Kernels/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace hetero;

namespace hetero {
#define GEN_PASS_DEF_WRAPKERNELSPASS
#include "hetero/Conversion/Kernels/Passes.h.inc"
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

/// Makes calls of the function calls of `hetero_parallel_for`: the function
/// gets another name, one of its name puts the arguments in memory, and a third
/// reads them there for each piece.
static void divide(LLVM::LLVMFuncOp function, LLVM::LLVMFuncOp parallelFor) {
  std::string name = function.getName().str();
  function->removeAttr(kPiecesAttr);
  function.setName(name + ".piece");
  function.setLinkage(LLVM::Linkage::Internal);
  ImplicitLocOpBuilder b(function.getLoc(), function);
  b.setInsertionPointAfter(function);
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto none = LLVM::LLVMVoidType::get(b.getContext());
  ArrayRef<Type> types = function.getFunctionType().getParams();
  ArrayRef<Type> passed = types.drop_front(2);
  auto list = LLVM::LLVMStructType::getLiteral(b.getContext(), passed);
  auto getSlot = [&](Value memory, int32_t i) -> Value {
    return LLVM::GEPOp::create(b, pointer, list, memory,
                               ArrayRef<LLVM::GEPArg>{0, i});
  };
  // The body of the loop for a piece.
  auto bodyType =
      LLVM::LLVMFunctionType::get(none, {types[0], types[1], pointer});
  auto body = LLVM::LLVMFuncOp::create(b, name + ".body", bodyType,
                                       LLVM::Linkage::Internal);
  {
    OpBuilder::InsertionGuard guard(b);
    Block *entry = body.addEntryBlock(b);
    b.setInsertionPointToStart(entry);
    SmallVector<Value> arguments = {entry->getArgument(0),
                                    entry->getArgument(1)};
    for (auto [i, type] : llvm::enumerate(passed))
      arguments.push_back(
          LLVM::LoadOp::create(b, type, getSlot(entry->getArgument(2), i)));
    LLVM::CallOp::create(b, function, arguments);
    LLVM::ReturnOp::create(b, ValueRange());
  }
  // What is called.
  auto caller = LLVM::LLVMFuncOp::create(b, name, function.getFunctionType(),
                                         LLVM::Linkage::Internal);
  caller.setPassthroughAttr(b.getStrArrayAttr({"noinline"}));
  Block *entry = caller.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  Value one = LLVM::ConstantOp::create(b, b.getI64Type(), 1);
  Value memory = LLVM::AllocaOp::create(b, pointer, list, one);
  for (auto [i, value] : llvm::enumerate(entry->getArguments().drop_front(2)))
    LLVM::StoreOp::create(b, value, getSlot(memory, i));
  Value address = LLVM::AddressOfOp::create(b, body);
  LLVM::CallOp::create(b, parallelFor,
                       ValueRange{entry->getArgument(1), address, memory});
  LLVM::ReturnOp::create(b, ValueRange());
}

/// The function of hetero/Runtime/Hooks.h. Null after an error.
static LLVM::LLVMFuncOp getParallelFor(ModuleOp module) {
  OpBuilder b(module.getBodyRegion());
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                  {b.getI64Type(), pointer, pointer});
  StringRef name = "hetero_parallel_for";
  Operation *known = module.lookupSymbol(name);
  if (!known)
    return LLVM::LLVMFuncOp::create(b, module.getLoc(), name, type);
  auto function = dyn_cast<LLVM::LLVMFuncOp>(known);
  if (function && function.isExternal() && function.getFunctionType() == type)
    return function;
  known->emitError() << "has the name of a function of the runtime, '" << name
                     << "', which is of type " << type;
  return {};
}

static LogicalResult divideLoops(ModuleOp module) {
  SmallVector<LLVM::LLVMFuncOp> divided;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (function->hasAttr(kPiecesAttr))
      divided.push_back(function);
  if (divided.empty())
    return success();
  LLVM::LLVMFuncOp parallelFor = getParallelFor(module);
  if (!parallelFor)
    return failure();
  for (LLVM::LLVMFuncOp function : divided)
    divide(function, parallelFor);
  return success();
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
    if (failed(divideLoops(module)))
      return signalPassFailure();
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
