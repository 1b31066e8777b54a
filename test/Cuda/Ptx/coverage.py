#!/usr/bin/env python3
"""Lists what of our PTX cannot be run: instructions of the zoo and of all families.

usage: python test/Cuda/Ptx/coverage.py [sm_75 sm_80 sm_90]

HETERO_BIN may name the directory of the tools.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
os.environ.setdefault("JAX_PLATFORMS", "cpu")
ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(Path(__file__).resolve().parent), str(ROOT / "python")]

import device_text  # noqa: E402
import op_cases  # noqa: E402
import op_programs  # noqa: E402
from kernel import tool  # noqa: E402

from hetero import zoo  # noqa: E402


def main(architectures: list[str]) -> int:
    """The exit code is 0 if everything can be run."""
    texts = {name: device_text.step(name) for name in zoo.names()}
    texts |= {name: op_programs.module(group) for name, group in device_text.programs()}
    for family in op_cases.FAMILIES:
        if family not in device_text.BY_LIBRARIES:
            for number, group in enumerate(device_text.functions(family)):
                texts[f"{family}-{number}"] = device_text.lower(group)
    with tempfile.TemporaryDirectory() as directory:
        paths = []
        for name, text in texts.items():
            imported = device_text.import_text(text)
            for architecture in architectures:
                for number, image in enumerate(device_text.images(imported, architecture)):
                    path = Path(directory) / f"{name}.{architecture}.{number}.ptx"
                    path.write_text(image)
                    paths.append(path)
        return subprocess.run([tool("hetero-ptx"), "--translate", *paths], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["sm_75", "sm_80", "sm_90"]))
