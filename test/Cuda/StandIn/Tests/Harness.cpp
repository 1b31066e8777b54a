//===- Harness.cpp - Programs that use the stand-in -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Harness.h"
#include "Ending.h"
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace hetero::standin;
using namespace hetero::standin::tests;

#define HETERO_SPELL(name) #name

static void *find(void *library, const char *name) {
  if (void *function = dlsym(library, name))
    return function;
  std::fprintf(stderr, "the stand-in has no function '%s'\n", name);
  std::exit(1);
}

static Functions load() {
  // The children are copies of this process, in which no threads may be.
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  void *library = dlopen(HETERO_STANDIN_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(1);
  }
  Functions functions;
#define HETERO_FIND(name)                                                      \
  functions.name =                                                             \
      reinterpret_cast<decltype(&::name)>(find(library, HETERO_SPELL(name)));
  HETERO_TEST_FUNCTIONS(HETERO_FIND)
  functions.gemm = reinterpret_cast<GemmFunction>(
      find(library, "cublasGemmStridedBatchedEx"));
  functions.setName = reinterpret_cast<decltype(functions.setName)>(
      find(library, "heteroStandInName"));
  functions.mark = reinterpret_cast<decltype(functions.mark)>(
      find(library, "heteroStandInMark"));
  return functions;
}

const Functions &hetero::standin::tests::getFunctions() {
  static const Functions functions = load();
  return functions;
}

//===----------------------------------------------------------------------===//
// Children
//===----------------------------------------------------------------------===//

/// What a child returns whose checks were wrong.
constexpr int wrongStatus = 3;
static bool isWrong = false;

void hetero::standin::tests::check(bool isRight, const char *what, int line) {
  if (isRight)
    return;
  std::fprintf(stderr, "line %d: not so: %s\n", line, what);
  isWrong = true;
}

std::ostream &hetero::standin::tests::operator<<(std::ostream &stream,
                                                 const Outcome &outcome) {
  return stream << (outcome.isRight    ? "right"
                    : outcome.isCaught ? "caught"
                                       : "wrong")
                << ": " << outcome.text;
}

namespace {
struct Child {
  pid_t process = -1;
  int output = -1;
};
} // namespace

static Child start(const std::string &settings,
                   const std::function<void()> &program) {
  getFunctions();
  // What is in buffers now would be written by the child as well.
  std::fflush(nullptr);
  int ends[2];
  Child child;
  if (pipe(ends) != 0 || (child.process = fork()) < 0)
    return child;
  if (child.process == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    setenv("HETERO_STANDIN", settings.c_str(), 1);
    program();
    std::exit(isWrong ? wrongStatus : 0);
  }
  close(ends[1]);
  child.output = ends[0];
  return child;
}

/// What a child has written, which has ended or is about to.
static Outcome finish(const Child &child, int status) {
  Outcome outcome;
  char buffer[4096];
  for (ssize_t size; (size = read(child.output, buffer, sizeof(buffer))) > 0;)
    outcome.text.append(buffer, size);
  close(child.output);
  if (status < 0)
    waitpid(child.process, &status, 0);
  outcome.isRight = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  outcome.isCaught = WIFEXITED(status) && WEXITSTATUS(status) == endStatus;
  return outcome;
}

Outcome hetero::standin::tests::run(const std::string &settings,
                                    const std::function<void()> &program) {
  return finish(start(settings, program), /*status=*/-1);
}

