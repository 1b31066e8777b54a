"""Each lint rule accepts a clean tree and catches its violation."""

import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "utils" / "lib"))

from hetero_lint.main import RULES, main, rule_name  # noqa: E402
from hetero_lint.tree import Tree  # noqa: E402

LAYERS = """
set(HETERO_LAYERS
  Support Solver Planner/Problem Planner/Plan Dialect Transforms Runtime tools)
set(HETERO_IR_FREE_LAYERS Solver Planner Runtime)
"""


def source(name, body=""):
    """A C++ or TableGen file with the header that the rules want."""
    kind = "*- C++ -*-===//" if name.endswith(".h") else "===//"
    first = f"//===- {name} - A subject "
    return (
        first
        + "-" * (80 - len(first) - len(kind))
        + kind
        + """
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
        + body
    )


def header(name, guard, body=""):
    return source(name, f"\n#ifndef {guard}\n#define {guard}\n{body}\n#endif // {guard}\n")


OPS = """
include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
def Toy_Dialect : Dialect {
  let name = "toy";
  let cppNamespace = "::toy";
}
def Toy_NopOp : Op<Toy_Dialect, "nop"> {
  let summary = "does nothing";
  let description = [{
    ```mlir
    toy.nop
    ```
  }];
}
"""

PASSES = """
include "mlir/Pass/PassBase.td"
def ToyPass : Pass<"hetero-toy"> {
  let summary = "toys";
  let description = [{
    ```mlir
    toy.nop
    ```
  }];
  let statistics = [Statistic<"numToys", "num-toys", "operations toyed with">];
}
"""

CLEAN = {
    "README.md": "# Toy\nSee [the docs](docs/Toy.md#how-it-works).\n",
    "docs/Toy.md": "# Toy\n## How it works\nUp to [the README](../README.md).\n",
    "utils/cmake/HeteroLayers.cmake": LAYERS,
    "include/hetero/Solver/Search.h": header("Search.h", "HETERO_SOLVER_SEARCH_H"),
    "include/hetero/Dialect/Ops.td": source("Ops.td", OPS),
    "include/hetero/Transforms/Passes.td": source("Passes.td", PASSES),
    "lib/Solver/Search.cpp": source(
        "Search.cpp", '\n#include "hetero/Solver/Search.h"\n'
    ),
    "lib/Solver/CMakeLists.txt": "hetero_add_library(HeteroSolver LAYER Solver\n"
    "  SOURCES Search.cpp LINK_LIBS LLVM)\n",
    "lib/Dialect/CMakeLists.txt": "hetero_add_library(HeteroDialect LAYER Dialect\n"
    "  LINK_LIBS HeteroSolver MLIR)\n",
    "test/Transforms/toy.mlir": "// RUN: true\n",
    "test/Transforms/toy-errors.mlir": "// RUN: true\n",
}

# Rule, file, its new content (None removes it), a part of the message.
VIOLATIONS = [
    (
        "ir-free",
        "lib/Solver/Search.cpp",
        source("Search.cpp", '\n#include "mlir/IR/Builders.h"\n'),
        "IR-free layer 'Solver' includes 'mlir/IR/Builders.h'",
    ),
    (
        "ir-free",
        "include/hetero/Solver/Search.h",
        header("Search.h", "HETERO_SOLVER_SEARCH_H", '#include "mlir/Pass/Pass.h"'),
        "'mlir/Pass/Pass.h' through 'hetero/Solver/Search.h'",
    ),
    (
        "layer-order",
        "lib/Solver/Search.cpp",
        source("Search.cpp", '\n#include "hetero/Planner/Plan/Plan.h"\n'),
        "layer 'Solver' includes 'hetero/Planner/Plan/Plan.h' of the higher layer 'Planner/Plan'",
    ),
    (
        "layer-order",
        "include/hetero/Solver/Search.h",
        header("Search.h", "HETERO_SOLVER_SEARCH_H", '#include "hetero/InitAll.h"'),
        "of the higher layer 'tools'",
    ),
    ("layer-order", "utils/cmake/HeteroLayers.cmake", "", "does not set HETERO_LAYERS"),
    (
        "link-order",
        "lib/Solver/CMakeLists.txt",
        "hetero_add_library(HeteroSolver LAYER Solver LINK_LIBS HeteroDialect)\n",
        "HeteroSolver of layer 'Solver' links HeteroDialect of the higher layer 'Dialect'",
    ),
    (
        "link-order",
        "lib/Solver/CMakeLists.txt",
        "hetero_add_library(HeteroSolver LAYER Solver LINK_LIBS MLIRIR)\n",
        "IR-free layer 'Solver' links MLIRIR",
    ),
    (
        "link-order",
        "lib/Runtime/CMakeLists.txt",
        "hetero_add_library(HeteroRuntime LAYER Runtime LINK_LIBS HeteroDialect)\n",
        "IR-free layer 'Runtime' links HeteroDialect",
    ),
    (
        "link-order",
        "lib/Solver/CMakeLists.txt",
        "hetero_add_library(HeteroSolver LAYER Solvent)\n",
        "unknown layer 'Solvent'",
    ),
    ("license-header", "lib/Solver/Search.cpp", "int x;\n", "first line is not"),
    (
        "license-header",
        "lib/Solver/Search.cpp",
        source("Other.cpp"),
        "//===- Search.cpp - <subject>",
    ),
    (
        "license-header",
        "lib/Solver/Search.cpp",
        source("Search.cpp").replace("SPDX", "SPX"),
        "no '// SPDX-License-Identifier",
    ),
    (
        "license-header",
        "lib/Solver/Search.cpp",
        source("Search.cpp").replace("-===//", "--===//", 1),
        "81 columns",
    ),
    (
        "file-length",
        "lib/Solver/Search.cpp",
        source("Search.cpp", "\n" * 800),
        "at most 800",
    ),
    (
        "include-guard",
        "include/hetero/Solver/Search.h",
        header("Search.h", "SEARCH_H"),
        "wanted HETERO_SOLVER_SEARCH_H",
    ),
    ("include-guard", "lib/Solver/Detail.h", source("Detail.h"), "HETERO_LIB_SOLVER_DETAIL_H"),
    (
        "include-guard",
        "include/hetero/Solver/Search.h",
        header("Search.h", "HETERO_SOLVER_SEARCH_H").replace("#define", "#undef"),
        "without its '#define",
    ),
    (
        "source-header",
        "lib/Solver/Other.cpp",
        source("Other.cpp", '\n#include "hetero/Solver/Search.h"\n'),
        "'Other' is named after no header that it includes",
    ),
    (
        "source-header",
        "lib/Solver/Searching.cpp",
        source("Searching.cpp", '\n#include "hetero/Solver/Search.h"\n'),
        "'Searching' is named after no header",
    ),
    (
        "namespace-in-header",
        "include/hetero/Solver/Search.h",
        header("Search.h", "HETERO_SOLVER_SEARCH_H", "using namespace llvm;"),
        "'using namespace' in a header",
    ),
    ("machine-path", "docs/Toy.md", "Lives in /ho" + "me/me/toy.\n", "machine path"),
    ("unfinished", "docs/Toy.md", "TO" + "DO: write\n", "left behind"),
    ("unfinished", "utils/tool.py", "# FIX" + "ME\n", "left behind"),
    (
        "clang-format",
        "lib/Solver/Search.cpp",
        source("Search.cpp", "\nint   x ;\n"),
        "run clang-format",
    ),
    (
        "op-docs",
        "include/hetero/Dialect/Ops.td",
        source("Ops.td", OPS.replace("```mlir", "").replace("```", "")),
        "op Toy_NopOp has no fenced example",
    ),
    (
        "op-docs",
        "include/hetero/Dialect/Ops.td",
        source("Ops.td", OPS.replace("does nothing", "")),
        "op Toy_NopOp has no summary",
    ),
    ("op-docs", "include/hetero/Dialect/Ops.td", source("Ops.td", "def {"), "error"),
    (
        "attribute-docs",
        "include/hetero/Dialect/Ops.td",
        source("Ops.td", OPS + 'def Toy_A : AttrDef<Toy_Dialect, "A"> {\n'
               '  let mnemonic = "a"; let summary = "a"; }\n'),
        "attribute Toy_A has no description",
    ),
    (
        "pass-docs",
        "include/hetero/Transforms/Passes.td",
        source("Passes.td", PASSES.replace("```mlir", "").replace("```", "")),
        "pass ToyPass has no fenced example",
    ),
    (
        "pass-docs",
        "include/hetero/Transforms/Passes.td",
        source("Passes.td", PASSES.replace("let statistics", "// ")),
        "pass hetero-toy has no statistics",
    ),
    ("pass-docs", "test/Transforms/toy.mlir", None, "no test 'toy.mlir'"),
    ("pass-docs", "test/Transforms/toy-errors.mlir", None, "no test 'toy-errors.mlir'"),
    (
        "pipeline-tests",
        "lib/Solver/Search.cpp",
        source(
            "Search.cpp",
            '\nvoid f() {\n  PassPipelineRegistration<X>(\n      "hetero-all", "", build);\n}\n',
        ),
        "pipeline hetero-all has no test 'all-errors.mlir'",
    ),
    ("readme-length", "README.md", "\n" * 151, "151 lines; at most 150"),
    ("readme-length", "README.md", None, "is missing"),
    ("doc-links", "docs/Toy.md", "[x](Nowhere.md)\n", "'Nowhere.md', which does not exist"),
    ("doc-links", "README.md", "[x](docs/Toy.md#why)\n", "no heading for '#why'"),
]


def write_tree(root, changes=()):
    files = dict(CLEAN)
    files.update(changes)
    for path, text in files.items():
        if text is not None:
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)


def run(name, root):
    (rule,) = [r for r in RULES if rule_name(r) == name]
    return [str(problem) for problem in rule(Tree(root))]


@pytest.mark.parametrize("name", [rule_name(rule) for rule in RULES])
def test_clean_tree_is_accepted(name, tmp_path):
    write_tree(tmp_path)
    assert run(name, tmp_path) == []


@pytest.mark.parametrize(
    "name, path, text, message", VIOLATIONS, ids=[f"{v[0]}-{i}" for i, v in enumerate(VIOLATIONS)]
)
def test_violation_is_caught(name, path, text, message, tmp_path):
    write_tree(tmp_path, {path: text})
    problems = run(name, tmp_path)
    assert any(message in problem for problem in problems), problems


def test_every_rule_has_a_violation():
    assert {v[0] for v in VIOLATIONS} == {rule_name(rule) for rule in RULES}


def test_excused_line(tmp_path):
    write_tree(tmp_path, {"utils/x.sh": "a=/t" + "mp # lint: allow machine-path\n"})
    assert run("machine-path", tmp_path) == []


def test_exit_code_and_report(tmp_path, capsys):
    write_tree(tmp_path, {"docs/Toy.md": "TO" + "DO\n# Toy\n## How it works\n"})
    report = tmp_path / "lint.xml"
    assert main(["--root", str(tmp_path), "--junit", str(report)]) == 1
    assert "docs/Toy.md:1: 'TO" + "DO' left behind [unfinished]" in capsys.readouterr().out
    assert report.read_text().count("<failure>") == 1


@pytest.mark.parametrize(
    "broken",
    [
        "//===- Search.h - A subject -===//\n",
        "//===- Search.h - A subject ---*- C++ -*-===//\n",
        "//===- Search.h - A subject\n//-------*- C++ -*-===//\n",
        "//===- Search.h - A subject\n//----------===//\n",
    ],
)
def test_fix_repairs_layout(broken, tmp_path, capsys):
    want = header("Search.h", "HETERO_SOLVER_SEARCH_H", "\nint x;\n")
    text = broken + want.split("\n", 1)[1].replace("int x;", "int   x ;")
    write_tree(tmp_path, {"include/hetero/Solver/Search.h": text})
    assert main(["--root", str(tmp_path), "--fix", "license-header", "clang-format"]) == 0
    assert (tmp_path / "include/hetero/Solver/Search.h").read_text() == want
