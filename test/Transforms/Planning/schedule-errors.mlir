// RUN: not hetero-opt %s --hetero-schedule=kind=fast --split-input-file 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: hetero-opt %s --hetero-schedule=kind=gpipe --split-input-file --verify-diagnostics

// KIND: error: unknown kind of schedule 'fast'; one of: auto, gpipe, 1f1b, interleaved, h1f1b, zero_bubble, layered

// expected-error @below {{has no hetero.plan; run hetero-plan first}}
module {
}

// -----

hetero.mesh @all = [0]
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [4, 4] predicted 1 ms {
  // expected-error @below {{has room for 1 microbatches in flight, but gpipe keeps all 2; plan with schedule=gpipe, or raise in_flight}}
  hetero.stage 0 on @all layers [0] samples [[4]] in_flight 1
}

// -----

hetero.mesh @all = [0]
hetero.plan @plan of @step planner "hand" minimizes time batch 8 microbatches [4, 4] predicted 1 ms {
  // expected-error @below {{has 2 runs of layers; schedules of this kind have 1}}
  hetero.stage 0 on @all layers [0, 2] samples [[4]] in_flight 2
  hetero.stage 1 on @all layers [1, 3] samples [[4]] in_flight 2
}
