"""Mutates programs: small changes that may or may not keep them valid."""

from __future__ import annotations

import random
import re
from typing import Callable, Sequence

from program import DTYPES, ODD, QUANTIZED, Program

_TYPE = re.compile(r"tensor<[^<>]*(?:<[^<>]*>[^<>]*)*>")
_SHAPED = re.compile(r"tensor<((?:(?:\d+|\?)x)*)([a-z!][^,>]*?(?:<[^<>]*>)?)(,[^>]*(?:<[^<>]*>)?)?>")
_INTEGER = re.compile(r"(?<![\w.%#@-])-?\d+(?![\w.x])")
_WORD = re.compile(r"(?<![%@\w.\"])[A-Za-z_][\w.]*")
_VALUE = re.compile(r"%[\w#]+")
_TOKEN = re.compile(r"[%@#!]?[\w.$-]+|\"[^\"\n]*\"|\S")
_ENTRY = re.compile(r"[\w.]+ = (?:[^,{}\[\]<>]|\[[^\[\]]*\]|<[^<>]*>)+(?=[,}>])")
_OP = re.compile(r"\b(?:stablehlo|chlo|sdy)\.[\w-]+")
# The types of an op at the end of its line: operands, results.
_SIGNATURE = re.compile(r"(?<= : )\((tensor<[^()]*>)\) -> (\(?tensor<[^()\n]*>\)?)$", re.M)
_PUNCTUATION = list("(){}[]<>,:=->\"%@#!?") + ["->", " x ", "\n", "0x", "1e", "-"]

Mutator = Callable[[random.Random, str], str]


def mutate(rng: random.Random, program: Program) -> Program:
    """One to three random changes to `program`."""
    text = program.text
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        text = rng.choices(MUTATORS, WEIGHTS)[0](rng, text)
    return Program(program.family, text)


def mutations(programs: Sequence[Program], count: int, seed: int) -> list[Program]:
    """`count` distinct mutants, the same ones for the same seed."""
    rng = random.Random(seed)
    families: dict[str, list[Program]] = {}
    for program in programs:
        families.setdefault(program.family, []).append(program)
    names = sorted(families)
    mutants: dict[str, Program] = {}
    for _ in range(20 * count):
        if len(mutants) == count:
            break
        # By family first: each op gets its share, however many programs it has.
        program = rng.choice(families[rng.choice(names)])
        mutant = mutate(rng, program)
        if mutant.text != program.text and "// -----" not in mutant.text:
            mutants.setdefault(mutant.text, mutant)
    return list(mutants.values())


