"""Both sides of the conformance tests: jaxlib's StableHLO and ours.

`Jaxlib` parses, verifies and prints a program with the dialects inside the
jaxlib wheel. `HeteroOpt` does the same with `hetero-opt`, many programs per
process. Both answer with a `Verdict`.
"""

from __future__ import annotations

import importlib
import os
import pickle
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable, Sequence

MARKER = "// -----"
SOURCE_ROOT = Path(__file__).resolve().parents[2]

_ERROR = re.compile(r"^[^\n]*?:(\d+):\d+: error: (.*)$")
_UNKNOWN = re.compile(
    r"custom op '[\w.$-]+' is unknown|unregistered operation|[Dd]ialect [`']?\w+'? not found"
    r"|unregistered dialect"
)


@dataclass(frozen=True)
class Verdict:
    """What one side says about one program: its print, or its first error."""

    accepted: bool
    text: str
    crashed: bool = False

    @property
    def unknown(self) -> bool:
        """Whether the program was rejected for an op that is not registered."""
        return not self.accepted and bool(_UNKNOWN.search(self.text))


class Jaxlib:
    """The StableHLO, CHLO and Shardy dialects inside jaxlib.

    They live in a worker process: jaxlib crashes or hangs on some invalid
    programs. The verdict on such a program says `crashed`.
    """

    def __init__(self, batch: int = 200) -> None:
        self._batch = batch
        self._worker: subprocess.Popen[bytes] | None = None

    def check(self, text: str) -> Verdict:
        """The verdict on one program."""
        return self.check_all([text])[0][0]

    def check_all(self, texts: Sequence[str | bytes]) -> list[tuple[Verdict, Verdict]]:
        """For each program the verdict with its custom and its generic print."""
        verdicts = []
        for answer in self._ask(texts, want_bytecode=False):
            if not answer[0]:
                verdict = Verdict(False, _first_error(answer[1]), answer[1] == "crash")
                verdicts.append((verdict, verdict))
            else:
                verdicts.append((Verdict(True, answer[1]), Verdict(True, answer[2])))
        return verdicts

    def bytecode(self, texts: Sequence[str]) -> list[bytes]:
        """Each program as MLIR bytecode; all must be valid."""
        return [answer[3] for answer in self._ask(texts, want_bytecode=True)]

    def close(self) -> None:
        """Ends the worker."""
        if self._worker:
            self._worker.stdin.close()
            self._worker.stdout.close()
            self._worker.kill()
            self._worker.wait()
            self._worker = None

    def _ask(self, sources: Sequence[str | bytes], want_bytecode: bool) -> list[tuple]:
        answers: list[tuple] = []
        while len(answers) < len(sources):
            batch = sources[len(answers) : len(answers) + self._batch]
            try:
                if not self._worker:
                    self._worker = _start_worker()
                pickle.dump((list(batch), want_bytecode), self._worker.stdin)
                self._worker.stdin.flush()
                for _ in batch:
                    answers.append(pickle.load(self._worker.stdout))
            except (EOFError, BrokenPipeError, pickle.UnpicklingError):
                # The program after the last answer is the culprit.
                self.close()
                answers.append((False, "crash", "", b""))
        return answers


