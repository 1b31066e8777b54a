"""Kernels give the same bits by way of PTX and compiled for the host from LLVM IR."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "test" / "Cuda" / "Ptx"), str(ROOT / "test" / "Cuda")]

import device_text  # noqa: E402
import op_cases  # noqa: E402
import op_programs  # noqa: E402
from cases import Case, reference  # noqa: E402
from kernel import tool  # noqa: E402

from hetero import zoo  # noqa: E402

pytestmark = pytest.mark.skipif(
    not tool("hetero-ptx-run").exists(), reason="the build has no CUDA toolkit"
)

GROUPS = dict(device_text.programs())
FAMILIES = [family for family in op_cases.FAMILIES if family not in device_text.BY_LIBRARIES]

@pytest.mark.parametrize(
    "group",
    [pytest.param(g, marks=[] if g.endswith("-0") else pytest.mark.slow) for g in GROUPS],
)
def test_programs(group: str, tmp_path: Path) -> None:
    programs = GROUPS[group]
    arguments = [argument for program in programs for argument in program.arguments]
    text = op_programs.module(programs)
    assert device_text.evaluate(text, arguments, tmp_path, "sm_80", twice=True) is not None


def _count(group: list[Case], directory: Path) -> int:
    """How many functions were run."""
    arguments = [argument for case in group for argument in case.arguments]
    text = reference(group).text
    if device_text.evaluate(text, arguments, directory, "sm_80", twice=True) is not None:
        return len(group)
    return sum(_count([case], directory) for case in group) if len(group) > 1 else 0


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_functions(family: str, tmp_path: Path) -> None:
    """Those functions that need nothing but kernels."""
    count = sum(_count(group, tmp_path) for group in device_text.functions(family))
    print(f"{family}: {count} functions were run")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in ("mlp", "gpt") else pytest.mark.slow)
        for name in zoo.names()
    ],
)
def test_step(name: str, tmp_path: Path) -> None:
    """All launches of a step, of any numbers."""
    imported = device_text.import_text(device_text.step(name))
    (ptx,) = device_text.images(imported, "sm_80")
    script = device_text.launches(imported, tmp_path, "sm_80")
    flags = device_text.against(imported, tmp_path, "sm_80")
    print(device_text.replay(ptx, script, tmp_path, *flags))
