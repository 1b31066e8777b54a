//===- Capture.h - Work that becomes a graph --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_TEST_CUDA_STANDIN_CAPTURE_H
#define HETERO_TEST_CUDA_STANDIN_CAPTURE_H

#include "Engine.h"

namespace hetero::standin {

struct GraphNode {
  Work work;
  /// Nodes that end before it begins; all are in front of it.
  std::vector<size_t> after;
};

struct Graph {
  std::vector<GraphNode> nodes;
};

/// What the streams that take part in a capture have been given.
struct Capture {
  Stream *origin = nullptr;
  Graph graph;
  /// What the next node of each stream comes after.
  std::map<Stream *, std::vector<size_t>> tips;
  bool isBroken = false;

  size_t add(Stream &stream, Work work) {
    std::vector<size_t> &tip = tips[&stream];
    graph.nodes.push_back({std::move(work), tip});
    tip = {graph.nodes.size() - 1};
    return graph.nodes.size() - 1;
  }
};

} // namespace hetero::standin

#endif // HETERO_TEST_CUDA_STANDIN_CAPTURE_H
