"""Clusters: what devices there are, and how they are connected."""

from __future__ import annotations

import json
import os
from typing import Any, Mapping, Union

from .core import core

ClusterLike = Union[None, str, os.PathLike, Mapping[str, Any], "Cluster"]


class Cluster:
    """A cluster that has been read and checked.

        cluster = hetero.Cluster.load("cluster.yaml")
        cluster = hetero.Cluster.from_dict({"nodes": [{"name": "box", "devices": ["2 x l4"]}]})
        [device.memory for device in cluster.devices]

    The keys are those of cluster.yaml; include/hetero/Cluster/Cluster.h lists
    them. A mistake raises `hetero.CompileError` that says where it is.
    """

    def __init__(self, info: Any) -> None:
        self._info = info

    @classmethod
    def load(cls, path: str | os.PathLike) -> Cluster:
        """Reads a cluster.yaml."""
        return cls(core.read_cluster(os.fspath(path)))

    @classmethod
    def from_yaml(cls, text: str, name: str = "cluster.yaml") -> Cluster:
        """Reads the text of a cluster.yaml; errors call it `name`."""
        return cls(core.read_cluster(name, text))

    @classmethod
    def from_dict(cls, description: Mapping[str, Any]) -> Cluster:
        """The same as nested mappings and lists."""
        return cls.from_yaml(json.dumps(description, indent=1), "cluster")

    @classmethod
    def of(cls, cluster: ClusterLike) -> Cluster | None:
        """Whatever a user may give; `None` stays."""
        if cluster is None or isinstance(cluster, Cluster):
            return cluster
        if isinstance(cluster, Mapping):
            return cls.from_dict(cluster)
        if isinstance(cluster, (str, os.PathLike)):
            return cls.load(cluster)
        raise TypeError(
            f"a cluster is a path, a mapping or a hetero.Cluster, not a {type(cluster).__name__}"
        )

    @property
    def name(self) -> str:
        """What the description calls it."""
        return self._info.name

    @property
    def devices(self) -> list[Any]:
        """By rank, each with `rank`, `device_class`, `node`, `memory` in bytes, `available`."""
        return self._info.devices

    @property
    def yaml(self) -> str:
        """The whole description as a cluster.yaml."""
        return self._info.text

    def __len__(self) -> int:
        return len(self.devices)

    def __repr__(self) -> str:
        counts: dict[str, int] = {}
        for device in self.devices:
            counts[device.device_class] = counts.get(device.device_class, 0) + 1
        devices = ", ".join(f"{count} x {name}" for name, count in counts.items())
        return f"Cluster({self.name}: {devices})"
