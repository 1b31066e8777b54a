"""Compares generated pages with committed ones, in Dialects and Passes."""

import pathlib
import sys


def pages(root):
    return {
        str(path.relative_to(root)): path.read_text()
        for directory in ("Dialects", "Passes")
        for path in pathlib.Path(root, directory).glob("*.md")
    }


generated, committed = pages(sys.argv[1]), pages(sys.argv[2])
stale = sorted(
    name
    for name in generated.keys() | committed.keys()
    if generated.get(name) != committed.get(name)
)
if stale:
    sys.exit(f"stale: {', '.join(stale)}; run: ninja -C build hetero-doc-update")
print(f"{len(generated)} pages are up to date")
