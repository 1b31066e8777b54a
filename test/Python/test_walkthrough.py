"""docs/Walkthrough.md starts from what JAX prints. test/Docs compares the rest."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = ROOT / "examples" / "walkthrough"


def test_the_step_is_what_jax_prints():
    environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
    output = subprocess.run(
        [sys.executable, FILES / "train_step.py"], capture_output=True, text=True, check=True,
        env=environment,
    ).stdout  # fmt: skip
    assert output == (FILES / "step.mlir").read_text()


def test_the_page_shows_the_step():
    page = (ROOT / "docs" / "Walkthrough.md").read_text()
    (shown,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert shown in (FILES / "train_step.py").read_text()
