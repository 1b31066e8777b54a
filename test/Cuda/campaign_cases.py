"""What the campaign runs: modules with arguments, made when they are asked for."""

from __future__ import annotations

import dataclasses
import functools
import re
import subprocess
import sys
from pathlib import Path
from typing import Callable, Iterator

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [
    str(ROOT / "test" / "Run"),
    str(ROOT / "test" / "Conversion"),
    str(ROOT / "test" / "Conversion" / "StablehloToLinalg"),
    str(ROOT / "test" / "Cuda" / "Ptx"),
]

import batch_steps  # noqa: E402, F401
import device_text  # noqa: E402
import jax  # noqa: E402
import odd_steps  # noqa: E402
import op_cases  # noqa: E402
import op_programs  # noqa: E402
import plans  # noqa: E402
import random_programs  # noqa: E402
import steps  # noqa: E402
import training_steps  # noqa: E402, F401
import unusual_steps  # noqa: E402, F401
import user_steps  # noqa: E402

from hetero import export, zoo  # noqa: E402

# What the modules of 16-bit models are off after some steps, measured by the
# scale of each tensor: their sums are rounded in another order.
BF16 = 3e-2
# Functions run twice: the second time memory has been used before.
FUNCTION = ("--function", "--steps=2")
# Steps that learn from a batch that does not divide. The others keep their own.
BATCHES = {"mlp": 7, "gpt": 5, "bert": 5, "vit": 5, "moe": 5, "gpt_scan": 5, "vgg19": 3}
PLANNED = ("mlp", "gpt", "bert", "vit", "moe", "gpt_scan", "vgg19")
CLUSTERS = ROOT / "test/Run/Inputs/clusters"
# Those with two to four devices.
PLANNER_CLUSTERS = ("pair", "desk", "far")
# Programs of a module: so many that starting a process counts for little, so few
# that what is wrong is found among them.
OPERATIONS = 40
RANDOM = 20


@dataclasses.dataclass
class Program:
    """A module, its arguments, and how hetero-run-seeds shall run it."""

    text: str
    arguments: list[np.ndarray]
    flags: tuple[str, ...] = ()
    # Ranks that MPI starts; 0 for threads.
    processes: int = 0


@dataclasses.dataclass
class Case:
    """A name, a way to make the program, and cases that it can be divided into.

    `make` gives nothing where there is nothing to run, with the reason.
    """

    name: str
    make: Callable[[], Program | str]
    divide: Callable[[], list[Case]] | None = None


# --------------------------------------------------------------------------
# Steps
# --------------------------------------------------------------------------


@functools.lru_cache(maxsize=4)
def step(name: str) -> tuple[str, list[np.ndarray]]:
    """A step of the zoo as text, with warm state and a batch."""
    changes = {"batch": BATCHES[name]} if name in BATCHES else {}
    made = zoo.get(name, "test", **changes)
    args = made.warm_args(seed=1)
    kept = made.kept_arguments(jax.jit(made.fn).lower(*args))
    flat = steps.flatten(args)
    return export.text(made.lower()), [flat[i] for i in kept]


@functools.lru_cache(maxsize=4)
def layered(name: str) -> plans.LayeredStep:
    return plans.read(steps.form_layers(step(name)[0], 6))


def _flags(name: str) -> tuple[str, ...]:
    return (f"--rtol={BF16}",) if "16" in name else ()


def zoo_cases() -> Iterator[Case]:
    """Every step on one device, three times, which is when it is recorded."""
    for name in zoo.names():
        yield Case(f"zoo/{name}", lambda name=name: Program(*step(name), ("--steps=3", *_flags(name))))


def plan_cases(seeds: int) -> Iterator[Case]:
    """Random plans of two to four ranks on devices of four architectures."""
    for seed in range(seeds):
        for name in PLANNED:
            for kind in plans.KINDS[1:]:
                ranks = 2 + seed % 3

                def make(name: str = name, kind: str = kind, seed: int = seed, ranks: int = ranks) -> Program:
                    plan = plans.random_plan(layered(name), seed, kind, ranks)
                    return Program(plans.apply(layered(name), plan), step(name)[1], ("--steps=3", *_flags(name)))

                yield Case(f"plans/{name}/{kind}/{ranks}/{seed}", make)


# Half precision is rounded where sums are divided.
HALF = {"master_copies", "dynamic_loss_scale", "loss_scaling"}
# Plans are written for samples in front.
SAMPLES_INSIDE = {
    "time_major_with_class_weights",
    "accumulation_by_scan",
    "accumulation_by_reshape",
    "several_steps_in_one",
}


@functools.lru_cache(maxsize=4)
def user_step(name: str) -> tuple[str, list[np.ndarray]]:
    """A step as somebody may write it, as text, with its arguments."""
    if name in odd_steps.STEPS:
        made = user_steps.UserStep(odd_steps.STEPS[name], odd_steps.arguments(), (0, 1))
    else:
        made = user_steps.STEPS[name]()
    lowered = jax.jit(made.fn, donate_argnums=made.donate).lower(*made.args)
    flat = steps.flatten(jax.tree.map(jax.numpy.asarray, made.args))
    kept = sorted(lowered._lowering.compile_args["kept_var_idx"])
    return lowered.as_text(debug_info=True), [flat[i] for i in kept]


