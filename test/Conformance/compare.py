"""Compares both sides on a set of programs."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Iterable, Protocol, Sequence

from oracle import Jaxlib, Verdict
from program import Program


class Opt(Protocol):
    """The side under test: `HeteroOpt`, or `JaxlibAsOpt` to test the tests."""

    def check_all(self, texts: Sequence[str], generic: bool = False) -> list[Verdict]: ...


# What a finding says went wrong, in the order of the report's columns.
KINDS = {
    "missing": "op not registered",
    "crash": "crash or hang",
    "rejected": "valid program rejected",
    "accepted": "invalid program accepted",
    "print": "printed differently",
    "generic": "generic form printed differently",
    "reread": "print not accepted, or not kept, by jaxlib",
}


@dataclass(frozen=True)
class Finding:
    """One disagreement."""

    kind: str
    program: Program
    detail: str

    def __str__(self) -> str:
        return f"{self.program.family}: {KINDS[self.kind]}\n{self.detail}\n{self.program.text}"


@dataclass
class Labelled:
    """A program that jaxlib accepts, with its prints, or one that it rejects."""

    program: Program
    custom: Verdict
    generic: Verdict

    @property
    def valid(self) -> bool:
        return self.custom.accepted


@dataclass
class Row:
    """The counts of one family."""

    valid: int = 0
    invalid: int = 0
    findings: list[Finding] = field(default_factory=list)

    def count(self, kind: str) -> int:
        return sum(finding.kind == kind for finding in self.findings)


def label(programs: Iterable[Program], jaxlib: Jaxlib) -> list[Labelled]:
    """Lets jaxlib judge each distinct program."""
    distinct = list({program.text: program for program in programs}.values())
    verdicts = jaxlib.check_all([program.text for program in distinct])
    return [
        Labelled(program, custom, generic)
        for program, (custom, generic) in zip(distinct, verdicts)
    ]


def compare(labelled: Sequence[Labelled], opt: Opt, jaxlib: Jaxlib) -> list[Finding]:
    """Every disagreement about `labelled`.

    A valid program is read as it was written, as jaxlib prints it, and in the
    generic form; each time the print must be jaxlib's. A program that is
    rejected as written gives one finding only.
    """
    findings: list[Finding] = []
    ours = opt.check_all([item.program.text for item in labelled])
    good: list[Labelled] = []
    for item, verdict in zip(labelled, ours):
        finding = _compare_one(item, verdict, jaxlib)
        if finding:
            findings.append(finding)
        if item.valid and verdict.accepted:
            good.append(item)
    findings += _compare_generic(good, opt)
    findings += _compare_spellings(good, opt, jaxlib)
    return findings


def _compare_one(item: Labelled, ours: Verdict, jaxlib: Jaxlib) -> Finding | None:
    if ours.crashed:
        return Finding("crash", item.program, ours.text)
    if item.custom.crashed:
        return None
    if not item.valid:
        if ours.accepted:
            return Finding("accepted", item.program, f"jaxlib says: {item.custom.text}")
        return None
    if not ours.accepted:
        kind = "missing" if ours.unknown else "rejected"
        return Finding(kind, item.program, f"we say: {ours.text}")
    if ours.text == item.custom.text:
        return None
    again = jaxlib.check(ours.text)
    if not again.accepted:
        return Finding("reread", item.program, f"jaxlib says: {again.text}\n{ours.text}")
    return Finding("print", item.program, first_difference(item.custom.text, ours.text))


def _compare_generic(good: Sequence[Labelled], opt: Opt) -> list[Finding]:
    findings = []
    ours = opt.check_all([item.program.text for item in good], generic=True)
    for item, verdict in zip(good, ours):
        if verdict.crashed:
            findings.append(Finding("crash", item.program, verdict.text))
        elif verdict.text != item.generic.text:
            detail = first_difference(item.generic.text, verdict.text)
            findings.append(Finding("generic", item.program, detail))
    return findings


def _compare_spellings(good: Sequence[Labelled], opt: Opt, jaxlib: Jaxlib) -> list[Finding]:
    """Reads jaxlib's two prints of each program."""
    seen = {item.program.text for item in good}
    other: list[Program] = []
    for item in good:
        for text in (item.custom.text, item.generic.text):
            if text not in seen:
                seen.add(text)
                other.append(Program(item.program.family, text))
    # jaxlib does not read all that it prints, nor always as it was: a NaN of a
    # type without one comes back as the number that its bits are.
    relabelled = [item for item in label(other, jaxlib) if item.valid]
    ours = opt.check_all([item.program.text for item in relabelled])
    found = (_compare_one(item, verdict, jaxlib) for item, verdict in zip(relabelled, ours))
    return [finding for finding in found if finding]


def first_difference(expected: str, actual: str) -> str:
    """The first line that differs, from both sides."""
    left, right = expected.splitlines(), actual.splitlines()
    for number in range(max(len(left), len(right))):
        a = left[number] if number < len(left) else "<end>"
        b = right[number] if number < len(right) else "<end>"
        if a != b:
            return f"jaxlib: {a.strip()}\nours:   {b.strip()}"
    return "no difference"


def tabulate(labelled: Sequence[Labelled], findings: Sequence[Finding]) -> dict[str, Row]:
    """Counts per family, in the order of the families' names."""
    rows: dict[str, Row] = defaultdict(Row)
    for item in labelled:
        row = rows[item.program.family]
        row.valid += item.valid
        row.invalid += not item.valid
    for finding in findings:
        rows[finding.program.family].findings.append(finding)
    return dict(sorted(rows.items()))
