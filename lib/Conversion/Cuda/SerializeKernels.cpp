//===- SerializeKernels.cpp - Kernels as code for CUDA devices ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Conversion/Cuda/Architectures.h"
#include "hetero/Conversion/Cuda/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include <set>

using namespace mlir;
using namespace hetero;

namespace hetero {
#define GEN_PASS_DEF_SERIALIZEKERNELSPASS
#include "hetero/Conversion/Cuda/Passes.h.inc"
} // namespace hetero

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

/// LLVM ends the process at an operation that NVPTX has no instruction for:
/// those that libdevice should have taken, and types that are too wide.
static LogicalResult checkSelectable(gpu::GPUModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    bool isMissing =
        isa<LLVM::ExpOp, LLVM::Exp2Op, LLVM::Exp10Op, LLVM::LogOp, LLVM::Log2Op,
            LLVM::Log10Op, LLVM::PowOp, LLVM::PowIOp, LLVM::SinOp, LLVM::CosOp,
            LLVM::TanOp, LLVM::SinhOp, LLVM::CoshOp, LLVM::TanhOp, LLVM::ASinOp,
            LLVM::ACosOp, LLVM::ATanOp, LLVM::ATan2Op>(op);
    bool isWide = llvm::any_of(op->getResultTypes(), [](Type type) {
      return type.isIntOrFloat() && type.getIntOrFloatBitWidth() > 64;
    });
    if (!isMissing && !isWide)
      return WalkResult::advance();
    op->emitError() << "'" << op->getName() << "' of "
                    << op->getResult(0).getType()
                    << " is not supported on CUDA";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Functions of libdevice that the module calls, by name.
static std::set<std::string> getLibdeviceCalls(gpu::GPUModuleOp module) {
  std::set<std::string> names;
  module.walk([&](LLVM::LLVMFuncOp function) {
    if (function.isExternal() && function.getName().starts_with("__nv_"))
      names.insert(function.getName().str());
  });
  return names;
}

/// Bitcode that LLVM has just written, as text.
static std::string disassemble(StringRef bitcode) {
  llvm::LLVMContext context;
  auto module = llvm::cantFail(llvm::parseBitcodeFile(
      llvm::MemoryBufferRef(bitcode, "kernels"), context));
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, nullptr);
  return text;
}

namespace {
struct SerializeKernels
    : public hetero::impl::SerializeKernelsPassBase<SerializeKernels> {
  using SerializeKernelsPassBase::SerializeKernelsPassBase;

  void runOnOperation() override;

private:
  LogicalResult checkOptions();
  /// Finds out what is compiled by whom; the toolkit has to be there for it.
  LogicalResult prepare(gpu::GPUModuleOp module);
  /// Adds the module as code for an architecture, and `portable` as PTX.
  LogicalResult serialize(gpu::GPUModuleOp module,
                          const CudaArchitecture &architecture,
                          SmallVectorImpl<Attribute> &objects);
  LogicalResult replace(gpu::GPUModuleOp module);
  Attribute makeObject(const CudaArchitecture &architecture,
                       gpu::CompilationTarget kind, StringRef code);

  std::string directory;
  /// Each once, in the order in which they are given.
  SmallVector<const CudaArchitecture *> targets;
  /// Those of which ptxas makes cubins.
  std::set<std::string> known;
  /// The oldest that later devices run: they get its PTX as well, which their
  /// driver compiles.
  const CudaArchitecture *portable = nullptr;
};
} // namespace

LogicalResult SerializeKernels::checkOptions() {
  if (arch.empty())
    return emitError(getOperation().getLoc())
           << "no architecture is given, for instance arch=sm_80,sm_90";
  targets.clear();
  portable = nullptr;
  for (const std::string &name : arch) {
    const CudaArchitecture *found = findCudaArchitecture(name);
    if (!found) {
      InFlightDiagnostic error = emitError(getOperation().getLoc());
      error << "architecture '" << name << "' is not known; known are ";
      llvm::interleaveComma(getCudaArchitectures(), error,
                            [&](auto &a) { error << a.name; });
      return error;
    }
    if (!llvm::is_contained(targets, found))
      targets.push_back(found);
    bool isOlder =
        !portable || found->getCapability() < portable->getCapability();
    if (found->isPortable() && isOlder)
      portable = found;
  }
  if (format != "cubin" && format != "ptx" && format != "llvm")
    return emitError(getOperation().getLoc())
           << "format '" << format << "' is none of 'cubin', 'ptx' and 'llvm'";
  return success();
}

