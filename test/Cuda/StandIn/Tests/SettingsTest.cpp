//===- SettingsTest.cpp - What the stand-in can be told -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Harness.h"
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <unistd.h>

using namespace hetero::standin::tests;

/// A file that is gone when the test has ended.
namespace {
struct TemporaryFile {
  TemporaryFile() : path(testing::TempDir() + "hetero-standin-XXXXXX") {
    close(mkstemp(path.data()));
  }
  ~TemporaryFile() { unlink(path.c_str()); }

  std::string read() const {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  std::string path;
};
} // namespace

static void doNothing() { getFunctions().cuInit(0); }

TEST(StandInSettings, WhatIsNotKnownIsNamed) {
  EXPECT_TRUE(
      run("colour=red", doNothing)
          .says("'colour' is not known; known are 'devices', 'driver'"));
  EXPECT_TRUE(run("devices", doNothing).says("'devices' has no value"));
  EXPECT_TRUE(run("devices=a100", doNothing)
                  .says("'a100' is not a device; one is written as"));
  EXPECT_TRUE(run("devices=sm_80:16GB", doNothing).says("units are KiB"));
  EXPECT_TRUE(run("order=fast", doNothing).says("known are 'lazy', 'eager'"));
  EXPECT_TRUE(run("fail=cuMemAloc@3", doNothing)
                  .says("there is no entry point 'cuMemAloc' to fail"));
  EXPECT_TRUE(run("fail=cuMemAlloc", doNothing).says("which call"));
  EXPECT_TRUE(run("nccl=slow", doNothing).says("known is 'hang'"));
  EXPECT_TRUE(run("leaks=count", doNothing).says("known is 'refuse'"));
  EXPECT_TRUE(run("never=ncclCommDestroy@1", doNothing)
                  .says("'ncclCommDestroy' has ended when it returns"));
}

TEST(StandInSettings, DevicesAreWhatTheyAreSaidToBe) {
  Outcome outcome = run("devices=sm_80:64MiB,sm_75:32MiB,sm_70:16MiB", [] {
    setenv("CUDA_VISIBLE_DEVICES", "2,0", 1);
    const Functions &f = getFunctions();
    int count = 0;
    OK(f.cuInit(0));
    OK(f.cuDeviceGetCount(&count));
    CHECK(count == 2);
    for (int i = 0; i < 2; ++i) {
      int major = 0, minor = 0;
      OK(f.cuDeviceGetAttribute(
          &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, i));
      OK(f.cuDeviceGetAttribute(
          &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, i));
      CHECK(10 * major + minor == (i == 0 ? 70 : 80));
      Gpu gpu(i);
      size_t available = 0, total = 0;
      OK(f.cuMemGetInfo(&available, &total));
      CHECK(total == size_t(i == 0 ? 16 : 64) << 20);
    }
  });
  EXPECT_TRUE(outcome.isRight) << outcome;
  outcome = run("", [] {
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    CHECK(getFunctions().cuInit(0) == CUDA_ERROR_NO_DEVICE);
  });
  EXPECT_TRUE(outcome.isRight) << outcome;
}

TEST(StandInSettings, CallsFail) {
  Outcome outcome = run("fail=cuMemAlloc@2,cuStreamSynchronize@1", [] {
    Gpu gpu;
    CUdeviceptr data = 0;
    OK(gpu.f.cuMemAlloc(&data, 4));
    CHECK(gpu.f.cuMemAlloc(&data, 4) == CUDA_ERROR_OUT_OF_MEMORY);
    OK(gpu.f.cuMemAlloc(&data, 4));
    CHECK(gpu.f.cuStreamSynchronize(gpu.stream) != CUDA_SUCCESS);
    OK(gpu.f.cuStreamSynchronize(gpu.stream));
  });
  EXPECT_TRUE(outcome.isRight) << outcome;
}

TEST(StandInSettings, AKernelThatFaultsIsFoundLater) {
  Outcome outcome = run("devices=sm_80:64MiB,sm_75:32MiB;fault=2", [] {
    Gpu other(0);
    Gpu gpu(1);
    CUdeviceptr data = gpu.allocate(4);
    gpu.write(data, {1, 2, 3, 4});
    gpu.increment(data, 4, gpu.stream);
    OK(gpu.f.cuStreamSynchronize(gpu.stream));
    gpu.increment(data, 4, gpu.stream);
    CHECK(gpu.f.cuStreamSynchronize(gpu.stream) == CUDA_ERROR_ILLEGAL_ADDRESS);
    CHECK(gpu.f.cuMemFree(data) == CUDA_ERROR_ILLEGAL_ADDRESS);
    // The other device goes on.
    OK(gpu.f.cuCtxSetCurrent(other.context));
    CUdeviceptr rest = other.allocate(4);
    other.write(rest, {1, 2, 3, 4});
    other.increment(rest, 4, other.stream);
    CHECK(other.read(rest, 4)[3] == 5);
  });
  EXPECT_TRUE(outcome.isRight) << outcome;
}

TEST(StandInSettings, WhatIsNotGivenBackIsNamed) {
  auto allocate = [](bool frees) {
    return [frees] {
      Gpu gpu;
      CUdeviceptr data = gpu.allocate(4);
      if (frees)
        OK(gpu.f.cuMemFree(data));
    };
  };
  EXPECT_TRUE(run("leaks=refuse", allocate(false))
                  .says("has not given back 1 of 'allocation', "));
  Outcome outcome = run("leaks=refuse", allocate(true));
  EXPECT_TRUE(outcome.isCaught &&
              outcome.text.find("'allocation'") == std::string::npos)
      << outcome;
}

TEST(StandInSettings, WhatNeverEndsIsAborted) {
  Outcome outcome = run(
      "devices=sm_80:64MiB,sm_75:32MiB;never=ncclAllReduce@3;patience=1", [] {
        runRanks(2, 1, [](Rank &rank) {
          const Functions &f = rank.gpu.f;
          float *data = toPointer(rank.gpu.allocate(4));
          ncclComm_t group = rank.communicators[0];
          auto add = [&] {
            OK(f.ncclAllReduce(data, data, 4, ncclFloat32, ncclSum, group,
                               toCuda(rank.gpu.stream)));
          };
          add();
          OK(f.cuStreamSynchronize(rank.gpu.stream));
          add();
          for (int i = 0; i < 200; ++i)
            CHECK(f.cuStreamQuery(rank.gpu.stream) == CUDA_ERROR_NOT_READY);
          OK(f.ncclCommAbort(group));
          OK(f.cuStreamSynchronize(rank.gpu.stream));
        });
      });
  EXPECT_TRUE(outcome.isRight) << outcome;
}

TEST(StandInSettings, ALostDeviceStaysLost) {
  Outcome outcome = run("devices=sm_80:64MiB,sm_75:32MiB;lose=1@12", [] {
    Gpu other(0);
    Gpu gpu(1);
    int numFailed = 0;
    for (int i = 0; i < 20; ++i) {
      CUresult result = gpu.f.cuStreamSynchronize(gpu.stream);
      CHECK(numFailed == 0 || result != CUDA_SUCCESS);
      numFailed += result != CUDA_SUCCESS;
    }
    CHECK(numFailed > 0 && numFailed < 20);
    OK(gpu.f.cuCtxSetCurrent(other.context));
    OK(gpu.f.cuStreamSynchronize(other.stream));
  });
  EXPECT_TRUE(outcome.isRight) << outcome;
}

TEST(StandInSettings, NcclMayHang) {
  Outcome outcome =
      run("devices=sm_80:64MiB,sm_75:32MiB;nccl=hang;patience=1", [] {
        Gpu first(0), second(1);
        std::vector<ncclComm_t> comms = joinAlone(first, second);
        OK(first.f.ncclGroupStart());
        for (const Gpu *gpu : {&first, &second}) {
          OK(gpu->f.cuCtxSetCurrent(gpu->context));
          CUdeviceptr data = gpu->allocate(1);
          OK(gpu->f.ncclAllReduce(toPointer(data), toPointer(data), 1,
                                  ncclFloat32, ncclSum, comms[gpu == &second],
                                  toCuda(gpu->stream)));
        }
        OK(first.f.ncclGroupEnd());
        OK(second.f.cuStreamSynchronize(second.stream));
      });
  EXPECT_TRUE(outcome.says("waits without end for allReduce of 1 float32"))
      << outcome;
}

TEST(StandInSettings, CountsAreWrittenInSections) {
  TemporaryFile file;
  Outcome outcome = run(std::string("counts=") + file.path, [] {
    Gpu gpu;
    gpu.allocate(1);
    gpu.f.mark("steps");
    gpu.allocate(1);
    gpu.allocate(1);
  });
  EXPECT_TRUE(outcome.isRight) << outcome;
  std::string text = file.read();
  EXPECT_NE(text.find("[begin]\n"), std::string::npos) << text;
  EXPECT_NE(text.find("[steps]\ncuMemAlloc 2\n"), std::string::npos) << text;
}

TEST(StandInSettings, TheLogSaysWhatRuns) {
  TemporaryFile file, report;
  Outcome outcome =
      run(std::string("order=lazy;log=") + file.path + ";report=" + report.path,
          [] {
            Gpu gpu;
            CUdeviceptr data = gpu.allocate(2);
            gpu.increment(data, 2, gpu.stream);
            OK(gpu.f.cuCtxSynchronize());
            gpu.increment(data, 3, gpu.stream);
            OK(gpu.f.cuCtxSynchronize());
          });
  EXPECT_TRUE(outcome.isCaught);
  std::string log = file.read();
  std::string kernel = "kernel 'increment' (operation 0, stream 1 of device 0)";
  size_t entered = log.find("enter " + kernel), ran = log.find("run " + kernel);
  EXPECT_LT(entered, ran) << log;
  EXPECT_NE(ran, std::string::npos) << log;
  EXPECT_EQ(outcome.text, report.read());
}
