"""Single instructions on many numbers compute what fractions and integers say."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path
from typing import Callable, Iterator

import device_text
import exact
import numpy as np
import pytest
from exact import BF16, F16, F32, F64, FORMATS, MODES, Format
from kernel import tool

pytestmark = pytest.mark.skipif(
    not tool("hetero-ptx-run").exists(), reason="the build has no CUDA toolkit"
)

COUNT = 256  # Numbers for each instruction; the first ones are all pairs of edges.


@dataclasses.dataclass
class Instruction:
    """Operands and the result are numbers of so many bits."""

    text: str
    inputs: list[int]
    output: int
    reference: Callable[..., int]
    # How numbers are chosen: a format, or integers.
    kinds: list[Format | None]


def _scalar(f: Format) -> str:
    return {16: "%rs", 32: "%r", 64: "%rd"}[f.bits]


def _edges(kind: Format | None, bits: int) -> list[int]:
    if not kind:
        top = 1 << (bits - 1)
        return [0, 1, 2, top - 1, top, top + 1, 2 * top - 1, 2 * top - 2]
    one = kind.bias << kind.mantissa
    least = 1 << kind.mantissa
    plus = [0, 1, least - 1, least, one, one + 1, kind.infinity - 1, kind.infinity]
    return plus + [bits | kind.sign for bits in plus] + [kind.infinity + 1]


def _number(kind: Format | None, bits: int, rng: random.Random) -> int:
    """Any bits; often of moderate size, so that operands meet."""
    value = rng.getrandbits(bits)
    if not kind:
        return value >> rng.randrange(bits)
    if rng.random() < 0.6:
        power = kind.bias + rng.randint(-kind.mantissa, kind.mantissa) // 2
        value = value & ~kind.infinity | max(power, 0) << kind.mantissa
    if rng.random() < 0.3:
        # Few digits, for exact results and ties.
        value &= ~((1 << rng.randrange(kind.mantissa)) - 1)
    return value


def _operands(instruction: Instruction, rng: random.Random) -> list[list[int]]:
    pairs = list(zip(instruction.kinds, instruction.inputs, strict=True))
    if len(pairs) == 1:
        rows = [[edge] for edge in _edges(*pairs[0])]
    else:
        others = [_number(kind, bits, rng) for kind, bits in pairs[2:]]
        rows = [[a, b, *others] for a in _edges(*pairs[0]) for b in _edges(*pairs[1])]
    rng.shuffle(rows)
    rows = rows[: COUNT // 2]
    return rows + [
        [_number(kind, bits, rng) for kind, bits in pairs] for _ in range(COUNT - len(rows))
    ]


def _kernel(name: str, instruction: Instruction) -> str:
    """Thread by thread, with each operand in an array."""
    lines = [
        f".visible .entry {name}(" + ", ".join(f".param .u64 {name}_{i}" for i in range(len(instruction.inputs) + 1)),
        ") { .reg .b16 %rs<8>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .b64 %a<4>; .reg .b32 %t;",
        "mov.u32 %t, %tid.x;",
    ]
    names = []
    for i, bits in enumerate([*instruction.inputs, instruction.output]):
        register = {16: "%rs", 32: "%r", 64: "%rd"}[bits] + str(i)
        names.append(register)
        lines.append(
            f"ld.param.b64 %a1, [{name}_{i}]; mul.wide.u32 %a2, %t, {bits // 8}; add.s64 %a3, %a1, %a2;"
        )
        if i < len(instruction.inputs):
            lines.append(f"ld.global.b{bits} {register}, [%a3];")
    operands = ", ".join([names[-1], *names[:-1]])
    lines.append(f"{instruction.text} {operands};")
    lines.append(f"st.global.b{instruction.output} [%a3], {names[-1]}; ret; }}")
    return "\n".join(lines)


def _float_instructions() -> Iterator[Instruction]:
    operations = [
        ("add", 2, exact.add),
        ("sub", 2, exact.subtract),
        ("mul", 2, exact.multiply),
        ("div", 2, exact.divide),
        ("fma", 3, exact.fuse),
        ("sqrt", 1, exact.square_root),
    ]
    for f in FORMATS:
        for name, arity, function in operations:
            if f.bits == 16 and name in ("div", "sqrt"):
                continue
            for mode in MODES if f.bits > 16 else ["rn"]:
                yield Instruction(
                    f"{name}.{mode}.{f.name}",
                    [f.bits] * arity,
                    f.bits,
                    lambda *a, f=f, g=function, m=mode: g(f, *a, m),
                    [f] * arity,
                )
            if f in (F16, F32):
                yield Instruction(
                    f"{name}.rn.ftz.{f.name}",
                    [f.bits] * arity,
                    f.bits,
                    lambda *a, f=f, g=function: f.flush(g(f, *map(f.flush, a), "rn")),
                    [f] * arity,
                )
    one = {f: f.bias << f.mantissa for f in (F32, F64)}
    for f in (F32, F64):
        for mode in MODES:
            yield Instruction(
                f"rcp.{mode}.{f.name}",
                [f.bits],
                f.bits,
                lambda a, f=f, m=mode: exact.divide(f, one[f], a, m),
                [f],
            )


def _conversions() -> Iterator[Instruction]:
    for source in FORMATS:
        for to in FORMATS:
            if to.bits < source.bits:
                for mode in MODES:
                    if to.bits == 16 and mode in ("rm", "rp") and source.bits == 64:
                        continue
                    yield Instruction(
                        f"cvt.{mode}.{to.name}.{source.name}",
                        [source.bits],
                        to.bits,
                        lambda a, t=to, s=source, m=mode: exact.convert(t, s, a, m),
                        [source],
                    )
            elif to.bits > source.bits:
                yield Instruction(
                    f"cvt.{to.name}.{source.name}",
                    [source.bits],
                    to.bits,
                    lambda a, t=to, s=source: exact.convert(t, s, a, "rn"),
                    [source],
                )
    for bits in (16, 32, 64):
        for signed in (True, False):
            integer = f"{'s' if signed else 'u'}{bits}"
            for f in FORMATS:
                for mode in MODES:
                    yield Instruction(
                        f"cvt.{mode}i.{integer}.{f.name}",
                        [f.bits],
                        bits,
                        lambda a, f=f, b=bits, s=signed, m=mode: exact.to_integer(f, a, b, s, m),
                        [f],
                    )
                    yield Instruction(
                        f"cvt.{mode}.{f.name}.{integer}",
                        [bits],
                        f.bits,
                        lambda a, f=f, b=bits, s=signed, m=mode: f.round(
                            exact.Fraction(_signed(a, b) if s else a), m
                        ),
                        [None],
                    )


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


def _divided(a: int, b: int) -> int:
    """Rounded to 0, as Python's is not."""
    return abs(a) // abs(b) * (-1 if (a < 0) != (b < 0) else 1)


