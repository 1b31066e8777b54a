//===- SimulationCheck.h - What a simulation needs --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_LIB_SIMULATOR_SIMULATIONCHECK_H
#define HETERO_LIB_SIMULATOR_SIMULATIONCHECK_H

#include "hetero/Simulator/Simulator.h"

namespace hetero::simulator {

/// Checks that there are times for everything and that instructions name only
/// what exists.
llvm::Error checkSimulation(const Simulation &simulation);

} // namespace hetero::simulator

#endif // HETERO_LIB_SIMULATOR_SIMULATIONCHECK_H