def _start_worker() -> subprocess.Popen[bytes]:
    worker = Path(__file__).with_name("jaxlib_worker.py")
    return subprocess.Popen(
        [sys.executable, str(worker)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def op_names(dialect: str) -> list[str]:
    """The names of all ops of `dialect` (stablehlo, chlo or sdy) in jaxlib."""
    module = importlib.import_module(f"jaxlib.mlir.dialects._{dialect}_ops_gen")
    return sorted(
        {
            value.OPERATION_NAME
            for value in vars(module).values()
            if isinstance(value, type) and hasattr(value, "OPERATION_NAME")
        }
    )


class JaxlibAsOpt:
    """jaxlib in the place of hetero-opt: tests the harness itself."""

    def __init__(self, jaxlib: Jaxlib) -> None:
        self._jaxlib = jaxlib

    def check_all(self, texts: Sequence[str], generic: bool = False) -> list[Verdict]:
        return [pair[generic] for pair in self._jaxlib.check_all(texts)]

    def check_bytecode(self, data: bytes) -> Verdict:
        return self._jaxlib.check_all([data])[0][0]


class HeteroOpt:
    """`hetero-opt`, fed in batches of programs.

    A batch is one process. The split marker is printed after every program,
    also after a rejected one, so output chunk i belongs to input chunk i. When
    a process crashes or hangs, the batch is halved until the culprit is alone.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        batch: int = 400,
        timeout: float = 60.0,
    ) -> None:
        self.path = Path(path) if path else find_hetero_opt()
        self._batch = batch
        self._timeout = timeout

    def check_all(self, texts: Sequence[str], generic: bool = False) -> list[Verdict]:
        """The verdict on each program, in order."""
        verdicts: list[Verdict] = []
        for begin in range(0, len(texts), self._batch):
            verdicts += self._check_batch(texts[begin : begin + self._batch], generic)
        return verdicts

    def check_bytecode(self, data: bytes) -> Verdict:
        """The verdict on a module in bytecode."""
        with tempfile.NamedTemporaryFile(suffix=".mlirbc") as file:
            file.write(data)
            file.flush()
            run = subprocess.run(
                [self.path, file.name],
                capture_output=True,
                text=True,
                timeout=self._timeout,
                check=False,
            )
        if run.returncode == 0:
            return Verdict(True, run.stdout.strip())
        return Verdict(False, _first_error(run.stderr), crashed=run.returncode != 1)

    def _check_batch(self, texts: Sequence[str], generic: bool) -> list[Verdict]:
        chunks, code, stderr = self._run(texts, generic)
        if code in (0, 1) and len(chunks) == len(texts):
            errors = _errors_by_chunk(texts, stderr)
            return [
                Verdict(True, chunk) if chunk else Verdict(False, errors.get(i, "rejected"))
                for i, chunk in enumerate(chunks)
            ]
        if len(texts) > 1:
            middle = len(texts) // 2
            return self._check_batch(texts[:middle], generic) + self._check_batch(
                texts[middle:], generic
            )
        why = "timeout" if code is None else f"exit code {code}"
        return [Verdict(False, f"crash ({why}): {_last_line(stderr)}", crashed=True)]

    def _run(self, texts: Sequence[str], generic: bool) -> tuple[list[str], int | None, str]:
        command = [
            str(self.path),
            "--split-input-file",
            f"--output-split-marker={MARKER}",
            "--mlir-disable-threading",
        ]
        if generic:
            command.append("--mlir-print-op-generic")
        try:
            run = subprocess.run(
                command,
                input=_join(texts).encode(),
                capture_output=True,
                timeout=self._timeout,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return [], None, ""
        stdout = run.stdout.decode(errors="replace")
        chunks = [chunk.strip() for chunk in re.split(rf"^{MARKER}$", stdout, flags=re.M)]
        return chunks, run.returncode, run.stderr.decode(errors="replace")


def find_hetero_opt() -> Path:
    """HETERO_OPT, or build/bin/hetero-opt of this tree."""
    path = Path(os.environ.get("HETERO_OPT") or SOURCE_ROOT / "build/bin/hetero-opt")
    if not path.exists():
        raise FileNotFoundError(
            f"no hetero-opt at {path}: build it, or name it with HETERO_OPT or --hetero-opt"
        )
    return path


def _join(texts: Iterable[str]) -> str:
    # One blank line before each marker: the splitter wants it on its own line,
    # and _errors_by_chunk counts on the layout.
    return f"\n{MARKER}\n".join(texts) + "\n"


def _errors_by_chunk(texts: Sequence[str], stderr: str) -> dict[int, str]:
    """Maps the index of each rejected program to its first error."""
    owner: list[int] = []
    for i, text in enumerate(texts):
        owner += [i] * (text.count("\n") + 2)
    errors: dict[int, str] = {}
    for line in stderr.splitlines():
        match = _ERROR.match(line)
        if match and (number := int(match[1]) - 1) < len(owner):
            errors.setdefault(owner[number], match[2])
    return errors


def _first_error(text: str) -> str:
    match = re.search(r"error: (?:\"?-\"?:\d+:\d+: )?(.*)", text)
    return (match[1] if match else text).strip()[:300]


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "no output"
