"""The page of hetero-run --timeline, opened in a browser."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
import zlib
from pathlib import Path

import numpy as np
import pytest
import steps

CLUSTER = steps.ROOT / "examples/clusters/demo.yaml"
WIDTH, HEIGHT = 1400, 1000
# As in lib/Simulator/Timeline.cpp.
COLOURS = {"forward": "3a78c3", "backward": "e8912d", "update": "2f9e6e", "memory": "d9e6f5"}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two stages of two devices, with several microbatches."""
    directory = tmp_path_factory.mktemp("timeline")
    case = steps.get("mlp", batch=12)
    (directory / "step.mlir").write_text(case.text)
    done = subprocess.run(
        [
            steps.tool("hetero-run"), "step.mlir", f"--cluster={CLUSTER}", "--microbatches=4",
            "--steps=2", "--opt-level=1", "--timeline=timeline.html",
        ],
        cwd=directory, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return directory / "timeline.html"


def browse(page: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if not browser:
        pytest.skip("there is no chromium")
    return subprocess.run(
        [
            browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            f"--user-data-dir={page.parent / 'profile'}", "--no-first-run",
            "--disable-background-networking", "--disable-component-update",
            "--enable-logging=stderr", "--hide-scrollbars", f"--window-size={WIDTH},{HEIGHT}",
            *flags, page.as_uri(),
        ],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip


def read_png(path: Path) -> np.ndarray:
    """The pixels of an eight-bit RGB or RGBA image without interlacing."""
    data, position, packed = path.read_bytes(), 8, b""
    while position < len(data):
        (size,), kind = struct.unpack(">I", data[position : position + 4]), data[position + 4 : position + 8]
        body = data[position + 8 : position + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", body)
            assert depth == 8 and colour in (2, 6) and interlace == 0
            channels = 3 if colour == 2 else 4
        if kind == b"IDAT":
            packed += body
        position += 12 + size
    lines = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + width * channels)
    pixels = np.zeros((height, width, channels), np.uint8)
    above = np.zeros((width, channels), np.int64)
    for y, line in enumerate(lines):
        row = line[1:].reshape(width, channels).astype(np.int64)
        if line[0] == 1:
            row = np.cumsum(row, axis=0)
        elif line[0] == 2:
            row = row + above
        elif line[0] in (3, 4):
            left = corner = np.zeros(channels, np.int64)
            for x in range(width):
                if line[0] == 3:
                    guess = (left + above[x]) // 2
                else:
                    distances = np.abs([above[x] - corner, left - corner, left + above[x] - 2 * corner])
                    choices = np.stack([left, above[x], corner])
                    guess = choices[np.argmin(distances, axis=0), np.arange(channels)]
                corner, left = above[x], (row[x] + guess) % 256
                row[x] = left
        above = row % 256
        pixels[y] = above
    return pixels[:, :, :3]


def test_has_predicted_and_measured_lanes(page: Path) -> None:
    text = page.read_text()
    predicted, measured = text[text.index("<h2>Predicted: ") :].split("<h2>Measured: ")
    for section in (predicted, measured):
        lanes = set(re.findall(r">rank (\d)</text>", section))
        assert lanes and lanes <= set("0123")
        assert len(re.findall('<svg class="forward"', section)) >= 4
        assert len(re.findall('<svg class="backward"', section)) >= 4
        assert '<svg class="update"' in section
        assert '<svg class="memory"' in section
    assert "for step 2" in measured
    assert set(re.findall(r">rank (\d)</text>", predicted)) == set(re.findall(r">rank (\d)</text>", measured))


def test_renders(page: Path) -> None:
    done = browse(page, f"--screenshot={page.parent / 'page.png'}")
    assert done.returncode == 0, done.stderr
    # Errors and refused requests of the page go to its console.
    assert "CONSOLE" not in done.stderr, done.stderr
    pixels = read_png(page.parent / "page.png").reshape(-1, 3)
    assert len(pixels) == WIDTH * HEIGHT
    for name, colour in COLOURS.items():
        share = np.mean(np.all(pixels == np.frombuffer(bytes.fromhex(colour), np.uint8), axis=1))
        assert share > 0.0003, f"{name} is not to be seen"
    # Dark on light.
    assert np.mean(np.all(pixels > 240, axis=1)) > 0.5


def test_is_well_formed(page: Path) -> None:
    done = browse(page, "--dump-dom")
    # The browser has changed nothing but the white space after the body.
    count = lambda text: len(re.findall("<(svg|rect|text|title|path|line)[ >]", text))  # noqa: E731
    assert count(done.stdout) == count(page.read_text())