std::vector<Outcome>
hetero::standin::tests::runProcesses(const std::string &settings, int size,
                                     const std::function<void(int)> &program) {
  static int numJobs = 0;
  std::string job =
      ";job=test-" + std::to_string(getpid()) + "-" + std::to_string(numJobs++);
  std::vector<Child> children;
  for (int i = 0; i < size; ++i)
    children.push_back(start(settings + job, [&] { program(i); }));
  // As a launcher does: when one is ended, so are the others.
  std::vector<int> statuses(size);
  for (int numEnded = 0; numEnded < size; ++numEnded) {
    int status = 0;
    pid_t ended = wait(&status);
    for (int i = 0; i < size; ++i)
      if (children[i].process == ended) {
        statuses[i] = status;
        children[i].process = -1;
      }
    for (const Child &child : children)
      if (child.process > 0 && WIFEXITED(status) &&
          WEXITSTATUS(status) == endStatus)
        kill(child.process, SIGKILL);
  }
  std::vector<Outcome> outcomes;
  for (int i = 0; i < size; ++i)
    outcomes.push_back(finish(children[i], statuses[i]));
  return outcomes;
}

int hetero::standin::tests::getNumSeeds() {
  const char *text = getenv("HETERO_STANDIN_SEEDS");
  return text && atoi(text) > 0 ? atoi(text) : 4;
}

std::vector<std::string> hetero::standin::tests::getSchedules(int numSeeds) {
  std::vector<std::string> schedules;
  for (int seed = 0; seed < numSeeds; ++seed)
    for (const char *order : {"lazy", "eager", "random"})
      schedules.push_back("seed=" + std::to_string(seed) + ";order=" + order);
  return schedules;
}

int hetero::standin::tests::findSeed(const std::string &settings, int numSeeds,
                                     const std::function<void()> &program,
                                     Outcome *outcome) {
  for (int seed = 0; seed < numSeeds; ++seed) {
    Outcome result = run(settings + ";seed=" + std::to_string(seed), program);
    if (result.isRight)
      continue;
    if (outcome)
      *outcome = result;
    return seed;
  }
  return -1;
}

//===----------------------------------------------------------------------===//
// Parts of programs
//===----------------------------------------------------------------------===//

static const char *const fakeText = "// fake increment scale copy\n";

/// The same as PTX.
static const char *const kernelText = R"(.version 7.0
.target sm_70
.address_size 64

.visible .entry increment(.param .u64 data, .param .u32 count) {
  .reg .pred %p<2>;
  .reg .f32 %f<3>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  ld.param.u32 %r5, [count];
  setp.ge.u32 %p1, %r4, %r5;
  @%p1 bra $L_end;
  ld.param.u64 %rd1, [data];
  mul.wide.u32 %rd2, %r4, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.f32 %f1, [%rd3];
  add.f32 %f2, %f1, 0f3F800000;
  st.global.f32 [%rd3], %f2;
$L_end:
  ret;
}

.visible .entry scale(.param .u64 data, .param .f32 factor, .param .u32 count) {
  .reg .pred %p<2>;
  .reg .f32 %f<4>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  ld.param.u32 %r5, [count];
  setp.ge.u32 %p1, %r4, %r5;
  @%p1 bra $L_end;
  ld.param.u64 %rd1, [data];
  ld.param.f32 %f1, [factor];
  mul.wide.u32 %rd2, %r4, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.f32 %f2, [%rd3];
  mul.f32 %f3, %f1, %f2;
  st.global.f32 [%rd3], %f3;
$L_end:
  ret;
}

.visible .entry copy(.param .u64 to, .param .u64 from, .param .u32 count) {
  .reg .pred %p<2>;
  .reg .f32 %f<2>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<6>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  ld.param.u32 %r5, [count];
  setp.ge.u32 %p1, %r4, %r5;
  @%p1 bra $L_end;
  ld.param.u64 %rd1, [to];
  ld.param.u64 %rd2, [from];
  mul.wide.u32 %rd3, %r4, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.f32 %f1, [%rd5];
  st.global.f32 [%rd4], %f1;
$L_end:
  ret;
}
)";

Gpu::Gpu(int index, bool isFake) : f(getFunctions()) {
  OK(f.cuInit(0));
  OK(f.cuDevicePrimaryCtxRetain(&context, index));
  OK(f.cuCtxSetCurrent(context));
  stream = makeStream();
  CUmodule module = nullptr;
  OK(f.cuModuleLoadData(&module, isFake ? fakeText : kernelText));
  OK(f.cuModuleGetFunction(&incrementKernel, module, "increment"));
  OK(f.cuModuleGetFunction(&scaleKernel, module, "scale"));
  OK(f.cuModuleGetFunction(&copyKernel, module, "copy"));
}

