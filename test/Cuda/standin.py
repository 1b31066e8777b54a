"""Where the stand-in for CUDA devices is, and what makes programs load it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Run"))
import steps  # noqa: E402

LIBRARY = steps.tool("../lib/libhetero-cuda-standin.so")
NAMES = ("CUDA_DRIVER", "CUBLAS", "NCCL", "CUFFT", "CUSOLVER")

needs_standin = pytest.mark.skipif(
    not LIBRARY.exists(), reason="built without the headers of CUDA, which the stand-in needs"
)


def environment(cache: Path) -> dict[str, str]:
    """The stand-in in place of all libraries; what it compiles is kept in the directory."""
    names = {f"HETERO_{name}_LIBRARY": str(LIBRARY.resolve()) for name in NAMES}
    return {"HETERO_PTX_CACHE": str(cache), **names}
