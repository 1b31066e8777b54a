"""Random legal plans, written as text onto a step that has layers.

A plan is legal when hetero-partition must accept it: it divides layers, samples
and state in any proportion, also ones that no planner would choose. The same
seed gives the same plan.
"""

from __future__ import annotations

import dataclasses
import random
import re
from typing import Sequence

KINDS = ("single", "pipeline", "data", "tensor", "mixed")


@dataclasses.dataclass
class Argument:
    """An argument of the step: its text, shape, role, and the first layer that uses it."""

    text: str
    shape: tuple[int, ...]
    role: str
    layer: int


@dataclasses.dataclass
class LayeredStep:
    """The text of a step after hetero-form-layers, taken apart."""

    head: str
    arguments: list[Argument]
    tail: str
    name: str
    layers: int

    @property
    def batch(self) -> int:
        return next(a.shape[0] for a in self.arguments if a.role == "batch" and a.shape)

    def state(self) -> list[int]:
        """The arguments that the step updates, and frozen ones that live somewhere, too."""
        updated = {int(n) for n in re.findall(r"#hetero\.role<updated_state of (\d+)>", self.tail)}
        return sorted(updated | {i for i, a in enumerate(self.arguments) if a.role == "model_state"})


@dataclasses.dataclass
class Stage:
    """Layers, devices in a grid, and samples for each size of microbatch."""

    layers: tuple[int, int]
    devices: list[int]
    data: int
    tensor: int
    samples: list[list[int]]


@dataclasses.dataclass
class Plan:
    """A plan, with the attributes that it puts on arguments."""

    microbatches: list[int]
    stages: list[Stage]
    attributes: dict[int, str]


def _split_top(text: str) -> list[str]:
    """Splits at the commas that stand in no bracket or string."""
    parts, depth, start, quoted = [], 0, 0, False
    for i, char in enumerate(text):
        if char == '"':
            quoted = not quoted
        if quoted:
            continue
        if char in "<([{":
            depth += 1
        elif char in ")]}" or (char == ">" and text[i - 1] != "-"):
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    if text[start:].strip():
        parts.append(text[start:].strip())
    return parts


def read(text: str) -> LayeredStep:
    """Takes the text of a module with one function apart."""
    match = re.search(r"func\.func (?:public )?@(\w+)\(", text)
    if not match:
        raise ValueError("no function")
    depth, end = 1, match.end()
    while depth:
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        end += 1
    tail = text[end - 1 :]
    first_layer: dict[str, int] = {}
    layers = 0
    for line in tail.splitlines():
        layer = re.search(r"#hetero\.layer<(\d+)", line)
        if not layer:
            continue
        layers = max(layers, int(layer[1]) + 1)
        for name in re.findall(r"%arg\d+\b", line):
            first_layer.setdefault(name, int(layer[1]))
    arguments = []
    for part in _split_top(text[match.end() : end - 1]):
        name = part.split(":")[0]
        sizes = re.search(r"tensor<((?:\d+x)*)", part)
        role = re.search(r"#hetero\.role<(\w+)", part)
        shape = tuple(int(size) for size in sizes[1].split("x") if size) if sizes else ()
        arguments.append(Argument(part, shape, role[1] if role else "", first_layer.get(name, 0)))
    return LayeredStep(text[: match.end()], arguments, tail, match[1], max(layers, 1))


def _compose(rng: random.Random, total: int, parts: int, least: int = 0) -> list[int]:
    """Random sizes, each at least `least`, that sum to `total`."""
    spare = total - least * parts
    cuts = sorted(rng.randint(0, spare) for _ in range(parts - 1))
    return [b - a + least for a, b in zip([0, *cuts], [*cuts, spare])]


