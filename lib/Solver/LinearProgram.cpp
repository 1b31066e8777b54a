//===- LinearProgram.cpp - Linear programs with names ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Solver/LinearProgram.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FormatVariadic.h"
#include <Clp_C_Interface.h>
#include <cmath>
#include <memory>

using namespace llvm;
using namespace hetero::solver;

/// As people write it: 0.9, 1e+30.
static std::string toText(double value) {
  std::string text;
  raw_string_ostream(text) << format("%.6g", value);
  return text;
}

int LinearProgram::addVariable(StringRef name, double lower, double upper,
                               double cost) {
  variables.push_back({name.str(), lower, upper, cost});
  return variables.size() - 1;
}

int LinearProgram::addRow(StringRef name, ArrayRef<LinearTerm> terms,
                          double lower, double upper) {
  rows.push_back({name.str(), terms.vec(), lower, upper});
  return rows.size() - 1;
}

double LinearProgram::Row::at(ArrayRef<double> values) const {
  double sum = 0;
  for (const LinearTerm &term : terms)
    sum += term.factor * values[term.variable];
  return sum;
}

double LinearProgram::Row::scale(ArrayRef<double> values) const {
  double scale = 1;
  for (const LinearTerm &term : terms)
    scale = std::max(scale, std::abs(term.factor * values[term.variable]));
  for (double bound : {lower, upper})
    if (std::isfinite(bound))
      scale = std::max(scale, std::abs(bound));
  return scale;
}

Error LinearProgram::check() const {
  auto fail = [](const Twine &what, StringRef name, const Twine &why) {
    return createStringError(what + " '" + name + "' " + why);
  };
  auto checkBounds = [&](const char *what, StringRef name, double lower,
                         double upper) -> Error {
    if (std::isnan(lower) || std::isnan(upper) || lower == infinity ||
        upper == -infinity)
      return fail(what, name, "has a bound that is not a number");
    if (lower > upper)
      return fail(what, name,
                  "must be at least " + toText(lower) + " and at most " +
                      toText(upper));
    return Error::success();
  };
  for (const Variable &variable : variables) {
    if (Error error = checkBounds("variable", variable.name, variable.lower,
                                  variable.upper))
      return error;
    if (!std::isfinite(variable.cost))
      return fail("variable", variable.name, "has a cost that is not finite");
  }
  for (const Row &row : rows) {
    if (Error error = checkBounds("row", row.name, row.lower, row.upper))
      return error;
    for (const LinearTerm &term : row.terms)
      if (term.variable < 0 || term.variable >= int(variables.size()) ||
          !std::isfinite(term.factor))
        return fail("row", row.name,
                    "has a term without a variable or a finite factor");
  }
  return Error::success();
}

double LinearProgram::getViolation(ArrayRef<double> values) const {
  double worst = 0;
  for (auto [variable, value] : zip_equal(variables, values)) {
    double scale = std::max(1.0, std::abs(value));
    worst = std::max({worst, (variable.lower - value) / scale,
                      (value - variable.upper) / scale});
  }
  for (const Row &row : rows) {
    double value = row.at(values), scale = row.scale(values);
    worst = std::max(
        {worst, (row.lower - value) / scale, (value - row.upper) / scale});
  }
  return worst;
}

/// The same variables and rows without costs, where each row may be missed at a
/// price of 1 for each unit of its largest factor, an equation at twice that.
LinearProgram LinearProgram::relax() const {
  LinearProgram relaxed = *this;
  relaxed.mayMiss = true;
  for (Variable &variable : relaxed.variables)
    variable.cost = 0;
  for (Row &row : relaxed.rows) {
    double size = 0;
    for (const LinearTerm &term : row.terms)
      size = std::max(size, std::abs(term.factor));
    double price = (size > 0 ? 1 / size : 1) * (row.lower == row.upper ? 2 : 1);
    row.terms.push_back({relaxed.addVariable("below", 0, infinity, price), 1});
    row.terms.push_back({relaxed.addVariable("above", 0, infinity, price), -1});
  }
  return relaxed;
}

