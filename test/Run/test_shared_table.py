"""A table that the embedding and the head share goes around once for a step."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import steps

# Four devices in a row: the embedding on the first, the head on the last.
CLUSTER = steps.ROOT / "examples/clusters/desk.yaml"
ROWS, WIDTH, MICROBATCHES = 64, 32, 4
TABLE = f"tensor<{ROWS}x{WIDTH}xf32>"


def run_tool(name: str, text: str, *flags: str) -> str:
    command = [steps.tool(name), "-", *flags]
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_crosses_once(tmp_path: Path) -> None:
    """However many microbatches there are, and JAX gets the same numbers."""
    case = steps.get("gpt")
    options = f"cluster={CLUSTER} planner=even microbatches={MICROBATCHES}"
    planned = run_tool("hetero-opt", case.text, f"--hetero-plan-pipeline={options}")
    assert f"microbatches [{', '.join(['1'] * MICROBATCHES)}]" in planned
    assert len(re.findall(r"hetero\.stage \d+ on", planned)) > 1
    ranks = run_tool("hetero-opt", planned, "--hetero-partition")
    sent = re.findall(rf"hetero\.send .* : {TABLE}", ranks)
    assert len(sent) == 2, "the table to the head, the sum of its gradient back"
    done = steps.run(planned, case, tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "results agree" in done.stdout


def test_counted_once() -> None:
    """A planner is told so: one table and one gradient, shared by first and last."""
    problem = run_tool("hetero-translate", steps.get("gpt").text, "--problem")
    layers = len(re.findall(r"^  - name:", problem, re.MULTILINE))
    size = f"{ROWS * WIDTH * 4 // 1024} KiB"
    tie = re.search(r"^ties:\n  - \{layers: \[(\d+), (\d+)\], parameters: (.*), gradients: (.*)\}", problem, re.MULTILINE)
    assert tie and (int(tie[1]), int(tie[2])) == (0, layers - 1)
    assert tie[3] == tie[4] == size
    # What comes back over a boundary has a part for each sample.
    back = re.findall(r"outputGradient: \{(.*?)\}", problem)
    assert back and all(not re.search(r"fixed: [\d.]+ [KM]", amount) for amount in back)
