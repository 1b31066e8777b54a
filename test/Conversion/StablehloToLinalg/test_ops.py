"""Every family of operations, compiled for the CPU, computes what JAX computes."""

from __future__ import annotations

from pathlib import Path
from typing import Callable

import jax
import op_cases
import op_programs
import pytest
from cases import Case, error, failures
from kernel import run_all, run_jax

SIZE = 120  # Programs of a module.


def _compare(programs: list[op_programs.Program], directory: Path) -> dict[str, str]:
    """What is wrong with each program, as one module or each alone."""
    arguments = [argument for program in programs for argument in program.arguments]
    text = op_programs.module(programs)
    (found,) = run_all([text], [arguments], directory)
    if isinstance(found, str):
        if len(programs) == 1:
            return {programs[0].name: found}
        half = len(programs) // 2
        return _compare(programs[:half], directory) | _compare(programs[half:], directory)
    expected = run_jax(text, arguments)
    wrong = {}
    for program, a, e in zip(programs, found, expected, strict=True):
        message = error(a, e, Case(program.name, print, program.arguments, program.by_scale, program.factor))
        if message:
            wrong[program.name] = message
    return wrong


def _list(wrong: dict[str, str]) -> str:
    return "\n".join(f"{name}: {message}" for name, message in wrong.items())


@pytest.mark.parametrize("family", [op_programs.elementwise, op_programs.compares, op_programs.converts])
def test_programs(family: Callable[[], list[op_programs.Program]], tmp_path: Path) -> None:
    programs = family()
    wrong = {}
    for begin in range(0, len(programs), SIZE):
        wrong |= _compare(programs[begin : begin + SIZE], tmp_path)
    assert not wrong, _list(wrong)


@pytest.mark.parametrize("family", op_cases.FAMILIES)
def test_functions(family: str, tmp_path: Path) -> None:
    with jax.enable_x64(True):
        cases = list(op_cases.FAMILIES[family]())
    wrong = failures(cases, tmp_path)
    assert not wrong, _list(wrong)