CUstream Gpu::makeStream() const {
  CUstream made = nullptr;
  OK(f.cuStreamCreate(&made, CU_STREAM_NON_BLOCKING));
  return made;
}

CUdeviceptr Gpu::allocate(size_t count, const char *name) const {
  CUdeviceptr made = 0;
  OK(f.cuMemAlloc(&made, 4 * count));
  if (name)
    f.setName(toPointer(made), name);
  return made;
}

void Gpu::write(CUdeviceptr to, const std::vector<float> &values) const {
  OK(f.cuMemcpyHtoDAsync(to, values.data(), 4 * values.size(), stream));
  OK(f.cuStreamSynchronize(stream));
}

std::vector<float> Gpu::read(CUdeviceptr from, size_t count) const {
  std::vector<float> values(count);
  OK(f.cuMemcpyDtoHAsync(values.data(), from, 4 * count, stream));
  OK(f.cuStreamSynchronize(stream));
  return values;
}

void Gpu::increment(CUdeviceptr data, unsigned count, CUstream where) const {
  void *parameters[] = {&data, &count};
  OK(f.cuLaunchKernel(incrementKernel, (count + 31) / 32, 1, 1, 32, 1, 1, 0,
                      where, parameters, nullptr));
}

void Gpu::scale(CUdeviceptr data, float factor, unsigned count,
                CUstream where) const {
  void *parameters[] = {&data, &factor, &count};
  OK(f.cuLaunchKernel(scaleKernel, (count + 31) / 32, 1, 1, 32, 1, 1, 0, where,
                      parameters, nullptr));
}

void Gpu::order(CUstream before, CUstream after) const {
  CUevent event = nullptr;
  OK(f.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  OK(f.cuEventRecord(event, before));
  OK(f.cuStreamWaitEvent(after, event, 0));
  OK(f.cuEventDestroy(event));
}

float *hetero::standin::tests::toPointer(CUdeviceptr address) {
  return reinterpret_cast<float *>(address);
}

cudaStream_t hetero::standin::tests::toCuda(CUstream stream) {
  return reinterpret_cast<cudaStream_t>(stream);
}

std::vector<ncclComm_t> hetero::standin::tests::joinAlone(const Gpu &first,
                                                          const Gpu &second) {
  const Functions &f = getFunctions();
  ncclUniqueId id;
  OK(f.ncclGetUniqueId(&id));
  std::vector<ncclComm_t> made(2);
  OK(f.ncclGroupStart());
  OK(f.cuCtxSetCurrent(second.context));
  OK(f.ncclCommInitRank(&made[1], 2, id, 1));
  OK(f.cuCtxSetCurrent(first.context));
  OK(f.ncclCommInitRank(&made[0], 2, id, 0));
  OK(f.ncclGroupEnd());
  return made;
}

void hetero::standin::tests::runRanks(
    int numRanks, int numCommunicators,
    const std::function<void(Rank &)> &program) {
  const Functions &f = getFunctions();
  OK(f.cuInit(0));
  std::vector<ncclUniqueId> ids(numCommunicators);
  for (ncclUniqueId &id : ids)
    OK(f.ncclGetUniqueId(&id));
  std::vector<std::thread> threads;
  for (int i = 0; i < numRanks; ++i)
    threads.emplace_back([&, i] {
      Gpu gpu(i);
      Rank rank = {i, gpu, {}};
      for (const ncclUniqueId &id : ids) {
        ncclComm_t made = nullptr;
        OK(f.ncclCommInitRank(&made, numRanks, id, i));
        rank.communicators.push_back(made);
      }
      program(rank);
    });
  for (std::thread &thread : threads)
    thread.join();
}
