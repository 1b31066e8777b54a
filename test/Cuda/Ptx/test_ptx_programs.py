"""Kernels that run without a device compute what JAX computes, with no race."""

from __future__ import annotations

from pathlib import Path

import device_text
import op_cases
import op_programs
import pytest
from cases import Case, error, outcome, reference
from kernel import run_jax, tool

from hetero import zoo

pytestmark = pytest.mark.skipif(
    not tool("hetero-ptx-run").exists(), reason="the build has no CUDA toolkit"
)

GROUPS = dict(device_text.programs())
FUNCTIONS = [family for family in op_cases.FAMILIES if family not in device_text.BY_LIBRARIES]


def _failures(programs: list[op_programs.Program], directory: Path) -> list[str]:
    text = op_programs.module(programs)
    arguments = [argument for program in programs for argument in program.arguments]
    found = device_text.evaluate(text, arguments, directory, "sm_80", "--races")
    assert found is not None
    wrong = []
    for program, a, e in zip(programs, found, run_jax(text, arguments), strict=True):
        case = Case(program.name, print, program.arguments, program.by_scale, program.factor)
        message = error(a, e, case)
        if message:
            wrong.append(f"{program.name}: {message}")
    return wrong


@pytest.mark.parametrize("group", GROUPS)
def test_programs(group: str, tmp_path: Path) -> None:
    wrong = _failures(GROUPS[group], tmp_path)
    assert not wrong, "\n".join(wrong)


def _function_failures(group: list[Case], directory: Path) -> tuple[int, list[str]]:
    """How many functions were run, and what is wrong with them."""
    expected = reference(group)
    arguments = [argument for case in group for argument in case.arguments]
    found = device_text.evaluate(expected.text, arguments, directory, "sm_80", "--races")
    if found is None and len(group) > 1:
        alone = [_function_failures([case], directory) for case in group]
        return sum(count for count, _ in alone), [text for _, texts in alone for text in texts]
    if found is None:
        return 0, []
    rows = zip(group, expected.parts(found), expected.parts(expected.results), strict=True)
    messages = {case.name: outcome(case, a, e) for case, a, e in rows}
    return len(group), [f"{name}: {text}" for name, text in messages.items() if text]


@pytest.mark.slow
@pytest.mark.parametrize("family", FUNCTIONS)
def test_functions(family: str, tmp_path: Path) -> None:
    """Those functions that need nothing but kernels."""
    count = 0
    wrong = []
    for group in device_text.functions(family):
        ran, texts = _function_failures(group, tmp_path)
        count += ran
        wrong += texts
    print(f"{family}: {count} functions were run")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in ("mlp", "gpt") else pytest.mark.slow)
        for name in zoo.names()
    ],
)
def test_step(name: str, tmp_path: Path) -> None:
    """All launches of a step, of any numbers: no race, and nothing outside of the memory."""
    imported = device_text.import_text(device_text.step(name))
    (ptx,) = device_text.images(imported, "sm_80")
    script = device_text.launches(imported, tmp_path, "sm_80")
    print(device_text.replay(ptx, script, tmp_path, "--races"))


@pytest.mark.parametrize("architecture", ["sm_75", "sm_90"])
def test_other_architectures(architecture: str, tmp_path: Path) -> None:
    imported = device_text.import_text(device_text.step("gpt_bf16"))
    (ptx,) = device_text.images(imported, architecture)
    script = device_text.launches(imported, tmp_path, architecture)
    flag = f"--capability={architecture[3:]}"
    print(device_text.replay(ptx, script, tmp_path, "--races", flag))
