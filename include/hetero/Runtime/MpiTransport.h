//===- MpiTransport.h - Ranks as processes ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transport `mpi`: each process that mpirun has started is one rank.
//
//   Result<std::unique_ptr<Transport>> transport = createMpiTransport();
//   if (!transport)
//     return transport.error();
//
// The idea
// --------
// Data go by MPI_Isend and MPI_Irecv. Beside them every process sends a sign of
// life to all others ten times a second, with what it executes, and has a
// thread that looks after the others:
//
//   its process is gone (same machine)      lost at once
//   it was silent for `lossTimeout`         lost; says so if it is stopped; one
//                                           that runs on this machine may be
//                                           silent for six times as long
//   others end after this process was       it was itself lost to them
//   stopped for `lossTimeout`
//   mpirun ends this process (SIGTERM)      somebody is lost: finds out who
//
// A rank that is lost ends the run on all. MPI itself gives no such promise:
// what waits for a dead process waits for ever, and mpirun kills everybody
// without a word of what they did. So from the first failure on nothing more
// is asked of MPI. The process has some seconds to end by itself; after that
// the thread prints the reason and ends it.
//
// MPI is started with the first transport of a process, and ended when the
// process exits. A process may have several transports, one after the other
// or together; all processes make them in the same order.

#ifndef HETERO_RUNTIME_MPITRANSPORT_H
#define HETERO_RUNTIME_MPITRANSPORT_H

#include "hetero/Runtime/Transport.h"

namespace hetero::runtime {

struct MpiOptions {
  /// How long a rank may be silent. Of the first transport of the process.
  std::chrono::milliseconds lossTimeout{10000};
  /// Larger messages go in pieces, because MPI counts in `int`.
  int64_t largestPiece = int64_t(1) << 30;
};

/// The rank of this process. Fails if the build has no MPI, or MPI cannot be
/// used from several threads.
Result<std::unique_ptr<Transport>> createMpiTransport(MpiOptions options = {});

} // namespace hetero::runtime

#endif // HETERO_RUNTIME_MPITRANSPORT_H
