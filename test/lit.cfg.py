"""How lit runs the tests: which files are tests and where the tools are."""

import os
import shutil

import lit.formats

config.name = "hetero"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".yaml"]
config.excludes = ["Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.join(config.hetero_source_root, "test")
config.test_exec_root = os.path.join(config.hetero_binary_root, "test")

with open(os.path.join(config.test_source_root, "sanitizers.env")) as lines:
    config.environment.update(line.strip().split("=", 1) for line in lines if not line.startswith("#"))
if config.hetero_sanitizer:
    config.available_features.add("sanitizer")
# Where hetero-serialize-kernels finds the CUDA toolkit.
cuda_homes = [os.environ.get(name) for name in ("CUDA_ROOT", "CUDA_HOME", "CUDA_PATH")]
ptxas = shutil.which("ptxas")
cuda_homes += [ptxas and os.path.dirname(os.path.dirname(ptxas)), "/usr/local/cuda"]
for home in filter(None, cuda_homes):
    if os.path.exists(os.path.join(home, "nvvm", "libdevice", "libdevice.10.bc")) and (
        ptxas or os.path.exists(os.path.join(home, "bin", "ptxas"))
    ):
        config.available_features.add("ptxas")
        config.environment["CUDA_HOME"] = home
        break
config.environment["FILECHECK_OPTS"] = "-enable-var-scope --dump-input-filter=error"
config.environment["PATH"] = os.pathsep.join(
    [
        os.path.join(config.hetero_binary_root, "bin"),
        config.llvm_tools_dir,
        config.environment["PATH"],
    ]
)
# The project's own environment, where utils/test has made one.
venv_python = os.path.join(config.hetero_source_root, ".venv", "bin", "python3")
config.substitutions.append(
    ("%python", venv_python if os.path.exists(venv_python) else "python3")
)
config.substitutions.append(("%source_root", config.hetero_source_root))
config.substitutions.append(("%binary_root", config.hetero_binary_root))
