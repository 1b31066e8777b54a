//===- Traffic.h - Transfers that divide media ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which transfers are under way, how fast each of them goes, and when it will
// be done if nothing changes. See Simulator.h for how media are divided.
//
// Only a medium whose users want more than all of it slows anybody down. When a
// transfer begins or ends, the speeds of those change that are joined with it
// by such media, and only these are computed anew. That can be most of them
// each time, so the next end is found by looking at blocks of streams, of which
// only those with a change are looked through.

#ifndef HETERO_LIB_SIMULATOR_TRAFFIC_H
#define HETERO_LIB_SIMULATOR_TRAFFIC_H

#include "hetero/Simulator/Simulator.h"

namespace hetero::simulator {

class Traffic {
public:
  /// `streams` carry one transfer at a time each.
  Traffic(const Network *network, size_t streams);

  /// A transfer starts on a stream that has none, and would take `duration`
  /// alone. If it `yields`, it gets what those that do not leave.
  void begin(int64_t stream, Time now, Time duration,
             llvm::ArrayRef<Load> loads, bool yields);
  /// The transfer of a stream is done.
  void end(int64_t stream, Time now);

  /// The end of a transfer, if nothing begins before.
  struct End {
    Time time;
    int64_t stream = -1;
  };
  /// The first of them, of the first stream if there are several; no stream if
  /// nothing is under way.
  const End &nextEnd();
  std::vector<MediumStatistics> statistics() const;

private:
  struct Stream {
    llvm::ArrayRef<Load> loads;
    /// The largest speed of it on a medium when it goes as fast as it can.
    double fullSpeed = 0;
    /// Picoseconds at full speed that are left at `since`.
    double remaining = 0;
    double rate = 0;
    Time since;
    bool active = false, yields = false, visited = false;
  };
  struct State {
    llvm::SmallVector<int64_t, 4> users;
    /// What its users want of it, 1 for all.
    double wanted = 0;
    double left = 0, rising = 0;
    double busy = 0;
    bool visited = false;
  };

  bool isTight(const State &medium) const { return medium.wanted > 1 + 1e-9; }
  void collect(int64_t stream);
  void divide(Time now);
  void raise(bool yielding);
  double nextLevel(llvm::ArrayRef<int64_t> open, double level);
  void setRate(int64_t stream, double rate, Time now);
  void setEnd(int64_t stream, Time end);

  llvm::ArrayRef<Medium> media;
  std::vector<Stream> streams;
  std::vector<State> states;
  /// Streams and media whose speeds are computed anew, and the new rates.
  llvm::SmallVector<int64_t> members, full;
  llvm::SmallVector<double> rates;
  /// By stream; far away if nothing is under way or does not move.
  std::vector<Time> ends;
  /// The first end of each block, and whether it must be found again.
  std::vector<End> firstEnds;
  std::vector<bool> isStale;
  llvm::SmallVector<int64_t> stale;
  /// The first end of all, if nothing is stale.
  End next;
};

} // namespace hetero::simulator

#endif // HETERO_LIB_SIMULATOR_TRAFFIC_H
