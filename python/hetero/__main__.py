"""The command `hetero`: looks at steps and plans from the shell."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

EPILOG = """\
examples:
  hetero cluster cluster.yaml
  hetero devices
  hetero plan step.mlir --cluster cluster.yaml
  hetero plan step.mlir --cluster cluster.yaml --planner dp-even --out planned.mlir

step.mlir is what `jax.jit(train_step).lower(...).as_text(debug_info=True)` gives;
hetero-run trains it, and hetero-opt shows every pass.
"""


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    options = _parse(arguments)
    try:
        return options.command(options)
    except (ImportError, OSError, UnicodeDecodeError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="hetero",
        description="Training steps of JAX on whatever mix of devices there is.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="command")

    plan = commands.add_parser("plan", help="plan a step for a cluster and print the plan")
    plan.add_argument("step", type=Path, help="StableHLO as text, or a later phase of it")
    plan.add_argument("--cluster", type=Path, help="a cluster.yaml (default: one device)")
    plan.add_argument("--planner", default="joint", help="a name from docs/Planning.md (default: joint)")
    plan.add_argument("--schedule", help="gpipe, 1f1b, h1f1b (default: the planner's)")
    plan.add_argument("--microbatches", type=int, help="how many (default: the planner's)")
    plan.add_argument("--state", action="append", default=[], help="replicated, optimizer, full; may be repeated")
    plan.add_argument("--tensor", type=int, help="parts along a model dimension (default: the planner's)")
    plan.add_argument("--max-stages", type=int, help="the largest number of stages (default: no limit)")
    plan.add_argument("--without", type=int, action="append", default=[], help="a device that must not be used; may be repeated")
    plan.add_argument("--effort", type=int, default=1, help="how many times as long joint searches (default: 1)")
    plan.add_argument("--time-budget", help="how long a planner may search, as 5s (default: no limit)")
    plan.add_argument("--out", type=Path, help="also write the planned module")
    plan.set_defaults(command=_plan)

    cluster = commands.add_parser("cluster", help="check a cluster.yaml and list its devices")
    cluster.add_argument("file", type=Path)
    cluster.set_defaults(command=_cluster)

    devices = commands.add_parser("devices", help="list the GPUs of this machine and the libraries for them")
    devices.set_defaults(command=_devices)
    return parser.parse_args(arguments)


def _plan(options: argparse.Namespace) -> int:
    from .core import core
    from .options import make_options
    from .plans import Plan

    settings = make_options(
        cluster=options.cluster,
        planner=options.planner,
        schedule=options.schedule,
        microbatches=options.microbatches,
        state=options.state,
        tensor=options.tensor,
        max_stages=options.max_stages,
        without=options.without,
        effort=options.effort,
        time_budget=options.time_budget,
    )
    plan = Plan(core.plan(options.step.read_text(), settings))
    print(plan)
    if options.out:
        plan.save(options.out)
    return 0


def _cluster(options: argparse.Namespace) -> int:
    from .clusters import Cluster

    cluster = Cluster.load(options.file)
    print(f"{cluster.name}: {len(cluster)} devices")
    for device in cluster.devices:
        memory = f"{device.memory / 2**30:.4g} GiB"
        missing = "" if device.available else ", not available"
        print(f"{device.rank:5}  {device.device_class} of {device.node}, {memory}{missing}")
    return 0


def _devices(options: argparse.Namespace) -> int:
    from .core import core
    from .options import wheel_directories

    print(core.describe_cuda(wheel_directories()), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
