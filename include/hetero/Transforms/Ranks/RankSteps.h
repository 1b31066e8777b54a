//===- RankSteps.h - What every rank does, in order -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rank programs of a module, as lists of steps. A step is an operation of
// the rank program; before a call come the communications inside of the unit
// that it calls.
//
// Communications are numbered as the runtime numbers them
// (hetero/Runtime/Transport.h): a *stream* is a group of ranks and a channel,
// or a sender, a receiver and a channel, and what a rank does on it is matched
// by its position with what the others do there.

#ifndef HETERO_TRANSFORMS_RANKS_RANKSTEPS_H
#define HETERO_TRANSFORMS_RANKS_RANKSTEPS_H

#include "hetero/Dialect/Hetero/Hetero.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include <map>

namespace hetero::ranks {

struct Step {
  mlir::Operation *op = nullptr;
  /// The call whose unit it is in; null on the rank program itself.
  mlir::Operation *call = nullptr;
  /// Of a communication: its stream and its position there.
  int64_t stream = -1, position = -1;
  /// Of a wait: the step that it ends.
  int64_t target = -1;

  bool isCommunication() const { return stream >= 0; }
};

struct RankSteps {
  int64_t rank = 0;
  mutable mlir::func::FuncOp function;
  std::vector<Step> steps;

  /// An operation of the rank program itself that stands for a step.
  mlir::Operation *getTop(const Step &step) const {
    return step.call ? step.call : step.op;
  }
};

struct Stream {
  /// The members of a collective in their order, or sender and receiver.
  llvm::SmallVector<int64_t> group;
  int64_t channel = 0;
  bool isMessage = false;
  /// For each member, its steps here.
  std::vector<std::vector<size_t>> steps;

  int64_t getMember(int64_t rank) const {
    return llvm::find(group, rank) - group.begin();
  }
};

class Programs {
public:
  /// Reads the rank programs. Fails with a diagnostic if there are none, if a
  /// rank has two, or if communication is where it cannot be followed.
  static mlir::FailureOr<std::unique_ptr<Programs>> read(mlir::ModuleOp module);

  /// By rank.
  std::map<int64_t, RankSteps> ranks;
  std::vector<Stream> streams;
  mutable mlir::ModuleOp module;

  mlir::func::FuncOp getCallee(mlir::Operation *call) const {
    return callees.lookup(call);
  }

private:
  mlir::FailureOr<llvm::ArrayRef<mlir::Operation *>>
  getFollowed(mlir::func::FuncOp function);
  mlir::LogicalResult addStep(RankSteps &rank, mlir::Operation *op,
                              mlir::Operation *call, int depth);
  mlir::LogicalResult addCall(RankSteps &rank, mlir::func::CallOp op,
                              mlir::Operation *call, int depth);
  mlir::LogicalResult addWait(RankSteps &rank, WaitOp wait,
                              mlir::Operation *call);
  mlir::LogicalResult addCommunication(RankSteps &rank, Step step);
  mlir::LogicalResult checkWaited(const RankSteps &rank,
                                  llvm::ArrayRef<mlir::Operation *> ops);

  using StreamKey = std::tuple<std::vector<int64_t>, int64_t, bool>;
  std::map<StreamKey, int64_t> streamNumbers;
  std::map<mlir::Operation *, std::vector<mlir::Operation *>> followed;
  llvm::DenseMap<mlir::Operation *, mlir::func::FuncOp> callees;
  llvm::DenseMap<mlir::Value, size_t> started;
  mlir::SymbolTableCollection symbols;
};

/// Moves every `hetero.wait` for a send of a rank program to where it is known
/// that the receive was reached, as early as that is: there it never waits, and
/// what was sent can end. Those of which that is never known stay where they
/// are.
void placeSendWaits(const Programs &programs);

/// "all_gather": the name without the dialect.
llvm::StringRef getShortName(mlir::Operation *op);

/// "rank 2 in 'backward 1'": where a step is, for messages.
std::string describePlace(const RankSteps &rank, const Step &step);

} // namespace hetero::ranks

#endif // HETERO_TRANSFORMS_RANKS_RANKSTEPS_H
