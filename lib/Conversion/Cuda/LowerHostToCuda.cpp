//===- LowerHostToCuda.cpp - The host's part of kernels -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Conversion/Cuda/Passes.h"
#include "hetero/Conversion/Kernels/Passes.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace hetero;

namespace hetero {
#define GEN_PASS_DEF_LOWERHOSTTOCUDAPASS
#include "hetero/Conversion/Cuda/Passes.h.inc"
} // namespace hetero

/// Bytes of an element in a buffer.
static int64_t getElementBytes(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return 2 * getElementBytes(complex.getElementType());
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

namespace {
/// Replaces operations of one module by calls of the runtime.
class HostLowering {
public:
  explicit HostLowering(ModuleOp module)
      : module(module), symbols(module), context(module.getContext()),
        converter(context), word(IntegerType::get(context, 64)),
        pointer(LLVM::LLVMPointerType::get(context)) {}

  /// The global with the code for all architectures, from the gpu.binary.
  LogicalResult embedImages();
  LogicalResult lower(Operation *op);

private:
  LogicalResult launch(gpu::LaunchFuncOp op);
  LogicalResult copy(memref::CopyOp op);
  LogicalResult read(memref::LoadOp op);
  LogicalResult upload(memref::GetGlobalOp op);

  func::CallOp call(ImplicitLocOpBuilder &b, StringRef name, Type result,
                    ValueRange arguments);
  Value constant(ImplicitLocOpBuilder &b, int64_t value) {
    return arith::ConstantOp::create(b, b.getIntegerAttr(word, value));
  }
  /// Where a buffer begins, as an i64.
  Value getAddress(ImplicitLocOpBuilder &b, Value buffer);
  /// The bits of a kernel argument, in the low bytes of an i64.
  Value getBits(ImplicitLocOpBuilder &b, Value value);
  Value getName(ImplicitLocOpBuilder &b, StringRef name);
  /// Room for the arguments of one launch, made once for a function.
  Value getSlots(func::FuncOp function);
  LLVM::GlobalOp makeBytes(Location loc, StringRef name, StringRef bytes);

  ModuleOp module;
  SymbolTable symbols;
  MLIRContext *context;
  LLVMTypeConverter converter;
  Type word, pointer;
  LLVM::GlobalOp images;
  llvm::StringMap<LLVM::GlobalOp> names;
  llvm::DenseMap<Operation *, Value> slots;
};
} // namespace

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

func::CallOp HostLowering::call(ImplicitLocOpBuilder &b, StringRef name,
                                Type result, ValueRange arguments) {
  auto function = symbols.lookup<func::FuncOp>(name);
  SmallVector<Type> results;
  if (result)
    results.push_back(result);
  if (!function) {
    OpBuilder builder(module.getBodyRegion());
    function = func::FuncOp::create(
        builder, module.getLoc(), name,
        builder.getFunctionType(ValueRange(arguments).getTypes(), results));
    function.setPrivate();
    symbols.insert(function);
  }
  return func::CallOp::create(b, function, arguments);
}

Value HostLowering::getAddress(ImplicitLocOpBuilder &b, Value buffer) {
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, buffer);
  return arith::IndexCastOp::create(b, word, address);
}

Value HostLowering::getBits(ImplicitLocOpBuilder &b, Value value) {
  Type type = value.getType();
  if (isa<MemRefType>(type))
    return getAddress(b, value);
  if (type.isIndex())
    return arith::IndexCastOp::create(b, word, value);
  if (isa<FloatType>(type)) {
    type = b.getIntegerType(type.getIntOrFloatBitWidth());
    value = arith::BitcastOp::create(b, type, value);
  }
  return type == word ? value
                      : arith::ExtUIOp::create(b, word, value).getResult();
}

LLVM::GlobalOp HostLowering::makeBytes(Location loc, StringRef name,
                                       StringRef bytes) {
  OpBuilder builder(module.getBodyRegion());
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size());
  auto global = LLVM::GlobalOp::create(
      builder, loc, type, /*isConstant=*/true, LLVM::Linkage::Private, name,
      builder.getStringAttr(bytes), /*alignment=*/16);
  symbols.insert(global);
  return global;
}

