"""Rules about operations and passes, asked of llvm-tblgen itself."""

import functools
import json
import re
import shutil
import subprocess

from .tree import Problem

PIPELINE = re.compile(r'PassPipelineRegistration<[^>]*>\s*\w*\(\s*"([^"]+)"')
INCLUDE = re.compile(r'^\s*include\s+"([^"]+)"', re.MULTILINE)


@functools.lru_cache(maxsize=None)
def llvm_include_directory():
    for tool in ("llvm-config-22", "llvm-config"):
        if shutil.which(tool):
            return subprocess.check_output([tool, "--includedir"], text=True).strip()
    return None


def root_files(tree):
    """The .td files that no other one includes."""
    files = tree.matching(".td", under="include/")
    included = {
        "include/" + name for path in files for name in INCLUDE.findall(tree.text(path))
    }
    return [path for path in files if path not in included]


@functools.lru_cache(maxsize=None)
def dump(tree, path):
    """The records of one .td file as (records, error)."""
    tool = next((t for t in ("llvm-tblgen-22", "llvm-tblgen") if shutil.which(t)), None)
    if tool is None or llvm_include_directory() is None:
        return None, "llvm-tblgen-22 or llvm-config-22 is not installed"
    result = subprocess.run(
        [tool, "-dump-json", "-I", llvm_include_directory(), "-I", "include", path],
        cwd=tree.root,
        capture_output=True,
        text=True,
    )
    if result.returncode:
        return None, result.stderr.strip().splitlines()[0]
    return json.loads(result.stdout), None


def records(tree, base):
    """(path, line, record) of each definition of ours that derives from
    `base`, once each; a Problem for a file that does not parse."""
    by_name = {path.rsplit("/", 1)[-1]: path for path in tree.matching(".td")}
    seen = set()
    for root in root_files(tree):
        data, error = dump(tree, root)
        if error:
            yield Problem(root, 0, error)
            continue
        for name in data["!instanceof"].get(base, []):
            record = data[name]
            file, _, line = record["!locs"][-1].rpartition(":")
            own = root if root.endswith("/" + file) else by_name.get(file)
            if own is None or f"def {name}" not in tree.text(own):
                continue  # Defined by MLIR, or by an anonymous def.
            if (own, name) not in seen:
                seen.add((own, name))
                yield own, int(line), record


def documented(tree, base, kind):
    for found in records(tree, base):
        if isinstance(found, Problem):
            yield found
            continue
        path, line, record = found
        name = record["!name"]
        description = record.get("description") or ""
        if not record.get("summary") and base != "PassBase":
            yield Problem(path, line, f"{kind} {name} has no summary")
        if not description.strip():
            yield Problem(path, line, f"{kind} {name} has no description")
        elif "```" not in description:
            yield Problem(path, line, f"{kind} {name} has no fenced example")


def op_docs(tree):
    """Every operation has a summary, a description and a fenced example."""
    yield from documented(tree, "Op", "op")


def attribute_docs(tree):
    """So has every attribute and type with parameters."""
    yield from documented(tree, "AttrDef", "attribute")
    yield from documented(tree, "TypeDef", "type")


def test_names(tree):
    return {
        path.rsplit("/", 1)[-1].rsplit(".", 1)[0]
        for path in tree.matching(".mlir", ".test", under="test/")
    }


def check_tests(tests, path, line, kind, flag):
    stem = flag.removeprefix("hetero-")
    for test in (stem, stem + "-errors"):
        if test not in tests:
            yield Problem(path, line, f"{kind} {flag} has no test '{test}.mlir'")


def pipeline_tests(tree):
    """Every pipeline has a test named after its flag, and an error test."""
    tests = test_names(tree)
    for path in tree.matching(".cpp", under="lib/"):
        text = tree.text(path)
        for match in PIPELINE.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield from check_tests(tests, path, line, "pipeline", match.group(1))


def pass_docs(tree):
    """Every pass has a description with an example, statistics, a test named
    after its flag and an error test beside it."""
    tests = test_names(tree)
    yield from documented(tree, "PassBase", "pass")
    for found in records(tree, "PassBase"):
        if isinstance(found, Problem):
            continue
        path, line, record = found
        flag = record["argument"]
        if not record["summary"]:
            yield Problem(path, line, f"pass {flag} has no summary")
        if not record["statistics"]:
            yield Problem(path, line, f"pass {flag} has no statistics")
        yield from check_tests(tests, path, line, "pass", flag)
