"""StableHLO programs, valid and invalid, as jaxlib sees them.

`candidates()` is everything that the generators write; `programs()` is what
jaxlib accepts, `invalid_programs()` what it rejects. Nothing is labelled by
hand.
"""

from __future__ import annotations

from typing import Iterator

import text_elementwise
from program import Program

GENERATORS = [text_elementwise.programs]


def candidates() -> Iterator[Program]:
    """Every generated program, valid or not."""
    for generate in GENERATORS:
        yield from generate()
