//===- Module.cpp - The Python module hetero._core ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What takes long runs on a thread of its own without Python's lock, while the
// calling thread looks for signals: Ctrl-C ends a compilation for the caller at
// once, and waits a while for a step, whose state would be lost otherwise.

#include "Arrays.h"
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace hetero;
using namespace hetero::python;
using planner::PlanRequest;
using runtime::MaybeError;
using runtime::Result;

namespace {
/// The step, the cluster or an option cannot be used.
struct CompileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
} // namespace

//===----------------------------------------------------------------------===//
// Calls that take long
//===----------------------------------------------------------------------===//

namespace {
/// What the thread of a job and its caller share.
template <typename T>
struct Job {
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<T> result;
  std::vector<std::string> messages;

  void say(const std::string &message) {
    std::lock_guard<std::mutex> lock(mutex);
    messages.push_back(message);
    changed.notify_all();
  }
  void finish(T value) {
    std::lock_guard<std::mutex> lock(mutex);
    result.emplace(std::move(value));
    changed.notify_all();
  }
  /// Waits for news; what was said since.
  std::vector<std::string> wait(std::chrono::milliseconds longest) {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait_for(lock, longest,
                     [&] { return result || !messages.empty(); });
    return std::move(messages);
  }
  bool isDone() {
    std::lock_guard<std::mutex> lock(mutex);
    return result.has_value();
  }
};
} // namespace

/// Waits for `job`, handing what it says to `progress`. A signal whose handler
/// raises ends the waiting with that exception; `interrupted` is called first.
template <typename T>
static T await(const std::shared_ptr<Job<T>> &job, const nb::object &progress,
               const std::function<void()> &interrupted) {
  using namespace std::chrono_literals;
  while (true) {
    std::vector<std::string> messages;
    bool done;
    {
      nb::gil_scoped_release unlocked;
      messages = job->wait(50ms);
      done = job->isDone();
    }
    for (const std::string &message : messages)
      if (!progress.is_none())
        progress(message);
    if (done)
      return std::move(*job->result);
    if (PyErr_CheckSignals() == 0)
      continue;
    nb::python_error error;
    {
      nb::gil_scoped_release unlocked;
      interrupted();
    }
    throw nb::python_error(std::move(error));
  }
}

//===----------------------------------------------------------------------===//
// Plans and steps
//===----------------------------------------------------------------------===//

/// `compute(source, options)` on a thread of its own. An interrupted one goes
/// on unheard: nothing in it can be stopped half-way.
template <typename T, typename Compute>
static T compileAside(std::string source, CompileOptions options,
                      const nb::object &progress, Compute compute) {
  auto job = std::make_shared<Job<Result<T>>>();
  options.progress = [job](const std::string &phase) { job->say(phase); };
  startOnLargeStack(
      [job, compute, source = std::move(source), options = std::move(options)] {
        job->finish(compute(source, options));
      });
  Result<T> result = await(job, progress, [] {});
  if (!result)
    throw CompileError(result.error());
  return std::move(*result);
}

static PlanInfo plan(std::string source, CompileOptions options,
                     const nb::object &progress) {
  return compileAside<PlanInfo>(std::move(source), std::move(options), progress,
                                planSource);
}

static std::shared_ptr<StepExecutable> compile(std::string source,
                                               CompileOptions options,
                                               const nb::object &progress) {
  return compileAside<std::unique_ptr<StepExecutable>>(
      std::move(source), std::move(options), progress, compileSource);
}

/// How long a step may still take after Ctrl-C before it is ended.
static constexpr std::chrono::seconds patienceAfterInterrupt{10};

