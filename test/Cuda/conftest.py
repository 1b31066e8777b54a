"""What tests of CUDA devices share."""

from __future__ import annotations

from pathlib import Path

import pytest
import standin


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Kernels are compiled once for all tests of a module."""
    directory = tmp_path_factory.mktemp("kernels")
    directory.chmod(0o700)
    return directory


@pytest.fixture
def libraries(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """hetero-run finds the stand-in where it looks for CUDA."""
    for name, value in standin.environment(cache).items():
        monkeypatch.setenv(name, value)
