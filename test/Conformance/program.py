"""Programs for the conformance tests, and the text templates to make them."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import Iterable, Iterator, Mapping, Sequence

_OP = re.compile(r"\b(?:stablehlo|chlo|sdy)\.[\w-]+")


@dataclass(frozen=True)
class Program:
    """A module as text. `family` is the op, or the table, that it exercises."""

    family: str
    text: str

    def is_of(self, family: str) -> bool:
        """Whether this is the program's family, with or without its dialect."""
        return family in (self.family, self.family.split(".", 1)[-1])

    @property
    def ops(self) -> set[str]:
        """The names of the ops in the text, as far as it spells them out."""
        return set(_OP.findall(self.text))

    def uses(self, name: str) -> bool:
        """Whether the text has this op, named with or without its dialect."""
        return any(name in (op, op.split(".", 1)[1]) for op in self.ops)


Attributes = Mapping[str, "str | None"]

SIGNLESS = ["i1", "i2", "i4", "i8", "i16", "i32", "i64"]
UNSIGNED = ["ui2", "ui4", "ui8", "ui16", "ui32", "ui64"]
SMALL_FLOATS = [
    "f4E2M1FN",
    "f6E2M3FN",
    "f6E3M2FN",
    "f8E3M4",
    "f8E4M3",
    "f8E4M3B11FNUZ",
    "f8E4M3FN",
    "f8E4M3FNUZ",
    "f8E5M2",
    "f8E5M2FNUZ",
    "f8E8M0FNU",
]
FLOATS = [*SMALL_FLOATS, "bf16", "f16", "f32", "f64"]
COMPLEX = ["complex<f32>", "complex<f64>"]
QUANTIZED = [
    "!quant.uniform<i8:f32, 1.000000e+00:17>",
    "!quant.uniform<i8:f32, 3.400000e+01>",
    "!quant.uniform<u8:f32, 3.400000e+01:16>",
    "!quant.uniform<i4:f32, 5.000000e-01>",
    "!quant.uniform<i8<-127:127>:f32, 1.500000e+00>",
    "!quant.uniform<i32:f32, 1.000000e+00>",
    "!quant.uniform<i16:bf16, 1.000000e+00>",
    "!quant.uniform<i8:f32:0, {1.000000e+00,2.000000e+00}>",
    "!quant.uniform<i8:f32:1, {1.000000e+00:3,2.000000e+00:-3,5.000000e-01}>",
]
# Types that are no element types of StableHLO, or rarely so.
ODD = ["i3", "i128", "si32", "index", "f80", "f128", "tf32", "complex<f16>", "complex<i32>", "none"]
DTYPES = [*SIGNLESS, *UNSIGNED, *FLOATS, *COMPLEX]
ANY_DTYPES = [*DTYPES, *QUANTIZED[:3], *ODD]

SHAPES = ["", "0", "1", "7", "2x3", "?", "2x?", "?x3", "?x?", "2x0x3", "1x2x3x4", "*"]
BOUNDED = "tensor<?x3x{}, #stablehlo.bounds<4, ?>>"


def tensor(shape: str | Sequence[object], dtype: str = "f32", encoding: str = "") -> str:
    """`tensor<shape x dtype, encoding>`; a shape is "2x?" or a sequence."""
    dims = shape if isinstance(shape, str) else "x".join(str(dim) for dim in shape)
    prefix = f"{dims}x" if dims else ""
    return f"tensor<{prefix}{dtype}{', ' + encoding if encoding else ''}>"


def function(args: Sequence[str], body: str, results: Sequence[str], returned: str = "") -> str:
    """A module with one function; it returns `returned`, by default %r."""
    if not returned and results:
        returned = "%r" if len(results) == 1 else ", ".join(f"%r#{i}" for i in range(len(results)))
    params = ", ".join(f"%arg{i}: {arg}" for i, arg in enumerate(args))
    signature = f" -> ({', '.join(results)})" if results else ""
    final = f"return {returned} : {', '.join(results)}" if results else "return"
    return f"func.func @main({params}){signature} {{\n{body}\n  {final}\n}}"


def attributes(values: Attributes) -> str:
    """An attribute dictionary without its braces; entries of None are absent."""
    return ", ".join(
        name if value == "unit" else f"{name} = {value}"
        for name, value in values.items()
        if value is not None
    )


def statement(
    name: str,
    operands: Sequence[str],
    results: Sequence[str],
    attrs: Attributes = {},
    regions: Sequence[str] = (),
    names: Sequence[str] | None = None,
    extra: Attributes = {},
    properties: bool = True,
) -> str:
    """One op in the generic form; operands are types, values are %arg<i>."""
    values = names if names is not None else [f"%arg{i}" for i in range(len(operands))]
    bound = {0: "", 1: "%r = "}.get(len(results), f"%r:{len(results)} = ")
    inherent = attributes(attrs)
    discardable = attributes(extra)
    text = f'  {bound}"{name}"({", ".join(values)})'
    if inherent and properties:
        text += f" <{{{inherent}}}>"
    if regions:
        text += " (" + ", ".join("{\n" + region + "\n  }" for region in regions) + ")"
    if not properties:
        discardable = ", ".join(filter(None, [inherent, discardable]))
    if discardable:
        text += f" {{{discardable}}}"
    produced = results[0] if len(results) == 1 else f"({', '.join(results)})"
    return f"{text} : ({', '.join(operands)}) -> {produced}"


def op(
    name: str,
    operands: Sequence[str],
    results: Sequence[str],
    attrs: Attributes = {},
    regions: Sequence[str] = (),
    **options: object,
) -> str:
    """A module whose function applies one op to its arguments."""
    body = statement(name, operands, results, attrs, regions, **options)  # type: ignore[arg-type]
    return function(operands, body, results)


def region(args: Sequence[str], body: str, returned: str, types: str, end: str = "stablehlo.return") -> str:
    """The text of a region with one block that ends in `end`."""
    header = f"  ^bb0({', '.join(f'%{chr(97 + i)}: {arg}' for i, arg in enumerate(args))}):\n"
    final = f"    {end} {returned} : {types}" if types else f"    {end}"
    return (header if args else "") + (f"    {body}\n" if body else "") + final


def binary_region(dtype: str, name: str = "stablehlo.add", shape: str = "") -> str:
    """A reduction body: applies the binary op `name` to two tensors."""
    kind = tensor(shape, dtype)
    return region([kind, kind], f"%z = {name} %a, %b : {kind}", "%z", kind)


def product(**choices: Iterable["str | None"]) -> Iterator[dict[str, "str | None"]]:
    """All attribute dictionaries that take one value from each choice."""
    for values in itertools.product(*choices.values()):
        yield dict(zip(choices.keys(), values))


def one_at_a_time(
    base: Attributes, **choices: Iterable["str | None"]
) -> Iterator[dict[str, "str | None"]]:
    """`base`, then `base` with one attribute changed, for every choice."""
    yield dict(base)
    for name, values in choices.items():
        for value in values:
            yield {**base, name: value}


def array(*values: object) -> str:
    """`array<i64: ...>`."""
    return f"array<i64: {', '.join(str(value) for value in values)}>" if values else "array<i64>"
