"""mpirun, with what the processes print."""

import os
import pathlib
import re
import shutil
import subprocess
import threading
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("HETERO_BUILD_DIR", ROOT / "build"))
# What the tests of the transport start.
PROGRAM = BUILD / "test/Unit/hetero-mpi-program"
# The most that a disturbed run may take to end.
DEADLINE = 15

needs_mpi = pytest.mark.skipif(
    not (PROGRAM.exists() and shutil.which("mpirun")), reason="there is no MPI"
)


class Run:
    """An mpirun, with what it prints."""

    def __init__(self, ranks, *arguments, program=PROGRAM, cwd=None, **environment):
        self.lines = []
        self.changed = threading.Condition()
        self.process = subprocess.Popen(
            ["mpirun", "--oversubscribe", "-n", str(ranks), program, *map(str, arguments)],
            cwd=cwd,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={
                **os.environ,
                "OMPI_ALLOW_RUN_AS_ROOT": "1",
                "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                **environment,
            },
        )
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            with self.changed:
                self.lines.append(line.rstrip())
                self.changed.notify_all()

    @property
    def text(self):
        with self.changed:
            return "\n".join(self.lines)

    def wait_for(self, pattern, timeout=60):
        """The first match in the output."""
        limit = time.monotonic() + timeout
        with self.changed:
            while True:
                for line in self.lines:
                    if found := re.search(pattern, line):
                        return found
                rest = limit - time.monotonic()
                if rest <= 0 or self.process.poll() is not None:
                    break
                self.changed.wait(min(rest, 1))
        pytest.fail(f"no '{pattern}' in:\n{self.text}")

    def pid_of(self, rank):
        return int(self.wait_for(rf"^rank {rank}: process (\d+)")[1])

    def end(self, timeout=120):
        """The exit code, and the errors of ranks."""
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            pytest.fail(f"still running after {timeout} s:\n{self.text}")
        finally:
            self.process.kill()
        self.reader.join(timeout=10)
        return code, [line for line in self.lines if line.startswith("error: ")]


def fail(run, pattern, ranks):
    """Ends soon and so many ranks say why, and nothing else. A process that is
    slow to end may say it twice."""
    code, errors = run.end(DEADLINE)
    assert code != 0, run.text
    for error in errors:
        assert re.search(pattern, error), run.text
    assert len(errors) >= ranks, run.text
