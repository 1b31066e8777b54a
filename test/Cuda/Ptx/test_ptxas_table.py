"""Kernels take no more registers and shared memory than the table says, nor less."""

from __future__ import annotations

import ptxas_table
import pytest

KNOWN = ptxas_table.TABLE.read_text().splitlines() if ptxas_table.TABLE.exists() else [""]

pytestmark = pytest.mark.skipif(
    not ptxas_table.tool() or KNOWN[0].split("\t")[0] != f"ptxas {ptxas_table.version()}",
    reason="the table is of another ptxas, or there is none",
)


def test_architectures() -> None:
    chosen = ptxas_table.architectures()
    assert ptxas_table.header(chosen) == KNOWN[0]
    # What the documentation says of older ones.
    assert chosen[0] == "sm_75"


@pytest.mark.parametrize(
    "model",
    [pytest.param(name, marks=[] if name == "mlp" else pytest.mark.slow) for name in ptxas_table.MODELS],
)
def test_kernels(model: str) -> None:
    """Run test/Cuda/Ptx/ptxas_table.py --write if that is meant to change."""
    known = [line for line in KNOWN if line.split("\t")[0] == model]
    assert ptxas_table.rows(model, ptxas_table.architectures()) == known
