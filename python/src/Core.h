//===- Core.h - What the Python package asks of the compiler ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The side of the Python module that knows MLIR, behind an interface that does
// not: text in, a plan or a running step out, errors as sentences. Module.cpp
// and Arrays.cpp make Python objects of it.
//
//   auto step = compileSource(text, options);
//   if (!step)
//     throw CompileError(step.error());
//   (*step)->setArgument(0, whole);
//
// Nothing here touches Python, so everything may run without its lock.

#ifndef HETERO_PYTHON_SRC_CORE_H
#define HETERO_PYTHON_SRC_CORE_H

#include "hetero/Planner/Driver/PlanRequest.h"
#include "hetero/Runtime/Error.h"
#include "hetero/Tools/StepTensor.h"
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hetero::python {

/// What Python sees of a device of a cluster.
struct DeviceInfo {
  int64_t rank = 0;
  std::string deviceClass, node;
  /// In bytes, without what is reserved.
  int64_t memory = 0;
  bool available = true;
};

struct ClusterInfo {
  std::string name;
  std::vector<DeviceInfo> devices;
  /// The cluster.yaml that says all of it.
  std::string text;
};

/// Reads a cluster.yaml, or its text when `text` is given; errors then call it
/// `file`.
runtime::Result<ClusterInfo> readCluster(const std::string &file,
                                         const std::string *text);

struct CompileOptions {
  /// See StepOptions (hetero/Tools/StepExecutable.h).
  std::string clusterFile, clusterText;
  planner::PlanRequest plan;
  std::vector<std::string> roles;
  std::string transport = "threads", device = "cpu";
  std::string cudaFormat = "cubin", cudaMemory = "arena";
  bool cudaGraphs = true;
  std::string cudaToolkit;
  std::vector<std::string> cudaLibraryDirectories;
  bool memoryCaps = true;
  unsigned threadsPerRank = 0;
  std::string cacheDirectory;
  unsigned optLevel = 2;
  /// Is told what happens next, on any thread.
  std::function<void(const std::string &phase)> progress;
};

/// What Python sees of a device of a stage.
struct ShareInfo {
  int64_t device = 0;
  /// In bytes.
  int64_t state = 0, memory = 0;
};

struct StageInfo {
  std::vector<int64_t> devices;
  /// Numbers of layers and their names.
  std::vector<int64_t> layers;
  std::vector<std::string> layerNames;
  /// One list for each different size of microbatch.
  std::vector<std::vector<int64_t>> samples;
  std::vector<ShareInfo> shares;
  std::string state;
  int64_t inFlight = 1;
  /// Predicted, in seconds.
  double forward = 0, backward = 0, boundary = 0;
};

struct PlanInfo {
  std::string planner;
  int64_t batch = 0;
  std::vector<int64_t> microbatches;
  std::vector<StageInfo> stages;
  /// In seconds.
  double predicted = 0;
  std::optional<double> bound;
  /// For people, and the planned module.
  std::string table, module;
};

/// The GPUs that this process sees, and the libraries for them, as lines.
runtime::Result<std::string>
describeCuda(const std::vector<std::string> &libraryDirectories);

/// Plans the step in `source`, StableHLO as text or a later phase of it.
runtime::Result<PlanInfo> planSource(const std::string &source,
                                     const CompileOptions &options);

/// What Python sees of hetero::StepExecutable. Results that are the updated
/// values of arguments become these arguments unless others are set.
class StepExecutable {
public:
  virtual ~StepExecutable();

  virtual std::vector<StepTensor> getArguments() const = 0;
  virtual std::vector<StepTensor> getResults() const = 0;
  virtual int64_t getNumRanks() const = 0;
  /// The most memory that was in use on a device of this process.
  virtual int64_t getPeakBytes() const = 0;
  virtual PlanInfo getPlan() const = 0;
  /// The module with the programs of the ranks.
  virtual std::string getPartitioned() const = 0;

  virtual runtime::MaybeError setArgument(int64_t index, const void *whole) = 0;
  virtual runtime::MaybeError step() = 0;
  /// Returns when the devices have done all steps.
  virtual runtime::MaybeError synchronize() = 0;
  virtual runtime::MaybeError getResult(int64_t index, void *whole) = 0;
  /// Ends a step that is under way on another thread, and the run with it.
  virtual void abort(const std::string &reason) = 0;

  /// Forgets what was recorded, and records from now on.
  virtual void setTracing(bool on) = 0;
  /// Writes what was recorded as a Chrome trace.
  virtual runtime::MaybeError writeTrace(const std::string &file) = 0;
  /// Writes a page that shows the schedule as predicted, and the last step that
  /// was recorded.
  virtual runtime::MaybeError writeTimeline(const std::string &file) = 0;
};

runtime::Result<std::unique_ptr<StepExecutable>>
compileSource(const std::string &source, const CompileOptions &options);

/// Runs `body` on a new thread whose stack is large enough for MLIR's
/// recursions.
void startOnLargeStack(std::function<void()> body);
/// Returns when all of them have ended.
void waitForThreads();

} // namespace hetero::python

#endif // HETERO_PYTHON_SRC_CORE_H
