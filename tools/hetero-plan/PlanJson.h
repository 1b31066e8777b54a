//===- PlanJson.h - Plans for programs --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_TOOLS_HETERO_PLAN_PLANJSON_H
#define HETERO_TOOLS_HETERO_PLAN_PLANJSON_H

#include "hetero/Planner/Driver/Objectives.h"
#include "hetero/Planner/Driver/WhatIf.h"
#include "llvm/Support/JSON.h"

namespace hetero::planner {

/// Amounts in base units, with the unit in the name: `predicted_ps`.
llvm::json::Object toJson(const Plan &plan);

/// The plan with `price_per_hour` and `price_per_step`.
llvm::json::Object toJson(const PricedPlan &plan);

llvm::json::Object toJson(const WhatIf &answer);

} // namespace hetero::planner

#endif // HETERO_TOOLS_HETERO_PLAN_PLANJSON_H
