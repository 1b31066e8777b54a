//===- JointNumbers.h - How far each phase of joint looks -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every number that bounds a phase of JointPlanner.h, by phase. Larger ones
// find more and take longer. "Fitted" says that the number was chosen by trials
// on the pairs of examples/suite.json, between the time of the search and that
// of its plans; nothing else follows from it.

#ifndef HETERO_LIB_PLANNER_JOINT_JOINTNUMBERS_H
#define HETERO_LIB_PLANNER_JOINT_JOINTNUMBERS_H

#include "hetero/Support/Amount.h"

namespace hetero::planner {

struct JointNumbers {
  //===-- Sizes of problems -----------------------------------------------===//

  /// Problems with at most so many layers times devices are small: their
  /// searches are so short that more is done for them.
  size_t smallProblem = 400;
  /// From so many devices on, whole nodes are searched as stages, and lines of
  /// more devices are cut at more positions: 10 positions on 128 devices are
  /// further apart than a node of 8.
  int64_t manyDevices = 64;
  /// On more devices than these, stages of whole nodes are usually faster than
  /// what local search makes of them device by device, which gets half of its
  /// work there.
  int64_t hundredsOfDevices = 256;

  //===-- Search lines ----------------------------------------------------===//

  /// Runs of devices go by node up to this number of runs, all permutations of
  /// which (120) are tried; by site if there are more.
  size_t mostRunsByNode = 5;
  /// Every number of microbatches up to `fewMicrobatches` is searched; of
  /// larger ones those that divide the batch, and two for each doubling (1.4 is
  /// about the root of 2), as neighbours have nearly the same plans.
  double fewMicrobatches = 4, nextMicrobatches = 1.4;
  /// Where a coarse search cuts lines of up to `manyDevices` devices, of more,
  /// and layers; and where a fine one cuts layers. A search takes their
  /// squares; fitted.
  int64_t coarsePositions = 10, morePositions = 16, coarseCuts = 24,
          fineCuts = 72;
  /// How many labels a state of the search keeps, and how many layouts a search
  /// returns; fitted.
  size_t labelsPerState = 6, layoutsPerSearch = 4;
  /// How many lines are searched with all numbers of microbatches, with how
  /// many of the best numbers the other lines are, and how many of the best
  /// pairs of line and number are searched finely; fitted.
  size_t firstLines = 4, bestMicrobatches = 6, mostFine = 10;
  /// Which schedule is fastest depends on the number of microbatches, so that
  /// no more than these go on with the same number, where few go on.
  size_t mostAlike = 3;
  /// A search skips layouts whose value is this much above the best estimate,
  /// as its formula may be too high by that (1.06 missed plans). In small
  /// problems what is best with split backwards is of interest as well, which
  /// the formula does not know.
  double slack = 1.12, smallSlack = 1.4;

  //===-- Search nodes ----------------------------------------------------===//

  /// For how many orders of the classes: 4 are all but two for three classes.
  int64_t classOrders = 4;
  /// How many designs are estimated, and how many of these may be regular ones,
  /// which come after those of whole nodes; fitted.
  size_t mostNodeDesigns = 120, mostRegular = 40;
  /// How many of the best are simulated with all schedules, and how many start
  /// local search; fitted.
  size_t nodesScheduled = 9, nodeStarts = 3;

  //===-- Improve ---------------------------------------------------------===//

  /// How many designs local search starts from: the best ones, then the best
  /// for each number of stages, then other pairs of stages and microbatches;
  /// none that takes so much longer than the best. Fitted: depth and
  /// microbatches hardly change on the way, so that they have to differ here.
  size_t mostStarts = 14, bestStarts = 4;
  double startSlack = 1.5;
  /// How many designs local search estimates: so much work, divided by what an
  /// estimate takes for a device, for a layer, and anyway, measured in the same
  /// unit; and never fewer or more than these. So the phase takes about as long
  /// on 4 devices as on 200.
  int64_t improvementWork = 15000000, workOfDevice = 8, workOfLayer = 2,
          workOfDesign = 50, leastImproved = 400, mostImproved = 12000;
  /// A design that was shaken is improved only if it is not worse than the best
  /// by more than this; fitted.
  double shakeSlack = 1.3;

  //===-- Evaluate and schedule -------------------------------------------===//

  /// How many designs are evaluated exactly, and how many of these may have the
  /// same number of microbatches: the estimate misranks by a few per cent.
  size_t mostEvaluated = 32, mostEvaluatedAlike = 10;
  /// How many plans are tried with other schedules, and how many if designs of
  /// whole nodes were tried before, which are then usually faster.
  size_t mostScheduled = 10, mostScheduledAfterNodes = 4;

  //===-- Split backwards -------------------------------------------------===//

  /// How many designs are improved for split backwards, and how many of these
  /// come from whole nodes with the same number of microbatches.
  size_t mostSplit = 5, mostSplitAlike = 2;
  /// How many designs with one number of microbatches are estimated to choose
  /// them, and how much longer than the best they may take with whole
  /// backwards. Told the number of microbatches, joint found plans that are up
  /// to 8 % faster before it looked at these.
  size_t splitLooks = 4;
  double splitSlack = 1.5;
  /// Each of them gets this part of the work above.
  int64_t splitPart = 8;

  //===-- One number of microbatches after the other ----------------------===//

  /// For how many numbers small problems are searched once more each. Together
  /// with the starts for split backwards it left 4 of 64 small cases, instead
  /// of 23, in which joint finds a faster plan when it is told the number.
  size_t mostCounts = 10;
  /// Unless a plan is this close to its bound: there is little left to find.
  Share closeEnough = Share(30000);
};

inline constexpr JointNumbers limits;

} // namespace hetero::planner

#endif // HETERO_LIB_PLANNER_JOINT_JOINTNUMBERS_H
