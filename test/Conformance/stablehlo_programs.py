"""StableHLO programs as text, for every op, form and dtype.

Nothing is labelled by hand: jaxlib decides what is valid.
"""

from __future__ import annotations

from typing import Iterator

import text_collective
import text_compute
import text_control
import text_convolution
import text_elementwise
import text_module
import text_shape
from program import Program

GENERATORS = [
    text_elementwise.programs,
    text_shape.programs,
    text_compute.programs,
    text_convolution.programs,
    text_control.programs,
    text_collective.programs,
    text_module.programs,
]


def candidates() -> Iterator[Program]:
    """Every generated program, valid or not."""
    for generate in GENERATORS:
        yield from generate()