Value HostLowering::getName(ImplicitLocOpBuilder &b, StringRef name) {
  LLVM::GlobalOp &global = names[name];
  if (!global)
    global = makeBytes(b.getLoc(), "kernel_name", (name + Twine('\0')).str());
  return LLVM::AddressOfOp::create(b, global);
}

Value HostLowering::getSlots(func::FuncOp function) {
  Value &room = slots[function];
  if (room)
    return room;
  int64_t count = 1;
  function.walk([&](gpu::LaunchFuncOp op) {
    count = std::max<int64_t>(count, op.getNumKernelOperands());
  });
  ImplicitLocOpBuilder b(function.getLoc(), context);
  b.setInsertionPointToStart(&function.getBody().front());
  return room = LLVM::AllocaOp::create(b, pointer, word, constant(b, count));
}

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

/// "sm_90a" as 90.
static int64_t getCapability(StringRef chip) {
  int64_t number = 0;
  chip.consume_front("sm_");
  chip.consumeInteger(10, number);
  return number;
}

LogicalResult HostLowering::embedImages() {
  auto binaries = llvm::to_vector(module.getOps<gpu::BinaryOp>());
  if (binaries.empty())
    return success();
  if (binaries.size() > 1)
    return binaries[1].emitError() << "is a second one, and one is expected";
  gpu::BinaryOp binary = binaries[0];
  ImplicitLocOpBuilder b(binary.getLoc(), module.getBodyRegion());
  auto entry = LLVM::LLVMStructType::getLiteral(context, {word, word, pointer});
  // A last entry without code ends the list.
  auto type = LLVM::LLVMArrayType::get(entry, binary.getObjects().size() + 1);
  SmallVector<std::pair<gpu::ObjectAttr, LLVM::GlobalOp>> objects;
  for (Attribute attr : binary.getObjects()) {
    auto object = cast<gpu::ObjectAttr>(attr);
    auto target = dyn_cast<NVVM::NVVMTargetAttr>(object.getTarget());
    if (!target)
      return binary.emitError() << "has code for " << object.getTarget()
                                << ", which is not a CUDA device";
    // PTX is read up to a zero.
    std::string code = object.getObject().getValue().str();
    if (object.getFormat() == gpu::CompilationTarget::Assembly)
      code.push_back('\0');
    objects.push_back(
        {object, makeBytes(binary.getLoc(), ("image_" + target.getChip()).str(),
                           code)});
  }
  images = LLVM::GlobalOp::create(b, type, /*isConstant=*/true,
                                  LLVM::Linkage::Private, "images",
                                  /*value=*/Attribute());
  symbols.insert(images);
  b.createBlock(&images.getInitializerRegion());
  Value table = LLVM::ZeroOp::create(b, type);
  for (size_t i = 0; i < objects.size(); ++i) {
    gpu::ObjectAttr object = objects[i].first;
    auto target = cast<NVVM::NVVMTargetAttr>(object.getTarget());
    auto insert = [&](Value value, int64_t member) {
      table = LLVM::InsertValueOp::create(
          b, table, value, ArrayRef<int64_t>{int64_t(i), member});
    };
    auto number = [&](int64_t value) {
      return LLVM::ConstantOp::create(b, word, b.getIntegerAttr(word, value));
    };
    insert(number(getCapability(target.getChip())), 0);
    insert(number(object.getObject().getValue().size()), 1);
    insert(LLVM::AddressOfOp::create(b, objects[i].second), 2);
  }
  LLVM::ReturnOp::create(b, table);
  binary.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult HostLowering::launch(gpu::LaunchFuncOp op) {
  if (!images)
    return op.emitError() << "launches a kernel that has not been compiled";
  Value room = getSlots(op->getParentOfType<func::FuncOp>());
  ImplicitLocOpBuilder b(op.getLoc(), op);
  for (auto [i, operand] : llvm::enumerate(op.getKernelOperands())) {
    Value slot = LLVM::GEPOp::create(b, pointer, word, room,
                                     ArrayRef<LLVM::GEPArg>{int32_t(i)});
    LLVM::StoreOp::create(b, getBits(b, operand), slot);
  }
  Value table = LLVM::AddressOfOp::create(b, images);
  auto toWord = [&](Value value) -> Value {
    return arith::IndexCastOp::create(b, word, value);
  };
  call(b, "hetero_cuda_launch", Type(),
       {table, getName(b, op.getKernelName().getValue()),
        toWord(op.getGridSizeX()), toWord(op.getBlockSizeX()), room,
        constant(b, op.getNumKernelOperands())});
  op.erase();
  return success();
}

LogicalResult HostLowering::copy(memref::CopyOp op) {
  auto type = cast<MemRefType>(op.getTarget().getType());
  ImplicitLocOpBuilder b(op.getLoc(), op);
  int64_t bytes =
      type.getNumElements() * getElementBytes(type.getElementType());
  Value target = getAddress(b, op.getTarget());
  Value source = getAddress(b, op.getSource());
  call(b, "hetero_cuda_copy", Type(), {target, source, constant(b, bytes)});
  op.erase();
  return success();
}

LogicalResult HostLowering::read(memref::LoadOp op) {
  Type type = op.getType();
  if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() > 64)
    return op.emitError() << "a decision on the host that depends on " << type
                          << " is not supported on CUDA";
  ImplicitLocOpBuilder b(op.getLoc(), op);
  auto metadata = memref::ExtractStridedMetadataOp::create(b, op.getMemRef());
  auto toWord = [&](Value value) -> Value {
    return arith::IndexCastOp::create(b, word, value);
  };
  Value element = toWord(metadata.getOffset());
  for (auto [index, stride] :
       llvm::zip_equal(op.getIndices(), metadata.getStrides())) {
    Value step = arith::MulIOp::create(b, toWord(index), toWord(stride));
    element = arith::AddIOp::create(b, element, step);
  }
  int64_t bytes = getElementBytes(type);
  Value start = arith::MulIOp::create(b, element, constant(b, bytes));
  Value address =
      arith::AddIOp::create(b, getAddress(b, op.getMemRef()), start);
  Value value = call(b, "hetero_cuda_read", word, {address, constant(b, bytes)})
                    .getResult(0);
  Type bits = b.getIntegerType(type.getIntOrFloatBitWidth());
  if (bits != word)
    value = arith::TruncIOp::create(b, bits, value);
  if (bits != type)
    value = arith::BitcastOp::create(b, type, value);
  op.replaceAllUsesWith(value);
  op.erase();
  return success();
}

