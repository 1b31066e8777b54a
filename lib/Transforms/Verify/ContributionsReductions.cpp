//===- ContributionsReductions.cpp - What communication does to sums ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Contributions.h"

using namespace mlir;
using namespace hetero;
using namespace hetero::verify;

Content Contributions::getContribution(const RankSteps &rank,
                                       const Step &step) const {
  if (step.op->getNumOperands() == 0)
    return {};
  Content content = get(rank, step.op->getOperand(0));
  content.argument = {};
  return content;
}

/// On one axis of a reduction the members bring either the same cells, which
/// stay as they are, or different ones, which are joined.
FailureOr<Content> Contributions::reduce(const RankSteps &rank, Operation *op,
                                         ReductionKind reduction,
                                         ArrayRef<Content> contents) {
  Content result;
  bool joined = contents.size() == 1;
  bool sums = reduction == ReductionKind::Sum;
  SmallVector<const Content *> brought;
  for (const Content &content : contents)
    if (!content.isConstant)
      brought.push_back(&content);
  if (brought.empty()) {
    result.isConstant = true;
    return result;
  }
  result.number = brought.front()->number;
  for (const Content *content : brought)
    if (content->number != result.number)
      return report(rank, op) << "adds " << describeNumber(content->number)
                              << " to " << describeNumber(result.number);
  for (Axis axis : allAxes) {
    const Share &first = (*brought.front())[axis];
    bool same = llvm::all_of(brought, [&](const Content *content) {
      return (*content)[axis] == first;
    });
    if (same && (!first.isPartial() || brought.size() > 1)) {
      result[axis] = first;
      continue;
    }
    Share sum{FormKind::Partial, reduction, {}};
    for (const Content *content : brought) {
      const Share &share = (*content)[axis];
      if (!share.isPartial() || share.reduction != reduction)
        return report(rank, op)
               << "combines by " << stringifyReductionKind(reduction)
               << " what is not partial in that way on every member";
      Cells twice = sum.cells.intersect(share.cells);
      if (sums && !twice.empty())
        return report(rank, op) << "counts cells " << twice.str() << " of the "
                                << getName(axis) << " axis twice";
      sum.cells = sum.cells.unite(share.cells);
    }
    result[axis] = complete(rank, axis, sum);
    joined = true;
  }
  if (!joined && sums)
    return report(rank, op)
           << "adds up what every member has whole: it would be counted "
           << contents.size() << " times";
  return result;
}

/// Parts of samples follow each other; everything else must be the same
/// everywhere.
FailureOr<Content> Contributions::gather(Operation *op,
                                         ArrayRef<Content> contents) const {
  Content result;
  result.isConstant = true;
  Cells cells;
  bool isSplit = false;
  const Content *first = nullptr;
  for (const Content &content : contents) {
    if (content.isConstant)
      continue;
    result.isConstant = false;
    if (!first)
      first = &content;
    if (content.number != first->number)
      return op->emitOpError() << "puts " << describeNumber(content.number)
                               << " after " << describeNumber(first->number);
    for (Axis axis : allAxes)
      if (!(content[axis] == (*first)[axis]) && !content[axis].isSplit())
        return op->emitOpError() << "puts parts of different sums together";
    const Share &share = content[Axis::Batch];
    // Members of the tensor axis have the same samples.
    if (!share.isSplit() || (isSplit && share.cells == cells))
      continue;
    if (!cells.empty() && !share.cells.empty() &&
        share.cells.front() < cells.back())
      return op->emitOpError() << "puts samples " << share.cells.str()
                               << " after samples " << cells.str();
    cells = cells.unite(share.cells);
    isSplit = true;
  }
  if (first) {
    result.shares = first->shares;
    result.number = first->number;
  }
  if (isSplit)
    result[Axis::Batch] = {FormKind::Split, ReductionKind::Sum, cells};
  return result;
}

LogicalResult Contributions::receive(const RankSteps &rank, const Step &step,
                                     const Stream &stream,
                                     ArrayRef<Content> contents, Value value) {
  if (!value)
    return success();
  Operation *op = step.op;
  FailureOr<Content> result = Content();
  if (stream.isMessage)
    result = contents.front();
  else if (auto broadcast = dyn_cast<BroadcastOp>(op))
    result = contents[broadcast.getRoot()];
  else if (auto all = dyn_cast<AllReduceOp>(op))
    result = reduce(rank, op, all.getReduction(), contents);
  else if (auto scatter = dyn_cast<ReduceScatterOp>(op))
    result = reduce(rank, op, scatter.getReduction(), contents);
  else if (isa<AllGatherOp>(op))
    result = gather(op, contents);
  else
    for (const Content &content : contents)
      for (Axis axis : allAxes)
        if (!content.isConstant && !content[axis].isWhole())
          return report(rank, op)
                 << "moves a value that is "
                 << stringifyFormKind(content[axis].kind) << " on the "
                 << getName(axis) << " axis, which cannot be followed";
  if (failed(result))
    return failure();
  set(rank, value, *result);
  return success();
}
