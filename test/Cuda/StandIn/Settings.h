//===- Settings.h - What HETERO_STANDIN says --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The devices of the stand-in and how it behaves, from one environment
// variable:
//
//   HETERO_STANDIN="devices=sm_80:16GiB,sm_75:8GiB;seed=7;order=random"
//
//   devices=sm_80:16GiB,...  the devices of the machine (default: one of 4 GiB)
//   driver=12.4              the CUDA of the driver: it reads no newer PTX, and
//                            runs no newer libraries (that of the headers)
//   libraries=12             the CUDA of the libraries, which have no code for
//                            older devices (the newest that fits)
//   nccl-version=2.21        of NCCL (that of the headers)
//   seed=7                   for everything that CUDA leaves open
//   order=lazy|eager|random  what runs when it is not asked for (random)
//   channels=1               communications that a device runs at once
//   fail=cuMemAlloc@3,...    the third call of the function gives an error
//   lose=1@20                device 1 gives errors from its 20th call on
//   fault=3                  the third kernel that runs touches what it must
//                            not: its device does nothing more, and all calls
//                            say so from then on
//   nccl=hang                communications begin and never end
//   never=ncclSend@3,...     that of the third call does; of calls that make
//                            or leave a communicator as well
//   watch=on|off             whether accesses that nothing orders, and reads of
//                            what nobody has written, are mistakes in any order
//                            (on), or only if they make a difference in this
//                            one
//   damage=drop-wait@1:3     a mistake in place of a call, see Damages.h
//   patience=300             seconds without any progress before a wait is
//                            called endless
//   leaks=refuse             a process that ends has given everything back
//   job=NAME                 processes with the same one share communicators
//   log=FILE counts=FILE report=FILE
//                            "%p" in a name becomes the number of the process
//
// CUDA_VISIBLE_DEVICES chooses from the devices, as it does for CUDA.

#ifndef HETERO_TEST_CUDA_STANDIN_SETTINGS_H
#define HETERO_TEST_CUDA_STANDIN_SETTINGS_H

#include "Damages.h"
#include <cstdint>
#include <string>
#include <vector>

namespace hetero::standin {

enum class Order { Lazy, Eager, Random };

/// Ends the process if there is no order of the name.
Order parseOrder(const std::string &value);

struct DeviceKind {
  int capability = 80;
  uint64_t bytes = uint64_t(4) << 30;
  /// Among all devices of the machine, visible or not.
  int physical = 0;
};

struct Fault {
  std::string function;
  int64_t call = 1;
};

struct Loss {
  int device = 0;
  int64_t call = 1;
};

struct Settings {
  /// Those that are visible, in their order.
  std::vector<DeviceKind> devices;
  /// 12040 for CUDA 12.4; 0 for that of the headers.
  int driver = 0;
  int libraries = 0;
  /// 22100 for 2.21.0; 0 for that of the headers.
  int ncclVersion = 0;
  uint64_t seed = 0;
  Order order = Order::Random;
  int channels = 1;
  /// Calls that fail, and those of NCCL that never come to an end.
  std::vector<Fault> faults, endless;
  std::vector<Loss> losses;
  /// Counted from one; none is the zeroth.
  int64_t faultyKernel = 0;
  bool doesNcclHang = false, refusesLeaks = false;
  bool isWatching = true;
  DamageSetting damage;
  double patience = 300;
  std::string job, log, counts, report;

  /// Ends the process if there is something that it does not know.
  static Settings fromEnvironment();
};

} // namespace hetero::standin

#endif // HETERO_TEST_CUDA_STANDIN_SETTINGS_H
