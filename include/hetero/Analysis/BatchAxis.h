//===- BatchAxis.h - The axis of the samples --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Microbatches and data-parallel devices share out the samples of a batch. Both
// are members of one axis, whose units are the samples: most arguments with the
// role `batch` are split along their leading dimension.
//
// Not all arguments begin with the samples: x[time, batch, features] comes with
// y[batch], labels come with a weight for each class. The number of samples is
// the leading size that most batch arguments have as some dimension; those that
// lack it are whole on every device, which is slower for them but not wrong.
//
// A step that accumulates gradients by itself takes its batch as [k, B / k,
// ...], or reshapes it so, and loops over the first dimension. Then the samples
// are the B / k of one part, which the devices can share; the k parts follow
// each other in any case.
//
// `sdy.sharding` on a batch argument overrules all of this: the dimension that
// it splits is that of the samples. A plan of the step, which says how many
// samples its batch has, overrules that.

#ifndef HETERO_ANALYSIS_BATCHAXIS_H
#define HETERO_ANALYSIS_BATCHAXIS_H

#include "hetero/Analysis/Forms.h"

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace hetero {

/// The batch axis of a step with roles. Reports an error if there is no batch
/// argument, or if it has no samples.
mlir::FailureOr<FormAxis> getBatchAxis(mlir::func::FuncOp step);

/// Warns of batch arguments that `axis` does not share out.
void warnOfWholeBatches(mlir::func::FuncOp step, const FormAxis &axis);

} // namespace hetero

#endif // HETERO_ANALYSIS_BATCHAXIS_H
