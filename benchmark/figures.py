"""What the benchmarks share: timed processes, steps of the zoo, figures with bars."""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]

class Run(NamedTuple):
    """One run of a process: wall and CPU seconds, and its peak memory in GB."""

    seconds: float
    cpu: float
    memory: float


def run(command: list[str]) -> Run:
    """Runs `command`, which must succeed."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"error: exit code {process.returncode} from {' '.join(command)}")
    return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e9)


def best(command: list[str], repeats: int) -> Run:
    """The least time of several runs, and their largest memory."""
    runs = [run(command) for _ in range(repeats)]
    return Run(min(r.seconds for r in runs), min(r.cpu for r in runs), max(r.memory for r in runs))


def zoo_step(model: str, size: str, folder: Path, **changes: int) -> Path:
    """The text of a step of the zoo; lowered if it is not there yet."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{model}.{size}{''.join(f'.{key}{value}' for key, value in changes.items())}.mlir"
    if not path.exists():
        print(f"lowering {model}.{size}", file=sys.stderr, flush=True)
        command = [sys.executable, "-m", "hetero.zoo", "--model", model, "--size", size]
        command += [*(f"--{key}={value}" for key, value in changes.items()), "--out", str(folder), "--quiet"]
        path_list = [str(ROOT / "python"), os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, path_list))}
        subprocess.run(command, check=True, env=environment)
    return path


def gpt(layers: int, folder: Path, **changes: int) -> Path:
    """The text of an unrolled GPT of the zoo."""
    return zoo_step("gpt", "bench", folder, layers=layers, **changes)


def add_options(parser: argparse.ArgumentParser, repeats: int) -> None:
    """The options that all benchmarks of steps have."""
    parser.add_argument("--steps", type=Path, default=ROOT / "build" / "benchmark", help="where the steps are kept")
    parser.add_argument(
        "--repeats", type=int, default=repeats, help=f"runs of each measurement (default: {repeats})"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object per figure and line")


def count_ops(path: Path) -> int:
    """The number of operations in the text: results, returns and calls."""
    with open(path) as lines:
        return sum(" = " in line or line.lstrip().startswith(("return", "stablehlo.return")) for line in lines)


def growth(points: list[tuple[int, float]]) -> float:
    """The exponent of the power law that fits the points best."""
    xs, ys = [math.log(x) for x, _ in points], [math.log(y) for _, y in points]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    covariance = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys))
    return covariance / sum((x - mean_x) ** 2 for x in xs)


def _short(value: float) -> float:
    """Four digits behind the point, or four at all for small numbers."""
    return round(value, 4) if abs(value) >= 0.1 else float(f"{value:.4g}")


class Report:
    """Collects figures and prints them as they come."""

    def __init__(self, bars: dict[str, float], as_json: bool) -> None:
        self._bars = bars
        self._json = as_json
        self.ok = True
        self.figures: list[dict[str, Any]] = []

    def add(
        self,
        name: str,
        value: float,
        unit: str,
        peer: str = "",
        peer_value: float | None = 0.0,
        bar: float | None = None,
        ratio_bar: float | None = None,
        **more: Any,
    ) -> None:
        """One figure. A bar is for the value, or else for the ratio to the peer.

        A peer without a value is missing: then nothing is known, and not well.
        """
        figure: dict[str, Any] = {"name": name, "value": _short(value), "unit": unit}
        is_missing = bool(peer) and peer_value is None
        ratio = value / peer_value if peer and peer_value else 0.0
        if is_missing:
            figure |= {"peer": peer, "peer_value": None, "ratio": None}
        elif peer:
            figure |= {"peer": peer, "peer_value": _short(peer_value), "ratio": round(ratio, 3)}
        bar = self._bars.get(name, bar)
        if is_missing and bar is None and ratio_bar is not None:
            figure |= {"bar": ratio_bar, "ok": False}
            self.ok = False
        elif bar is not None or ratio_bar is not None:
            ok = value <= bar if bar is not None else ratio <= ratio_bar
            figure |= {"bar": ratio_bar if bar is None else bar, "ok": ok}
            self.ok &= ok
        figure |= more
        self.figures.append(figure)
        print(json.dumps(figure) if self._json else self._line(figure), flush=True)

    def table(self) -> str:
        """The ratios of figures that are named `what.of`: one row for each `of`."""
        rows: dict[str, dict[str, str]] = {}
        for figure in self.figures:
            what, _, of = figure["name"].partition(".")
            if figure.get("ratio") is not None:
                missed = "" if figure.get("ok", True) else " !"
                rows.setdefault(of, {})[what] = f"{figure['ratio']:.2f}{missed}"
        columns = list(dict.fromkeys(what for row in rows.values() for what in row))
        lines = ["".join(f"{cell:<12}" for cell in ["", *columns])]
        for of, row in rows.items():
            lines.append("".join(f"{cell:<12}" for cell in [of, *(row.get(what, "") for what in columns)]))
        return "\n".join(line.rstrip() for line in lines)

    @staticmethod
    def _line(figure: dict[str, Any]) -> str:
        text = f"{figure['name']:<24}{figure['value']:>12} {figure['unit']:<4}"
        if "peer" in figure and figure["ratio"] is None:
            text += f"  {figure['peer']} is missing"
        elif "peer" in figure:
            text += f"  {figure['peer']} {figure['peer_value']} ({figure['ratio']} of it)"
        if "bar" in figure and figure.get("ratio", 0.0) is None:
            text += f"  bar {figure['bar']}: NOT COMPARED"
        elif "bar" in figure:
            text += f"  bar {figure['bar']}: {'ok' if figure['ok'] else 'MISSED'}"
        return text
