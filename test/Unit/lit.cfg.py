"""How lit runs the unit tests: each case of the binary is a test."""

import os

import lit.formats

config.name = "hetero-unit"
config.test_format = lit.formats.GoogleTest(".", "-tests")
config.suffixes = []
config.test_source_root = os.path.join(config.hetero_binary_root, "test", "Unit")
config.test_exec_root = config.test_source_root
with open(os.path.join(os.path.dirname(__file__), "..", "sanitizers.env")) as lines:
    config.environment.update(line.strip().split("=", 1) for line in lines if not line.startswith("#"))
