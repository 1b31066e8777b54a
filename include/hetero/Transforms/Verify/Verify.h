//===- Verify.h - What is proved of rank programs ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks of hetero-verify, in the order in which they are made: each relies
// on those before it. All of them emit diagnostics and fail.

#ifndef HETERO_TRANSFORMS_VERIFY_VERIFY_H
#define HETERO_TRANSFORMS_VERIFY_VERIFY_H

#include "hetero/Transforms/Ranks/RankSteps.h"

namespace hetero::verify {

using ranks::describePlace;
using ranks::getShortName;
using ranks::Programs;
using ranks::RankSteps;
using ranks::Step;
using ranks::Stream;

/// An attribute for messages: numbers and names alone, "none" for none.
std::string str(mlir::Attribute attribute);

/// Arguments of rank programs are inside of those of the step, results cover
/// those of the step, and state comes back as it went in.
mlir::LogicalResult checkParts(const Programs &programs);

/// Every send has its receive, and every collective is entered by all members
/// of its group with equal attributes.
mlir::LogicalResult checkMatching(const Programs &programs);

/// Operations of a bucket follow each other and are alike.
mlir::LogicalResult checkBuckets(const Programs &programs);

class Contributions;

/// Executes all programs together. They must not wait for each other in a
/// cycle; what each step does to sums over samples and devices is checked by
/// `contributions`, if that is not null.
mlir::LogicalResult checkExecution(const Programs &programs,
                                   Contributions *contributions);

/// The most bytes that a rank needs, where, and what for.
struct Peak {
  int64_t bytes = 0;
  mlir::Operation *at = nullptr;
  /// The kinds of values that are there, the largest first.
  std::string kinds;
};

/// No rank ever needs more memory than its device has, if there is a cluster.
/// `peaks` gets the peak of each rank.
mlir::LogicalResult checkMemory(const Programs &programs,
                                std::map<int64_t, Peak> &peaks);

} // namespace hetero::verify

#endif // HETERO_TRANSFORMS_VERIFY_VERIFY_H
