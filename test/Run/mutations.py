"""Random damage to rank programs, as edits of their text.

A mutation changes one line of one rank program in a way that still parses: it
drops, repeats or moves an operation, or changes an operand, a channel, a rank,
a reduction, a group, a microbatch or a part. The same seed gives the same one.
"""

from __future__ import annotations

import random
import re

_RESULT = re.compile(r"^\s*(%\w+)(?::(\d+))? = ")
_VALUE = re.compile(r"%\w+(?:#\d+)?")


def _types(text: str) -> list[str]:
    """The types of a list such as `(tensor<4xf32>, tensor<f32>)`."""
    return re.findall(r"tensor<[^<>]*>|!hetero\.handle(?:<tensor<[^<>]*>>)?", text)


def _results(line: str) -> dict[str, str]:
    """The values that a line defines, with their types."""
    match = _RESULT.match(line)
    if not match:
        return {}
    name, count = match.group(1), match.group(2)
    tail = line.rsplit("->", 1)[-1] if "->" in line else line.rsplit(" : ", 1)[-1]
    types = _types(tail)
    if not count:
        return {name: types[-1]} if types else {}
    return {f"{name}#{i}": t for i, t in enumerate(types)}


def _operands(line: str) -> list[tuple[int, int, str]]:
    """Where the operands of a line are."""
    match = _RESULT.match(line)
    start = match.end() if match else 0
    return [(m.start(), m.end(), m.group()) for m in _VALUE.finditer(line, start)]