def _stages(rng: random.Random, step: LayeredStep, kind: str, ranks: int) -> list[tuple[int, int, int]]:
    """For each stage its number of layers, and the shape of its mesh."""
    count = {"single": 1, "pipeline": ranks, "data": 1, "tensor": 1}.get(kind, rng.randint(1, ranks))
    count = min(count, step.layers)
    layers = _compose(rng, step.layers, count, 1)
    devices = _compose(rng, ranks, count, 1)
    if kind == "pipeline":
        devices = [1] * count
    stages = []
    for number, size in zip(layers, devices):
        degrees = [d for d in range(1, size + 1) if size % d == 0]
        tensor = {"tensor": size, "mixed": rng.choice(degrees)}.get(kind, 1)
        stages.append((number, size // tensor, tensor))
    return stages


def _sharding(rng: random.Random, stage: Stage, mesh: str, shape: Sequence[int], tensor: dict[str, str]) -> str:
    """`hetero.storage` (data axis) and `hetero.sharding` (tensor axis) of a state argument."""
    attributes = []
    dims = [d for d, size in enumerate(shape) if size > 0]
    entries = []
    if stage.tensor > 1 and tensor:
        attributes.append(f"hetero.sharding = #hetero.sharding<@{mesh}, {tensor['entry']}>")
        entries.append(tensor["entry"])
    taken = tensor.get("dim") if stage.tensor > 1 else None
    free = [d for d in dims if str(d) != taken]
    if stage.data > 1 and free and rng.random() < 0.6:
        dim = rng.choice(free)
        sizes = _compose(rng, shape[dim], stage.data)
        axis = "data = " if stage.tensor > 1 else ""
        entries.insert(0, f"{axis}split {dim} : {sizes}")
        attributes.append(f"hetero.storage = #hetero.sharding<@{mesh}, {', '.join(entries)}>")
    elif not attributes:
        attributes.append(f"hetero.storage = #hetero.sharding<@{mesh}>")
    return ", ".join(attributes)


def _tensor_split(rng: random.Random, stage: Stage, shape: Sequence[int], even: bool) -> dict[str, str]:
    """A split over the tensor axis, or nothing."""
    dims = [d for d, size in enumerate(shape) if size >= stage.tensor]
    if stage.tensor == 1 or not dims or rng.random() < 0.2:
        return {}
    dim = rng.choice(dims)
    size = shape[dim]
    if even and size % stage.tensor == 0:
        sizes = [size // stage.tensor] * stage.tensor
    else:
        sizes = _compose(rng, size, stage.tensor, 1)
    return {"dim": str(dim), "entry": f"tensor = split {dim} : {sizes}"}


def _attributes(rng: random.Random, step: LayeredStep, stages: list[Stage]) -> dict[int, str]:
    """Where state lives, and how it is split."""
    stage_of = {layer: i for i, s in enumerate(stages) for layer in range(s.layers[0], s.layers[1] + 1)}
    even = rng.random() < 0.5
    state = step.state()
    parameters = [i for i in state if step.arguments[i].role == "parameter"]
    splits: dict[int, dict[str, str]] = {}
    attributes = {}
    for position, index in enumerate(state):
        argument = step.arguments[index]
        if not argument.shape or 0 in argument.shape:
            continue
        home = stage_of.get(argument.layer, 0)
        like = [p for p in parameters if step.arguments[p].shape == argument.shape]
        # The moments of a parameter live with it, and are split as it is.
        parameter = index if index in parameters else like[position % len(like)] if like else None
        if parameter is not None:
            home = stage_of.get(step.arguments[parameter].layer, 0)
        stage = stages[home]
        if parameter not in splits or parameter is None:
            split = _tensor_split(rng, stage, argument.shape, even)
            if parameter is not None:
                splits[parameter] = split
        else:
            split = splits[parameter]
        if rng.random() < 0.9:
            attributes[index] = _sharding(rng, stage, f"stage{home}", argument.shape, split)
    return attributes


def random_plan(step: LayeredStep, seed: int, kind: str = "mixed", ranks: int | None = None) -> Plan:
    """A legal plan of a kind; `ranks` devices at most."""
    rng = random.Random(f"{len(step.arguments)}/{step.layers}/{step.batch}/{kind}/{ranks}/{seed}")
    ranks = 1 if kind == "single" else ranks or rng.randint(2, 5)
    shapes = _stages(rng, step, kind, ranks)
    devices = list(range(sum(data * tensor for _, data, tensor in shapes)))
    rng.shuffle(devices)
    microbatches = _compose(rng, step.batch, rng.randint(1, min(4, step.batch)), 1)
    distinct = list(dict.fromkeys(microbatches))
    stages, layer = [], 0
    for number, data, tensor in shapes:
        samples = [_compose(rng, size, data) for size in distinct]
        mine, devices = devices[: data * tensor], devices[data * tensor :]
        stages.append(Stage((layer, layer + number - 1), mine, data, tensor, samples))
        layer += number
    return Plan(microbatches, stages, _attributes(rng, step, stages))


def apply(step: LayeredStep, plan: Plan) -> str:
    """The module with the plan in it."""
    lines = []
    for i, stage in enumerate(plan.stages):
        axes = f" (data = {stage.data}, tensor = {stage.tensor})" if stage.tensor > 1 else ""
        lines.append(f"  hetero.mesh @stage{i}{axes} = {stage.devices}")
    lines.append(
        f'  hetero.plan @plan of @{step.name} planner "random" minimizes time batch {step.batch} '
        f"microbatches {plan.microbatches} predicted 1 ms {{"
    )
    for i, stage in enumerate(plan.stages):
        first, last = stage.layers
        run = f"[{first} to {last}]" if last > first else f"[{first}]"
        axes = "(data) " if stage.tensor > 1 else ""
        lines.append(
            f"    hetero.stage {i} on @stage{i} layers {run} samples {axes}{stage.samples} "
            f"in_flight {max(1, len(plan.stages) - i)}"
        )
    lines.append("  }")
    arguments = []
    for index, argument in enumerate(step.arguments):
        extra = plan.attributes.get(index)
        text = argument.text
        if extra:
            text = text[: text.rindex("}")] + ", " + extra + "}" if "{" in text else f"{text} {{{extra}}}"
        arguments.append(text)
    start = step.head.rindex("func.func")
    head = step.head[:start] + "\n".join(lines).lstrip() + "\n  " + step.head[start:]
    return head + ", ".join(arguments) + step.tail
