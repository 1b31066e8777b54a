"""What the stand-in and the verifiers say when a program is wrong.

Each damage is made in the program's own work: the stand-in leaves out or changes
one of its calls (test/Cuda/StandIn/Damages.h), or the text of the program is
edited. All have to be caught, in every order that is tried, with a sentence on
what does what to which memory.
"""

from __future__ import annotations

import dataclasses
import re
import subprocess
from pathlib import Path

import campaign
import campaign_cases
import numpy as np
import plans
import pytest
import standin
import steps

SEEDS = 3  # One of each order.

pytestmark = standin.needs_standin

# A kernel with barriers and shuffles, a product, copies, several blocks, and a
# result that is larger than all arguments.
FUNCTION = """
func.func @main(%x: tensor<8x256xf32>, %w: tensor<256x40xf32>)
    -> (tensor<8xf32>, tensor<8x256xf32>, tensor<8x40xf32>, tensor<8x256xf32>, tensor<128x256xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x256xf32>, tensor<256x40xf32>) -> tensor<8x40xf32>
  %t = stablehlo.tanh %x : tensor<8x256xf32>
  %s = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x256xf32>, tensor<f32>) -> tensor<8xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<8xf32>) -> tensor<8x256xf32>
  %d = stablehlo.subtract %t, %b : tensor<8x256xf32>
  %m = stablehlo.reduce(%x init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<8x256xf32>, tensor<f32>) -> tensor<256xf32>
  %l = stablehlo.broadcast_in_dim %m, dims = [1] : (tensor<256xf32>) -> tensor<128x256xf32>
  return %s, %x, %y, %d, %l : tensor<8xf32>, tensor<8x256xf32>, tensor<8x40xf32>, tensor<8x256xf32>, tensor<128x256xf32>
}
"""


@dataclasses.dataclass
class Damaged:
    """Which call of a program is damaged, and what is said then."""

    kind: str
    program: str
    says: str
    call: int | str = 1
    device: int | str = 0
    memory: str = "arena"


