//===- Verify.cpp - Proofs about rank programs ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Transforms/Verify/Verify.h"
#include "Contributions.h"
#include "hetero/Transforms/Verify/Passes.h"

namespace hetero {
#define GEN_PASS_DEF_VERIFYPASS
#include "hetero/Transforms/Verify/Passes.h.inc"
} // namespace hetero

using namespace mlir;
using namespace hetero;

namespace {
struct VerifyPass : public hetero::impl::VerifyPassBase<VerifyPass> {
  using VerifyPassBase::VerifyPassBase;
  void runOnOperation() override;
};
} // namespace

void VerifyPass::runOnOperation() {
  using namespace hetero::verify;
  FailureOr<std::unique_ptr<Programs>> read = Programs::read(getOperation());
  if (failed(read))
    return signalPassFailure();
  const Programs &programs = **read;
  bool ok = succeeded(checkParts(programs));
  ok &= succeeded(checkBuckets(programs));
  std::unique_ptr<Contributions> contributions =
      Contributions::create(programs);
  if (contributions)
    ok &= succeeded(contributions->checkUnits());
  // Programs that do not match cannot be executed.
  ok &= succeeded(checkMatching(programs)) &&
        succeeded(checkExecution(programs, contributions.get()));
  std::map<int64_t, Peak> peaks;
  if (memory)
    ok &= succeeded(checkMemory(programs, peaks));
  if (!ok)
    return signalPassFailure();
  numRanks += programs.ranks.size();
  for (const Stream &stream : programs.streams)
    numTransfers += stream.steps.front().size();
  numSums += contributions ? contributions->numSums : 0;
  for (auto &[rank, peak] : peaks) {
    if (peak.at && peak.bytes > int64_t(numPeakBytes))
      numPeakBytes = peak.bytes;
    if (remarks && peak.at)
      emitRemark(peak.at->getLoc())
          << "rank " << rank << " needs the most memory here: " << peak.bytes
          << " bytes (" << peak.kinds << ")";
  }
  markAllAnalysesPreserved();
}
