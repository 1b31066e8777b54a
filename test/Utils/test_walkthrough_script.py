"""utils/lib/walkthrough.py: blocks are filled in, and sentences about them are checked."""

import importlib.util
import pathlib

import pytest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "utils" / "lib" / "walkthrough.py"

PAGE = """# A page

```sh
printf 'stage 0 samples [[4, 11]]\\nstage 1 on @fast\\n' > planned.mlir
```

<!-- says planned.mlir: samples \\[\\[(\\d+), (\\d+)\\]\\] => {1} of the {1+2} samples -->
<!-- says planned.mlir: ^stage \\d => {n} stages -->
There are two stages. The slow device computes 4 of
the 15 samples.

<!-- says planned.mlir: stage 1 on @(\\w+) => on `{1}` -->
The second stage is on `fast`.

<!-- planned.mlir: stage 0 -->
```
stage 0 samples [[4, 11]]
...
```
"""


@pytest.fixture
def walkthrough(tmp_path, monkeypatch):
    """The script, with a page of its own."""
    spec = importlib.util.spec_from_file_location("walkthrough", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (tmp_path / "files").mkdir()
    monkeypatch.setattr(module, "PAGE", tmp_path / "Page.md")
    monkeypatch.setattr(module, "FILES", tmp_path / "files")
    monkeypatch.setattr(module, "PROSE", [])
    module.PAGE.write_text(PAGE)
    return module


def run(walkthrough, *arguments):
    return walkthrough.main(["--tools", str(walkthrough.PAGE.parent), *arguments])


def change(walkthrough, old, new):
    text = walkthrough.PAGE.read_text()
    assert old in text
    walkthrough.PAGE.write_text(text.replace(old, new))


def test_true_page(walkthrough, capsys):
    assert run(walkthrough) == 0
    assert capsys.readouterr().out == "docs/Page.md is up to date\n"


@pytest.mark.parametrize(
    "old, new, message",
    [
        (
            "4 of\nthe 15 samples",
            "8 of\nthe 30 samples",
            "docs/Page.md:7: should say '4 of the 15 samples', as planned.mlir has it, but says: "
            "There are two stages. The slow device computes 8 of the 30 samples.\n",
        ),
        ("two stages", "three stages", "docs/Page.md:8: should say '2 stages', "),
        ("on `fast`.", "on `slow`.", "docs/Page.md:12: should say 'on `fast`', "),
        (
            "stage 1 on @(\\w+) =>",
            "stage 7 on @(\\w+) =>",
            "docs/Page.md:12: nothing in planned.mlir matches 'stage 7 on @(\\w+)' any more: "
            "The second stage is on `fast`.\n",
        ),
        ("\\d => {n} stages", "\\d {n} stages", "docs/Page.md:8: is not '<!-- says file: pattern => text"),
        ("says planned.mlir: ^stage", "says none.mlir: ^stage", "8: nothing in none.mlir matches"),
    ],
)
def test_stale_sentence(walkthrough, capsys, old, new, message):
    change(walkthrough, old, new)
    assert run(walkthrough) == 1
    output = capsys.readouterr().out
    assert message in output
    assert "up to date" not in output


def test_sentence_is_looked_for_in_its_paragraph_alone(walkthrough, capsys):
    change(walkthrough, "on `fast`.", "somewhere.\n\nIt is on `fast`.")
    assert run(walkthrough) == 1
    assert "but says: The second stage is somewhere.\n" in capsys.readouterr().out


def test_update_writes_blocks_and_names_sentences(walkthrough, capsys):
    change(walkthrough, "[[4, 11]]\\n", "[[5, 10]]\\n")
    assert run(walkthrough, "--update") == 1
    assert "should say '5 of the 15 samples'" in capsys.readouterr().out
    assert "```\nstage 0 samples [[5, 10]]\n...\n```" in walkthrough.PAGE.read_text()
    change(walkthrough, "computes 4 of", "computes 5 of")
    assert run(walkthrough) == 0


def test_other_pages_speak_of_the_output_too(walkthrough, capsys, tmp_path):
    other = tmp_path / "Other.md"
    walkthrough.PROSE.append(other)
    other.write_text("<!-- says planned.mlir: on @(\\w+) => the {1} device -->\nIt is the fast device.\n")
    assert run(walkthrough) == 0
    other.write_text(other.read_text().replace("It is the fast", "It is the slow"))
    assert run(walkthrough) == 1
    assert "docs/Other.md:1: should say 'the fast device'" in capsys.readouterr().out
