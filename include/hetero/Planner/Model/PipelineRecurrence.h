//===- PipelineRecurrence.h - Stages, the last one first --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The idea
// --------
// How long a step takes follows from the stages one by one, from the last to
// the first. A *tail* is the stages from one of them to the last, with times
// from when the first of the tail begins; three numbers of it are all that the
// stage before it needs to know:
//
//   stay     how long a microbatch is in the tail, forwards and back
//   gone     when the last microbatch's gradient leaves the tail
//   seconds  when all stages of the tail are done
//
// A stage takes f for a forward and b for a backward, of which w can wait: half
// of it, the gradients of weights, if backwards are split, else nothing. A
// microbatch crosses to the tail in c and its gradient back in g. Of n
// microbatches r have room in flight. With ' for the tail behind the stage:
//
//   stay    = stay' + f + (b - w) + c + g
//   end     = max(n (f + b), n (stay + w) / r, ways out of the nodes)
//
// It computes all microbatches; by Little's law it starts one every stay / r at
// best; and the ways out of its nodes carry so much in a second. If backwards
// are split, it also waits for the first gradient when the microbatches that
// have room do not bridge the way there and back, and the last gradient leaves
// before some of the gradients of weights are computed:
//
//   end    += 1.5 max(0, stay - w - r f)
//   gone    = max(f + c + gone' + g + w, end - 0.7 r w)
//   own     = gather + max(end, gone + w) + reduce + update
//
// If they are not, its last gradient is the last of all:
//
//   own     = gather + end + stay - (f + b) + reduce + update
//
// And the tail behind it begins f + c later:
//
//   seconds = max(own, f + c + seconds')
//
// A worked example
// ----------------
// Two stages with f = 1, b = 2, crossings that take nothing, four microbatches
// that all have room. Without split backwards:
//
//   last    stay 3, end 12, own 12 + 3 - 3 = 12, seconds 12
//   first   stay 6, end 12, own 12 + 6 - 3 = 15, seconds max(15, 1 + 12) = 15
//
// With them, w = 1, the first stage fills its gaps, and nobody waits but the
// last stage for its first microbatch:
//
//   last    stay 2, end 12, gone max(2, 12 - 2.8) = 9.2, seconds 12
//   first   stay 4, end 12, gone max(1 + 9.2 + 1, 9.2) = 11.2,
//           own max(12, 12.2) = 12.2, seconds max(12.2, 1 + 12) = 13

#ifndef HETERO_PLANNER_MODEL_PIPELINERECURRENCE_H
#define HETERO_PLANNER_MODEL_PIPELINERECURRENCE_H

#include <algorithm>

namespace hetero::planner {

/// Stages from one of them to the last; none if everything is zero. All times
/// are in seconds from when the first of them begins.
struct PipelineTail {
  double seconds = 0, gone = 0, stay = 0;
  /// `own` above: when the first of them is done, whatever the others take.
  double own = 0;
};

/// A stage to put before a tail, in seconds.
struct PipelineStage {
  /// Of a microbatch: f, b, c and g above.
  double forward = 0, backward = 0, there = 0, back = 0;
  /// n microbatches, what computing all of them takes (their sizes may differ),
  /// and how many have room in flight, at least 1.
  double count = 1, work = 0, room = 1;
  /// What the ways out of its nodes take at least for all microbatches.
  double ways = 0;
  /// Once for a step.
  double gather = 0, reduce = 0, update = 0;
  /// Whether the gradients of weights may wait.
  bool splits = true;
};

/// How long a way out of a node takes for `count` microbatches that make it
/// busy for `load` each, if it can be busy for the part `fullest` of its time.
inline double wayTime(double count, double load, double fullest) {
  return count * load / fullest;
}

/// How much longer a crossing takes whose way out of a node is shared with what
/// goes in the other direction and makes it `busy` for each microbatch, while a
/// microbatch is computed in `computed`.
inline double sharedWay(double busy, double computed) {
  return 1 + std::min(1.0, busy / computed);
}

/// The tail that begins with `stage`. In the header as searches do little else.
inline PipelineTail prependStage(const PipelineStage &stage,
                                 const PipelineTail &tail) {
  // As simulations of split backwards show: for how much longer than it must a
  // stage waits that has too few in flight to bridge the first way there and
  // back, and the part of the microbatches in flight whose gradients of weights
  // are left for the end.
  constexpr double idlesLonger = 1.5, delayed = 0.7;
  double late = stage.splits ? stage.backward / 2 : 0;
  double early = stage.splits ? late : stage.backward;
  PipelineTail result;
  result.stay = tail.stay + (stage.forward + early + stage.there + stage.back);
  double end =
      std::max({stage.work, stage.count * (result.stay + late) / stage.room,
                stage.ways});
  if (stage.splits) {
    end += idlesLonger *
           std::max(0.0, result.stay - late - stage.room * stage.forward);
    result.gone =
        std::max(stage.forward + stage.there + tail.gone + stage.back + late,
                 end - delayed * stage.room * late);
    end = std::max(end, result.gone + late);
  } else {
    end += result.stay - (stage.forward + stage.backward);
  }
  result.own = stage.gather + end + stage.reduce + stage.update;
  result.seconds =
      std::max(result.own, stage.forward + stage.there + tail.seconds);
  return result;
}

} // namespace hetero::planner

#endif // HETERO_PLANNER_MODEL_PIPELINERECURRENCE_H
