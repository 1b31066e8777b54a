//===- HeteroDialect.cpp - Registration of the hetero dialect -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Hetero/HeteroDialect.h"
#include "hetero/Dialect/Hetero/Hetero.h"

using namespace mlir;
using namespace hetero;

#include "hetero/Dialect/Hetero/HeteroDialect.cpp.inc"
#include "hetero/Dialect/Hetero/HeteroInterfaces.cpp.inc"

void HeteroDialect::registerOperations() {
  addOperations<
#define GET_OP_LIST
#include "hetero/Dialect/Hetero/HeteroClusterOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "hetero/Dialect/Hetero/HeteroPlanOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "hetero/Dialect/Hetero/HeteroScheduleOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "hetero/Dialect/Hetero/HeteroCommOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "hetero/Dialect/Hetero/HeteroKernelOps.cpp.inc"
      >();
}

void HeteroDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerOperations();
}
