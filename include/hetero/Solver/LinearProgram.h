//===- LinearProgram.h - Linear programs with names -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The idea
// --------
// Variables between bounds, rows that bound sums of them, a cost to minimize.
// COIN-OR's CLP solves it. Variables and rows have names, so that a program
// without a solution says which row cannot hold and by how much it is short.
//
// A worked example
// ----------------
// A batch for a fast and a slow device, such that the slower part is done as
// early as possible, where the fast one has memory for 60 % of it:
//
//   LinearProgram program;
//   int fast = program.addVariable("fast", 0, 1);
//   int slow = program.addVariable("slow", 0, 1);
//   int time = program.addVariable("time", 0, infinity, /*cost=*/1);
//   program.addRow("all", {{fast, 1}, {slow, 1}}, 1, 1);
//   program.addRow("fast done", {{time, 1}, {fast, -2}}, 0, infinity);
//   program.addRow("slow done", {{time, 1}, {slow, -6}}, 0, infinity);
//   program.addRow("memory", {{fast, 1}}, -infinity, 0.6);
//   Expected<LinearSolution> solution = program.minimize();
//
// gives fast 0.6, slow 0.4, time 2.4; without the memory 0.75, 0.25 and 1.5. If
// `slow` were at most 0.3 as well, the error would name a row (a limit rather
// than an equation):
//
//   infeasible: row 'memory' is 0.7, but must be at most 0.6

#ifndef HETERO_SOLVER_LINEARPROGRAM_H
#define HETERO_SOLVER_LINEARPROGRAM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <limits>
#include <string>
#include <vector>

namespace hetero::solver {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// A variable and what it is multiplied with.
struct LinearTerm {
  int variable = 0;
  double factor = 0;
};

struct LinearSolution {
  double cost = 0;
  /// By variable.
  std::vector<double> values;
};

class LinearProgram {
public:
  /// Adds a variable and returns its number.
  int addVariable(llvm::StringRef name, double lower = 0,
                  double upper = infinity, double cost = 0);

  /// Adds `lower <= sum of terms <= upper` and returns its number. A variable
  /// that occurs several times counts with the sum of its factors.
  int addRow(llvm::StringRef name, llvm::ArrayRef<LinearTerm> terms,
             double lower, double upper);

  /// A solution of least cost. Every bound and row holds in it, up to
  /// `tolerance` times the size of the row's terms; that is checked and not
  /// taken from the solver. Fails when there is none, naming the row that is
  /// missed most when as little as possible is missed in total; when the cost
  /// has no least value, naming a variable that grows without end; and when a
  /// number is not finite or a term names no variable.
  llvm::Expected<LinearSolution> minimize() const;

  /// By how much `values` misses the bounds or rows, at most, relative to the
  /// size of the terms.
  double getViolation(llvm::ArrayRef<double> values) const;

  static constexpr double tolerance = 1e-6;

private:
  struct Variable {
    std::string name;
    double lower, upper, cost;
  };
  struct Row {
    std::string name;
    std::vector<LinearTerm> terms;
    double lower, upper;

    double at(llvm::ArrayRef<double> values) const;
    /// What a miss is compared with.
    double scale(llvm::ArrayRef<double> values) const;
  };

  llvm::Error check() const;
  llvm::Error explainInfeasible() const;
  LinearProgram relax() const;

  std::vector<Variable> variables;
  std::vector<Row> rows;
  /// Whether rows can be missed at a price.
  bool mayMiss = false;
};

} // namespace hetero::solver

#endif // HETERO_SOLVER_LINEARPROGRAM_H