LogicalResult HostLowering::upload(memref::GetGlobalOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  b.setInsertionPointAfter(op);
  MemRefType type = op.getType();
  int64_t bytes =
      type.getNumElements() * getElementBytes(type.getElementType());
  Value address = getAddress(b, op);
  Value memory =
      call(b, "hetero_cuda_constant", pointer, {address, constant(b, bytes)})
          .getResult(0);
  Value descriptor =
      MemRefDescriptor::fromStaticShape(b, b.getLoc(), converter, type, memory);
  Value buffer =
      UnrealizedConversionCastOp::create(b, type, descriptor).getResult(0);
  op.getResult().replaceUsesWithIf(buffer, [&](OpOperand &use) {
    return use.getOwner() !=
           address.getDefiningOp()->getOperand(0).getDefiningOp();
  });
  return success();
}

LogicalResult HostLowering::lower(Operation *op) {
  if (auto launched = dyn_cast<gpu::LaunchFuncOp>(op))
    return launch(launched);
  if (auto copied = dyn_cast<memref::CopyOp>(op))
    return copy(copied);
  if (auto loaded = dyn_cast<memref::LoadOp>(op))
    return read(loaded);
  if (auto global = dyn_cast<memref::GetGlobalOp>(op))
    return upload(global);
  if (isa<memref::StoreOp>(op) || isa<linalg::LinalgOp>(op))
    return op->emitError() << "has not become a kernel: '" << op->getName()
                           << "' on the host is not supported on CUDA";
  return success();
}

namespace {
struct LowerHostToCuda
    : public hetero::impl::LowerHostToCudaPassBase<LowerHostToCuda> {
  void runOnOperation() override {
    HostLowering lowering(getOperation());
    if (failed(lowering.embedImages()))
      return signalPassFailure();
    SmallVector<Operation *> ops;
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops) {
      numReads += isa<memref::LoadOp>(op);
      if (failed(lowering.lower(op)))
        return signalPassFailure();
    }
    getOperation()->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());
  }
};
} // namespace