LogicalResult SerializeKernels::prepare(gpu::GPUModuleOp module) {
  directory = findCudaToolkit(toolkit);
  known.clear();
  if (format != "cubin")
    return success();
  std::string ptxas = directory.empty() ? "" : findPtxas(directory);
  if (ptxas.empty())
    return module.emitError()
           << "cubins need ptxas and libdevice of the CUDA toolkit, which was "
              "not found: install it, name its directory with toolkit= or "
              "CUDA_HOME, or ask for format=ptx";
  known = askPtxas(ptxas);
  if (known.empty())
    return module.emitError()
           << "'" << ptxas << " --help' does not say which architectures it "
           << "knows: repair it, or ask for format=ptx";
  return success();
}

Attribute SerializeKernels::makeObject(const CudaArchitecture &architecture,
                                       gpu::CompilationTarget kind,
                                       StringRef code) {
  auto target = NVVM::NVVMTargetAttr::get(
      &getContext(), /*optLevel=*/3, "nvptx64-nvidia-cuda", architecture.name,
      architecture.features);
  // The text ends where C strings do.
  if (kind == gpu::CompilationTarget::Assembly)
    code = code.rtrim('\0');
  ++numImages;
  return gpu::ObjectAttr::get(&getContext(), target, kind,
                              StringAttr::get(&getContext(), code), nullptr,
                              nullptr);
}

LogicalResult SerializeKernels::serialize(gpu::GPUModuleOp module,
                                          const CudaArchitecture &architecture,
                                          SmallVectorImpl<Attribute> &objects) {
  auto target = NVVM::NVVMTargetAttr::get(
      &getContext(), /*optLevel=*/3, "nvptx64-nvidia-cuda", architecture.name,
      architecture.features);
  auto interface = dyn_cast<gpu::TargetAttrInterface>(Attribute(target));
  if (!interface)
    return module.emitError() << "this LLVM writes no code for CUDA devices";
  // What ptxas does not know, the driver compiles.
  bool isLlvm = format == "llvm";
  auto kind = isLlvm ? gpu::CompilationTarget::Offload
              : known.count(architecture.name.str())
                  ? gpu::CompilationTarget::Binary
                  : gpu::CompilationTarget::Assembly;
  std::string text;
  auto keep = [&](StringRef ptx) { text = ptx.str(); };
  gpu::TargetOptions options(directory, {}, "", "", kind, {}, {}, {}, {}, keep);
  std::optional<SmallVector<char, 0>> code =
      interface.serializeToObject(module, options);
  if (!code)
    return module.emitError() << "cannot be compiled for " << architecture.name;
  StringRef bytes(code->data(), code->size());
  objects.push_back(makeObject(architecture, kind,
                               isLlvm ? disassemble(bytes) : bytes.str()));
  if (&architecture == portable && kind == gpu::CompilationTarget::Binary)
    objects.push_back(
        makeObject(architecture, gpu::CompilationTarget::Assembly, text));
  return success();
}

LogicalResult SerializeKernels::replace(gpu::GPUModuleOp module) {
  if (failed(checkSelectable(module)))
    return failure();
  std::set<std::string> missing = getLibdeviceCalls(module);
  if (directory.empty() && !missing.empty())
    module.emitWarning() << "libdevice of the CUDA toolkit was not found: the "
                            "PTX leaves these functions undefined: "
                         << llvm::join(missing, ", ");
  SmallVector<Attribute> objects;
  for (const CudaArchitecture *architecture : targets)
    if (failed(serialize(module, *architecture, objects)))
      return failure();
  OpBuilder builder(module);
  gpu::BinaryOp::create(builder, module.getLoc(), module.getName(),
                        /*offloadingHandler=*/Attribute(), objects);
  module.erase();
  return success();
}

void SerializeKernels::runOnOperation() {
  if (failed(checkOptions()))
    return signalPassFailure();
  SmallVector<gpu::GPUModuleOp> modules(
      getOperation().getOps<gpu::GPUModuleOp>());
  if (modules.empty())
    return;
  if (failed(prepare(modules[0])))
    return signalPassFailure();
  for (gpu::GPUModuleOp module : modules)
    if (failed(replace(module)))
      return signalPassFailure();
}
