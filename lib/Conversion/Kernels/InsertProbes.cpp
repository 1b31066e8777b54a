//===- InsertProbes.cpp - Tells the runtime what a kernel does ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Conversion/Kernels/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hetero;

namespace hetero {
#define GEN_PASS_DEF_INSERTPROBESPASS
#include "hetero/Conversion/Kernels/Passes.h.inc"
} // namespace hetero

/// How many operations of a loop are named.
static constexpr size_t maxNamed = 4;

static constexpr StringLiteral beginName = "hetero_probe_begin";
static constexpr StringLiteral endName = "hetero_probe_end";

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// What hetero-name-operations wrote, or nothing.
static StringRef findOperation(Location loc) {
  StringRef found;
  loc->walk([&](Location part) {
    auto named = dyn_cast<FusedLocWith<StringAttr>>(part);
    if (!named)
      return WalkResult::advance();
    found = named.getMetadata().getValue();
    return WalkResult::interrupt();
  });
  return found;
}

/// What JAX calls it: the name of a call comes before that of what it calls.
static std::string findName(Location loc) {
  if (auto named = dyn_cast<NameLoc>(loc))
    return named.getName().str();
  if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    std::string caller = findName(call.getCaller());
    std::string callee = findName(call.getCallee());
    return caller + (caller.empty() || callee.empty() ? "" : "/") + callee;
  }
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (std::string name = findName(part); !name.empty())
        return name;
  return {};
}

/// What JAX calls it, or else the line of the text.
static std::string findPlace(Location loc) {
  std::string place = findName(loc);
  if (place.empty())
    loc->walk([&](Location part) {
      auto file = dyn_cast<FileLineColLoc>(part);
      if (!file)
        return WalkResult::advance();
      place =
          (file.getFilename().getValue() + ":" + Twine(file.getLine())).str();
      return WalkResult::interrupt();
    });
  return place;
}

/// The function that a call runs: the one it calls, or one that it hands to the
/// runtime. Null if there is none with a body.
static LLVM::LLVMFuncOp findBody(LLVM::CallOp call, SymbolTable &symbols) {
  auto lookUp = [&](StringRef name) {
    auto function = symbols.lookup<LLVM::LLVMFuncOp>(name);
    return function && !function.isExternal() ? function : LLVM::LLVMFuncOp();
  };
  if (std::optional<StringRef> callee = call.getCallee())
    if (LLVM::LLVMFuncOp function = lookUp(*callee))
      return function;
  for (Value operand : call.getArgOperands())
    if (auto address = operand.getDefiningOp<LLVM::AddressOfOp>())
      if (LLVM::LLVMFuncOp function = lookUp(address.getGlobalName()))
        return function;
  return {};
}

/// "multiply, add, tanh 8x128xf32", a line break, and the place: the operations
/// whose code the loop has in it, and the type of the one that it is for.
static std::string makeName(Operation *op, LLVM::LLVMFuncOp body) {
  auto [own, type] = findOperation(op->getLoc()).split(' ');
  llvm::SmallSetVector<StringRef, 8> operations;
  if (body)
    body.walk([&](Operation *inner) {
      StringRef name = findOperation(inner->getLoc()).split(' ').first;
      if (!name.empty() && name != "constant")
        operations.insert(name);
    });
  if (operations.empty() && !own.empty())
    operations.insert(own);
  auto call = dyn_cast<LLVM::CallOp>(op);
  if (operations.empty() && call && call.getCallee())
    operations.insert(*call.getCallee());
  if (operations.empty())
    operations.insert("copy");
  std::string name =
      llvm::join(operations.getArrayRef().take_front(
                     std::min<size_t>(maxNamed, operations.size())),
                 ", ");
  if (operations.size() > maxNamed)
    name += ", ...";
  if (!type.empty())
    name += " " + type.str();
  return name + "\n" + findPlace(op->getLoc());
}

//===----------------------------------------------------------------------===//
// Probes
//===----------------------------------------------------------------------===//

/// Whether it does some of the work of a kernel, rather than preparing it.
static bool isWork(Operation &op) {
  if (isa<LLVM::MemcpyOp>(op))
    return true;
  auto call = dyn_cast<LLVM::CallOp>(op);
  if (!call)
    return false;
  StringRef callee = call.getCallee().value_or("");
  if (callee.consume_front("hetero_cuda_"))
    return callee != "alloc" && callee != "free" && callee != "constant" &&
           callee != "read";
  return !callee.contains("workspace") && !callee.contains("memref_to_llvm");
}

namespace {
class Prober {
public:
  explicit Prober(ModuleOp module)
      : module(module), symbols(module),
        pointer(LLVM::LLVMPointerType::get(module.getContext())),
        begin(declare(beginName, {pointer})), end(declare(endName, {})) {}

  void probe(Operation *op) {
    LLVM::LLVMFuncOp body;
    if (auto call = dyn_cast<LLVM::CallOp>(op))
      body = findBody(call, symbols);
    ImplicitLocOpBuilder b(op->getLoc(), op);
    Value name = LLVM::AddressOfOp::create(b, getText(makeName(op, body)));
    LLVM::CallOp::create(b, begin, name);
    b.setInsertionPointAfter(op);
    LLVM::CallOp::create(b, end, ValueRange());
  }

private:
  LLVM::LLVMFuncOp declare(StringRef name, ArrayRef<Type> inputs) {
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    auto type = LLVM::LLVMFunctionType::get(
        LLVM::LLVMVoidType::get(b.getContext()), inputs);
    auto function = LLVM::LLVMFuncOp::create(b, module.getLoc(), name, type);
    symbols.insert(function);
    return function;
  }

  /// The text as a constant of the module, with a zero behind it.
  LLVM::GlobalOp getText(std::string text) {
    text.push_back('\0');
    LLVM::GlobalOp &global = texts[text];
    if (global)
      return global;
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), text.size());
    global =
        LLVM::GlobalOp::create(b, module.getLoc(), type,
                               /*isConstant=*/true, LLVM::Linkage::Internal,
                               "probe", b.getStringAttr(text));
    symbols.insert(global);
    return global;
  }

  ModuleOp module;
  SymbolTable symbols;
  Type pointer;
  LLVM::LLVMFuncOp begin, end;
  llvm::StringMap<LLVM::GlobalOp> texts;
};

struct InsertProbes : public hetero::impl::InsertProbesPassBase<InsertProbes> {
  using InsertProbesPassBase::InsertProbesPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> work;
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      if (function->hasAttr(kKernelAttr))
        function.walk([&](Operation *op) {
          if (isWork(*op))
            work.push_back(op);
        });
    if (work.empty())
      return;
    for (StringRef name : {beginName, endName})
      if (Operation *known = getOperation().lookupSymbol(name)) {
        known->emitError()
            << "has the name of a function that kernels call to be profiled";
        return signalPassFailure();
      }
    Prober prober(getOperation());
    for (Operation *op : work)
      prober.probe(op);
    numProbes += work.size();
  }
};
} // namespace
