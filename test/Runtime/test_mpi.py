"""The transport mpi: several processes give the same bits as threads, and a
run that is disturbed ends soon, on all ranks, with a message that says why."""

import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import threading
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("HETERO_BUILD_DIR", ROOT / "build"))
PROGRAM = BUILD / "test/Unit/hetero-mpi-program"
# The most that a disturbed run may take to end.
DEADLINE = 15

pytestmark = pytest.mark.skipif(
    not (PROGRAM.exists() and shutil.which("mpirun")), reason="there is no MPI"
)


class Run:
    """An mpirun, with what it prints."""

    def __init__(self, ranks, *arguments, **environment):
        self.lines = []
        self.changed = threading.Condition()
        self.process = subprocess.Popen(
            ["mpirun", "--oversubscribe", "-n", str(ranks), PROGRAM, *map(str, arguments)],
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


def succeed(ranks, *arguments):
    run = Run(ranks, *arguments)
    code, _ = run.end()
    assert code == 0, run.text
    for rank in range(ranks):
        assert f"rank {rank}: ok" in run.text
    # Nothing but what the ranks print: no warnings of MPI.
    assert len(run.lines) == ranks, run.text


def fail(run, pattern, ranks):
    """Ends soon and so many ranks say why, and nothing else."""
    code, errors = run.end(DEADLINE)
    assert code != 0, run.text
    for error in errors:
        assert re.search(pattern, error), run.text
    assert len(errors) == ranks, run.text


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5])
def test_random_collectives(ranks):
    succeed(ranks, "random", 4)


def test_messages_in_pieces():
    succeed(3, "random", 4, 100)


def test_results_and_traces_of_all_processes():
    succeed(4, "results")


def test_one_process_needs_no_mpirun():
    subprocess.run([PROGRAM, "random", "1"], check=True, timeout=60)


def disturb(ranks, victim, number, delay, **environment):
    run = Run(ranks, "forever", **environment)
    pid = run.pid_of(victim)
    run.wait_for("^step 1$")
    time.sleep(delay)
    os.kill(pid, number)
    return run


def kill_one(seed):
    generator = random.Random(seed)
    victim = generator.randrange(4)
    run = disturb(4, victim, signal.SIGKILL, generator.uniform(0, 0.3))
    # The three that are left say so, and mpirun as well.
    fail(run, rf"^error: rank {victim} is lost: process \d+ on '.*' has ended; rank \d", 3)
    # Somebody was waiting for something.
    assert re.search("waits for|was executing", run.text), run.text


@pytest.mark.parametrize("seed", range(4))
def test_killed_rank(seed):
    kill_one(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 120))
def test_killed_rank_often(seed):
    kill_one(seed)


def test_killed_while_others_compute():
    # Nobody waits: rank 1 is in a kernel that does not return, and mpirun ends
    # it a second later.
    run = Run(2, "stuck")
    run.wait_for("^rank 1: process")
    os.kill(run.pid_of(0), signal.SIGKILL)
    fail(run, "^error: rank 0 is lost: process .* has ended; rank 1 ", 1)


def test_stopped_rank():
    run = disturb(4, 2, signal.SIGSTOP, 0.1, HETERO_TEST_LOSS_TIMEOUT="2000")
    fail(run, r"^error: rank 2 is lost: process \d+ on '.*' is stopped and was silent for 2", 4)
    assert "waits for" in run.text


def test_stopped_rank_with_the_usual_time_limit():
    run = disturb(3, 0, signal.SIGSTOP, 0)
    fail(run, "^error: rank 0 is lost: .* is stopped and was silent for 10", 3)


def test_stopped_for_a_moment():
    run = disturb(3, 1, signal.SIGSTOP, 0, HETERO_TEST_LOSS_TIMEOUT="5000")
    time.sleep(2)
    os.kill(run.pid_of(1), signal.SIGCONT)
    last = int(re.findall(r"^step (\d+)$", run.text, re.MULTILINE)[-1])
    run.wait_for(f"^step {last + 20}$")
    run.process.terminate()
    run.end(DEADLINE)


def test_memory_cap():
    fail(
        Run(4, "cap"),
        "^error: rank 2: instruction .*: device 'device 2' is out of memory: 'reduce: 1000xf32' "
        "asks for 4 KB, 8 KB of 10 KB are in use; the largest: .*'receive activation: 1000xf32'",
        4,
    )


def test_memory_cap_of_arguments():
    fail(
        Run(3, "argument-cap"),
        "^error: rank 0: device 'device 0' is out of memory: 'argument 0: 1000xf32' asks for",
        3,
    )


def test_stuck_kernel():
    run = Run(3, "stuck")
    fail(
        run,
        r"^error: rank \d waits for '\w.*' \(\w+\) from rank \d on channel 0 for \d s; .*"
        "rank 1 (was last seen executing )?'forward 0'",
        3,
    )


def test_rank_that_never_comes():
    run = Run(3, "leave")
    fail(run, "^error: rank 1 is lost: .*; rank . waits for rank . to open its program", 3)


def test_rank_that_leaves():
    run = Run(3, "early")
    fail(run, "^error: rank 1 is lost: it has left the run; rank . waits for ", 3)
