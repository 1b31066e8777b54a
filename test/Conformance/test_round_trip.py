"""hetero-opt reads what jaxlib reads and prints what jaxlib prints.

A sample of the programs runs always, all of them with the marker `slow`.
`report.py` shows the same findings as a table.
"""

from __future__ import annotations

from typing import Callable

import pytest
from compare import Labelled, compare, label
from corpus import DIALECTS, SOURCES, candidates, sample
from disagreements import DELIBERATE
from oracle import HeteroOpt, Jaxlib, JaxlibAsOpt, op_names
from program import Program

# Programs per family in the samples; the JAX programs are a sample already.
SAMPLES = {"stablehlo": 12, "chlo": 6, "sdy": 20, "jax": 2, "jax_tests": 2}


@pytest.mark.parametrize("source", SOURCES)
def test_sample(source: str, jaxlib: Jaxlib, hetero_opt: HeteroOpt, expect_agreement: Callable) -> None:
    programs = sample(candidates(source, full=False), SAMPLES[source])
    expect_agreement(compare(label(programs, jaxlib), hetero_opt, jaxlib))


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
def test_all(source: str, jaxlib: Jaxlib, hetero_opt: HeteroOpt, expect_agreement: Callable) -> None:
    expect_agreement(compare(label(candidates(source), jaxlib), hetero_opt, jaxlib))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_op_has_programs(dialect: str, jaxlib: Jaxlib) -> None:
    """The generators leave no op out, so the tests above mean every op."""
    labelled = label(candidates(dialect), jaxlib)
    used = set().union(*(item.program.ops for item in labelled if item.valid))
    assert set(op_names(dialect)) - used == set()


def test_harness_finds_nothing_between_jaxlib_and_itself(jaxlib: Jaxlib) -> None:
    labelled = label(sample(candidates("stablehlo"), 3), jaxlib)
    assert not compare(labelled, JaxlibAsOpt(jaxlib), jaxlib)


def test_harness_sees_each_kind_of_disagreement(jaxlib: Jaxlib) -> None:
    """A side that is wrong in every way is found out in every way."""

    class Wrong(JaxlibAsOpt):
        def check_all(self, texts, generic=False):  # type: ignore[no-untyped-def]
            from oracle import Verdict

            right = super().check_all(texts, generic)
            turned = [Verdict(not v.accepted, v.text or "x") for v in right]
            renamed = [Verdict(v.accepted, v.text.replace("arg0", "arg9")) for v in right]
            return turned if self.turn else renamed

    text = "func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {\n  return %a : tensor<2xf32>\n}"
    labelled = label([Program("x", text), Program("x", "garbage")], jaxlib)
    wrong = Wrong(jaxlib)
    wrong.turn = True
    assert {f.kind for f in compare(labelled, wrong, jaxlib)} == {"rejected", "accepted"}
    wrong.turn = False
    assert {f.kind for f in compare(labelled, wrong, jaxlib)} == {"print", "generic"}


def test_programs_keep_their_place_in_a_batch(hetero_opt: HeteroOpt) -> None:
    """Errors and prints belong to the right program of a batch."""
    good = "func.func private @g{}()"
    texts = [good.format(i) if i % 3 else f"garbage{i}" for i in range(50)]
    for i, verdict in enumerate(hetero_opt.check_all(texts)):
        assert verdict.accepted == bool(i % 3)
        assert (f"@g{i}(" if i % 3 else f"garbage{i}'") in verdict.text


@pytest.mark.parametrize("source", SOURCES)
def test_bytecode_of_jaxlib(source: str, jaxlib: Jaxlib, hetero_opt: HeteroOpt) -> None:
    programs = sample(candidates(source, full=False), SAMPLES[source] // 2 + 1, seed=1)
    valid = [item for item in label(programs, jaxlib) if item.valid]
    # A program that we do not read as text is reported by the tests above.
    read = hetero_opt.check_all([item.program.text for item in valid])
    same = [item for item, ours in zip(valid, read) if ours.text == item.custom.text]
    wrong = _wrong_bytecode(same, jaxlib, hetero_opt)
    assert not wrong, f"{len(wrong)} programs, the first:\n{wrong[0]}"


def _wrong_bytecode(items: list[Labelled], jaxlib: Jaxlib, hetero_opt: HeteroOpt) -> list[str]:
    """Reads the programs as one module in bytecode; halves it when that fails."""
    if not items:
        return []
    text = "\n".join(f"module {{\n{item.program.text}\n}}" for item in items)
    expected = jaxlib.check(text)
    if expected.accepted:
        data = jaxlib.bytecode([text])[0]
        ours = hetero_opt.check_bytecode(data)
        if ours.text == expected.text:
            return []
    if len(items) == 1:
        # jaxlib does not read all that it writes.
        if not expected.accepted or jaxlib.check_all([data])[0][0].text != expected.text:
            return []
        return [f"{ours.text[:2000]}\n{text}"]
    middle = len(items) // 2
    return _wrong_bytecode(items[:middle], jaxlib, hetero_opt) + _wrong_bytecode(
        items[middle:], jaxlib, hetero_opt
    )


def test_deliberate_disagreements_have_reasons() -> None:
    for entry in DELIBERATE:
        assert len(entry.reason) > 20
        assert entry.detail or entry.program
