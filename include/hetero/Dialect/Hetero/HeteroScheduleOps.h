//===- HeteroScheduleOps.h - Schedules --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_DIALECT_HETERO_HETEROSCHEDULEOPS_H
#define HETERO_DIALECT_HETERO_HETEROSCHEDULEOPS_H

#include "hetero/Dialect/Hetero/HeteroPlanOps.h"

#define GET_OP_CLASSES
#include "hetero/Dialect/Hetero/HeteroScheduleOps.h.inc"

#endif // HETERO_DIALECT_HETERO_HETEROSCHEDULEOPS_H
