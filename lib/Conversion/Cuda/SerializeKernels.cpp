//===- SerializeKernels.cpp - Kernels as code for CUDA devices ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Conversion/Cuda/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include <set>

using namespace mlir;
using namespace hetero;

namespace hetero {
#define GEN_PASS_DEF_SERIALIZEKERNELSPASS
#include "hetero/Conversion/Cuda/Passes.h.inc"
} // namespace hetero

//===----------------------------------------------------------------------===//
// Architectures and the toolkit
//===----------------------------------------------------------------------===//

namespace {
struct Architecture {
  StringLiteral name;
  /// The version of PTX to write. LLVM ends the process at one that does not
  /// know the architecture.
  StringLiteral features;
};
} // namespace

/// Those before sm_75 get PTX, which the driver compiles: ptxas of CUDA 13 does
/// not know them, but drivers that run them do. 6.3 is the first version of PTX
/// with all that the kernels use (shfl.sync, bar.sync of 64-bit code).
static constexpr Architecture architectures[] = {
    {"sm_60", "+ptx63"},  {"sm_61", "+ptx63"},   {"sm_62", "+ptx63"},
    {"sm_70", "+ptx63"},  {"sm_72", "+ptx63"},   {"sm_75", "+ptx80"},
    {"sm_80", "+ptx80"},  {"sm_86", "+ptx80"},   {"sm_87", "+ptx80"},
    {"sm_89", "+ptx80"},  {"sm_90", "+ptx80"},   {"sm_90a", "+ptx80"},
    {"sm_100", "+ptx86"}, {"sm_100a", "+ptx86"}, {"sm_103", "+ptx88"},
    {"sm_120", "+ptx87"}, {"sm_120a", "+ptx87"}, {"sm_121", "+ptx88"},
};

/// Whether the architecture has PTX for the driver whatever was asked for.
static bool isPtxOnly(const Architecture &architecture) {
  return architecture.features == "+ptx63";
}

static const Architecture *findArchitecture(StringRef name) {
  const auto *found = llvm::find_if(
      architectures, [&](const Architecture &a) { return a.name == name; });
  return found == std::end(architectures) ? nullptr : found;
}

static std::string getLibdevice(StringRef toolkit) {
  SmallString<128> path(toolkit);
  llvm::sys::path::append(path, "nvvm", "libdevice", "libdevice.10.bc");
  return std::string(path);
}

/// The directory of the CUDA toolkit, or nothing: `given`, the directories that
/// NVIDIA's variables name, that of ptxas, the usual place.
static std::string findToolkit(StringRef given) {
  SmallVector<std::string> places;
  if (!given.empty())
    places.push_back(given.str());
  for (StringRef variable : {"CUDA_ROOT", "CUDA_HOME", "CUDA_PATH"})
    if (auto value = llvm::sys::Process::GetEnv(variable))
      places.push_back(*value);
  if (auto ptxas = llvm::sys::findProgramByName("ptxas"))
    places.push_back(
        llvm::sys::path::parent_path(llvm::sys::path::parent_path(*ptxas))
            .str());
  places.push_back("/usr/local/cuda");
  for (const std::string &place : places)
    if (!place.empty() && llvm::sys::fs::exists(getLibdevice(place)))
      return place;
  return "";
}

static bool hasPtxas(StringRef toolkit) {
  SmallString<128> path(toolkit);
  llvm::sys::path::append(path, "bin", "ptxas");
  return (!toolkit.empty() && llvm::sys::fs::can_execute(path)) ||
         llvm::sys::findProgramByName("ptxas");
}

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

namespace {
struct SerializeKernels
    : public hetero::impl::SerializeKernelsPassBase<SerializeKernels> {
  using SerializeKernelsPassBase::SerializeKernelsPassBase;

  void runOnOperation() override;

private:
  LogicalResult checkOptions();
  /// The module as code for one architecture, or null after an error.
  Attribute serialize(gpu::GPUModuleOp module, const Architecture &architecture,
                      StringRef toolkit);
  LogicalResult replace(gpu::GPUModuleOp module, StringRef toolkit);
};
} // namespace

LogicalResult SerializeKernels::checkOptions() {
  if (arch.empty())
    return emitError(getOperation().getLoc())
           << "no architecture is given, for instance arch=sm_80,sm_90";
  for (const std::string &name : arch) {
    if (findArchitecture(name))
      continue;
    InFlightDiagnostic error = emitError(getOperation().getLoc());
    error << "architecture '" << name << "' is not known; known are ";
    llvm::interleaveComma(architectures, error,
                          [&](const Architecture &a) { error << a.name; });
    return error;
  }
  if (format != "cubin" && format != "ptx")
    return emitError(getOperation().getLoc())
           << "format '" << format << "' is neither 'cubin' nor 'ptx'";
  return success();
}

Attribute SerializeKernels::serialize(gpu::GPUModuleOp module,
                                      const Architecture &architecture,
                                      StringRef toolkit) {
  auto target = NVVM::NVVMTargetAttr::get(
      &getContext(), /*optLevel=*/3, "nvptx64-nvidia-cuda", architecture.name,
      architecture.features);
  auto interface = dyn_cast<gpu::TargetAttrInterface>(Attribute(target));
  if (!interface) {
    module.emitError() << "this LLVM writes no code for CUDA devices";
    return nullptr;
  }
  bool isPtx = format == "ptx" || isPtxOnly(architecture);
  auto kind =
      isPtx ? gpu::CompilationTarget::Assembly : gpu::CompilationTarget::Binary;
  gpu::TargetOptions options(toolkit, {}, "", "", kind);
  std::optional<SmallVector<char, 0>> code =
      interface.serializeToObject(module, options);
  if (!code) {
    module.emitError() << "cannot be compiled for " << architecture.name;
    return nullptr;
  }
  StringRef text(code->data(), code->size());
  // The text ends where C strings do.
  if (isPtx)
    text = text.rtrim('\0');
  auto object = StringAttr::get(&getContext(), text);
  return gpu::ObjectAttr::get(&getContext(), target, kind, object, nullptr,
                              nullptr);
}

LogicalResult SerializeKernels::replace(gpu::GPUModuleOp module,
                                        StringRef toolkit) {
  if (failed(checkSelectable(module)))
    return failure();
  std::set<std::string> missing = getLibdeviceCalls(module);
  if (toolkit.empty() && !missing.empty())
    module.emitWarning() << "libdevice of the CUDA toolkit was not found: the "
                            "PTX leaves these functions undefined: "
                         << llvm::join(missing, ", ");
  SmallVector<Attribute> objects;
  for (const std::string &name : arch) {
    Attribute object = serialize(module, *findArchitecture(name), toolkit);
    if (!object)
      return failure();
    objects.push_back(object);
    ++numImages;
  }
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
  std::string directory = findToolkit(toolkit);
  bool needsPtxas =
      format == "cubin" && !llvm::all_of(arch, [](const std::string &name) {
        return isPtxOnly(*findArchitecture(name));
      });
  if (needsPtxas && (directory.empty() || !hasPtxas(directory))) {
    modules[0].emitError()
        << "cubins need ptxas and libdevice of the CUDA toolkit, which was not "
           "found: install it, name its directory with toolkit= or CUDA_HOME, "
           "or ask for format=ptx";
    return signalPassFailure();
  }
  for (gpu::GPUModuleOp module : modules)
    if (failed(replace(module, directory)))
      return signalPassFailure();
}
