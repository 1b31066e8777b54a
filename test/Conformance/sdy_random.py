"""Random sdy programs: about half valid, the others wrong in one detail.

Each generator makes a consistent program and then, now and then, breaks a rule:
an axis twice, a wrong order, a rank, a missing axis.
"""

from __future__ import annotations

import random
from typing import Callable, Iterator

SIZES = [1, 2, 2, 4, 4, 6, 8]
Axis = tuple[str, int, int]  # name, pre-size, size; size 0 is the whole axis
Dims = list[list[Axis]]


class Mesh:
    """Axes with their sizes, and an order of the devices."""

    def __init__(self, rng: random.Random) -> None:
        names = rng.sample("xyzw", rng.randint(1, 4))
        self.axes = {name: rng.choice(SIZES) for name in names}
        self.text = "[" + ", ".join(f'"{name}"={size}' for name, size in self.axes.items()) + "]"

    def factors(self, rng: random.Random, name: str) -> list[Axis]:
        """The whole axis, or disjoint sub-axes of it."""
        size = self.axes[name]
        if size < 4 or rng.random() < 0.5:
            return [(name, 1, 0)]
        first = rng.choice([f for f in range(2, size) if size % f == 0])
        return [(name, 1, first), (name, first, size // first)]

    def shuffled(self, rng: random.Random) -> list[Axis]:
        """Disjoint references to all axes; rarely with one that is wrong."""
        found = [axis for name in self.axes for axis in self.factors(rng, name)]
        rng.shuffle(found)
        if rng.random() < 0.1:
            found.append((rng.choice("xyzwq"), rng.choice([0, 1, 2]), rng.choice([0, 1, 2, 3, 8])))
        return found

    def ordered(self, axes: list[Axis]) -> list[Axis]:
        names = list(self.axes)
        return sorted(axes, key=lambda axis: (names.index(axis[0]) if axis[0] in names else 9, axis[1]))

    def appended(self, axes: list[Axis], more: list[Axis]) -> list[Axis]:
        """Both lists in one, consecutive sub-axes merged."""
        result = list(axes)
        for name, pre, size in more:
            last = result[-1] if result else ("", 0, 0)
            if last[0] == name and last[2] and size and last[1] * last[2] == pre:
                whole = last[1] == 1 and last[2] * size == self.axes.get(name)
                result[-1] = (name, last[1], 0 if whole else last[2] * size)
            else:
                result.append((name, pre, size))
        return result


class Sharding:
    """Axes for dimensions, and the replicated and unreduced ones."""

    def __init__(self, rng: random.Random, mesh: Mesh, rank: int) -> None:
        self.dims: Dims = [[] for _ in range(rank)]
        self.replicated: list[Axis] = []
        self.unreduced: list[Axis] = []
        self.free: list[Axis] = []
        for axis in mesh.shuffled(rng):
            lists = [self.free, self.replicated, self.unreduced, *self.dims, *self.dims]
            rng.choice(lists).append(axis)
        if rng.random() < 0.95:
            self.replicated = mesh.ordered(self.replicated)
            self.unreduced = mesh.ordered(self.unreduced)

    def text(self, rng: random.Random, mesh: str, plain: bool = False) -> str:
        dims = []
        for axes in self.dims:
            parts = [_axis(axis) for axis in axes]
            if not plain and rng.random() < 0.3:
                parts.append("?")
            priority = f"p{rng.randint(0, 2)}" if not plain and rng.random() < 0.1 else ""
            dims.append("{" + ", ".join(parts) + "}" + priority)
        result = f"<{mesh}, [{', '.join(dims)}]"
        for name, axes in (("replicated", self.replicated), ("unreduced", self.unreduced)):
            if axes:
                result += f", {name}={_axes(axes)}"
        return result + ">"


def random_programs(seed: int, count: int) -> Iterator[tuple[str, str]]:
    """`count` pairs of a family and a program."""
    rng = random.Random(seed)
    generators: list[tuple[str, Callable[[random.Random], str]]] = [
        ("sharding", _sharding),
        ("collective", _collective),
        ("manual_computation", _manual),
        ("sharding_rule", _rule),
    ]
    for i in range(count):
        family, generate = generators[i % len(generators)]
        yield family, generate(rng)


def _axis(axis: Axis) -> str:
    name, pre, size = axis
    return f'"{name}":({pre}){size}' if size else f'"{name}"'


def _axes(axes: list[Axis]) -> str:
    return "{" + ", ".join(map(_axis, axes)) + "}"


def _per_dim(dims: Dims) -> str:
    return "[" + ", ".join(map(_axes, dims)) + "]"


def _tensor(shape: list[object]) -> str:
    return f"tensor<{''.join(f'{dim}x' for dim in shape)}f32>"


def _sharding(rng: random.Random) -> str:
    """A sharding at one of the places where it may stand."""
    mesh = Mesh(rng)
    rank = rng.randint(0, 3)
    kind = _tensor([rng.choice([0, 1, 7, 8, "?"]) for _ in range(rank)])
    if rng.random() < 0.1:
        kind = rng.choice(["f32", "tensor<*xf32>", "tuple<tensor<8xf32>>", "tuple<f32, f32>", "memref<8x8xf32>"])
    reference = rng.choice(["@mesh"] * 9 + [f"mesh<{mesh.text}>", "@none"])
    text = Sharding(rng, mesh, rank if rng.random() < 0.95 else rank + 1).text(rng, reference)
    start = f"sdy.mesh @mesh = <{mesh.text}>\n"
    return start + rng.choice(
        [
            f"func.func @f(%a: {kind} {{sdy.sharding = #sdy.sharding{text}}}) {{\n  return\n}}",
            f"func.func private @f() -> ({kind} {{sdy.sharding = #sdy.sharding{text}}})",
            f"func.func @f(%a: {kind}) {{\n  %0 = sdy.sharding_constraint %a {text} : {kind}\n  return\n}}",
            f"func.func @f(%a: {kind}) {{\n  %0 = sdy.data_flow_edge %a sharding={text} : {kind}\n  return\n}}",
            f"func.func private @g() -> {kind}\nfunc.func @f() {{\n  %0 = call @g() {{sdy.sharding = #sdy.sharding_per_value<[{text}]>}} : () -> {kind}\n  return\n}}",
            f'func.func @f(%a: {kind}) {{\n  sdy.named_computation<"n">(%a) in_shardings=[{text}] (%b: {kind}) {{\n    sdy.return\n  }} : ({kind}) -> ()\n  return\n}}',
        ]
    )


def _collective(rng: random.Random) -> str:
    """A collective with the sharding that it gives."""
    mesh = Mesh(rng)
    rank = rng.randint(1, 3)
    kind = _tensor([16] * rank)
    sharding = Sharding(rng, mesh, rank)
    before = sharding.text(rng, "@mesh", plain=rng.random() < 0.7)
    apply = rng.choice([_gather, _slice, _all_to_all, _reduce, _permute])
    op = apply(rng, mesh, sharding)
    if rng.random() < 0.15:
        rng.choice([*sharding.dims, sharding.replicated, sharding.unreduced]).append((rng.choice("xyz"), 1, 0))
    after = sharding.text(rng, "@mesh", plain=True)
    attribute = f" {{sdy.sharding = #sdy.sharding{before}}}" if rng.random() < 0.95 else ""
    return f"sdy.mesh @mesh = <{mesh.text}>\nfunc.func @f(%a: {kind}{attribute}) {{\n  %0 = sdy.{op} %a out_sharding={after} : {kind}\n  return\n}}"


def _cut(rng: random.Random, mesh: Mesh, axes: list[Axis]) -> tuple[list[Axis], list[Axis]]:
    """Splits a list, perhaps inside an axis, into what stays and what goes."""
    at = rng.randint(0, len(axes))
    stay, go = axes[:at], axes[at:]
    if go and rng.random() < 0.3:
        name, pre, size = go[0]
        size = size or mesh.axes.get(name, 1)
        if size > 2 and size % 2 == 0:
            stay, go = [*stay, (name, pre, 2)], [(name, pre * 2, size // 2), *go[1:]]
    return stay, go


def _gather(rng: random.Random, mesh: Mesh, sharding: Sharding) -> str:
    gone = []
    for i, axes in enumerate(sharding.dims):
        sharding.dims[i], go = _cut(rng, mesh, axes)
        gone.append(go)
    if rng.random() < 0.5:
        return f"all_gather {_per_dim(gone)}"
    sharding.unreduced = mesh.appended([], mesh.ordered(sharding.unreduced + sum(gone, [])))
    return f"sharded_to_unreduced {_per_dim(gone)}"


def _slice(rng: random.Random, mesh: Mesh, sharding: Sharding) -> str:
    added: Dims = [[] for _ in sharding.dims]
    for axis in sharding.free:
        rng.choice(added).append(axis)
    sharding.dims = [mesh.appended(axes, more) for axes, more in zip(sharding.dims, added)]
    return f"{rng.choice(['all_slice', 'reduce_scatter'])} {_per_dim(added)}"


def _all_to_all(rng: random.Random, mesh: Mesh, sharding: Sharding) -> str:
    dims = list(range(len(sharding.dims)))
    rng.shuffle(dims)
    moves = []
    while len(dims) > 1:
        source, target = dims.pop(), dims.pop()
        sharding.dims[source], go = _cut(rng, mesh, sharding.dims[source])
        sharding.dims[target] = mesh.appended(sharding.dims[target], go)
        if go:
            moves.append((source, target, go))
    if rng.random() < 0.9:
        moves.sort()
    return "all_to_all [" + ", ".join(f"{_axes(axes)}: {source}->{target}" for source, target, axes in moves) + "]"


def _reduce(rng: random.Random, mesh: Mesh, sharding: Sharding) -> str:
    if rng.random() < 0.5:
        axes = mesh.ordered([axis for axis in sharding.unreduced + sharding.free if rng.random() < 0.7])
        sharding.unreduced = [axis for axis in sharding.unreduced if axis not in axes]
        return f"all_reduce {_axes(axes)}"
    axes = mesh.ordered([axis for axis in sharding.free if rng.random() < 0.8])
    sharding.unreduced = mesh.ordered(sharding.unreduced + axes)
    return f"replicated_to_unreduced {_axes(axes)}"


def _permute(rng: random.Random, mesh: Mesh, sharding: Sharding) -> str:
    axes = sum(sharding.dims, [])
    rng.shuffle(axes)
    sharding.dims = [[axes.pop() for _ in dim] for dim in sharding.dims]
    return "collective_permute"


def _manual(rng: random.Random) -> str:
    """A manual computation that returns its arguments."""
    mesh = Mesh(rng)
    manual = [name for name in mesh.axes if rng.random() < 0.5]
    values = [_manual_value(rng, mesh, manual) for _ in range(rng.randint(0, 2))]
    operands = ", ".join(f"%a{i}: {kind}" for i, (kind, _, _) in enumerate(values))
    arguments = ", ".join(f"%b{i}: {local}" for i, (_, local, _) in enumerate(values))
    shardings = ", ".join(text for _, _, text in values)
    kinds = ", ".join(kind for kind, _, _ in values)
    returned = ", ".join(f"%b{i}" for i in range(len(values))) + " : " + ", ".join(local for _, local, _ in values) if values else ""
    bound = f"%r:{len(values)} = " if values else ""
    names = ", ".join(f"%a{i}" for i in range(len(values)))
    axes = ", ".join(f'"{name}"' for name in manual)
    return (
        f"sdy.mesh @mesh = <{mesh.text}>\nfunc.func @f({operands}) {{\n"
        f"  {bound}sdy.manual_computation({names}) in_shardings=[{shardings}] out_shardings=[{shardings}] manual_axes={{{axes}}} ({arguments}) {{\n"
        f"    sdy.return {returned}\n  }} : ({kinds}) -> ({kinds})\n  return\n}}"
    )


def _manual_value(rng: random.Random, mesh: Mesh, manual: list[str]) -> tuple[str, str, str]:
    """A type, the type of one device's part, and the sharding."""
    sharding = Sharding(rng, mesh, rng.randint(0, 2))
    if rng.random() < 0.9:
        sharding.dims = [sorted(axes, key=lambda axis: axis[0] not in manual) for axes in sharding.dims]
    shape: list[object] = [rng.choice([8, 24, 48, "?"]) for _ in sharding.dims]
    local: list[object] = []
    for size, axes in zip(shape, sharding.dims):
        for name, _, factor in axes:
            if name in manual and isinstance(size, int):
                size //= max(factor or mesh.axes.get(name, 1), 1)
        local.append(size)
    return _tensor(shape), _tensor(local), sharding.text(rng, "@mesh")


def _rule(rng: random.Random) -> str:
    """A call with a sharding rule."""
    symbols = [chr(ord("i") + i) for i in range(rng.randint(1, 4))]
    tensors = []
    for _ in range(2):
        left = list(symbols)
        rng.shuffle(left)
        dims = []
        while left and (len(dims) < 1 or rng.random() < 0.7):
            dims.append("".join(left.pop() for _ in range(min(len(left), rng.choice([1, 1, 1, 2])))))
        tensors.append(dims)
    kinds = [_tensor([8] * len(dims)) for dims in tensors]
    rule = f"([{', '.join(tensors[0])}])->([{', '.join(tensors[1])}])"
    rule += " {" + ", ".join(f"{symbol}={rng.choice([1, 2, 4, 8, 8])}" for symbol in symbols) + "}"
    for name in ("reduction", "need_replication", "permutation", "blocked_propagation"):
        if rng.random() < 0.25:
            rule += f" {name}={{{rng.choice(symbols)}}}"
    return (
        f"func.func private @g({kinds[0]}) -> {kinds[1]}\nfunc.func @f(%a: {kinds[0]}) {{\n"
        f"  %0 = call @g(%a) {{sdy.sharding_rule = #sdy.op_sharding_rule<{rule}>}} : ({kinds[0]}) -> {kinds[1]}\n  return\n}}"
    )
