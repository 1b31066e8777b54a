"""Feeds a tool damaged copies of a file: corrupt.py <file> <tool> <argument...>.

Every truncation (or thirty, evenly spread), then copies with a few bytes
changed, always the same ones. The tool must end with code 0 or 1, and with an
error message when it is 1.
"""

import random
import subprocess
import sys


def damaged(data):
    step = max(1, len(data) // 30)
    for length in range(0, len(data), step):
        yield f"truncated to {length}", data[:length]
    generator = random.Random(2022)
    for number in range(30):
        copy = bytearray(data)
        for _ in range(generator.choice([1, 1, 2, 4])):
            copy[generator.randrange(len(copy))] = generator.randrange(256)
        yield f"mutant {number}", bytes(copy)


def main(path, *command):
    with open(path, "rb") as file:
        data = file.read()
    refused = 0
    for name, copy in damaged(data):
        result = subprocess.run(command, input=copy, capture_output=True, timeout=120)
        if result.returncode not in (0, 1):
            sys.exit(f"{name}: exit code {result.returncode}\n{result.stderr[-2000:]!r}")
        if result.returncode == 1 and b"error:" not in result.stderr:
            sys.exit(f"{name}: failed without a message")
        refused += result.returncode
    print(f"{refused} refused")


main(*sys.argv[1:])
