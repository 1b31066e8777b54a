"""The compiled module `hetero._core`, with an error that helps when it is missing."""

from __future__ import annotations

try:
    from hetero import _core as core
except ImportError as error:
    raise ImportError(
        f"the compiled module hetero._core cannot be loaded ({error}); build it with "
        "`ninja -C build hetero-python` and put build/python on PYTHONPATH, or install the "
        "package with `pip install ./python`"
    ) from error

__all__ = ["core"]