def _integers() -> Iterator[Instruction]:
    for bits in (16, 32, 64):
        for signed in (True, False):
            sign = "s" if signed else "u"

            def wrapped(
                function: Callable[..., int], bits: int = bits, signed: bool = signed, out: int = bits
            ) -> Callable[..., int]:
                def call(*values: int) -> int:
                    operands = [_signed(value, bits) if signed else value for value in values]
                    return function(*operands) & ((1 << out) - 1)

                return call

            two = [
                ("add", lambda a, b: a + b),
                ("sub", lambda a, b: a - b),
                ("mul.lo", lambda a, b: a * b),
                ("mul.hi", lambda a, b, n=bits: a * b >> n),
                ("min", min),
                ("max", max),
                # A division by 0 may be anything.
                ("div", lambda a, b: _divided(a, b) if b else None),
                ("rem", lambda a, b: a - b * _divided(a, b) if b else None),
            ]
            for name, function in two:
                yield Instruction(
                    f"{name}.{sign}{bits}",
                    [bits, bits],
                    bits,
                    (lambda a, b, f=wrapped, g=function: None if g(a, b) is None else f(g)(a, b)),
                    [None, None],
                )
            yield Instruction(
                f"mad.lo.{sign}{bits}", [bits] * 3, bits, wrapped(lambda a, b, c: a * b + c), [None] * 3
            )
            if bits < 64:
                yield Instruction(
                    f"mul.wide.{sign}{bits}",
                    [bits, bits],
                    2 * bits,
                    wrapped(lambda a, b: a * b, out=2 * bits),
                    [None, None],
                )
            yield Instruction(
                f"shr.{sign}{bits}",
                [bits, 32],
                bits,
                lambda a, n, b=bits, s=signed: (
                    (_signed(a, b) if s else a) >> min(n, b if not s else b - 1) & ((1 << b) - 1)
                ),
                [None, None],
            )
        yield Instruction(
            f"shl.b{bits}",
            [bits, 32],
            bits,
            lambda a, n, b=bits: a << min(n, b) & ((1 << b) - 1),
            [None, None],
        )
    for bits in (32, 64):
        for signed in (True, False):
            yield Instruction(
                f"bfe.{'s' if signed else 'u'}{bits}",
                [bits, 32, 32],
                bits,
                lambda a, p, n, b=bits, s=signed: _field(a, p & 255, n & 255, b, s),
                [None] * 3,
            )
        yield Instruction(
            f"bfi.b{bits}",
            [bits, bits, 32, 32],
            bits,
            lambda a, c, p, n, b=bits: _inserted(a, c, p & 255, n & 255, b),
            [None] * 4,
        )


