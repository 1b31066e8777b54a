"""Where hetero-opt disagrees with jaxlib on purpose, each with its reason.

A disagreement that no entry of `DELIBERATE` explains fails the tests.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Iterable

from compare import Finding


@dataclass(frozen=True)
class Deliberate:
    """Explains findings of one kind whose program and detail match."""

    reason: str
    kind: str
    detail: str = ""
    program: str = ""

    def explains(self, finding: Finding) -> bool:
        return (
            finding.kind == self.kind
            and bool(re.search(self.detail, finding.detail))
            and bool(re.search(self.program, finding.program.text, re.S))
        )


DELIBERATE: list[Deliberate] = [
    Deliberate(
        "both spellings of large i1 constants are read: a byte per element as jaxlib "
        "prints, and packed bits as printers before it did",
        kind="accepted",
        detail=r"elements hex data size is invalid for provided type: '.*xi1>'",
    ),
    Deliberate(
        "text with a zero byte is rejected; jaxlib takes a file of them for an empty module",
        kind="rejected",
        detail=r"character with code 0",
        program=r"\0",
    ),
    Deliberate(
        "a dynamic_slice of a scalar is printed without indices, with their comma, and read so; "
        "jaxlib does not read what it prints",
        kind="accepted",
        detail=r"'stablehlo\.dynamic_slice' expected 'sizes'",
        program=r"dynamic_slice %\w+, , sizes",
    ),
    Deliberate(
        "a type whose number of elements does not fit 64 bits is rejected; jaxlib's "
        "count overflows and may come out right by chance",
        kind="rejected",
        detail=r"more elements than 64 bits can count",
        program=r"\d{6}x?",
    ),
    Deliberate(
        "complex elements of a constant whose type is not complex are rejected; jaxlib reads "
        "memory behind them",
        kind="rejected",
        detail=r"complex element in a constant",
    ),
    Deliberate(
        "a result with a size that does not fit 64 bits is rejected; jaxlib's arithmetic "
        "wraps around",
        kind="rejected",
        detail=r"does not fit in 64 bits",
        program=r"\d{10}",
    ),
    Deliberate(
        "a window or a count of -2^63 is rejected as other negative ones are; jaxlib takes the number "
        "for MLIR's mark of a size that is not known",
        kind="rejected",
        detail=r"(window_dimensions to be positive|k must not be negative), got -9223372036854775808",
    ),
    Deliberate(
        "negative broadcast dimensions are rejected for all operands; jaxlib crashes on "
        "them unless it does not look at them",
        kind="rejected",
        detail=r"broadcast_dimensions must not be negative",
    ),
    Deliberate(
        "jaxlib multiplies pre-size and size of a sub-axis in 64 bits and accepts what wraps around",
        kind="rejected",
        detail="pre-size times size of sub-axis",
        program=r'":\((\d{10,}\)\d|\d+\)\d{10})',
    ),
    Deliberate(
        "jaxlib reads a factor z_<n> whose index does not fit in 64 bits as another factor",
        kind="rejected",
        detail="expected a positive number without leading zeros after 'z_'",
        program=r"z_[1-9]\d{18}",
    ),
    Deliberate(
        "jaxlib compares as many dimensions as the sharding of a maximal mesh has, none, or crashes",
        kind="rejected",
        detail="sharding does not give the local shape",
        program=r"mesh[^\n]*<\[\], device_ids",
    ),
    Deliberate(
        "jaxlib drops the last bound of what a scan reads instead of that of the scan dimension, "
        "and holds the others against the wrong sizes of a slice",
        kind="accepted",
        detail=r"'chlo\.scan' op operand and body argument \d+ are incompatible",
        program=r"chlo\.scan.*#stablehlo\.bounds",
    ),
    Deliberate(
        "element types and bounds of what a scan returns are checked; jaxlib compares sizes alone",
        kind="rejected",
        detail=r"'chlo\.scan' op inferred type\(s\)",
    ),
    *(
        Deliberate(
            "the quant dialect of MLIR 22 stores quantized numbers in integers only, and does not "
            "tell ui8 from u8 or si8 from i8",
            kind=kind,
            detail=detail,
        )
        for kind, detail in (
            ("print", r"jaxlib: .*!quant\.uniform<[us]i\d+"),
            ("generic", r"jaxlib: .*!quant\.uniform<[us]i\d+"),
            ("rejected", "illegal storage type size"),
            # Two types that print the same: u8 that was inferred, and ui8.
            ("accepted", r"inferred type\(s\) '(.*quant.*)' are incompatible with return type\(s\) of operation '\1'"),
        )
    ),
]


def reason(finding: Finding) -> str | None:
    """Why both sides may disagree here, if they may."""
    return next((entry.reason for entry in DELIBERATE if entry.explains(finding)), None)


def unexplained(findings: Iterable[Finding]) -> list[Finding]:
    """The findings that are failures."""
    return [finding for finding in findings if reason(finding) is None]
