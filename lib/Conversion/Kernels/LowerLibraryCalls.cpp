//===- LowerLibraryCalls.cpp - Addresses for the runtime ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Conversion/Kernels/Passes.h"
#include "hetero/Dialect/Hetero/HeteroKernelOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace hetero;

namespace hetero {
#define GEN_PASS_DEF_LOWERLIBRARYCALLSPASS
#include "hetero/Conversion/Kernels/Passes.h.inc"
} // namespace hetero

namespace {
class CallLowering {
public:
  explicit CallLowering(ModuleOp module) : module(module), symbols(module) {}

  LogicalResult lower(CallLibraryOp op);

private:
  /// A constant of the module with the numbers.
  Value getNumbers(ImplicitLocOpBuilder &b, ArrayRef<int64_t> numbers);
  /// The numbers and then the addresses, on the stack.
  Value makeList(ImplicitLocOpBuilder &b, ArrayRef<int64_t> numbers,
                 ValueRange addresses);
  /// Null after an error.
  func::FuncOp getFunction(CallLibraryOp op, TypeRange inputs);

  ModuleOp module;
  SymbolTable symbols;
  llvm::DenseMap<Attribute, memref::GlobalOp> globals;
};
} // namespace

static Value getStart(ImplicitLocOpBuilder &b, Value buffer) {
  return memref::ExtractAlignedPointerAsIndexOp::create(b, buffer);
}

/// Where the first element of a buffer is.
static Value getAddress(ImplicitLocOpBuilder &b, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  (void)type.getStridesAndOffset(strides, offset);
  Value start = getStart(b, buffer);
  if (offset == 0)
    return start;
  Type element = type.getElementType();
  int64_t size = 1;
  if (auto complex = dyn_cast<ComplexType>(element)) {
    element = complex.getElementType();
    size = 2;
  }
  size *= element.isIndex()
              ? 8
              : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  Value bytes;
  if (ShapedType::isDynamic(offset)) {
    auto metadata = memref::ExtractStridedMetadataOp::create(b, buffer);
    bytes = arith::MulIOp::create(b, metadata.getOffset(),
                                  arith::ConstantIndexOp::create(b, size));
  } else {
    bytes = arith::ConstantIndexOp::create(b, offset * size);
  }
  return arith::AddIOp::create(b, start, bytes);
}

Value CallLowering::getNumbers(ImplicitLocOpBuilder &b,
                               ArrayRef<int64_t> numbers) {
  auto tensor =
      RankedTensorType::get({int64_t(numbers.size())}, b.getI64Type());
  auto elements = DenseElementsAttr::get(tensor, numbers);
  auto type = MemRefType::get(tensor.getShape(), b.getI64Type());
  memref::GlobalOp &global = globals[elements];
  if (!global) {
    OpBuilder builder(module.getBodyRegion());
    global = memref::GlobalOp::create(
        builder, module.getLoc(), "numbers", b.getStringAttr("private"), type,
        elements, /*constant=*/true, /*alignment=*/IntegerAttr());
    symbols.insert(global);
  }
  return memref::GetGlobalOp::create(b, type, global.getSymName());
}

Value CallLowering::makeList(ImplicitLocOpBuilder &b, ArrayRef<int64_t> numbers,
                             ValueRange addresses) {
  int64_t size = numbers.size() + addresses.size();
  auto type = MemRefType::get({size}, b.getIndexType());
  Value list;
  {
    // Outside of loops, which would ask for more of the stack each time.
    OpBuilder::InsertionGuard guard(b);
    auto function = b.getInsertionBlock()->getParentOp();
    if (!isa<func::FuncOp>(function))
      function = function->getParentOfType<func::FuncOp>();
    b.setInsertionPointToStart(&function->getRegion(0).front());
    list = memref::AllocaOp::create(b, type);
  }
  int64_t next = 0;
  auto add = [&](Value value) {
    memref::StoreOp::create(
        b, value, list, arith::ConstantIndexOp::create(b, next++).getResult());
  };
  for (int64_t number : numbers)
    add(arith::ConstantIndexOp::create(b, number));
  for (Value address : addresses)
    add(address);
  return list;
}

func::FuncOp CallLowering::getFunction(CallLibraryOp op, TypeRange inputs) {
  auto type = FunctionType::get(op.getContext(), inputs, {});
  if (Operation *known = symbols.lookup(op.getCallee())) {
    auto function = dyn_cast<func::FuncOp>(known);
    if (function && function.isExternal() && function.getFunctionType() == type)
      return function;
    known->emitError() << "has the name of a function of the runtime, '"
                       << op.getCallee() << "', which is of type " << type;
    return {};
  }
  OpBuilder builder(module.getBodyRegion());
  auto function =
      func::FuncOp::create(builder, module.getLoc(), op.getCallee(), type);
  function.setPrivate();
  symbols.insert(function);
  return function;
}

LogicalResult CallLowering::lower(CallLibraryOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  SmallVector<Value> arguments;
  for (Value buffer : op.getOperands())
    arguments.push_back(getAddress(b, buffer));
  if (op.getInList())
    arguments = {getStart(b, makeList(b, op.getNumbers(), arguments))};
  else
    arguments.push_back(getStart(b, getNumbers(b, op.getNumbers())));
  func::FuncOp function = getFunction(op, ValueRange(arguments).getTypes());
  if (!function)
    return failure();
  func::CallOp::create(b, function, arguments);
  op.erase();
  return success();
}

namespace {
struct LowerLibraryCalls
    : public hetero::impl::LowerLibraryCallsPassBase<LowerLibraryCalls> {
  void runOnOperation() override {
    SmallVector<CallLibraryOp> calls;
    getOperation().walk([&](CallLibraryOp op) { calls.push_back(op); });
    CallLowering lowering(getOperation());
    for (CallLibraryOp op : calls)
      if (failed(lowering.lower(op)))
        return signalPassFailure();
    numCalls += calls.size();
  }
};
} // namespace
