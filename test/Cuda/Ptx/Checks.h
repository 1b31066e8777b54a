//===- Checks.h - Single instructions and what they compute -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_TEST_CUDA_PTX_CHECKS_H
#define HETERO_TEST_CUDA_PTX_CHECKS_H

#include "TestDevice.h"

namespace hetero::standin {

/// An instruction from registers %r1, %r2, .. (or %rs, %rd or %q, for
/// predicates that are whether an input is not 0) to %r0 (or %rs0, %rd0, %q0),
/// inputs and the result, and perhaps a second one in %q9.
struct Check {
  std::string text;
  std::vector<uint64_t> inputs;
  uint64_t expected;
  int second = -1;
};

/// Runs the instructions of a module for all checks.
inline void runChecks(const std::vector<Check> &checks) {
  std::string all = ".version 8.0\n.target sm_90\n.address_size 64\n";
  for (size_t k = 0; k < checks.size(); ++k) {
    const Check &check = checks[k];
    std::string name = "k" + std::to_string(k);
    all += ".visible .entry " + name + "(.param .u64 " + name + "_0)\n{\n" +
           ".reg .pred %q<12>; .reg .b16 %rs<12>; .reg .b32 %r<12>; .reg .b64 "
           "%rd<12>; .reg .b64 %a; .reg .b32 %t;\nld.param.b64 %a, [" +
           name + "_0];\n";
    for (size_t i = 0; i < check.inputs.size(); ++i) {
      std::string n = std::to_string(i + 1);
      all += "ld.global.b64 %rd" + n + ", [%a+" + std::to_string(16 + 8 * i) +
             "]; cvt.u32.u64 %r" + n + ", %rd" + n + "; cvt.u16.u64 %rs" + n +
             ", %rd" + n + "; setp.ne.b64 %q" + n + ", %rd" + n + ", 0;\n";
    }
    all += "setp.ne.b32 %q9, 0, 0;\n" + check.text + "\n";
    bool isWide = check.text.find("%rd0") != std::string::npos;
    if (check.text.find("%rs0") != std::string::npos)
      all += "cvt.u64.u16 %rd0, %rs0;\n";
    else if (check.text.find("%q0") != std::string::npos)
      all += "selp.b64 %rd0, 1, 0, %q0;\n";
    else if (!isWide)
      all += "cvt.u64.u32 %rd0, %r0;\n";
    all += "st.global.b64 [%a], %rd0;\nselp.b32 %t, 1, 0, %q9;\n"
           "st.global.b32 [%a+8], %t;\nret;\n}\n";
  }
  auto module = load(all);
  ASSERT_TRUE(module);
  for (size_t k = 0; k < checks.size(); ++k) {
    const Check &check = checks[k];
    std::vector<uint64_t> slots = {0, 0};
    slots.insert(slots.end(), check.inputs.begin(), check.inputs.end());
    TestMemory memory;
    Launch launch;
    uint64_t address = memory.allocate(slots);
    launch.parameters = pack({address});
    std::string what = check.text;
    for (uint64_t input : check.inputs) {
      char digits[24];
      std::snprintf(digits, sizeof digits, " 0x%llx",
                    static_cast<unsigned long long>(input));
      what += digits;
    }
    EXPECT_EQ(run(*module, "k" + std::to_string(k), memory, launch), "");
    slots = memory.read<uint64_t>(address);
    EXPECT_EQ(slots[0], check.expected)
        << what << std::hex << "\n  is 0x" << slots[0] << " instead of 0x"
        << check.expected;
    if (check.second >= 0)
      EXPECT_EQ(int(slots[1] & 1), check.second) << what;
  }
}

} // namespace hetero::standin

#endif // HETERO_TEST_CUDA_PTX_CHECKS_H
