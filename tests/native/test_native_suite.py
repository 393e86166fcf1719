"""The native tests: built with every compiler here that knows OpenMP, then run by CTest."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec import structs

from machmeter.benchmarks.programs import NODE_PROGRAM
from machmeter.build.compiler import find_compiler
from machmeter.build.programs import compile_launcher, compiler_digest
from machmeter.build.toolchains import TOOLCHAINS
from tests.support.processes.native_programs import build_tools

ROOT = Path(__file__).resolve().parents[2]
BUILD_SECONDS = 500
TEST_SECONDS = 120
OPENMP_PROBE = "#include <omp.h>\nint main() { return omp_get_max_threads() > 0 ? 0 : 1; }\n"
STREAM = "CMakeFiles/machmeter-node.dir/memory/stream/stream.cpp.o"
# What runs build with g++ need not be built with it here again; clang++ builds it all, its tests as
# optimized as the kernels.
TARGETS = {"g++": ("tests/all", STREAM), "clang++": ("all",)}
OPTIMIZATION = {"g++": "-O1", "clang++": "-O3"}
KERNEL = re.compile(r"^[0-9a-f]+ <(?:double )?machmeter::stream::(\w+_chunk)[<(]")


def tool(name: str) -> str:
    """Path of a program of this environment, else of the system; skips where there is none."""
    beside_python = Path(sys.executable).parent / name
    found = str(beside_python) if beside_python.exists() else shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def run(command: list[str], seconds: float) -> str:
    """Output of a command; fails the test with that output when the command fails."""
    done = subprocess.run(
        command,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=seconds,
    )
    if done.returncode != 0:
        pytest.fail(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def launcher_of(compiler: str, build: Path, cache: Path) -> str:
    """What takes objects from the cache and keeps them there."""
    tools = structs.replace(build_tools(), compiler=find_compiler(compiler, os.environ))
    settings = TOOLCHAINS[NODE_PROGRAM.toolchain](tools, os.environ)
    return compile_launcher(cache, build, settings, compiler_digest(tools, os.environ))


def knows_openmp(compiler: str, folder: Path) -> bool:
    """Whether a program with OpenMP can be compiled and linked."""
    probe = folder / "probe.cpp"
    probe.write_text(OPENMP_PROBE)
    command = [compiler, "-fopenmp", str(probe), "-o", str(folder / "probe")]
    return subprocess.run(command, check=False, capture_output=True, timeout=60).returncode == 0


@pytest.fixture(
    scope="session",
    params=["g++", pytest.param("clang++", marks=pytest.mark.full)],
    ids=["gcc", "clang"],
)
def build_folder(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, cache: Path
) -> Path:
    compiler = shutil.which(request.param)
    folder = tmp_path_factory.mktemp("native build")
    if compiler is None or not knows_openmp(compiler, folder):
        pytest.skip(f"{request.param} with OpenMP is not installed")
    configure = [tool("cmake"), "-S", str(ROOT / "native"), "-B", str(folder), "-G", "Ninja"]
    configure += [f"-DCMAKE_MAKE_PROGRAM={tool('ninja')}", f"-DCMAKE_CXX_COMPILER={compiler}"]
    # What is no kernel is compiled as runs compile it, in one file: a third of the work.
    configure += ["-DMACHMETER_MPI=OFF", "-DMACHMETER_TESTS=ON", "-DMACHMETER_JOIN=ON"]
    configure += [f"-DMACHMETER_TEST_OPTIMIZATION={OPTIMIZATION[request.param]}"]
    # Objects come from the cache, as those of programs do, where nothing that they include changed.
    configure += [f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher_of(compiler, folder, cache)}"]
    run(configure, BUILD_SECONDS)
    run([tool("cmake"), "--build", str(folder), "--target", *TARGETS[request.param]], BUILD_SECONDS)
    return folder


def test_every_native_test_passes(build_folder: Path) -> None:
    command = [tool("ctest"), "--test-dir", str(build_folder), "--output-on-failure"]
    output = run([*command, "--no-tests=error", "--timeout", str(TEST_SECONDS)], 5 * TEST_SECONDS)
    assert "100% tests passed" in output
    if "tests did not run" in output:
        pytest.skip(output[output.index("tests did not run") :])


def test_no_kernel_of_stream_calls_a_library_function(build_folder: Path) -> None:
    """A compiler that replaced a loop by memcpy would measure something else than its name."""
    words = ["-d", "-r", "-C", "--no-show-raw-insn", str(build_folder / STREAM)]
    listing = run([tool("objdump"), *words], 60)
    bodies: dict[str, list[str]] = {}
    name = ""
    for line in listing.splitlines():
        if line.endswith(">:"):
            found = KERNEL.match(line)
            name = found.group(1) if found else ""
        if name:
            bodies.setdefault(name, []).append(line)
    kernels = {"copy", "scale", "add", "triad", "read", "write", "update"}
    assert set(bodies) == {f"{kernel}_chunk" for kernel in kernels}
    # bl is a call on Arm and a register, %bl, on x86.
    calls = re.compile(r"(?<!%)\b(call|callq|bl|blr)\b|mem(cpy|set|move)")
    for body in bodies.values():
        assert not [line for line in body if calls.search(line)]
        assert len(body) > 5


@pytest.mark.full
@pytest.mark.parametrize(
    ("words", "new_words", "found"),
    [
        ("", "", ()),
        ("WAIT_FOR_GROUP;", "", ("Read-write data race at local memory", "Kernel: stream_dot")),
        ("parts[GROUP] =", "parts[GROUP + 9999] =", ("Invalid write of size", "stream_dot")),
        ("ATOMIC_ADD(bins", "bins[0] += 1; ATOMIC_ADD(bins", ("data race", "atomics_count")),
    ],
    ids=["as they are", "no barrier", "beyond the end", "not atomic"],
)
def test_kernels_of_devices_race_nowhere_and_stay_within_their_memory(
    words: str, new_words: str, found: tuple[str, ...], build_folder: Path
) -> None:
    """On Oclgrind, which runs items one by one and watches what they access."""
    library = Path("/usr/lib/oclgrind/liboclgrind-rt-icd.so")
    if not library.is_file():
        pytest.skip("Oclgrind is not installed (Debian: oclgrind)")
    run([tool("cmake"), "--build", str(build_folder), "--target", "every-kernel"], BUILD_SECONDS)
    watching = {
        "MACHMETER_DEVICE": f"opencl:{library}:0",
        "OCLGRIND_DATA_RACES": "1",
        "OCLGRIND_CHECK_API": "1",
        "EVERY_KERNEL_FROM": words,
        "EVERY_KERNEL_TO": new_words,
    }
    done = subprocess.run(
        [str(build_folder / "tests" / "every-kernel")],
        check=False,
        capture_output=True,
        text=True,
        timeout=TEST_SECONDS,
        env={**os.environ, **watching},
    )
    assert all(one in done.stderr for one in found), done.stderr[:2000]
    if not found:
        assert (done.returncode, done.stderr) == (0, ""), done.stdout
        assert "0 failures" in done.stdout
