"""Checks what the generated documentation of a dialect says.

  ods.py examples TD           prints every example, separated by // -----
  ods.py constraints TD TESTS  compares the constraints that are stated with
                               those that a *-errors.mlir in TESTS names
"""

import pathlib
import re
import subprocess
import sys

SECTION = re.compile(r"^### (?:`([\w.]+)` )?(.*)$", re.M)
EXAMPLE = re.compile(r"^```mlir\n(.*?)^```", re.M | re.S)
CONSTRAINT = re.compile(r"\((\w+_c\d+)\)")
TESTED = re.compile(r"expected-error.*?(\w+_c\d+)")


def document(td):
    """The documentation as Markdown, the way a reader sees it."""
    td = pathlib.Path(td)
    ours = next(p for p in td.parents if p.name == "include")
    mlir = subprocess.check_output(["llvm-config", "--includedir"], text=True).strip()
    command = ["mlir-tblgen", "-gen-dialect-doc", "-dialect=hetero", "-I", ours, "-I", mlir, td]
    return subprocess.check_output(command, text=True)


def examples(td):
    # What precedes the first section is about the dialect itself.
    _, *parts = SECTION.split(document(td))
    missing, blocks = [], []
    for op, title, text in zip(parts[0::3], parts[1::3], parts[2::3]):
        found = EXAMPLE.findall(text)
        blocks += [f"// {op or title}\n{code}" for code in found]
        # Enumerations explain themselves; all else shows how it is used.
        if not found and not re.search(r"[Cc]ases:", text):
            missing.append(op or title)
    print("\n// -----\n\n".join(blocks))
    if missing:
        sys.exit("no example: " + ", ".join(missing))


def constraints(td, tests):
    stated = set(CONSTRAINT.findall(document(td)))
    tested = set()
    for path in pathlib.Path(tests).glob("*-errors.mlir"):
        tested.update(TESTED.findall(path.read_text()))
    problems = [f"not tested: {label}" for label in sorted(stated - tested)]
    problems += [f"not stated: {label}" for label in sorted(tested - stated)]
    if problems:
        sys.exit("\n".join(problems))
    print(f"{len(stated)} constraints")


if __name__ == "__main__":
    name, *arguments = sys.argv[1:]
    {"examples": examples, "constraints": constraints}[name](*arguments)