Error LinearProgram::explainInfeasible() const {
  Expected<LinearSolution> solution = relax().minimize();
  if (!solution)
    return solution.takeError();
  const Row *worst = nullptr;
  double most = 0;
  for (const Row &row : rows) {
    double value = row.at(solution->values);
    double miss = std::max(row.lower - value, value - row.upper) /
                  row.scale(solution->values);
    if (miss > most) {
      most = miss;
      worst = &row;
    }
  }
  if (!worst)
    return createStringError("infeasible by less than the tolerance");
  double value = worst->at(solution->values);
  bool below = value < worst->lower;
  return createStringError("infeasible: row '" + worst->name + "' is " +
                           toText(value) + ", but must be at " +
                           (below ? "least " + toText(worst->lower)
                                  : "most " + toText(worst->upper)));
}

Expected<LinearSolution> LinearProgram::minimize() const {
  if (Error error = check())
    return error;
  int numColumns = variables.size(), numRows = rows.size();
  // CLP takes columns; rows that name a variable twice are summed first.
  std::vector<std::vector<std::pair<int, double>>> columns(numColumns);
  for (auto [index, row] : enumerate(rows))
    for (const LinearTerm &term : row.terms) {
      auto &column = columns[term.variable];
      if (!column.empty() && column.back().first == int(index))
        column.back().second += term.factor;
      else
        column.emplace_back(index, term.factor);
    }
  std::vector<CoinBigIndex> starts = {0};
  std::vector<int> indices;
  std::vector<double> factors, lower, upper, cost, rowLower, rowUpper;
  for (auto [variable, column] : zip_equal(variables, columns)) {
    for (auto [row, factor] : column) {
      indices.push_back(row);
      factors.push_back(factor);
    }
    starts.push_back(indices.size());
    lower.push_back(variable.lower);
    upper.push_back(variable.upper);
    cost.push_back(variable.cost);
  }
  for (const Row &row : rows) {
    rowLower.push_back(row.lower);
    rowUpper.push_back(row.upper);
  }
  std::unique_ptr<Clp_Simplex, void (*)(Clp_Simplex *)> model(Clp_newModel(),
                                                              Clp_deleteModel);
  Clp_setLogLevel(model.get(), 0);
  Clp_loadProblem(model.get(), numColumns, numRows, starts.data(),
                  indices.data(), factors.data(), lower.data(), upper.data(),
                  cost.data(), rowLower.data(), rowUpper.data());
  Clp_dual(model.get(), /*ifValuesPass=*/0);
  if (!Clp_isProvenOptimal(model.get()))
    Clp_primal(model.get(), /*ifValuesPass=*/0);
  // It may know neither; what can miss its rows is feasible.
  bool isOpen = !Clp_isProvenOptimal(model.get()) &&
                !Clp_isProvenDualInfeasible(model.get());
  if (!mayMiss && isOpen)
    return explainInfeasible();
  if (Clp_isProvenDualInfeasible(model.get())) {
    std::string name = "?";
    if (double *ray = Clp_unboundedRay(model.get())) {
      auto *most =
          std::max_element(ray, ray + numColumns, [](double a, double b) {
            return std::abs(a) < std::abs(b);
          });
      name = variables[most - ray].name;
      Clp_freeRay(model.get(), ray);
    }
    return createStringError("unbounded: variable '" + name +
                             "' can grow without end");
  }
  if (!Clp_isProvenOptimal(model.get()))
    return createStringError("the solver of linear programs gave up after " +
                             Twine(Clp_getIterationCount(model.get())) +
                             " iterations");
  LinearSolution solution;
  const double *values = Clp_getColSolution(model.get());
  solution.values.assign(values, values + numColumns);
  for (auto [variable, value] : zip_equal(variables, solution.values)) {
    value = std::clamp(value, variable.lower, variable.upper);
    solution.cost += variable.cost * value;
  }
  if (double violation = getViolation(solution.values); violation > tolerance)
    return createStringError("the solver of linear programs missed a row by " +
                             toText(violation));
  return solution;
}
