"""A sample of the campaign (campaign.py), and all of it as slow tests.

HETERO_STANDIN_SEEDS is how many orders each case of the slow ones is run in, 20
unless it says otherwise; the sample takes 4.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Iterator

import campaign
import campaign_cases
import pytest
import standin

SEEDS = int(os.environ.get("HETERO_STANDIN_SEEDS", "20"))
SAMPLE_SEEDS = 4
# Of each kind one that is quick: a step, operations of all shapes, programs, plans.
SAMPLE = r"zoo/mlp|ops/(reductions|indexing)/0|random/0-19|random/20-39|plans/mlp/mixed/3/1|plans/mlp/tensor/4/2"

pytestmark = standin.needs_standin


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Kernels are compiled once."""
    return tmp_path_factory.mktemp("kernels")


def _check(cases: list[campaign_cases.Case], seeds: int, cache: Path) -> None:
    assert cases
    for case in cases:
        outcome = campaign.run(case, seeds, cache)
        print(outcome.line())
        assert outcome.outcome == "ok" and outcome.runs == seeds, outcome.line()


def _all(kind: str, directory: Path) -> Iterator[campaign_cases.Case]:
    return campaign.cases(kind, campaign.parse([]), directory)


@pytest.mark.parametrize("kind", ["zoo", "ops", "random", "plans"])
def test_sample(kind: str, cache: Path, tmp_path: Path) -> None:
    chosen = [case for case in _all(kind, tmp_path) if re.fullmatch(SAMPLE, case.name)]
    _check(chosen, SAMPLE_SEEDS, cache)


@pytest.mark.slow
@pytest.mark.parametrize("kind", campaign.KINDS)
def test_all(kind: str, cache: Path, tmp_path: Path) -> None:
    table = campaign.Table(tmp_path / "table.tsv")
    options = campaign.parse([f"--seeds={SEEDS}", f"--cache={cache}"])
    for case in _all(kind, tmp_path):
        campaign.run_case(case, options, table)
    wrong = [outcome.line() for outcome in table.known.values() if outcome.is_bad]
    refused = [
        outcome.line()
        for outcome in table.known.values()
        if outcome.outcome.startswith("refused")
    ]
    assert not wrong + refused, "\n".join(wrong + refused)


def test_table(tmp_path: Path) -> None:
    """What was done is not done again; what was wrong is, if asked for."""
    calls = []

    def make(name: str) -> str:
        calls.append(name)
        return "nothing to run"

    made = [campaign_cases.Case(name, lambda name=name: make(name)) for name in ("a", "b")]
    path = tmp_path / "table.tsv"
    options = campaign.parse(["--seeds=1", f"--cache={tmp_path}"])
    for _ in range(2):
        table = campaign.Table(path)
        for case in made:
            campaign.run_case(case, options, table)
    assert calls == ["a", "b"]
    wrong = campaign.Outcome("a", outcome="seed 0 lazy wrong 1 result 0")
    campaign.Table(path).add(wrong)
    assert campaign.read_table(path)["a"].is_bad
    assert "1 wrong" in campaign.summary(path)
    options.again = True
    campaign.run_case(made[0], options, campaign.Table(path))
    assert calls == ["a", "b", "a"]
    assert not campaign.read_table(path)["a"].is_bad
