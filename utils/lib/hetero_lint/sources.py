"""Rules about the text of source files."""

import re
import shutil
import subprocess

from .tablegen import PIPELINE
from .tree import Problem

MAX_LINES = 800
CPP = (".h", ".cpp")
CODE = CPP + (".td", ".py", ".sh", ".cmake", ".mlir", ".test", "CMakeLists.txt")
SPDX = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
MACHINE_PATH = re.compile(r"(?<![\w./$}>)-])/(?:work|root|home|opt|tmp)(?![\w-])")
INCLUDED = re.compile(r'^#include "(.+)\.h"', re.MULTILINE)
UNFINISHED = re.compile(r"\b(?:TO(?:)DO|FIX(?:)ME|X(?:)XX)\b")


def license_header(tree):
    """C++ and TableGen files start with their name and the license."""
    for path in tree.matching(".h", ".cpp", ".td"):
        head = tree.text(path).splitlines()[:2]
        name = path.rsplit("/", 1)[-1]
        if not head or not re.match(
            rf"//===- {re.escape(name)} - \S.*===//$", head[0]
        ):
            yield Problem(path, 1, f"first line is not '//===- {name} - <subject> ---===//'")
        elif len(head[0]) != 80:
            yield Problem(path, 1, f"first line has {len(head[0])} columns, not 80")
        if head[1:] != [f"// {SPDX}"]:
            yield Problem(path, 2, f"no '// {SPDX}' in the second line")


def first_line(name, subject, mode):
    """The first line of a file, 80 columns wide; None when it does not fit."""
    begin = f"//===- {name} - {subject} "
    end = f"{mode}===//"
    width = 80 - len(begin) - len(end)
    return begin + "-" * width + end if width >= 1 else None


def fix_license_header(tree):
    """Makes first lines 80 columns wide, also where clang-format broke them."""
    for path in tree.matching(".h", ".cpp", ".td"):
        name = path.rsplit("/", 1)[-1]
        text = tree.text(path)
        match = re.match(
            rf"//===- {re.escape(name)} - (.*?)[ -]*(-\*-.*-\*-)?-*(?:===//)?\n"
            r"(?://-*(-\*-.*-\*-)?-*===//\n)?",
            text,
        )
        if match is None:
            continue
        mode = match.group(2) or match.group(3) or ("-*- C++ -*-" if name.endswith(".h") else "")
        line = first_line(name, match.group(1), mode) or first_line(name, match.group(1), "")
        if line and match.group(0) != line + "\n":
            (tree.root / path).write_text(line + "\n" + text[match.end() :])
            yield path


def file_length(tree):
    """No source file has more than 800 lines."""
    for path in tree.matching(*CODE):
        if "/Inputs/" in path:
            continue
        count = len(tree.text(path).splitlines())
        if count > MAX_LINES:
            yield Problem(path, 0, f"{count} lines; at most {MAX_LINES}")


def guard_name(path):
    """include/hetero/X/Y.h -> HETERO_X_Y_H; lib/X/Y.h -> HETERO_LIB_X_Y_H."""
    path = path.removeprefix("include/hetero/")
    return "HETERO_" + re.sub(r"[^A-Za-z0-9]", "_", path).upper()


def include_guard(tree):
    """Headers are guarded by a name made from their path; so are .td files
    that have a guard."""
    for path in tree.matching(".h", ".td"):
        want = guard_name(path)
        match = re.search(r"^#ifndef\s+(\w+)", tree.text(path), re.MULTILINE)
        if match is None:
            if path.endswith(".h"):
                yield Problem(path, 1, f"no include guard; wanted '#ifndef {want}'")
        elif match.group(1) != want:
            line = tree.text(path).count("\n", 0, match.start()) + 1
            yield Problem(path, line, f"include guard {match.group(1)}; wanted {want}")
        elif f"#define {want}\n" not in tree.text(path):
            yield Problem(path, 1, f"'#ifndef {want}' without its '#define {want}'")


def source_header(tree):
    """A file of lib/ is named after a header that it includes (Plan.cpp and
    PlanText.cpp after Plan.h), its pass, its pipeline or its dialect."""
    for path in tree.matching(".cpp", under="lib/"):
        folder, name = path.removesuffix(".cpp").rsplit("/", 1)
        text = tree.text(path)
        served = [
            header.rsplit("/", 1)[-1]
            for header in INCLUDED.findall(text)
            if {f"{folder}/{header}.h", f"include/{header}.h"} & set(tree.files)
        ]
        if folder.startswith("lib/Dialect/"):
            served.append(folder.rsplit("/", 1)[-1])
        named = any(re.match(rf"{h}(?![a-z])", name) or name.endswith(h) for h in served)
        flag = "hetero" + re.sub("([A-Z])", r"-\1", name).lower()
        is_pass = f"GEN_PASS_DEF_{name.upper()}PASS" in text or flag in PIPELINE.findall(text)
        if path != "lib/Support/PCH.cpp" and not named and not is_pass:
            yield Problem(path, 1, f"'{name}' is named after no header that it includes")


def machine_path(tree):
    """No path of somebody's machine."""
    for path in tree.files:
        for number, line in tree.lines(path, "machine-path"):
            match = MACHINE_PATH.search(line)
            if match:
                yield Problem(path, number, f"machine path '{match.group(0)}'")


def unfinished(tree):
    """Nothing is left for later in a comment."""
    for path in tree.files:
        for number, line in tree.lines(path, "unfinished"):
            match = UNFINISHED.search(line)
            if match:
                yield Problem(path, number, f"'{match.group(0)}' left behind")


def namespace_in_header(tree):
    """No `using namespace` in a header."""
    for path in tree.matching(".h"):
        for number, line in tree.lines(path, "namespace-in-header"):
            if re.match(r"\s*using\s+namespace\b", line):
                yield Problem(path, number, "'using namespace' in a header")


def format_tool():
    return next((t for t in ("clang-format-22", "clang-format") if shutil.which(t)), None)


def fix_clang_format(tree):
    """Runs clang-format over the C++ files."""
    files = tree.matching(*CPP)
    if files and format_tool():
        subprocess.run([format_tool(), "-i", *files], cwd=tree.root, check=True)
    return []


def clang_format(tree):
    """C++ files are as clang-format would write them."""
    files = tree.matching(*CPP)
    tool = format_tool()
    if not files:
        return
    if tool is None:
        yield Problem("utils/lint", 0, "clang-format-22 is not installed")
        return
    result = subprocess.run(
        [tool, "--dry-run", "-Werror", "--style=file", "--fallback-style=LLVM", *files],
        cwd=tree.root,
        capture_output=True,
        text=True,
    )
    seen = set()
    for match in re.finditer(r"^(\S+?):(\d+):\d+: error", result.stderr, re.MULTILINE):
        if match.group(1) not in seen:  # The first place in each file will do.
            seen.add(match.group(1))
            yield Problem(match.group(1), int(match.group(2)), f"run {tool} -i")
    if result.returncode and not seen:
        yield Problem("utils/lint", 0, f"{tool}: {result.stderr.strip()}")
