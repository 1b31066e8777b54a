"""The transport mpi: several processes give the same bits as threads, and a
run that is disturbed ends soon, on all ranks, with a message that says why."""

import os
import random
import re
import signal
import subprocess
import time

import pytest
from mpirun import DEADLINE, PROGRAM, Run, fail, needs_mpi

pytestmark = needs_mpi


def succeed(ranks, *arguments, **environment):
    run = Run(ranks, *arguments, **environment)
    code, _ = run.end()
    assert code == 0, run.text
    for rank in range(ranks):
        assert f"rank {rank}: ok" in run.text
    # Nothing but what the ranks print: no warnings of MPI.
    assert len(run.lines) == ranks, run.text


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5])
def test_random_collectives(ranks):
    succeed(ranks, "random", 4)


def test_messages_in_pieces():
    succeed(3, "random", 4, 100)


def test_results_and_traces_of_all_processes():
    succeed(4, "results")


def test_slow_rank():
    """One that compiles, or stays at the end, longer than the others wait for a
    sign of life gives signs of life."""
    succeed(3, "slow", HETERO_TEST_LOSS_TIMEOUT="2000")


def test_one_process_needs_no_mpirun():
    subprocess.run([PROGRAM, "random", "1"], check=True, timeout=60)


def disturb(ranks, victim, number, delay, **environment):
    run = Run(ranks, "forever", **environment)
    pid = run.pid_of(victim)
    run.wait_for("^step 1$")
    time.sleep(delay)
    os.kill(pid, number)
    return run


def kill_one(seed, **environment):
    generator = random.Random(seed)
    victim = generator.randrange(4)
    # mpirun kills the others a second after one has ended, which on a busy
    # machine may be too soon for them to say anything.
    environment["OMPI_MCA_odls_base_sigkill_timeout"] = "3"
    run = disturb(4, victim, signal.SIGKILL, generator.uniform(0, 0.3), **environment)
    # The three that are left say so, and mpirun as well.
    fail(run, rf"^error: rank {victim} is lost: process \d+ on '.*' has ended; rank \d", 3)
    # Somebody was waiting for something.
    assert re.search("waits for|was executing", run.text), run.text


@pytest.mark.parametrize("seed", range(4))
def test_killed_rank(seed):
    kill_one(seed)


@pytest.mark.parametrize("seed", range(2))
def test_killed_rank_over_tcp(seed):
    """As between machines: calls of MPI do not return when the peer is gone."""
    kill_one(seed, OMPI_MCA_btl="tcp,self")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 120))
def test_killed_rank_often(seed):
    kill_one(seed)


def test_killed_while_others_compute():
    # Nobody waits: rank 1 is in a kernel that does not return, and mpirun ends
    # it soon afterwards.
    run = Run(2, "stuck")
    run.wait_for("^rank 1: process")
    os.kill(run.pid_of(0), signal.SIGKILL)
    fail(run, "^error: rank 0 is lost: process .* has ended; rank 1 ", 1)


def test_stopped_rank():
    """All that run say so. The one that was stopped does, too, if the machine
    gives it the time: mpirun kills it soon after it has woken it up."""
    run = disturb(4, 2, signal.SIGSTOP, 0.1, HETERO_TEST_LOSS_TIMEOUT="2000")
    lost = r"^error: rank 2 is lost: process \d+ on '.*'"
    fail(run, rf"{lost} (is|was) stopped and was silent for [2-9]", 3)
    assert "waits for" in run.text


def test_stopped_rank_with_the_usual_time_limit():
    run = disturb(3, 0, signal.SIGSTOP, 0)
    fail(run, r"^error: rank 0 is lost: .* (is|was) stopped and was silent for 1\d", 2)


def test_stopped_rank_that_hears_nothing():
    """The others are gone without a word when it wakes up: it was the lost one."""
    limits = {"HETERO_TEST_LOSS_TIMEOUT": "2000", "OMPI_MCA_odls_base_sigkill_timeout": "3"}
    run = disturb(3, 1, signal.SIGSTOP, 0, **limits)
    others = [run.pid_of(rank) for rank in (0, 2)]
    for pid in others:
        os.kill(pid, signal.SIGSTOP)
    time.sleep(3)
    for pid in others:
        os.kill(pid, signal.SIGKILL)
    fail(run, r"^error: rank 1 is lost: process \d+ on '.*' was stopped and was silent for", 1)


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
