#!/usr/bin/env python3
"""What kernels take of a multiprocessor, as ptxas says for each architecture.

  test/Cuda/Ptx/ptxas_table.py           # prints what differs from the table
  test/Cuda/Ptx/ptxas_table.py --write   # writes the table anew

The table, ptxas.tsv, has a line for each kernel of some steps of the zoo: its
bytes of shared memory, and for each architecture its registers, followed by the
bytes that it spills where it does ("40+16"). Architectures that the installed
ptxas does not know are not in it: sm_60, sm_61 and sm_70 were dropped with CUDA
13, and get PTX, which their driver compiles.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "python"))

import device_text  # noqa: E402

TABLE = Path(__file__).resolve().parent / "ptxas.tsv"
# Products, attention and a scan; sums in 16 bits; windows.
MODELS = ("mlp", "gpt", "gpt_bf16", "vgg19")


def tool() -> str | None:
    """The installed ptxas."""
    return shutil.which("ptxas") or shutil.which("/usr/local/cuda/bin/ptxas")


def version() -> str:
    """`13.0.88`."""
    text = subprocess.run([str(tool()), "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"V([\d.]+)", text)
    return found[1] if found else "unknown"


def architectures() -> list[str]:
    """Those that the installed ptxas knows, in order, without the variants."""
    text = subprocess.run([str(tool()), "--help"], capture_output=True, text=True, check=True).stdout
    return sorted(set(re.findall(r"'(sm_\d+)'", text)), key=lambda name: int(name[3:]))


def measure(ptx: str, architecture: str) -> dict[str, tuple[int, int, int]]:
    """Registers, spilled bytes and shared memory of each kernel."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "module.ptx"
        path.write_text(ptx)
        command = [str(tool()), "-v", f"-arch={architecture}", "-o", "/dev/null", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=1800)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    kernels: dict[str, tuple[int, int, int]] = {}
    for part in done.stderr.split("Compiling entry function '")[1:]:
        spills = re.findall(r"(\d+) bytes spill (?:stores|loads)", part)
        registers = re.search(r"Used (\d+) registers", part)
        shared = re.search(r"(\d+) bytes smem", part)
        assert registers, part[:500]
        name = part[: part.index("'")]
        kernels[name] = (int(registers[1]), sum(map(int, spills)), int(shared[1]) if shared else 0)
    return kernels


def rows(model: str, chosen: list[str]) -> list[str]:
    """The lines of a model."""
    imported = device_text.import_text(device_text.step(model))
    found = {}
    for architecture in chosen:
        (ptx,) = device_text.images(imported, architecture)
        found[architecture] = measure(ptx, architecture)
    lines = []
    for kernel in sorted(next(iter(found.values())), key=lambda name: (len(name), name)):
        shared = {found[architecture][kernel][2] for architecture in chosen}
        cells = [
            f"{registers}+{spilled}" if spilled else str(registers)
            for registers, spilled, _ in (found[architecture][kernel] for architecture in chosen)
        ]
        # Newer architectures keep some of it for themselves.
        lines.append("\t".join([model, kernel, "/".join(map(str, sorted(shared))), *cells]))
    return lines


def header(chosen: list[str]) -> str:
    """The first line."""
    return "\t".join([f"ptxas {version()}", "kernel", "shared", *chosen])


def main(arguments: list[str]) -> int:
    chosen = architectures()
    lines = [header(chosen)]
    for model in MODELS:
        lines += rows(model, chosen)
        print(f"{model}: {len(lines) - 1} kernels so far", flush=True)
    if arguments == ["--write"]:
        TABLE.write_text("\n".join(lines) + "\n")
        return 0
    known = TABLE.read_text().splitlines()
    different = [line for line in lines if line not in known] + [line for line in known if line not in lines]
    print("\n".join(different))
    return bool(different)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