def user_cases() -> Iterator[Case]:
    """Steps as users write them, on one device and under a plan of each kind.

    One step: some go far from where they began, and take rounding with them.
    """

    def make(name: str, kind: str) -> Program:
        text, arguments = user_step(name)
        if kind != "single":
            parts = plans.read(steps.form_layers(text, 5))
            text = plans.apply(parts, plans.random_plan(parts, 0, kind, 3))
        return Program(text, arguments, ("--steps=1", *([f"--rtol={BF16}"] if name in HALF else [])))

    for name in (*user_steps.STEPS, *odd_steps.STEPS):
        for kind in plans.KINDS if name not in SAMPLES_INSIDE else ("single",):
            yield Case(f"users/{name}/{kind}", lambda name=name, kind=kind: make(name, kind))


def _cluster(name: str) -> str:
    """The cluster with more memory than any step needs."""
    return re.sub(r"memory: [\d.]+x", "memory: 4 GiB", (CLUSTERS / f"{name}.yaml").read_text())


def planners() -> list[str]:
    """As the engine lists them."""
    command = [steps.tool("hetero-plan"), ROOT / "examples/problems/gpt.yaml", "--planner=none"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return done.stderr.strip().rpartition("there are: ")[2].split(", ")


def _planned(name: str, cluster: str, planner: str, directory: Path) -> Program | str:
    path = directory / f"{cluster}.yaml"
    path.write_text(_cluster(cluster))
    options = " max-layers=3" if planner == "exhaustive" else ""
    command = [steps.tool("hetero-opt"), "-", f"--hetero-plan-pipeline=cluster={path} planner={planner}{options}"]
    done = subprocess.run(command, input=step(name)[0], capture_output=True, text=True, timeout=900)
    if done.returncode:
        return "no plan: " + done.stderr.strip().splitlines()[0][:300]
    return Program(done.stdout, step(name)[1], ("--steps=3", *_flags(name)))


def planner_cases(directory: Path) -> Iterator[Case]:
    """What each planner makes of a step for each cluster."""
    for name in PLANNED:
        for cluster in PLANNER_CLUSTERS:
            for planner in planners():
                # It tries everything, so it gets the small ones only.
                if planner == "exhaustive" and (cluster != "pair" or name not in ("mlp", "gpt", "vit")):
                    continue
                yield Case(
                    f"planners/{name}/{cluster}/{planner}",
                    lambda n=name, c=cluster, p=planner: _planned(n, c, p, directory),
                )


def mpi_cases() -> Iterator[Case]:
    """Ranks in processes of their own."""
    for name in ("mlp", "gpt", "moe", "vgg19"):
        for kind in plans.KINDS[1:]:

            def make(name: str = name, kind: str = kind) -> Program:
                plan = plans.random_plan(layered(name), 3, kind, 3)
                ranks = 1 + max(device for stage in plan.stages for device in stage.devices)
                text = plans.apply(layered(name), plan)
                return Program(text, step(name)[1], ("--steps=3", *_flags(name)), ranks)

            yield Case(f"mpi/{name}/{kind}", make)


# --------------------------------------------------------------------------
# Functions
# --------------------------------------------------------------------------


def _functions(prefix: str, group: list[device_text.Case]) -> Case:
    def make() -> Program:
        return Program(device_text.lower(group), [a for case in group for a in case.arguments], FUNCTION)

    def divide() -> list[Case]:
        return [_functions(f"{prefix}/{case.name}", [case]) for case in group]

    return Case(prefix, make, divide if len(group) > 1 else None)


def _operations(prefix: str, group: list[op_programs.Program]) -> Case:
    def make() -> Program:
        arguments = [argument for program in group for argument in program.arguments]
        return Program(op_programs.module(group), arguments, FUNCTION)

    def divide() -> list[Case]:
        return [_operations(f"{prefix}/{program.name}", [program]) for program in group]

    return Case(prefix, make, divide if len(group) > 1 else None)


def operation_cases() -> Iterator[Case]:
    """Single operations of all types, and functions of JAX by family."""
    for family in (op_programs.elementwise, op_programs.compares, op_programs.converts):
        made = family()
        for begin in range(0, len(made), OPERATIONS):
            yield _operations(f"ops/{family.__name__}/{begin}", made[begin : begin + OPERATIONS])
    for name, family in op_cases.FAMILIES.items():
        with jax.enable_x64(True):
            functions = list(family())
        for begin in range(0, len(functions), OPERATIONS):
            yield _functions(f"ops/{name}/{begin}", functions[begin : begin + OPERATIONS])


def random_cases(count: int, first: int) -> Iterator[Case]:
    """Random programs, in groups; a name says how many it stands for."""
    for begin in range(first, first + count, RANDOM):
        seeds = range(begin, min(begin + RANDOM, first + count))
        yield _random(f"random/{seeds[0]}-{seeds[-1]}", list(seeds))


def _random(name: str, seeds: list[int]) -> Case:
    def make() -> Program:
        group = [random_programs.make(seed) for seed in seeds]
        return Program(device_text.lower(group), [a for case in group for a in case.arguments], FUNCTION)

    def divide() -> list[Case]:
        return [_random(f"random/{seed}", [seed]) for seed in seeds]

    return Case(name, make, divide if len(seeds) > 1 else None)
