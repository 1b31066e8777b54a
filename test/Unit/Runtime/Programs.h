//===- Programs.h - Small rank programs for tests ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_TEST_UNIT_RUNTIME_PROGRAMS_H
#define HETERO_TEST_UNIT_RUNTIME_PROGRAMS_H

#include "hetero/Runtime/ProgramGroup.h"
#include "hetero/Runtime/Regions.h"

namespace hetero::runtime {

inline TensorType f32(std::vector<int64_t> shape) {
  return {ElementType::F32, std::move(shape)};
}

/// Writes a program line by line.
class ProgramBuilder {
public:
  explicit ProgramBuilder(int64_t rank) { program.rank = rank; }

  BufferId buffer(TensorType type) {
    program.buffers.push_back(std::move(type));
    return program.buffers.size() - 1;
  }
  /// Whole, unless there is a region.
  BufferId argument(int64_t index, TensorType type) {
    Region region = wholeOf(type);
    return argument(index, std::move(type), std::move(region));
  }
  BufferId argument(int64_t index, TensorType type, Region region) {
    BufferId id = buffer(std::move(type));
    program.arguments.push_back({id, index, std::move(region)});
    return id;
  }
  void result(int64_t index, BufferId id) {
    program.results.push_back({id, index, wholeOf(program.buffers[id])});
  }
  void result(int64_t index, BufferId id, Region region) {
    program.results.push_back({id, index, std::move(region)});
  }

  Instruction &add(Opcode opcode, std::vector<BufferId> operands,
                   std::vector<BufferId> results, std::string label = "") {
    Instruction what;
    what.opcode = opcode;
    what.operands = std::move(operands);
    what.results = std::move(results);
    what.label = std::move(label);
    program.instructions.push_back(std::move(what));
    return program.instructions.back();
  }
  Instruction &call(const std::string &kernel, std::vector<BufferId> operands,
                    std::vector<BufferId> results, std::string label = "") {
    Instruction &what = add(Opcode::Call, std::move(operands),
                            std::move(results), std::move(label));
    what.kernel = program.kernels.size();
    program.kernels.push_back(kernel);
    return what;
  }
  void free(std::vector<BufferId> operands) {
    add(Opcode::Free, std::move(operands), {});
  }
  void wait(int32_t target) { add(Opcode::Wait, {}, {}).target = target; }

  Program program;
};

} // namespace hetero::runtime

#endif // HETERO_TEST_UNIT_RUNTIME_PROGRAMS_H
