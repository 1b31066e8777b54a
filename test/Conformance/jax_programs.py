"""Programs that JAX itself lowers: its functions, their gradients and batches.

Most are found by trying: every public function of a few JAX namespaces is
applied to arguments of several dtypes, and what JAX can lower is kept. The
rest, control flow and everything with options, is written down in jax_table.py.
Lowering takes a minute, so the texts are cached in the build directory; the
cache is keyed by this code and by the versions of jax and jaxlib.

Run as a program it writes a share of the texts as JSON, in a process where JAX
has eight CPU devices.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.metadata
import inspect
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any, Callable, Iterator, Sequence

from oracle import SOURCE_ROOT
from program import Program

HERE = Path(__file__).resolve().parent
SOURCES = [HERE / "jax_programs.py", HERE / "jax_table.py"]

# Functions that are no computations, or that need minutes.
SKIPPED = {
    "fromfile", "frompyfunc", "from_dlpack", "save", "savez", "load", "printoptions", "set_printoptions",
    "get_printoptions", "vectorize", "apply_along_axis", "apply_over_axes", "piecewise", "fromfunction", "fromiter",
    "fromstring", "custom_linear_solve", "custom_root", "infeed", "outfeed", "while_loop", "scan", "map", "fori_loop",
    "cond", "switch", "associative_scan", "create_token", "after_all", "platform_dependent",
}  # fmt: skip


# A sample is one in so many of the programs.
SAMPLE = 6


def candidates(full: bool = True) -> Iterator[Program]:
    """The programs, or a sample of them, from the cache if it is fresh."""
    cache = _cache_path(full)
    cache.parent.mkdir(parents=True, exist_ok=True)
    with open(cache.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not cache.exists():
            _fill(cache, 1 if full else SAMPLE)
    for family, text in json.loads(cache.read_text()):
        yield Program(family, text)


def _fill(cache: Path, one_in: int) -> None:
    print("lowering JAX programs (cached for later runs)", file=sys.stderr, flush=True)
    # Two processes, each with its share.
    parts = [cache.with_suffix(f".{index}") for index in range(2)]
    workers = [
        subprocess.Popen(
            [sys.executable, str(HERE / "jax_programs.py"), str(part), str(index * one_in), str(2 * one_in)]
        )
        for index, part in enumerate(parts)
    ]
    if any([worker.wait() for worker in workers]):
        raise RuntimeError("lowering the JAX programs failed")
    texts = {text: family for part in parts for family, text in json.loads(part.read_text())}
    whole = cache.with_suffix(".whole")
    whole.write_text(json.dumps([(family, text) for text, family in texts.items()]))
    whole.replace(cache)
    for part in parts:
        part.unlink()


def _cache_path(full: bool) -> Path:
    digest = hashlib.sha256()
    for source in SOURCES:
        digest.update(source.read_bytes())
    for package in ("jax", "jaxlib"):
        digest.update(importlib.metadata.version(package).encode())
    name = f"jax-{'full' if full else 'sample'}-{digest.hexdigest()[:16]}.json"
    return SOURCE_ROOT / "build" / "conformance" / name


def _namespaces() -> Iterator[tuple[str, Any]]:
    import jax

    yield "jax.numpy", jax.numpy
    yield "jax.lax", jax.lax
    yield "jax.nn", jax.nn
    yield "jax.numpy.linalg", jax.numpy.linalg
    yield "jax.lax.linalg", jax.lax.linalg
    yield "jax.numpy.fft", jax.numpy.fft
    yield "jax.scipy.special", __import__("jax.scipy.special", fromlist=["x"])
    for name in ("norm", "gamma", "beta", "poisson", "t", "logistic"):
        yield f"jax.scipy.stats.{name}", __import__(f"jax.scipy.stats.{name}", fromlist=["x"])


def _functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    for space, module in _namespaces():
        for name in sorted(dir(module)):
            value = getattr(module, name)
            if name.startswith("_") or name in SKIPPED or inspect.isclass(value) or not callable(value):
                continue
            yield f"{space}.{name}", value


def _argument_sets() -> Iterator[tuple[Any, ...]]:
    import jax
    import jax.numpy as jnp

    def shape(dims: tuple[int, ...], dtype: Any) -> Any:
        return jax.ShapeDtypeStruct(dims, dtype)

    for dims, dtype in [((4, 4), jnp.float32), ((5,), jnp.int32), ((3, 2), jnp.complex64), ((4,), jnp.bool_),
            ((), jnp.float32), ((2, 0), jnp.float32), ((4,), jnp.uint8), ((4, 4), jnp.bfloat16)]:
        yield (shape(dims, dtype),)
    for dims, dtype in [((4, 4), jnp.float32), ((5,), jnp.int32), ((4,), jnp.bool_), ((3,), jnp.uint32)]:
        yield (shape(dims, dtype), shape(dims, dtype))
    yield (shape((2, 3), jnp.float32), shape((3,), jnp.int32))
    yield (shape((4, 4), jnp.float32),) * 3
    yield (shape((4,), jnp.int32),) * 3
    for number in (0, 1):
        yield (shape((4, 4), jnp.float32), number)
    yield (shape((4, 6), jnp.float32), (6, 4))
    yield (shape((4, 6), jnp.float32), (1, 0))


class Lowering:
    """Collects the distinct texts that JAX lowers."""

    def __init__(self, share: int, of: int) -> None:
        self.texts: dict[str, str] = {}
        self._share, self._of, self._count = share, of, -1

    def mine(self) -> bool:
        """Whether the next function is in the share of this process."""
        self._count += 1
        return self._count % self._of == self._share

    def add(
        self,
        family: str,
        fn: Callable[..., Any],
        args: tuple[Any, ...],
        platforms: Sequence[str] = ("cpu",),
        **options: Any,
    ) -> bool:
        """Lowers `fn` for some of the platforms; whether JAX could for the first."""
        import jax

        static = tuple(i for i, arg in enumerate(args) if isinstance(arg, (int, tuple, str)))
        try:
            # A function of our own: jit crashes on some callables.
            traced = jax.jit(lambda *a: fn(*a), static_argnums=static, **options).trace(*args)
            for platform in platforms:
                text = traced.lower(lowering_platforms=(platform,)).as_text()
                self.texts.setdefault(text, family)
            return True
        except Exception:  # JAX does not lower this: it is no program then.
            return False


def _required(fn: Callable[..., Any]) -> range:
    """How many arguments to try `fn` with."""
    try:
        parameters = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):
        return range(1, 3)
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    needed = sum(p.default is p.empty for p in positional)
    return range(max(needed, 1), max(needed, 1) + 1)


def _discover(lowering: Lowering) -> None:
    import jax
    import jax.numpy as jnp

    sets = list(_argument_sets())
    for family, fn in _functions():
        if not lowering.mine():
            continue
        arities = _required(fn)
        derived = False
        for args in sets:
            if len(args) not in arities or not lowering.add(family, fn, args):
                continue
            if derived or not all(getattr(arg, "dtype", None) == jnp.float32 for arg in args):
                continue
            derived = True

            def total(*values: Any, fn: Callable[..., Any] = fn) -> Any:
                leaves = jax.tree.leaves(fn(*values))
                return sum(x.sum() for x in leaves if jnp.issubdtype(x.dtype, jnp.floating))

            lowering.add(f"{family} (grad)", jax.grad(total), args)
            wide = tuple(jax.ShapeDtypeStruct((3, *arg.shape), arg.dtype) for arg in args)
            lowering.add(f"{family} (vmap)", jax.vmap(fn), wide)


def generate(share: int, of: int) -> list[tuple[str, str]]:
    """Lowers one of `of` shares of everything; needs a fresh process."""
    import jax

    import jax_table

    lowering = Lowering(share, of)
    _discover(lowering)
    for family, fn, args, options in jax_table.entries():
        if not lowering.mine():
            continue
        if family.startswith("dtype"):
            with jax.enable_x64(True):
                lowering.add(f"jax {family}", fn, args, **options)
        else:
            lowering.add(f"jax {family}", fn, args, ("cpu", "tpu", "cuda"), **options)
    return [(family, text) for text, family in lowering.texts.items()]


def main() -> None:
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
    warnings.simplefilter("ignore")
    path, share, of = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    path.write_text(json.dumps(generate(share, of)))


if __name__ == "__main__":
    main()