def _field(a: int, position: int, length: int, bits: int, signed: bool) -> int:
    """As the manual writes it: bit by bit."""
    if signed and length:
        sign = a >> min(position + length - 1, bits - 1) & 1
    else:
        sign = 0
    result = 0
    for i in range(bits):
        inside = i < length and position + i < bits
        result |= (a >> (position + i) & 1 if inside else sign) << i
    return result


def _inserted(a: int, b: int, position: int, length: int, bits: int) -> int:
    for i in range(length):
        if position + i < bits:
            b = b & ~(1 << (position + i)) | (a >> i & 1) << (position + i)
    return b


@pytest.mark.parametrize("family", [_float_instructions, _conversions, _integers])
def test_values(family: Callable[[], Iterator[Instruction]], tmp_path: Path) -> None:
    instructions = list(family())
    rng = random.Random(7)
    kernels, script, rows = [".version 8.0\n.target sm_90\n.address_size 64"], [], []
    for k, instruction in enumerate(instructions):
        rows.append(_operands(instruction, rng))
        kernels.append(_kernel(f"k{k}", instruction))
        names = []
        for i, bits in enumerate(instruction.inputs):
            path = tmp_path / f"{k}.{i}"
            path.write_bytes(np.array([row[i] for row in rows[k]], f"u{bits // 8}").tobytes())
            names.append(f"m{k}.{i}")
            script.append(f"input {names[-1]} {path}")
        script.append(f"allocate r{k} {COUNT * instruction.output // 8}")
        script.append(f"launch k{k} <1, {COUNT}>({', '.join([*names, f'r{k}'])})")
        script.append(f"output r{k} {tmp_path / f'r{k}'}")
    text = "\n".join(kernels) + "\n"
    device_text.replay(text, "\n".join(script) + "\n", tmp_path, "--capability=90")
    wrong = []
    for k, instruction in enumerate(instructions):
        found = np.fromfile(tmp_path / f"r{k}", f"u{instruction.output // 8}")
        for row, value in zip(rows[k], map(int, found), strict=True):
            expected = instruction.reference(*row)
            if expected is None or value == expected:
                continue
            # Of 64 bits there are many NaN.
            if instruction.text.endswith("f64") or ".f64." in instruction.text:
                if instruction.output == 64 and F64.is_nan(expected) and F64.is_nan(value):
                    continue
            operands = ", ".join(map(hex, row))
            wrong.append(f"{instruction.text} {operands}: {value:#x} instead of {expected:#x}")
    assert not wrong, f"{len(wrong)} of {len(instructions)} instructions:\n" + "\n".join(wrong[:40])