UNORDERED = "and nothing orders the two"
UNKNOWN = "which nobody has written"
# What comes too late for others to use it, in some orders.
LATE = f"{UNORDERED}|{UNKNOWN}|the host has not waited for that"
NOTHING = "where nothing lives"
DIFFERENT = "ranks do not match"
# Where a rank is what it is to be by the second call of a kind, or the memory is
# one buffer each, that is because the first call or the arena hides nothing.
DAMAGES = [
    Damaged("drop-wait", "pipeline", UNORDERED),
    Damaged("drop-record", "pipeline", UNORDERED),
    Damaged("lie-query", "function", "the host touches .* pinned memory, .* writes", call=2),
    Damaged("lie-query", "fed function", "the host touches .* pinned memory, .* reads"),
    Damaged("destroy-event", "function", "event that was destroyed"),
    Damaged("destroy-stream", "function", "stream that was destroyed"),
    Damaged("graph-stream", "mlp", UNORDERED),
    Damaged("graph-overlap", "mlp", UNORDERED),
    Damaged("graph-edge", "mlp", UNORDERED),
    Damaged("graph-stale", "mlp", "which cuGraphLaunch freed"),
    Damaged("drop-launch", "function", UNKNOWN, call=2),
    Damaged("launch-stream", "function", LATE),
    Damaged("launch-blocks", "function", UNKNOWN, call=8, memory="pool"),
    Damaged("launch-swapped", "function", UNKNOWN),
    Damaged("launch-shifted", "function", NOTHING, memory="pool"),
    Damaged("unload-module", "function", "module that was unloaded"),
    Damaged("text-barrier", "function", "shared memory .* no thread of the block has written|nothing orders them"),
    Damaged("text-mask", "function", "lane is not in the mask", call=8),
    Damaged("text-store", "function", NOTHING, memory="pool"),
    Damaged("text-drop-store", "function", UNKNOWN, call=2),
    Damaged("text-shared", "function", "shared memory .* no thread of the block has written"),
    Damaged("text-align", "function", "not a multiple of the size"),
    Damaged("drop-write", "function", UNKNOWN),
    Damaged("drop-read", "function", "where nobody has put anything", call=5),
    Damaged("drop-copy", "function", UNKNOWN, call=3, memory="pool"),
    Damaged("write-stream", "function", LATE),
    Damaged("read-stream", "function", LATE),
    Damaged("copy-stream", "function", LATE),
    Damaged("long-write", "mlp", "which ends before", memory="pool"),
    Damaged("short-write", "function", UNKNOWN),
    Damaged("turned-write", "function", UNKNOWN),
    Damaged("turned-copy", "function", UNKNOWN),
    Damaged("early-free", "function", "which cuMemFree freed"),
    Damaged("double-free", "function", "which cuMemFree freed, which is not the beginning"),
    Damaged("double-free", "function", "not the beginning of an allocation that lives", memory="pool"),
    Damaged("free-stream", "function", "which is (made|written|read) by", memory="pool"),
    Damaged("small-memory", "function", "which ends before", memory="pool"),
    Damaged("free-pinned", "function", "pinned memory that was freed"),
    Damaged("drop-gemm", "mlp", UNKNOWN),
    Damaged("gemm-stream", "mlp", LATE),
    Damaged("gemm-sum", "function", UNKNOWN),
    Damaged("gemm-rows", "function", NOTHING, memory="pool"),
    Damaged("drop-call", "pipeline", DIFFERENT),
    Damaged("call-stream", "pipeline", UNORDERED),
    Damaged("call-order", "pipeline", DIFFERENT),
    Damaged("call-root", "pipeline", DIFFERENT),
    Damaged("call-count", "pipeline", DIFFERENT),
    Damaged("call-count", "data", DIFFERENT),
    Damaged("call-type", "data", DIFFERENT),
    Damaged("call-reduction", "data", DIFFERENT),
    Damaged("call-kind", "data", DIFFERENT),
    Damaged("call-group", "mixed", DIFFERENT),
    Damaged("call-buffer", "pipeline", NOTHING),
    Damaged("drop-group-end", "pipeline", f"group of NCCL that is not ended|{UNKNOWN}", device=1),
    Damaged("drop-group", "tensor", "deadlock of NCCL: send .* waits for rank", device="*", call="*"),
    Damaged("destroy-group", "pipeline", "communicator that was destroyed"),
]
SAMPLE = {"drop-wait", "lie-query", "graph-stale", "launch-swapped", "text-barrier", "early-free", "call-order"}


