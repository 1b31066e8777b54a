"""Fixtures of the Python tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

os.environ.setdefault("JAX_PLATFORMS", "cpu")

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session", autouse=True)
def fast_compiles() -> None:
    """The steps are small: compiling them takes longer than running them."""
    import jax

    jax.config.update("jax_disable_most_optimizations", True)


@pytest.fixture(scope="session")
def hetero_opt() -> Path:
    """hetero-opt, from HETERO_OPT or the build directory."""
    path = Path(os.environ.get("HETERO_OPT") or ROOT / "build/bin/hetero-opt")
    if not path.exists():
        pytest.fail(f"no hetero-opt at {path}: build it, or name it with HETERO_OPT")
    return path
