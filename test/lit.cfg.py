import os
import shutil
import subprocess

import lit.formats

config.name = "cufuse"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".test", ".cu"]
config.excludes = ["Inputs", "CMakeLists.txt", "unit"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.build, "test")

# FileCheck, not, split-file and count come from LLVM; nvcc from the toolkit that the build was configured with.
folders = [os.path.join(config.test_source_root, "bin"), config.llvm_tools]
config.environment["FILECHECK"] = os.path.join(config.llvm_tools, "FileCheck")
cuda = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH") or "/usr/local/cuda"
nvcc = shutil.which("nvcc") or shutil.which("nvcc", path=os.path.join(cuda, "bin"))
if nvcc:
    config.available_features.add("nvcc")
    folders.append(os.path.dirname(nvcc))
    # CMake otherwise needs CUDA_HOME's name for it.
    config.environment["CUDACXX"] = nvcc
config.environment["PATH"] = os.pathsep.join(folders + [os.environ["PATH"]])
for name in ("CUDA_HOME", "CUDA_PATH", "LD_LIBRARY_PATH"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
# What cufuse keeps between runs stays in the build folder.
config.environment["XDG_CACHE_HOME"] = os.path.join(config.build, "test", "cache")
# In a build with sanitizers, a report ends the program with a status that no test expects.
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
    config.environment[name] = os.environ.get(name, "") + ":halt_on_error=1:exitcode=86"


def works(*command):
    try:
        return subprocess.run(command, capture_output=True, timeout=30).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


if nvcc and works("nvidia-smi", "-L"):
    config.available_features.add("gpu")
if shutil.which("clang-format-22"):
    config.available_features.add("clang-format")

config.substitutions += [
    # `%exits N COMMAND`: the command must end with this status.
    ("%exits", f"{config.test_source_root}/exits.sh"),
    ("%cufuse", lit_config.params.get("cufuse", config.cufuse)),
    ("%nvcc", nvcc or "nvcc"),
    ("%samples", os.path.join(config.source, "samples")),
    ("%source", config.source),
    ("%build", config.build),
    ("%llvm", os.path.dirname(config.llvm_tools)),
    ("%python", config.python),
    ("%execute", f"{config.python} {config.test_source_root}/execute.py"),
    ("%FileCheck", os.path.join(config.test_source_root, "bin", "FileCheck")),
]
