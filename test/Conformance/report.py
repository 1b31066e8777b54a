#!/usr/bin/env python3
"""Prints where hetero-opt and jaxlib disagree about StableHLO, CHLO and Shardy.

Examples:
  report.py                          every generated program, one row per op
  report.py --family dot_general     only programs made for this op
  report.py --op dot_general --jax   every program that uses this op
  report.py --jax                    add the programs that JAX itself lowers
  report.py --jax-tests              add the programs of JAX's own tests
  report.py --mutations 2000         add 2000 mutated programs
"""

from __future__ import annotations

import argparse
import sys
import time

from compare import KINDS, Finding, Labelled, Row, compare, label, tabulate
from corpus import DIALECTS, candidates, mutants
from disagreements import reason
from oracle import HeteroOpt, Jaxlib, JaxlibAsOpt, op_names
from program import Program


def main() -> int:
    options = _parse()
    if options.ops:
        return _print_ops(Jaxlib())
    began = time.monotonic()
    jaxlib = Jaxlib()
    try:
        opt = JaxlibAsOpt(jaxlib) if options.self_test else HeteroOpt(options.hetero_opt)
    except FileNotFoundError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    labelled = _collect(options, jaxlib)
    if not labelled:
        print("error: no program is of that family or uses that op", file=sys.stderr)
        return 1
    _progress(f"{len(labelled)} programs judged by jaxlib after {time.monotonic() - began:.1f} s")
    findings = compare(labelled, opt, jaxlib)
    if options.kind:
        findings = [finding for finding in findings if finding.kind in options.kind]
    deliberate = [finding for finding in findings if reason(finding)]
    if not options.deliberate:
        findings = [finding for finding in findings if not reason(finding)]
    rows = tabulate(labelled, findings)
    _print_examples(rows, options.examples, options.lines)
    _print_table(rows, only_bad=options.bad)
    print(f"{len(deliberate)} deliberate disagreements, {time.monotonic() - began:.1f} s")
    return 1 if findings else 0


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hetero-opt", metavar="PATH", help="default: HETERO_OPT, or build/bin")
    parser.add_argument("--family", action="append", help="only programs made for this op (repeatable)")
    parser.add_argument("--op", action="append", help="only programs that use this op (repeatable)")
    parser.add_argument("--dialect", choices=["stablehlo", "chlo", "sdy"], help="only this dialect")
    parser.add_argument("--jax", action="store_true", help="add programs that JAX lowers")
    parser.add_argument("--jax-tests", action="store_true", help="add programs of JAX's own tests")
    parser.add_argument("--only-jax", action="store_true", help="only programs that JAX lowers")
    parser.add_argument("--mutations", type=int, default=0, metavar="N", help="add N mutated programs")
    parser.add_argument("--seed", type=int, default=0, help="of the mutations")
    parser.add_argument("--only-mutations", action="store_true", help="nothing but the mutated programs")
    parser.add_argument("--kind", action="append", choices=list(KINDS), help="only such findings")
    parser.add_argument("--examples", type=int, default=2, help="shown per family and kind")
    parser.add_argument("--lines", type=int, default=12, help="of each example shown")
    parser.add_argument("--bad", action="store_true", help="leave families without findings out")
    parser.add_argument("--deliberate", action="store_true", help="count deliberate disagreements too")
    parser.add_argument("--ops", action="store_true", help="list programs per op and stop")
    parser.add_argument("--self-test", action="store_true", help="jaxlib against itself")
    return parser.parse_args()


def _progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _candidates(options: argparse.Namespace) -> list[Program]:
    sources = [options.dialect] if options.dialect else list(DIALECTS)
    if options.only_jax:
        sources = ["jax"]
    elif options.jax:
        sources.append("jax")
    if options.jax_tests:
        sources.append("jax_tests")
    programs = [program for source in sources for program in candidates(source)]
    if options.family:
        programs = [p for p in programs if any(p.is_of(name) for name in options.family)]
    if options.op:
        programs = [p for p in programs if any(p.uses(name) for name in options.op)]
    return programs


def _collect(options: argparse.Namespace, jaxlib: Jaxlib) -> list[Labelled]:
    labelled = label(_candidates(options), jaxlib)
    if not options.mutations:
        return labelled
    mutated = label(mutants(labelled, options.mutations, options.seed), jaxlib)
    return mutated if options.only_mutations else labelled + mutated


def _print_examples(rows: dict[str, Row], count: int, lines: int) -> None:
    for family, row in rows.items():
        shown: dict[str, int] = {}
        for finding in row.findings:
            shown[finding.kind] = shown.get(finding.kind, 0) + 1
            limit = min(count, 1) if finding.kind == "missing" else count
            if shown[finding.kind] <= limit:
                _print_finding(finding, lines)


def _print_finding(finding: Finding, lines: int) -> None:
    print(f"== {finding.program.family}: {KINDS[finding.kind]}")
    for text in (finding.detail, finding.program.text):
        shown = text.splitlines()
        for line in shown[:lines]:
            print(f"  | {line[:400]}")
        if len(shown) > lines:
            print(f"  | ... {len(shown) - lines} more lines")
        print("  +")


def _print_table(rows: dict[str, Row], only_bad: bool) -> None:
    heads = ["family", "valid", "invalid", *KINDS]
    width = max([len(heads[0]), *(len(family) for family in rows)])
    print(f"{heads[0]:<{width}}" + "".join(f"{head:>10}" for head in heads[1:]))
    total = Row()
    for family, row in rows.items():
        total.valid += row.valid
        total.invalid += row.invalid
        total.findings += row.findings
        if row.findings or not only_bad:
            _print_row(family, row, width)
    _print_row("total", total, width)


def _print_row(name: str, row: Row, width: int) -> None:
    counts = [row.valid, row.invalid, *(row.count(kind) for kind in KINDS)]
    print(f"{name:<{width}}" + "".join(f"{count or '.':>10}" for count in counts))


def _print_ops(jaxlib: Jaxlib) -> int:
    """Lists the number of programs that were made for each op."""
    for dialect in DIALECTS:
        labelled = label(candidates(dialect), jaxlib)
        for name in op_names(dialect):
            mine = [item.valid for item in labelled if item.program.family == name]
            print(f"{name:<50}{sum(mine):>8}{len(mine) - sum(mine):>8}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