def _make(name: str) -> campaign_cases.Program:
    if name.endswith("function"):
        rng = np.random.default_rng(0)
        arguments = [rng.normal(size=shape).astype(np.float32) for shape in ((8, 256), (256, 40))]
        # Steps are two ahead of the device, so the fourth one waits for the first.
        feed = ("--feed=always", "--steps=6") if name.startswith("fed") else ("--steps=3",)
        return campaign_cases.Program(FUNCTION, arguments, ("--function", *feed))
    text, arguments = campaign_cases.step("mlp")
    if name != "mlp":
        step = campaign_cases.layered("mlp")
        text = plans.apply(step, plans.random_plan(step, 1, name, 3))
    return campaign_cases.Program(text, arguments, ("--steps=3",))


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory for each program, and one for the kernels of all."""
    directory = tmp_path_factory.mktemp("damages")
    for name in {damage.program for damage in DAMAGES}:
        (directory / name).mkdir()
        campaign.write(_make(name), directory / name)
    return directory


def _run(directory: Path, program: str, flags: tuple[str, ...], **settings: object) -> list[str]:
    """The line of each seed."""
    command = [steps.tool("hetero-run-seeds"), "module.mlir", "--args=in.npz", f"--seeds={SEEDS}", *flags]
    done = subprocess.run(
        command,
        cwd=directory / program,
        env=campaign.environment(directory / "kernels", **settings),
        capture_output=True,
        text=True,
        timeout=600,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("seed ")]
    assert len(lines) == SEEDS, done.stdout + done.stderr[-2000:]
    return lines


PROGRAMS = ("function", "fed function", "mlp", "pipeline", "data", "tensor", "mixed")


@pytest.mark.parametrize(
    "program", [pytest.param(p, marks=[] if p in ("function", "pipeline") else pytest.mark.slow) for p in PROGRAMS]
)
@pytest.mark.parametrize("memory", ["arena", "pool"])
def test_undamaged(program: str, memory: str, programs: Path) -> None:
    """Nothing is found where nothing is wrong."""
    for line in _run(programs, program, (*_make(program).flags, f"--cuda-memory={memory}")):
        assert " ok " in line


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(
            damage,
            id=f"{damage.kind}-{damage.program}-{damage.memory}",
            marks=[] if damage.kind in SAMPLE else pytest.mark.slow,
        )
        for damage in DAMAGES
    ],
)
def test_damage(damage: Damaged, programs: Path) -> None:
    flags = (*_make(damage.program).flags, f"--cuda-memory={damage.memory}")
    made = f"{damage.kind}@{damage.device}:{damage.call}"
    for line in _run(programs, damage.program, flags, damage=made):
        assert re.search(rf" failed 97 hetero stand-in: .*({damage.says})", line), line


def test_all_kinds() -> None:
    """Each damage that the stand-in can make is made here."""
    header = (Path(__file__).parent / "StandIn/Damages.h").read_text()
    assert set(re.findall(r"F\(\w+, \"([a-z-]+)\"", header)) == {damage.kind for damage in DAMAGES}


# --------------------------------------------------------------------------
# In the text of a program
# --------------------------------------------------------------------------


def _opt(text: str, *flags: str) -> subprocess.CompletedProcess[str]:
    command = [steps.tool("hetero-opt"), "-", *flags]
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=600)


def _free_early(lines: list[str]) -> None:
    """The memory is freed as soon as it is there."""
    made = next(i for i, line in enumerate(lines) if "= llvm.call @hetero_cuda_alloc(" in line)
    memory = lines[made].split()[0]
    lines.insert(made + 1, f"    llvm.call @hetero_cuda_free({memory}) : (!llvm.ptr) -> ()")


def _repeat_free(lines: list[str]) -> None:
    free = next(i for i, line in enumerate(lines) if "call @hetero_cuda_free(" in line)
    lines.insert(free, lines[free])


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (_free_early, "uses memory of the device that has been freed"),
        (_repeat_free, "frees memory of the device that has been freed already"),
    ],
)
def test_host_code(edit: object, says: str) -> None:
    """The verifier at the end of the pipeline, and where it is freed."""
    text = campaign_cases.step("mlp")[0]
    made = _opt(text, "--hetero-import", "--hetero-cuda-pipeline=arch=sm_80 format=ptx")
    assert made.returncode == 0, made.stderr[-2000:]
    lines = made.stdout.splitlines()
    edit(lines)  # type: ignore[operator]
    done = _opt("\n".join(lines), "--hetero-verify-device-memory")
    assert done.returncode == 1
    assert says in done.stderr and "it is freed here" in done.stderr


@pytest.mark.parametrize(
    ("kind", "found", "made"),
    [
        ("pipeline", r"(hetero\.send %\w+ to \d+) :", r"\1 channel 99 :"),
        ("pipeline", r"(hetero\.recv from )(\d+)", r"\g<1>0"),
        ("data", r"hetero\.all_reduce sum", "hetero.all_reduce max"),
    ],
)
def test_rank_programs(kind: str, found: str, made: str) -> None:
    """A rank that sends elsewhere, receives from itself, or reduces otherwise."""
    passes = ["--hetero-partition", "--hetero-select-collectives", "--hetero-verify"]
    text = _opt(_make(kind).text, *passes)
    assert text.returncode == 0, text.stderr[-2000:]
    damaged = re.sub(found, made, text.stdout, count=1)
    assert damaged != text.stdout
    done = _opt(damaged, "--hetero-verify")
    assert done.returncode == 1
    assert re.search(r"error: .*(rank|channel)", done.stderr), done.stderr[-2000:]
