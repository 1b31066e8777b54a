"""Keeps docs/Walkthrough.md true: runs its commands and fills in what they print.

    walkthrough.py --tools build/bin             compares; exit code 1 when the page is stale
    walkthrough.py --tools build/bin --update    rewrites the page

The commands are the page's own `sh` blocks, run in order in an empty directory
that has the files of examples/walkthrough. A block below a comment that names a
file shows that file; a regular expression after the name chooses its lines:

    <!-- planned.mlir: hetero\\.(plan|stage) -->
    <!-- ranks.mlir: from @rank1 to return -->

What a sentence says of the output is checked as well, here and in the pages of
PROSE. A comment before its paragraph has a file, a regular expression that
matches in it, and what the paragraph has to say then:

    <!-- says planned.mlir: samples \\[\\[(\\d+), (\\d+)\\]\\] => {1} of the {1+2} samples -->
    <!-- says planned.mlir: hetero\\.stage \\d => {n} stages -->

`{1}` is the first group of the first match, `{1+2}` a sum of groups, `{n}` the
number of matches. Line breaks, upper case and numbers in words make no
difference. `--update` does not write sentences: it says which ones are stale.
"""

from __future__ import annotations

import argparse
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "Walkthrough.md"
FILES = ROOT / "examples" / "walkthrough"
# Pages that speak of the output and show none of it.
PROSE = [ROOT / "docs" / "Architecture.md"]
SHOWN = re.compile(r"<!-- ([\w.-]+)(?:: (.*))? -->$")
SAYS = re.compile(r"<!-- says ([\w.-]+): (.*) => (.*) -->$")
NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tools", type=pathlib.Path, required=True, help="where hetero-opt is")
    parser.add_argument("--update", action="store_true", help="rewrite the page")
    options = parser.parse_args(arguments)
    before = PAGE.read_text()
    with tempfile.TemporaryDirectory() as directory:
        for file in FILES.iterdir():
            if file.is_file():
                shutil.copy(file, directory)
        after = fill_in(before, pathlib.Path(directory), options.tools.resolve())
        stale = [
            f"docs/{page.name}:{sentence}"
            for page in (PAGE, *PROSE)
            for sentence in find_stale(
                after if page == PAGE else page.read_text(), pathlib.Path(directory)
            )
        ]
    for sentence in stale:
        print(sentence)
    if after == before:
        if not stale:
            print(f"docs/{PAGE.name} is up to date")
        return 1 if stale else 0
    if options.update:
        PAGE.write_text(after)
        print(f"docs/{PAGE.name} rewritten")
        return 1 if stale else 0
    sys.stdout.writelines(
        difflib.unified_diff(
            before.splitlines(True), after.splitlines(True), "committed", "as it is now"
        )
    )
    print(f"docs/{PAGE.name} is stale; run: ninja -C build hetero-walkthrough-update")
    return 1


def fill_in(page: str, directory: pathlib.Path, tools: pathlib.Path) -> str:
    """The page with the contents of its blocks renewed."""
    lines = iter(page.splitlines())
    result = []
    source = None
    for line in lines:
        result.append(line)
        if match := SHOWN.match(line):
            source = match
            continue
        if not line.startswith("```"):
            continue
        body = list(iter(lambda: next(lines, "```"), "```"))
        if line == "```sh":
            for command in "\n".join(body).replace("\\\n", " ").splitlines():
                run(command, directory, tools)
        if source is not None:
            body = select((directory / source[1]).read_text(), source[2])
            source = None
        result += [*body, "```"]
    return "\n".join(result) + "\n"


def find_stale(page: str, directory: pathlib.Path) -> list[str]:
    """For each marker whose sentence is stale: its line, and what it should say."""
    lines = page.splitlines()
    stale = []
    for number, line in enumerate(lines, 1):
        if not line.startswith("<!-- says "):
            continue
        if not (marker := SAYS.match(line)):
            stale.append(f"{number}: is not '<!-- says file: pattern => text -->': {line}")
            continue
        file, pattern, sentence = marker.groups()
        text = (directory / file).read_text() if (directory / file).is_file() else ""
        matches = list(re.finditer(pattern, text, re.MULTILINE))
        paragraph = read_paragraph(lines[number:])
        if not matches:
            stale.append(f"{number}: nothing in {file} matches '{pattern}' any more: {paragraph}")
            continue
        expected = re.sub(r"{([n\d+]+)}", lambda hole: fill(hole[1], matches), sentence)
        if fold(expected) not in fold(paragraph):
            stale.append(f"{number}: should say '{expected}', as {file} has it, but says: {paragraph}")
    return stale


def fill(hole: str, matches: list[re.Match[str]]) -> str:
    """What stands for `{1}`, `{1+2}` or `{n}`."""
    if hole == "n":
        return str(len(matches))
    values = [matches[0][int(group)] for group in hole.split("+")]
    return values[0] if len(values) == 1 else str(sum(map(int, values)))


def read_paragraph(lines: list[str]) -> str:
    """The first paragraph that is no comment, in one line."""
    paragraph: list[str] = []
    for line in lines:
        if line.startswith("<!--"):
            continue
        if not line.strip() and paragraph:
            break
        paragraph += line.split()
    return " ".join(paragraph)


def fold(text: str) -> str:
    """The text as it is compared."""
    words = " ".join(text.lower().split())
    return re.sub(
        r"\b(" + "|".join(NUMBERS) + r")\b", lambda word: str(NUMBERS.index(word[0])), words
    )


def run(command: str, directory: pathlib.Path, tools: pathlib.Path) -> None:
    environment = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        command, shell=True, cwd=directory, env=environment, capture_output=True, text=True
    )
    if done.returncode != 0:
        sys.exit(f"{command}\nexit code {done.returncode}\n{done.stdout}{done.stderr}")


def select(text: str, pattern: str | None) -> list[str]:
    """The lines that match, with `...` for those between."""
    selected: list[str] = []
    ends = re.match(r"from (.*) to (.*)$", pattern or "")
    inside = False
    for line in text.rstrip("\n").splitlines():
        if ends:
            inside = inside or bool(re.search(ends[1], line))
        shown = inside if ends else pattern is None or re.search(pattern, line)
        if shown:
            selected.append(line)
        elif not selected or selected[-1].strip() != "...":
            selected.append(re.match(r"\s*", line)[0] + "...")
        if inside and re.search(ends[2], line):
            inside = False
    if not any(line.strip() not in ("...", "") for line in selected):
        sys.exit(f"no line of the shown file matches '{pattern}'")
    return selected


if __name__ == "__main__":
    sys.exit(main())
