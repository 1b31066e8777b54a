"""benchmark/gpu.py runs: on the stand-in, where it has nothing to compare with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path


sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Run"))
import standin  # noqa: E402
import steps  # noqa: E402


@standin.needs_standin
def test_nothing_passes_without_a_gpu(tmp_path: Path) -> None:
    command = [sys.executable, steps.ROOT / "benchmark" / "gpu.py", "--models=mlp", "--size=test"]
    command += ["--format=ptx", "--steps=2", "--rounds=1", "--kernels=2", "--json", f"--folder={tmp_path}"]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=300,
        env={**os.environ, **standin.environment(tmp_path), "HETERO_STANDIN": "devices=sm_80:1GiB"},
    )  # fmt: skip
    figures = {figure["name"]: figure for figure in map(json.loads, done.stdout.splitlines())}
    assert done.returncode == 1, done.stderr
    assert "error: 'Stand-in sm_80 1024MiB' is no GPU: its times mean nothing" in done.stderr
    # Right results are known without a peer; how fast they came is not.
    assert figures["difference.mlp"]["ok"], figures
    assert sum(name.startswith("kernel.mlp.") for name in figures) == 2, figures
    if "error: no jax[cuda] to compare with" in done.stderr:
        for name in ("step.mlp", "compile.mlp", "memory.mlp"):
            assert figures[name]["ratio"] is None and not figures[name]["ok"], figures[name]
