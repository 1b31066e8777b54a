//===- hetero-record-cuda.cpp - What a program asks of CUDA ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hetero-record-cuda <module> [arch=sm_80,sm_90] [format=cubin|ptx] [steps=1]
//     [memory=pool|arena]
//
// Compiles a module for CUDA devices and runs it on devices that only write
// down what they are asked for: rank programs, each on a thread, or the
// function @main as the program of one rank. The calls of each rank are
// printed, rank by rank.

#include "FunctionProgram.h"
#include "ModuleFile.h"
#include "hetero/Conversion/Jit/Jit.h"
#include "hetero/Conversion/Programs/RuntimePrograms.h"
#include "hetero/Runtime/NcclCommunicator.h"
#include "hetero/Runtime/Session.h"
#include "hetero/Support/LargeStack.h"
#include "llvm/Support/InitLLVM.h"
#include <thread>

using namespace mlir;
using namespace hetero::runtime;
using hetero::fail;

/// Runs one rank; its lines go to `log`.
static MaybeError runRank(Program program, const hetero::Jit &jit,
                          Transport &transport, int steps,
                          const CudaDeviceOptions &options, std::string &log) {
  std::vector<KernelFunction> kernels;
  std::vector<InPlaceList> inPlace;
  for (const std::string &name : program.kernels) {
    kernels.push_back(jit.lookup(name));
    inPlace.push_back(jit.getInPlace(name));
  }
  auto device =
      CudaDevice::create("recorded " + std::to_string(program.rank),
                         createRecordingCudaApi([&](const std::string &line) {
                           log += line + "\n";
                         }),
                         options);
  if (!device)
    return device.error();
  NcclCommunicator communicator(transport, **device);
  auto session = Session::create(std::move(program), std::move(kernels),
                                 **device, communicator, std::move(inPlace));
  if (!session)
    return session.error();
  const Program &made = (*session)->getProgram();
  for (int step = 0; step < steps; ++step) {
    log += "step " + std::to_string(step) + "\n";
    for (size_t i = 0; i < made.arguments.size(); ++i) {
      std::vector<char> zeros(
          made.buffers[made.arguments[i].buffer].numBytes() + 1);
      if (MaybeError error = (*session)->setArgument(i, zeros.data()))
        return error;
    }
    if (MaybeError error = (*session)->step())
      return error;
  }
  log += "end\n";
  return std::nullopt;
}

static int runMain(int argc, char **argv) {
  if (argc < 2)
    return fail("expected: module [arch=sm_80] [format=ptx] [steps=1]");
  hetero::JitOptions options;
  options.cudaArchitectures = {"sm_80"};
  int steps = 1;
  // Every buffer has a name of its own.
  CudaDeviceOptions device;
  device.memory = CudaMemory::Pool;
  for (int i = 2; i < argc; ++i) {
    auto [key, value] = StringRef(argv[i]).split('=');
    if (key == "arch") {
      options.cudaArchitectures.clear();
      for (StringRef name : llvm::split(value, ','))
        options.cudaArchitectures.push_back(name.str());
    } else if (key == "format") {
      options.cudaFormat = value.str();
    } else if (key == "memory" && (value == "pool" || value == "arena")) {
      device.memory = value == "pool" ? CudaMemory::Pool : CudaMemory::Arena;
    } else if (key != "steps" || value.getAsInteger(10, steps)) {
      return fail(Twine("cannot read '") + argv[i] + "'");
    }
  }
  auto file = hetero::ModuleFile::read(argv[1]);
  if (!file)
    return 1;
  OwningOpRef<ModuleOp> module = file->parse(0);
  if (!module)
    return 1;
  std::vector<Program> programs;
  OwningOpRef<ModuleOp> kernels;
  if (!hetero::getRankPrograms(*module).empty()) {
    auto converted = hetero::convertToRuntimePrograms(*module);
    if (failed(converted))
      return 1;
    hetero::markLastUses(*converted);
    programs = std::move(converted->programs);
    kernels = std::move(converted->kernels);
  } else {
    auto function = module->lookupSymbol<func::FuncOp>("main");
    if (!function)
      return fail("neither rank programs nor a function @main");
    FailureOr<Program> program = hetero::makeFunctionProgram(function);
    if (failed(program))
      return 1;
    programs.push_back(std::move(*program));
    kernels = std::move(module);
  }
  auto jit = hetero::Jit::compile(*kernels, options);
  if (!jit)
    return 1;
  auto transports = createThreadsTransports(programs.size());
  std::vector<std::string> logs(programs.size());
  std::vector<MaybeError> errors(programs.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < programs.size(); ++i)
    threads.emplace_back([&, i] {
      errors[i] = runRank(std::move(programs[i]), *jit, *transports[i], steps,
                          device, logs[i]);
      if (errors[i])
        transports[i]->abort(*errors[i]);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (size_t i = 0; i < logs.size(); ++i)
    llvm::outs() << "rank " << i << "\n" << logs[i];
  for (const MaybeError &error : errors)
    if (error)
      return fail(*error);
  return 0;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  return hetero::runOnLargeStack([&] { return runMain(argc, argv); });
}
