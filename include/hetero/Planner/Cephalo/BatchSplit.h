//===- BatchSplit.h - Samples and microbatches by speed ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compute split of Cephalo: device i computes b_i = m_i * l_i samples of
// the batch, l_i microbatches of m_i samples each, such that
//
//   max_i T_i(m_i, l_i)   is least
//   sum_i m_i l_i = batch
//   sum_i m_i <= maxSum   (stands for the memory of activations)
//
// The published recurrence fills a table D[i][j][k] over devices, samples and
// sums of microbatch sizes, which is cubic in the batch:
//
//   D[i][j][k] = min over (m, l) of max(D[i-1][j - l m][k - m], T_i(m, l))
//
// The answer is one of the values T_i(m, l), and whatever is possible within a
// time is possible within a longer one. So it is found by bisection:
//
// 1. Bound. Within T a device can do at most m L(m) samples in microbatches of
//    m, L the most that T allows. Taking the best, or if `maxSum` binds parts
//    of the best by their gain for each unit of m, gives the most samples that
//    could be done; T is too small if they are less than the batch.
// 2. Check. From there on, is there a choice with exactly `batch` samples? The
//    least sum of the m for each number of samples, device by device. All
//    devices together can do `batch + e` samples, so that after each of them
//    only e + 1 numbers of samples can still lead to the batch, and only the
//    best e of a device matter: O(devices * e^2), where e is about the size of
//    all microbatches when memory does not bind, and never above the batch.
//
// Devices that wait for each other between forward and backward take something
// else,
//
//   max_i F_i(m_i, l_i) + max_i K_i(m_i, l_i),   T_i = F_i + K_i
//
// For a limit of F the least K is found as above, and does not rise with the
// limit. So limits between two with known K can give no less than the lower
// limit and the K of the higher one; the interval where that is least is halved
// until nothing better is left.
//
// A worked example
// ----------------
// T = l (1 + m) on one device and l (1 + 2 m) on another, batch 6, maxSum 6.
// Within T = 5 the first can do 4 x 1, the second 2 x 1: that is 6. Within 4 it
// would be 3 x 1 and 1 x 1, too few. So (4, 1) and (2, 1) it is, with a sum of
// 6.

#ifndef HETERO_PLANNER_CEPHALO_BATCHSPLIT_H
#define HETERO_PLANNER_CEPHALO_BATCHSPLIT_H

#include "llvm/ADT/ArrayRef.h"
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <vector>

namespace hetero::planner {

/// What microbatches of a device take in each phase, as others wait for it; and
/// their computation alone, without what it waits for itself.
struct PhaseTimes {
  double forward = 0, backward = 0, computing = 0;
};

/// Devices that are alike.
struct SplitKind {
  int64_t devices = 1;
  /// The most samples in a microbatch.
  int64_t maxMicro = 0;
  /// The most microbatches of a size, by memory.
  std::function<int64_t(int64_t micro)> maxCount;
  /// The time of a number of microbatches of a size; does not fall with their
  /// number.
  std::function<double(int64_t micro, int64_t count)> seconds;
  /// The same by phase, for BatchSplitter::splitPhases.
  std::function<PhaseTimes(int64_t micro, int64_t count)> phases;
};

/// Which of several splits that are equally fast.
enum class Ties {
  Smallest, ///< with the least sum of microbatch sizes
  Fewest    ///< with the fewest microbatches
};

/// What a device does; nothing if it has no microbatches.
struct SplitShare {
  int64_t micro = 0, count = 0;

  int64_t samples() const { return micro * count; }
};

struct BatchSplit {
  /// Of the slowest device, or of the slowest ones of both phases.
  double seconds = 0;
  /// By kind and device.
  std::vector<std::vector<SplitShare>> shares;
};

/// Splits one batch, for several limits of memory.
class BatchSplitter {
public:
  BatchSplitter(llvm::ArrayRef<SplitKind> kinds, int64_t batch);

  /// The fastest split, or nothing if there is none; of several the one with
  /// the least sum of microbatch sizes. Exact for up to 64 devices of a kind;
  /// of more, most are treated in blocks that get the same.
  std::optional<BatchSplit> split(int64_t maxSum) const;

  /// The split with the least sum of the longest forward and the longest
  /// backward. Of several one whose slowest device computes least, as waiting
  /// hides who has how much; and of these by `ties`. Exact but for blocks, and
  /// unless many limits of the forward give about the same.
  std::optional<BatchSplit> splitPhases(int64_t maxSum, Ties ties);

  /// What the slowest device computes in every split at least.
  double leastComputing();

private:
  struct Option;
  struct Choices;
  struct Level;
  class PhaseSearch;
  /// Devices of a kind that get the same.
  struct Block {
    size_t kind = 0;
    int64_t devices = 1;
  };
  /// What of a share can be limited.
  enum Measure { Whole, Forward, Backward, Computing, NumMeasures };
  /// The most that a share may take.
  struct Limits {
    Limits() { most.fill(std::numeric_limits<double>::infinity()); }
    Limits with(Measure measure, double value) const {
      Limits result = *this;
      result.most[measure] = value;
      return result;
    }

    std::array<double, NumMeasures> most;
  };
  /// The limits of the best split by phase, if there is one, and the least sum
  /// of sizes that is possible within them.
  struct PhaseResult {
    std::optional<Limits> limits;
    int64_t leastSum = 0;
  };
  /// A measure of all shares.
  struct Table {
    /// By kind, size and number of microbatches.
    std::vector<std::vector<double>> shares;
    /// All values that there are, ascending.
    std::vector<double> values;
  };

  void addPhases();
  void sortValues(Measure measure);
  int64_t countWithin(size_t kind, int64_t micro, const Limits &limits) const;
  bool mayFit(const Limits &limits, int64_t maxSum) const;
  std::vector<Option> findOptions(size_t kind, const Limits &limits,
                                  Ties ties) const;
  Choices findChoices(const Limits &limits, Ties ties) const;
  bool fitsGreedily(const Choices &choices, int64_t maxSum) const;
  std::vector<Level> fillLevels(const Choices &choices) const;
  std::optional<BatchSplit> splitWithin(const Choices &choices) const;
  bool isPossible(const Limits &limits, int64_t maxSum) const;
  std::optional<double> findLeast(Measure measure, const Limits &limits,
                                  int64_t maxSum,
                                  llvm::ArrayRef<double> range) const;
  std::optional<double> findLeast(Measure measure, const Limits &limits,
                                  int64_t maxSum) const {
    return findLeast(measure, limits, maxSum, tables[measure].values);
  }
  PhaseResult findPhases(int64_t maxSum) const;
  const PhaseResult &phasesWithin(int64_t maxSum);
  bool shrink(BatchSplit &split, const Limits &limits, int64_t maxSum) const;

  std::vector<SplitKind> kinds;
  int64_t batch;
  /// All devices.
  std::vector<Block> blocks;
  /// By kind and size: the most microbatches that memory and batch allow, and
  /// where they begin in tables.
  std::vector<std::vector<int64_t>> mostCounts, begins;
  std::array<Table, NumMeasures> tables;
  /// The limits of the best split by phase for a sum of sizes.
  std::map<int64_t, PhaseResult> phaseResults;
};

} // namespace hetero::planner

#endif // HETERO_PLANNER_CEPHALO_BATCHSPLIT_H
