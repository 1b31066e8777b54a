//===- MpiTransportMissing.cpp - In place of MPI --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Runtime/MpiTransport.h"

using namespace hetero::runtime;

Result<std::unique_ptr<Transport>>
hetero::runtime::createMpiTransport(MpiOptions) {
  return Error{"this build of hetero has no MPI, because none was found when "
               "it was configured"};
}
