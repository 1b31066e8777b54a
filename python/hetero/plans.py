"""Plans: which devices do what."""

from __future__ import annotations

import os
from typing import Any


class Plan:
    """How a step is laid out on a cluster; `str` of it is a table.

    `stages` has for each stage `devices`, `layers` (numbers), `layer_names`,
    `samples` (of each device, for each size of microbatch), `shares` (state and
    memory of each device in bytes), `in_flight`, and the predicted seconds
    `forward`, `backward` and `boundary`.
    """

    def __init__(self, info: Any) -> None:
        self._info = info

    @property
    def planner(self) -> str:
        """Who made it."""
        return self._info.planner

    @property
    def batch(self) -> int:
        """Samples in a step."""
        return self._info.batch

    @property
    def microbatches(self) -> list[int]:
        """Samples of each microbatch."""
        return self._info.microbatches

    @property
    def stages(self) -> list[Any]:
        """The pipeline stages in order."""
        return self._info.stages

    @property
    def predicted(self) -> float:
        """Seconds that a step is expected to take."""
        return self._info.predicted

    @property
    def bound(self) -> float | None:
        """Seconds that no plan can beat under the cost model."""
        return self._info.bound

    @property
    def module(self) -> str:
        """The planned program as MLIR; hetero-opt and hetero-run go on from there."""
        return self._info.module

    def save(self, path: str | os.PathLike) -> None:
        """Writes `module` to a file."""
        with open(path, "w") as file:
            file.write(self.module)

    def __str__(self) -> str:
        return self._info.table.rstrip("\n")

    def __repr__(self) -> str:
        return (
            f"Plan({self.planner}: {len(self.stages)} stages, "
            f"{len(self.microbatches)} microbatches, {self.predicted * 1e3:.3g} ms)"
        )
