"""Fixtures of the conformance tests."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Iterator

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from compare import Finding  # noqa: E402
from disagreements import unexplained  # noqa: E402
from oracle import HeteroOpt, Jaxlib  # noqa: E402


@pytest.fixture(scope="session")
def jaxlib() -> Iterator[Jaxlib]:
    """jaxlib in its worker process."""
    oracle = Jaxlib()
    yield oracle
    oracle.close()


@pytest.fixture(scope="session")
def hetero_opt() -> HeteroOpt:
    """hetero-opt, from HETERO_OPT or the build directory."""
    return HeteroOpt()


@pytest.fixture
def expect_agreement():
    """Fails with the first few unexplained findings."""

    def check(findings: list[Finding]) -> None:
        rest = unexplained(findings)
        if rest:
            shown = "\n\n".join(str(finding)[:3000] for finding in rest[:5])
            pytest.fail(f"{len(rest)} disagreements with jaxlib, the first:\n\n{shown}", pytrace=False)

    return check
