"""The files under inspection, and what a rule reports about them."""

import functools
import os
import pathlib
import subprocess
from typing import NamedTuple

SKIPPED_DIRECTORIES = {".git", ".venv", ".cache", "__pycache__", ".pytest_cache"}


class Problem(NamedTuple):
    path: str
    line: int  # 0 when the whole file is meant.
    message: str

    def __str__(self):
        place = f"{self.path}:{self.line}" if self.line else self.path
        return f"{place}: {self.message}"


class Tree:
    """A source tree: the files that git knows, or all files without git."""

    def __init__(self, root):
        self.root = pathlib.Path(root)

    @functools.cached_property
    def files(self):
        """Paths relative to the root, sorted, with forward slashes."""
        return sorted(p for p in self._list() if (self.root / p).is_file())

    def _list(self):
        if (self.root / ".git").exists():
            result = subprocess.run(
                ["git", "ls-files", "-co", "--exclude-standard"],
                cwd=self.root,
                capture_output=True,
                text=True,
            )
            if result.returncode == 0:
                return result.stdout.splitlines()
        paths = []
        for directory, names, files in os.walk(self.root):
            names[:] = [
                n
                for n in names
                if n not in SKIPPED_DIRECTORIES and not n.startswith("build")
            ]
            for name in files:
                path = pathlib.Path(directory, name).relative_to(self.root)
                paths.append(path.as_posix())
        return paths

    def matching(self, *suffixes, under=""):
        return [
            p for p in self.files if p.endswith(suffixes) and p.startswith(under)
        ]

    @functools.lru_cache(maxsize=None)
    def text(self, path):
        """The file's text; empty for a binary file."""
        data = (self.root / path).read_bytes()
        try:
            return data.decode()
        except UnicodeDecodeError:
            return ""

    def lines(self, path, rule=None):
        """Numbered lines, without those that are excused from `rule`."""
        for number, line in enumerate(self.text(path).splitlines(), 1):
            if not (rule and f"lint: allow {rule}" in line):
                yield number, line
