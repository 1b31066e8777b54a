"""Cuts the lit tests into seeds: make_corpus.py <directory of tests> <output>.

Every program between two `// -----` lines becomes a file, without the comments
that address lit and FileCheck.
"""

import hashlib
import pathlib
import re
import sys

MAX_SIZE = 16384


def programs(text):
    for program in re.split(r"^\s*// -----.*$", text, flags=re.MULTILINE):
        lines = [l for l in program.splitlines() if not l.lstrip().startswith("//")]
        program = "\n".join(lines).strip() + "\n"
        if 1 < len(program) <= MAX_SIZE:
            yield program


def main(tests, output):
    output = pathlib.Path(output)
    output.mkdir(parents=True, exist_ok=True)
    count = 0
    for path in sorted(pathlib.Path(tests).rglob("*.mlir")):
        for program in programs(path.read_text(errors="replace")):
            name = hashlib.sha1(program.encode()).hexdigest()[:16]
            (output / name).write_text(program)
            count += 1
    print(f"{count} seeds")


if __name__ == "__main__":
    main(*sys.argv[1:])
