"""Counts the verdicts in a directory of JUnit files, one per test phase.

The last line is `N passed, N failed`, followed by `, N skipped` when there are
any. The exit code is 1 when something failed or nothing passed.
"""

import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def count(path):
    """Returns (passed, failed, skipped) of one JUnit file."""
    passed = failed = skipped = 0
    for case in ElementTree.parse(path).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.find("skipped") is not None or case.get("status") == "notrun":
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


def line(passed, failed, skipped):
    text = f"{passed} passed, {failed} failed"
    return text + f", {skipped} skipped" if skipped else text


def main(directory, *times):
    """`times` are `<phase>=<time>` in the order of the phases."""
    totals = [0, 0, 0]
    for phase, _, time in (entry.partition("=") for entry in times):
        path = pathlib.Path(directory, phase + ".xml")
        counts = (0, 0, 0)
        if path.exists():
            try:
                counts = count(path)
            except ElementTree.ParseError:
                counts = (0, 1, 0)  # The phase died while it wrote its report.
        verdict = line(*counts) if path.exists() else ""
        print(f"    {phase:10} {time:>7}  {verdict}".rstrip())
        totals = [total + new for total, new in zip(totals, counts)]
    print(line(*totals))
    return 1 if totals[1] or not totals[0] else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