class Mutator:
    """Damages the rank programs of one module."""

    def __init__(self, text: str):
        self.lines = text.splitlines()
        self.programs: list[range] = []
        for begin, line in enumerate(self.lines):
            if re.match(r"\s*func\.func @rank\d+\(", line):
                end = next(i for i in range(begin, len(self.lines)) if re.match(r"\s*return\b", self.lines[i]))
                self.programs.append(range(begin, end + 1))

    def _scope(self, program: range, line: int) -> dict[str, str]:
        """The values that exist before a line, with their types."""
        head = self.lines[program.start].split(") -> ")[0].split(") attributes")[0]
        values = dict(re.findall(r"(%arg\d+): (tensor<[^<>]*>)", head))
        for i in range(program.start + 1, line):
            values.update(_results(self.lines[i]))
        return values

    def _find(self, rng: random.Random, pattern: str) -> tuple[range, int] | None:
        """A random line of a rank program that has the pattern."""
        found = [(p, i) for p in self.programs for i in p[1:] if re.search(pattern, self.lines[i])]
        return rng.choice(found) if found else None

    def mutate(self, seed: int) -> tuple[str, str] | None:
        """What was done, and the text; nothing if it was not possible."""
        rng = random.Random(seed)
        name = rng.choice([n for n in sorted(dir(self)) if n.startswith("do_")])
        done = getattr(self, name)(rng)
        if done is None:
            return None
        what, lines = done
        return f"{name[3:]}: {what.strip()[:160]}", "\n".join(lines) + "\n"

    def _edit(self, index: int, line: str) -> tuple[str, list[str]] | None:
        if line == self.lines[index]:
            return None
        return line, [*self.lines[:index], line, *self.lines[index + 1 :]]

    def do_drop(self, rng: random.Random):
        """Leaves an operation out; its operand takes the place of its result."""
        found = self._find(rng, r"hetero\.(all_reduce|accumulate|send|wait|reduce_scatter|all_gather)")
        if not found:
            return None
        program, at = found
        line = self.lines[at]
        lines = list(self.lines)
        scope = self._scope(program, at)
        for value, kind in _results(line).items():
            same = [o for _, _, o in _operands(line) if scope.get(o) == kind]
            for i in range(at + 1, program.stop):
                if re.search(re.escape(value) + r"\b", lines[i]) and not same:
                    if "hetero.wait" not in lines[i]:
                        return None
                    lines[i] = ""
                elif same:
                    lines[i] = re.sub(re.escape(value) + r"\b(?!#)", same[-1], lines[i])
        lines[at] = ""
        return line, lines

    def do_repeat(self, rng: random.Random):
        """Adds once more, or reduces once more."""
        found = self._find(rng, r"= hetero\.(accumulate|all_reduce)")
        if not found:
            return None
        program, at = found
        line = self.lines[at]
        match = _RESULT.match(line)
        operands = _operands(line)
        begin, end, _ = operands[-1]
        again = line[:begin] + match.group(1) + line[end:]
        again = again.replace(match.group(1), "%again", 1)
        lines = list(self.lines)
        for i in range(at + 1, program.stop):
            lines[i] = re.sub(re.escape(match.group(1)) + r"\b(?!#)", "%again", lines[i])
        lines[at] = line + "\n" + again
        return again, lines

    def do_operand(self, rng: random.Random):
        """Uses another value of the same type."""
        found = self._find(rng, r"= (func\.)?call|hetero\.(all_reduce|accumulate|send)|concatenate|return")
        if not found:
            return None
        program, at = found
        scope = self._scope(program, at)
        choices = []
        for begin, end, value in _operands(self.lines[at]):
            others = [v for v, t in scope.items() if v != value and t == scope.get(value)]
            choices += [(begin, end, other) for other in others]
        if not choices:
            return None
        begin, end, other = rng.choice(choices)
        line = self.lines[at]
        return self._edit(at, line[:begin] + other + line[end:])

    def do_swap(self, rng: random.Random):
        """Exchanges two operations that follow each other."""
        program = rng.choice(self.programs)
        if len(program) < 4:
            return None
        at = rng.choice(program[1:-2])
        first, second = self.lines[at], self.lines[at + 1]
        if any(re.search(re.escape(v.split("#")[0]) + r"\b", second) for v in _results(first)):
            return None
        lines = list(self.lines)
        lines[at], lines[at + 1] = second, first
        return second, lines

    def do_channel(self, rng: random.Random):
        """Uses another channel."""
        found = self._find(rng, r"hetero\.(send|recv|all_reduce|all_gather)")
        if not found:
            return None
        _, at = found
        line = self.lines[at]
        other = rng.randint(0, 12)
        if "channel" in line:
            line = re.sub(r"channel \d+", f"channel {other}", line)
        else:
            line = re.sub(r"( (?:to|from) \d+)( )", rf"\1 channel {other}\2", line, count=1)
        return self._edit(at, line)

    def do_rank(self, rng: random.Random):
        """Speaks with another rank."""
        found = self._find(rng, r"hetero\.(send|recv)")
        if not found:
            return None
        _, at = found
        other = rng.randrange(len(self.programs))
        return self._edit(at, re.sub(r" (to|from) \d+", rf" \1 {other}", self.lines[at], count=1))

    def do_reduction(self, rng: random.Random):
        """Combines in another way."""
        found = self._find(rng, r"(all_reduce|accumulate|reduce_scatter) sum")
        return found and self._edit(found[1], re.sub(r" sum %", " max %", self.lines[found[1]]))

    def do_group(self, rng: random.Random):
        """Reduces over other devices, on all ranks of the stage."""
        found = self._find(rng, r"over @\w+\((data|tensor)\)")
        if not found:
            return None
        lines = list(self.lines)
        exchange = {"(data)": "(tensor)", "(tensor)": "(data)"}
        for program in self.programs:
            for i in program[1:]:
                lines[i] = re.sub(r"(?<= over @stage\d)\((?:data|tensor)\)", lambda m: exchange[m.group()], lines[i])
        return self.lines[found[1]], lines

    def do_microbatch(self, rng: random.Random):
        """Says that a unit works on another microbatch."""
        found = self._find(rng, r"#hetero\.instruction<(forward|backward) \d+")
        if not found:
            return None
        _, at = found
        number = rng.randrange(4)
        return self._edit(at, re.sub(r"<(forward|backward) \d+", rf"<\1 {number}", self.lines[at]))

    def do_offset(self, rng: random.Random):
        """Tells a unit that its samples begin somewhere else."""
        found = []
        for program in self.programs:
            for i in program[1:]:
                match = re.match(r"\s*(%\w+) = stablehlo\.constant dense<\d+> : tensor<i64>", self.lines[i])
                used = match and re.compile(r" call @.*" + re.escape(match.group(1)) + r"\b")
                if used and any(used.search(self.lines[j]) for j in range(i, program.stop)):
                    found.append(i)
        if not found:
            return None
        at = rng.choice(found)
        return self._edit(at, re.sub(r"dense<\d+>", f"dense<{rng.randint(0, 9)}>", self.lines[at]))

    def do_part(self, rng: random.Random):
        """Takes or returns another part."""
        program = rng.choice(self.programs)
        line = self.lines[program.start]
        ranges = list(re.finditer(r"\[(\d+) to (\d+)\]", line))
        if not ranges:
            return None
        chosen = rng.choice(ranges)
        by = rng.choice([-1, 1])
        low, high = int(chosen.group(1)) + by, int(chosen.group(2)) + by
        if low < 0:
            return None
        return self._edit(program.start, line[: chosen.start()] + f"[{low} to {high}]" + line[chosen.end() :])
