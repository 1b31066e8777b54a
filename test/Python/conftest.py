"""Fixtures of the Python tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def hetero_opt() -> Path:
    """hetero-opt, from HETERO_OPT or the build directory."""
    path = Path(os.environ.get("HETERO_OPT") or ROOT / "build/bin/hetero-opt")
    if not path.exists():
        pytest.fail(f"no hetero-opt at {path}: build it, or name it with HETERO_OPT")
    return path