/// A step, or the end of those that devices are still at.
template <MaybeError (StepExecutable::*work)()>
static void runAside(const std::shared_ptr<StepExecutable> &compiled) {
  auto job = std::make_shared<Job<MaybeError>>();
  startOnLargeStack([job, compiled] { job->finish((*compiled.*work)()); });
  MaybeError error = await(job, nb::none(), [&] {
    job->wait(patienceAfterInterrupt);
    if (!job->isDone())
      compiled->abort("interrupted");
    // What runs here uses memory that the caller may free.
    while (!job->isDone())
      job->wait(patienceAfterInterrupt);
  });
  if (error)
    throw ExecutionError(*error);
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

static void bindCluster(nb::module_ &m) {
  nb::class_<DeviceInfo>(m, "Device")
      .def_ro("rank", &DeviceInfo::rank)
      .def_ro("device_class", &DeviceInfo::deviceClass)
      .def_ro("node", &DeviceInfo::node)
      .def_ro("memory", &DeviceInfo::memory)
      .def_ro("available", &DeviceInfo::available);
  nb::class_<ClusterInfo>(m, "Cluster")
      .def_ro("name", &ClusterInfo::name)
      .def_ro("devices", &ClusterInfo::devices)
      .def_ro("text", &ClusterInfo::text);
  m.def(
      "read_cluster",
      [](const std::string &file, const std::optional<std::string> &text) {
        Result<ClusterInfo> cluster =
            readCluster(file, text ? &*text : nullptr);
        if (!cluster)
          throw CompileError(cluster.error());
        return *cluster;
      },
      nb::arg("file"), nb::arg("text").none() = nb::none());
}

static void bindCuda(nb::module_ &m) {
  m.def(
      "describe_cuda",
      [](const std::vector<std::string> &directories) {
        Result<std::string> text = describeCuda(directories);
        if (!text)
          throw CompileError(text.error());
        return *text;
      },
      nb::arg("library_directories"));
}

static void bindPlan(nb::module_ &m) {
  nb::class_<ShareInfo>(m, "Share")
      .def_ro("device", &ShareInfo::device)
      .def_ro("state", &ShareInfo::state)
      .def_ro("memory", &ShareInfo::memory);
  nb::class_<StageInfo>(m, "Stage")
      .def_ro("devices", &StageInfo::devices)
      .def_ro("layers", &StageInfo::layers)
      .def_ro("layer_names", &StageInfo::layerNames)
      .def_ro("samples", &StageInfo::samples)
      .def_ro("shares", &StageInfo::shares)
      .def_ro("state", &StageInfo::state)
      .def_ro("in_flight", &StageInfo::inFlight)
      .def_ro("forward", &StageInfo::forward)
      .def_ro("backward", &StageInfo::backward)
      .def_ro("boundary", &StageInfo::boundary);
  nb::class_<PlanInfo>(m, "Plan")
      .def_ro("planner", &PlanInfo::planner)
      .def_ro("batch", &PlanInfo::batch)
      .def_ro("microbatches", &PlanInfo::microbatches)
      .def_ro("stages", &PlanInfo::stages)
      .def_ro("predicted", &PlanInfo::predicted)
      .def_ro("bound", &PlanInfo::bound)
      .def_ro("table", &PlanInfo::table)
      .def_ro("module", &PlanInfo::module);
  m.def("plan", plan, nb::arg("source"), nb::arg("options"),
        nb::arg("progress").none() = nb::none());
}

static void bindOptions(nb::module_ &m) {
  nb::class_<PlanRequest>(m, "PlanRequest")
      .def(nb::init<>())
      .def_rw("planner", &PlanRequest::planner)
      .def_rw("schedule", &PlanRequest::schedule)
      .def_rw("microbatches", &PlanRequest::microbatches)
      .def_rw("state", &PlanRequest::state)
      .def_rw("tensor", &PlanRequest::tensor)
      .def_rw("max_stages", &PlanRequest::maxStages)
      .def_rw("without", &PlanRequest::without)
      .def_rw("effort", &PlanRequest::effort)
      .def_rw("time_budget", &PlanRequest::timeBudget);
  nb::class_<CompileOptions>(m, "Options")
      .def(nb::init<>())
      .def_rw("cluster_file", &CompileOptions::clusterFile)
      .def_rw("cluster_text", &CompileOptions::clusterText)
      .def_rw("plan", &CompileOptions::plan)
      .def_rw("roles", &CompileOptions::roles)
      .def_rw("transport", &CompileOptions::transport)
      .def_rw("device", &CompileOptions::device)
      .def_rw("cuda_format", &CompileOptions::cudaFormat)
      .def_rw("cuda_memory", &CompileOptions::cudaMemory)
      .def_rw("cuda_graphs", &CompileOptions::cudaGraphs)
      .def_rw("cuda_toolkit", &CompileOptions::cudaToolkit)
      .def_rw("cuda_library_directories",
              &CompileOptions::cudaLibraryDirectories)
      .def_rw("memory_caps", &CompileOptions::memoryCaps)
      .def_rw("threads_per_rank", &CompileOptions::threadsPerRank)
      .def_rw("cache_directory", &CompileOptions::cacheDirectory)
      .def_rw("opt_level", &CompileOptions::optLevel);
}

/// One of the writers, as a method that throws.
template <MaybeError (StepExecutable::*write)(const std::string &)>
static void writeWith(StepExecutable &compiled, const std::string &file) {
  if (MaybeError error = (compiled.*write)(file))
    throw ExecutionError(*error);
}

static void bindStep(nb::module_ &m) {
  nb::class_<StepTensor>(m, "StepTensor")
      .def_ro("name", &StepTensor::name)
      .def_prop_ro("shape",
                   [](const StepTensor &info) { return info.type.shape; })
      .def_prop_ro("element",
                   [](const StepTensor &info) {
                     return std::string(runtime::nameOf(info.type.element));
                   })
      .def_ro("role", &StepTensor::role)
      .def_ro("updates", &StepTensor::updates);
  nb::class_<StepExecutable> executable(m, "StepExecutable");
  executable.def_prop_ro("arguments", &StepExecutable::getArguments)
      .def_prop_ro("results", &StepExecutable::getResults)
      .def_prop_ro("num_ranks", &StepExecutable::getNumRanks)
      .def_prop_ro("peak_bytes", &StepExecutable::getPeakBytes)
      .def_prop_ro("plan", &StepExecutable::getPlan)
      .def_prop_ro("programs", &StepExecutable::getPartitioned)
      .def("step", runAside<&StepExecutable::step>)
      .def("synchronize", runAside<&StepExecutable::synchronize>)
      .def("set_tracing", &StepExecutable::setTracing)
      .def("write_trace", writeWith<&StepExecutable::writeTrace>)
      .def("write_timeline", writeWith<&StepExecutable::writeTimeline>);
  bindArrays(executable);
  m.def("compile", compile, nb::arg("source"), nb::arg("options"),
        nb::arg("progress").none() = nb::none());
}

NB_MODULE(_core, m) {
  m.doc() = "The compiler and runtime of hetero; used through the package.";
  nb::exception<CompileError>(m, "CompileError", PyExc_ValueError);
  nb::exception<ExecutionError>(m, "ExecutionError", PyExc_RuntimeError);
  bindCluster(m);
  bindCuda(m);
  bindOptions(m);
  bindPlan(m);
  bindStep(m);
  // Compilations that were interrupted end before the process does.
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] {
    nb::gil_scoped_release unlocked;
    waitForThreads();
  }));
}
