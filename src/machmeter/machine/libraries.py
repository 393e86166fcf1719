"""Which OpenMP runtimes, allocators and BLAS libraries this machine has."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path

from machmeter.layout.libraries import (
    ALLOCATORS,
    OPENMP_RUNTIMES,
    allocator_named,
    openmp_runtime_named,
)
from machmeter.store.files import read_regular

_PATIENCE_SECONDS = 10
_MOST_OUTPUT = 4 * 2**20
_MOST_FILES = 100_000
# By this name programs ask for the BLAS of the system, whoever made it.
SYSTEM_BLAS = "libblas.so.3"
_CACHED = re.compile(r"\s+(?P<name>\S+) \([^)]*\) => (?P<path>/\S.*)")
_PARTS = ("gomp", "omp", "jemalloc", "tcmalloc", "mimalloc", "libc.so", "libc-2.", SYSTEM_BLAS)
# Newer ones come last by name, and are tried first.
_FOLDERS = (
    *("usr/lib/*-linux-gnu*", "usr/lib64", "usr/lib", "lib64", "lib", "usr/local/lib*"),
    *("usr/lib/llvm-*/lib", "usr/lib64/llvm*/lib*", "opt/intel/oneapi/compiler/*/lib"),
)
_COMPILER_OF = {
    "libgomp": ("g++", "libgomp.so.1"),
    "libomp": ("clang++", "libomp.so"),
    "libiomp5": ("icpx", "libiomp5.so"),
}
_HERE = Path("/")


def find_openmp_runtimes(
    root: Path = _HERE, environment: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """Path of each OpenMP runtime (`libgomp`, `libomp`, `libiomp5`) that can be loaded here.

    Looked for where the loader looks (LD_LIBRARY_PATH, then its cache), then in the folders of
    distributions and vendors, then by asking the compiler it belongs to; of several the first
    counts. Names are those of the files that links lead to: Debian's libiomp5.so is LLVM's libomp.
    Below another `root` only folders are searched.
    """
    return _found(root, environment, OPENMP_RUNTIMES, openmp_runtime_named)


def find_allocators(
    root: Path = _HERE, environment: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """Path of each allocator (`glibc`, `jemalloc`, `tcmalloc`, `mimalloc`), found in that way.

    Where the C library is no glibc (musl), there is none of that name.
    """
    found = _found(root, environment, ALLOCATORS, allocator_named)
    if root == _HERE and platform.libc_ver()[0] != "glibc":
        found.pop("glibc", None)
    return found


def find_blas(root: Path = _HERE, environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Path of the BLAS that programs linked with `libblas.so.3` get here, as `system`, links
    followed, since the name says nothing about which one it is; empty where there is none."""
    for path in _candidates(root, environment):
        if path.name == SYSTEM_BLAS and is_library(path):
            return {"system": str(path.resolve())}
    return {}


def _found(
    root: Path,
    environment: Mapping[str, str],
    names: tuple[str, ...],
    name_of: Callable[[str], str],
) -> dict[str, str]:
    found = _first_of_each(_candidates(root, environment), names, name_of)
    if root == _HERE:
        missing = tuple(name for name in names if name not in found)
        found |= _first_of_each(_known_to_compilers(missing, environment), missing, name_of)
    return {name: found[name] for name in names if name in found}


def _first_of_each(
    candidates: Iterable[Path], names: tuple[str, ...], name_of: Callable[[str], str]
) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in candidates:
        try:
            real = path.resolve()
        except (OSError, RuntimeError):  # A link that leads to itself; which, depends on Python.
            continue
        name = name_of(real.name)
        if name in names and name not in found and is_library(real):
            found[name] = str(real)
            if len(found) == len(names):
                break
    return found


def _candidates(root: Path, environment: Mapping[str, str]) -> Iterator[Path]:
    """Files that may be a library of interest, the ones that the loader would take first."""
    if root == _HERE:
        own = environment.get("LD_LIBRARY_PATH", "").replace(";", ":").split(":")
        yield from chain.from_iterable(_files(Path(name)) for name in own if name.startswith("/"))
        yield from parse_loader_cache(_output(_ldconfig(environment), environment))
    for pattern in _FOLDERS:
        for folder in sorted(root.glob(pattern), reverse=True):
            yield from _files(folder)


def _files(folder: Path) -> list[Path]:
    """Files of the folder with a name that is of interest, sorted; few of many thousand."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry, _ in zip(entries, range(_MOST_FILES), strict=False)]
    except OSError:
        return []
    return [folder / name for name in sorted(names) if _is_of_interest(name)]


def _is_of_interest(name: str) -> bool:
    return name.startswith("lib") and ".so" in name and any(part in name for part in _PARTS)


def parse_loader_cache(text: str) -> list[Path]:
    """Files of interest in what `ldconfig -p` printed, in its order."""
    lines = map(_CACHED.fullmatch, text.splitlines())
    return [Path(line["path"]) for line in lines if line and _is_of_interest(line["name"])]


def _ldconfig(environment: Mapping[str, str]) -> list[str]:
    # Of a user who is not root, the path often lacks the folders that ldconfig lies in.
    path = f"{environment.get('PATH', '')}:/sbin:/usr/sbin"
    return [shutil.which("ldconfig", path=path) or "/sbin/ldconfig", "-p"]


def _known_to_compilers(names: tuple[str, ...], environment: Mapping[str, str]) -> Iterator[Path]:
    """A compiler that does not know the file prints its bare name."""
    for name in names:
        compiler, library = _COMPILER_OF.get(name, ("", ""))
        program = shutil.which(compiler, path=environment.get("PATH")) if compiler else None
        if program:
            path = _output([program, f"-print-file-name={library}"], environment).strip()
            if path.startswith("/"):
                yield Path(path)


def _output(command: list[str], environment: Mapping[str, str]) -> str:
    """What the command printed, its first 4 MiB; empty where it fails."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE_SECONDS,
            env=dict(environment),
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return os.fsdecode(done.stdout[:_MOST_OUTPUT]) if done.returncode == 0 else ""


def is_library(path: Path, like: Path = Path("/proc/self/exe")) -> bool:
    """Whether `path` is a shared library (ELF, ET_DYN) for the processor that `like` is for.

    A file named .so can also be a linker script, and one of 32 bit may lie beside ours (System V
    ABI, "ELF header": class, data encoding, machine).
    """
    header, ours = _elf_header(path), _elf_header(like)
    shared = header[16:18] in (b"\x03\0", b"\0\x03")
    return bool(header) and shared and _kind(header) == _kind(ours)


def _kind(header: bytes) -> tuple[bytes, bytes]:
    return header[4:6], header[18:20]


def _elf_header(path: Path) -> bytes:
    """The first 20 bytes of an ELF file; empty for any other."""
    try:
        header = read_regular(path, 20)
    except OSError:
        return b""
    return header if len(header) == 20 and header.startswith(b"\x7fELF") else b""
