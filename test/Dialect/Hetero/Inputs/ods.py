"""Reads the .td files of a dialect: their examples and their constraints.

  ods.py examples DIR         prints every ```mlir block, split by // -----
  ods.py constraints DIR TESTS  lists constraints without a negative test, and
                              labels in tests that no constraint has
"""

import pathlib
import re
import sys
import textwrap

EXAMPLE = re.compile(r"^ *```mlir\n(.*?)^ *```", re.M | re.S)
CONSTRAINT = re.compile(r"\((\w+_c\d+)\)")
TESTED = re.compile(r"expected-error.*?(\w+_c\d+)")


def read(directory, pattern):
    return [(path, path.read_text()) for path in sorted(pathlib.Path(directory).glob(pattern))]


def examples(directory):
    blocks = []
    for path, text in read(directory, "*.td"):
        for match in EXAMPLE.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            code = match[1]
            # The amounts share one example, written around two parameters.
            if "}], attrMnemonic" in code:
                continue
            blocks.append(f"// {path.name}:{line}\n{textwrap.dedent(code)}")
    print("// -----\n".join(blocks))


def constraints(directory, tests):
    stated = {c for _, text in read(directory, "*.td") for c in CONSTRAINT.findall(text)}
    tested = {c for _, text in read(tests, "*-errors.mlir") for c in TESTED.findall(text)}
    for label in sorted(stated - tested):
        print(f"not tested: {label}")
    for label in sorted(tested - stated):
        print(f"not stated: {label}")
    print(f"{len(stated)} constraints")
    return int(stated != tested)


if __name__ == "__main__":
    command, *arguments = sys.argv[1:]
    sys.exit({"examples": examples, "constraints": constraints}[command](*arguments))
