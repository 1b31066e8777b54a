//===- Hetero.h - The hetero dialect, whole ---------------------*- C++ -*-===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HETERO_DIALECT_HETERO_HETERO_H
#define HETERO_DIALECT_HETERO_HETERO_H

#include "hetero/Dialect/Hetero/HeteroAttrs.h"
#include "hetero/Dialect/Hetero/HeteroClusterOps.h"
#include "hetero/Dialect/Hetero/HeteroCommOps.h"
#include "hetero/Dialect/Hetero/HeteroDialect.h"
#include "hetero/Dialect/Hetero/HeteroInterfaces.h"
#include "hetero/Dialect/Hetero/HeteroPlanOps.h"
#include "hetero/Dialect/Hetero/HeteroScheduleOps.h"
#include "hetero/Dialect/Hetero/HeteroTypes.h"

#endif // HETERO_DIALECT_HETERO_HETERO_H