def _pick(rng: random.Random, pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    found = list(pattern.finditer(text))
    return rng.choice(found) if found else None


def _splice(text: str, match: re.Match[str], new: str) -> str:
    return text[: match.start()] + new + text[match.end() :]


def _everywhere_or_here(rng: random.Random, text: str, match: re.Match[str], new: str) -> str:
    return text.replace(match[0], new) if rng.random() < 0.5 else _splice(text, match, new)


def _dimension(rng: random.Random, text: str) -> str:
    """Changes, adds or drops one dimension of a tensor type."""
    match = _pick(rng, _SHAPED, text)
    if not match:
        return text
    dims = match[1].split("x")[:-1]
    where = rng.randrange(len(dims) + 1)
    action = rng.choice(["change", "change", "change", "add", "drop", "swap"])
    if not dims or action == "add":
        dims.insert(where, rng.choice(["0", "1", "2", "3", "?"]))
    elif action == "change":
        where %= len(dims)
        old = int(dims[where]) if dims[where].isdigit() else 4
        dims[where] = str(rng.choice(["?", 0, 1, old + 1, max(old - 1, 0), old * 2, 2**62]))
    elif action == "drop":
        del dims[where % len(dims)]
    else:
        rng.shuffle(dims)
    new = f"tensor<{''.join(f'{dim}x' for dim in dims)}{match[2]}{match[3] or ''}>"
    return _everywhere_or_here(rng, text, match, new)


def _looser(rng: random.Random, kind: str) -> str:
    """The tensor type with some sizes not known, or known only to be bounded."""
    match = _SHAPED.fullmatch(kind)
    if not match or match[3]:
        return kind
    dims = match[1].split("x")[:-1]
    where = [dim.isdigit() and rng.random() < 0.4 for dim in dims]
    bounds = [rng.choice([dim, str(int(dim) + 1)]) if loose else "?" for dim, loose in zip(dims, where)]
    loose = "".join("?x" if unknown else f"{dim}x" for dim, unknown in zip(dims, where))
    encoding = f", #stablehlo.bounds<{', '.join(bounds)}>" if any(where) and rng.random() < 0.3 else ""
    return f"tensor<{loose}{match[2]}{encoding}>"


def _dynamism(rng: random.Random, text: str) -> str:
    """Forgets sizes of the operands and results of an op, of each on its own."""
    match = _pick(rng, _SIGNATURE, text)
    if not match:
        return text
    operands, results = _TYPE.findall(match[1]), _TYPE.findall(match[2])
    changed = [[_looser(rng, kind) for kind in kinds] for kinds in (operands, results)]
    produced = ", ".join(changed[1])
    wrapped = f"({produced})" if match[2].startswith("(") else produced
    text = _splice(text, match, f"({', '.join(changed[0])}) -> {wrapped}")
    # The function around a single op takes its operands and returns its results.
    for i, (old, new) in enumerate(zip(operands, changed[0])):
        text = text.replace(f"%arg{i}: {old}", f"%arg{i}: {new}", 1)
    for old, new in zip([", ".join(operands), ", ".join(results)], [", ".join(changed[0]), produced]):
        text = text.replace(f"({old}) -> ", f"({new}) -> ", 1)
    return re.sub(rf"(-> \(?|return.* : ){re.escape(', '.join(results))}(?=\)? \{{$|$)",
                  lambda found: found[1] + produced, text, flags=re.M)  # fmt: skip


def _size(rng: random.Random, text: str) -> str:
    """Gives one size another value wherever it stands."""
    match = _pick(rng, re.compile(r"(?<=[<x])\d+(?=x)"), text)
    if not match:
        return text
    new = str(rng.choice([0, 1, int(match[0]) + 1, int(match[0]) * 2, 5]))
    return re.sub(rf"(?<=[<x]){match[0]}(?=x)", new, text)


def _dtype(rng: random.Random, text: str) -> str:
    """Changes an element type, in one type or in all of them."""
    match = _pick(rng, _SHAPED, text)
    if not match:
        return text
    new = rng.choice([*DTYPES, *DTYPES, *QUANTIZED, *ODD])
    if rng.random() < 0.5:
        return re.sub(rf"(?<=[<x]){re.escape(match[2])}(?=[,>])", new.replace("\\", ""), text)
    return _everywhere_or_here(rng, text, match, f"tensor<{match[1]}{new}{match[3] or ''}>")


def _swap_types(rng: random.Random, text: str) -> str:
    """Puts one tensor type in the place of another."""
    match, other = _pick(rng, _TYPE, text), _pick(rng, _TYPE, text)
    return _everywhere_or_here(rng, text, match, other[0]) if match and other else text


def _kind(rng: random.Random, text: str) -> str:
    """Replaces a tensor type by something that is no ranked tensor."""
    match = _pick(rng, _TYPE, text)
    others = ["f32", "index", "!stablehlo.token", "tuple<>", "tensor<*xf32>", "none", "vector<2xf32>",
              "memref<2xf32>", "tensor<?x3xf32, #stablehlo.bounds<4, ?>>", "tensor<2xf32, 1 : i64>"]  # fmt: skip
    return _everywhere_or_here(rng, text, match, rng.choice(others)) if match else text


def _integer(rng: random.Random, text: str) -> str:
    """Changes an integer by one, or to an extreme value."""
    match = _pick(rng, _INTEGER, text)
    if not match:
        return text
    old = int(match[0])
    new = rng.choice([old + 1, old - 1, 0, 1, -1, 2, 2**31, 2**63 - 1, -(2**63), 2**64])
    return _splice(text, match, str(new))


def _list(rng: random.Random, text: str) -> str:
    """Drops, repeats or swaps an element of a bracketed or parenthesised list."""
    match = _pick(rng, re.compile(r"\[[^\[\]]*\]|\([^()]*\)|(?<=i64: )[-\d, ]+(?=>)|(?<=\{)[^{}]*(?=\})"), text)
    if not match:
        return text
    body, ends = match[0], ("", "")
    if body and body[0] in "[(":
        ends, body = (body[0], body[-1]), body[1:-1]
    items = body.split(", ") if body else []
    if not items:
        items = [rng.choice(["0", "%arg0", "true"])]
    else:
        where = rng.randrange(len(items))
        action = rng.choice(["drop", "repeat", "swap", "clear"])
        if action == "drop":
            del items[where]
        elif action == "repeat":
            items.insert(where, items[where])
        elif action == "swap":
            rng.shuffle(items)
        else:
            items = []
    return _splice(text, match, ends[0] + ", ".join(items) + ends[1])


def _drop_entry(rng: random.Random, text: str) -> str:
    """Drops or repeats an attribute."""
    match = _pick(rng, _ENTRY, text)
    if not match:
        return text
    if rng.random() < 0.3:
        return _splice(text, match, f"{match[0]}, {match[0]}")
    without = _splice(text, match, "")
    return re.sub(r"(?<=[{<]), |, (?=[,}>])", "", without, count=1)


def _word(rng: random.Random, text: str) -> str:
    """Replaces a keyword by another one."""
    match, other = _pick(rng, _WORD, text), _pick(rng, _WORD, text)
    words = ["true", "false", "DEFAULT", "HIGHEST", "EQ", "LT", "FLOAT", "SIGNED", "TOTALORDER", "unit", "dense", "foo"]
    new = rng.choice([*words, other[0] if other else "foo"])
    return _splice(text, match, new) if match else text


def _value(rng: random.Random, text: str) -> str:
    """Uses one value in the place of another."""
    match, other = _pick(rng, _VALUE, text), _pick(rng, _VALUE, text)
    return _splice(text, match, other[0]) if match and other else text


def _op(rng: random.Random, text: str) -> str:
    """Makes one op another one."""
    match = _pick(rng, _OP, text)
    if not match:
        return text
    near = _pick(rng, _OP, text)
    names = ["add", "abs", "return", "convert", "reshape", "constant", "sort", "reduce", "tuple", "while", "no_such_op",
        "clamp"]
    new = rng.choice([near[0] if near else match[0], f"stablehlo.{rng.choice(names)}"])
    return _splice(text, match, new)


def _line(rng: random.Random, text: str) -> str:
    """Drops, repeats or swaps lines."""
    lines = text.split("\n")
    where = rng.randrange(len(lines))
    action = rng.choice(["drop", "repeat", "swap"])
    if action == "drop":
        del lines[where]
    elif action == "repeat":
        lines.insert(where, lines[where])
    else:
        other = rng.randrange(len(lines))
        lines[where], lines[other] = lines[other], lines[where]
    return "\n".join(lines)


def _token(rng: random.Random, text: str) -> str:
    """Drops, repeats or inserts a token."""
    match = _pick(rng, _TOKEN, text)
    if not match:
        return text
    new = rng.choice(["", "", f"{match[0]} {match[0]}", rng.choice(_PUNCTUATION), f"{match[0]} {rng.choice(_PUNCTUATION)}"])
    return _splice(text, match, new)


def _truncate(rng: random.Random, text: str) -> str:
    """Cuts the text off."""
    return text[: rng.randrange(len(text) + 1)]


def _character(rng: random.Random, text: str) -> str:
    """Changes one character."""
    if not text:
        return text
    where = rng.randrange(len(text))
    new = rng.choice(["", rng.choice("abcx0129 <>()[]{}%\"#,:=-?*\n\t")])
    return text[:where] + new + text[where + 1 :]


MUTATORS: list[Mutator] = [
    _dimension, _dynamism, _size, _dtype, _swap_types, _kind, _integer, _list, _drop_entry, _word, _value, _op, _line, _token,
    _truncate, _character,
]  # fmt: skip
WEIGHTS = [6, 5, 4, 6, 3, 2, 6, 5, 3, 3, 2, 2, 1, 2, 1, 1]
