"""The command line: runs the rules, prints the problems, counts."""

import argparse
import pathlib
import xml.sax.saxutils

from . import docs, layers, sources, tablegen
from .tree import Tree

RULES = [
    layers.ir_free,
    layers.layer_order,
    layers.link_order,
    sources.license_header,
    sources.file_length,
    sources.include_guard,
    sources.source_header,
    sources.namespace_in_header,
    sources.machine_path,
    sources.unfinished,
    sources.clang_format,
    tablegen.op_docs,
    tablegen.attribute_docs,
    tablegen.pass_docs,
    tablegen.pipeline_tests,
    docs.readme_length,
    docs.doc_links,
]


def rule_name(rule):
    return rule.__name__.replace("_", "-")


def write_junit(path, results):
    """One test case per rule."""
    with open(path, "w") as file:
        file.write('<testsuite name="lint">\n')
        for name, problems in results:
            file.write(f'  <testcase classname="lint" name="{name}">')
            if problems:
                text = xml.sax.saxutils.escape("\n".join(map(str, problems)))
                file.write(f"<failure>{text}</failure>")
            file.write("</testcase>\n")
        file.write("</testsuite>\n")


def main(arguments):
    parser = argparse.ArgumentParser(
        prog="lint", description="Checks the house rules that no compiler checks."
    )
    here = pathlib.Path(__file__).resolve().parents[3]
    parser.add_argument("--root", default=here, help="the tree to check")
    parser.add_argument("--junit", help="also write the verdicts to this file")
    parser.add_argument("--fix", action="store_true", help="first repair what can be: layout")
    parser.add_argument("--list", action="store_true", help="list the rules")
    parser.add_argument("rules", nargs="*", help="run only these rules")
    options = parser.parse_args(arguments)

    names = [rule_name(rule) for rule in RULES]
    if options.list:
        for rule in RULES:
            print(f"{rule_name(rule):22} {' '.join(rule.__doc__.split())}")
        return 0
    unknown = [name for name in options.rules if name not in names]
    if unknown:
        parser.error(f"unknown rule '{unknown[0]}'; one of: {', '.join(names)}")

    if options.fix:
        for fix in (sources.fix_license_header, sources.fix_clang_format):
            for path in fix(Tree(options.root)):
                print(f"{path}: fixed")
    tree = Tree(options.root)
    results = []
    for rule in RULES:
        if options.rules and rule_name(rule) not in options.rules:
            continue
        problems = sorted(set(rule(tree)))
        results.append((rule_name(rule), problems))
        for problem in problems:
            print(f"{problem} [{rule_name(rule)}]")
    if options.junit:
        write_junit(options.junit, results)
    failed = sum(1 for _, problems in results if problems)
    print(f"lint: {len(results) - failed} rules kept, {failed} broken, {len(tree.files)} files")
    return 1 if failed else 0
