"""Parsers of the peers' output, which is untrusted: ValueError says what is missing.

Values are in base units: seconds, bytes, bytes per second.
"""

from __future__ import annotations

import csv
import math
import re
from typing import TypeVar

import msgspec
from msgspec import Struct

_NUMBER = r"([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d{1,3})?)"
_LIKWID_NAME = re.compile(r"^(\w{1,60}) - \S", re.MULTILINE)
_LIKWID_CPU = re.compile(r"running on hwthread (\d{1,6}) - Vector length")
_STREAM_ROW = re.compile(
    rf"^(Copy|Scale|Add|Triad):\s+{_NUMBER}\s+{_NUMBER}\s+{_NUMBER}\s+{_NUMBER}\s*$", re.MULTILINE
)
_SYNC_OVERHEAD = re.compile(
    rf"^(\w[\w ]{{0,40}}?) overhead\s+= {_NUMBER} microseconds \+/- {_NUMBER}", re.MULTILINE
)
_CPUS_HEAD = re.compile(r"^times are in ns\n\n((?: +\d{1,6}){1,1024}) *$", re.MULTILINE)
_CPU_ROW = re.compile(r"^ *(\d{1,6}):((?: +(?:\d{1,9}\.\d|inf)){1,1024}) *$", re.MULTILINE)
_SUMMARY = re.compile(r"^Begin of Summary section\.$(.*?)^End of Summary section\.$", re.M | re.S)


class LikwidRun(Struct, frozen=True):
    """One run of likwid-bench: bytes or operations per second as it counts them, and CPUs."""

    rate: float
    cpus: tuple[int, ...]


class LikwidLoop(Struct, frozen=True):
    """A loop as likwid-bench describes it: arrays, and bytes counted per element of each."""

    arrays: int
    bytes_per_element: int


class StreamRun(Struct, frozen=True):
    """One run of STREAM: bytes of each array, threads; triad rates in bytes per second."""

    array_bytes: int
    threads: int
    best_triad: float
    mean_triad: float


class SyncOverhead(Struct, frozen=True):
    """One overhead as EPCC's syncbench prints it, with the number after +/-, seconds."""

    overhead: float
    half_width: float


class LikelihoodRun(Struct, frozen=True):
    """One run of `likelihood.cpp`: seconds of its rounds, the logarithm at their end, ranks."""

    seconds: tuple[float, ...]
    log_likelihood: float
    ranks: int


class ProjectionRun(Struct, frozen=True):
    """One run of `projection.cpp`: seconds of solves; of the last one iterations, residual over
    the first, deviation from machmeter's solution over that; ranks."""

    seconds: tuple[float, ...]
    iterations: int
    residual: float
    deviation: float
    ranks: int


class SparseRun(Struct, frozen=True):
    """One run of `bench/spmv_peer.py`: seconds of products, threads, error, nonzeros."""

    seconds: tuple[float, ...]
    threads: int
    error: float
    nonzeros: int


class NeuronRun(Struct, frozen=True):
    """One run of the application's script of NEURON: simulated ms of all cells a second, spikes
    and their checksum."""

    ranks: int
    spikes: int
    checksum: float
    rate: float


class ProductRun(Struct, frozen=True):
    """One run of `gemm_peer.py`: seconds of products, threads that worked, their CPUs, the error
    over its bound, the file of the BLAS."""

    seconds: tuple[float, ...]
    threads: int
    cpus: tuple[int, ...]
    error: float
    file: str


class MatricesRun(Struct, frozen=True):
    """One run of `quartets_peer.py`: seconds of pairs of matrices, threads, functions, energy."""

    seconds: tuple[float, ...]
    threads: int
    functions: int
    energy: float


class NumpyBlas(Struct, frozen=True):
    """The file of the BLAS that NumPy loads, and NumPy's version."""

    file: str
    version: str


_Form = TypeVar(
    "_Form", SparseRun, ProductRun, MatricesRun, LikelihoodRun, ProjectionRun, NumpyBlas
)


def parse_likwid_names(text: str) -> tuple[str, ...]:
    """The loops that `likwid-bench -a` lists."""
    names = tuple(_LIKWID_NAME.findall(text))
    if not names:
        raise ValueError("likwid-bench -a listed no loop")
    return names


def parse_likwid_loop(text: str) -> LikwidLoop:
    """Read `likwid-bench -l LOOP`."""
    return LikwidLoop(
        arrays=int(_labeled(text, "Number of streams")),
        bytes_per_element=int(_labeled(text, "Bytes per element")),
    )


def parse_likwid(text: str) -> LikwidRun:
    """Read one run of likwid-bench: the rate is all bytes over the time of all sweeps."""
    return LikwidRun(
        rate=_positive(_labeled(text, "MByte/s"), "MByte/s") * 1e6,
        cpus=tuple(int(cpu) for cpu in _LIKWID_CPU.findall(text)),
    )


def parse_likwid_flops(text: str) -> LikwidRun:
    """Read one run of likwid-bench; the rate is in operations per second, as it counts them."""
    return LikwidRun(
        rate=_positive(_labeled(text, "MFlops/s"), "MFlops/s") * 1e6,
        cpus=tuple(int(cpu) for cpu in _LIKWID_CPU.findall(text)),
    )


def parse_stream(text: str) -> StreamRun:
    """Read STREAM 5.10: best rate, and mean time of all but the first sweep."""
    elements = int(_found(r"Array size = (\d{1,15}) \(elements\)", text, "the array size"))
    width = int(_found(r"uses (\d{1,2}) bytes per array element", text, "the element size"))
    threads = re.search(r"Number of Threads counted = (\d{1,6})", text)
    rows = {name: values for name, *values in _STREAM_ROW.findall(text)}
    if "Triad" not in rows:
        raise ValueError("STREAM printed no line for Triad")
    best, mean_seconds = (_positive(float(word), "Triad") for word in rows["Triad"][:2])
    return StreamRun(
        array_bytes=elements * width,
        threads=int(threads.group(1)) if threads else 1,
        best_triad=best * 1e6,
        mean_triad=3 * elements * width / mean_seconds,
    )


def parse_babelstream(text: str, kernel: str) -> tuple[float, float]:
    """Rates of a kernel of BabelStream's CSV, in bytes per second: of its mean time and of its
    least, of all rounds but the first."""
    rows = csv.DictReader(line for line in text.splitlines() if line.count(",") >= 7)
    for row in rows:
        best_rate = row.get("max_MB_per_sec") or row.get("max_mbytes_per_sec")
        if row.get("function") == kernel and best_rate:
            words = row["n_elements"], row["sizeof"], row["avg_runtime"], best_rate
            elements, width, mean, best = (_positive(float(word), kernel) for word in words)
            arrays = {"Add": 3, "Triad": 3}.get(kernel, 2)
            return arrays * elements * width / mean, best * 1e6
    raise ValueError(f"BabelStream printed no line of {kernel} as CSV")


def parse_multichase(text: str) -> float:
    """Seconds per load: the last line of multichase is the number of nanoseconds."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines or not re.fullmatch(_NUMBER, lines[-1]):
        raise ValueError("multichase did not end with a number of nanoseconds")
    return _positive(float(lines[-1]), "the latency") * 1e-9


def parse_pingpong(text: str) -> dict[tuple[int, int], float]:
    """One-way seconds by pair of CPUs, the lower one first, from multichase's pingpong.

    It divides the time by every change of the word, two per round trip.
    """
    head = _CPUS_HEAD.search(text)
    if not head:
        raise ValueError("pingpong printed no header line of CPUs under 'times are in ns'")
    columns = [int(word) for word in head.group(1).split()]
    found: dict[tuple[int, int], float] = {}
    for label, words in _CPU_ROW.findall(text, head.end()):
        cpu, times = int(label), words.split()
        others = [column for column in columns if column > cpu]
        if len(times) != len(others):
            raise ValueError(f"pingpong's line of CPU {cpu} has {len(times)} times")
        for other, word in zip(others, times, strict=True):
            found[cpu, other] = _positive(float(word), f"CPUs {cpu} and {other}") * 1e-9
    if not found:
        raise ValueError("pingpong printed no line of its table")
    return found


def parse_hpcc(text: str) -> dict[str, float]:
    """The numbers of the summary section of hpccoutf.txt, as named and in the units used there."""
    section = _SUMMARY.search(text)
    if not section:
        raise ValueError("hpccoutf.txt has no summary section: hpcc did not finish")
    pairs = re.findall(rf"^(\w{{1,80}})={_NUMBER}$", section.group(1), re.MULTILINE)
    if not pairs:
        raise ValueError("the summary section of hpccoutf.txt holds no number")
    return {name: float(value) for name, value in pairs}


def parse_syncbench(text: str) -> dict[str, SyncOverhead]:
    """Overheads by construct, in lower case, as EPCC's syncbench prints them."""
    found = {
        name.strip().lower(): SyncOverhead(float(overhead) * 1e-6, float(half) * 1e-6)
        for name, overhead, half in _SYNC_OVERHEAD.findall(text)
    }
    if not found:
        raise ValueError("syncbench printed no overhead")
    return found


def parse_neuron(text: str) -> NeuronRun:
    """What the application's script of NEURON prints. Raises ValueError for anything else."""
    return NeuronRun(
        ranks=int(_found(r"^NEURON \S+ ranks (\d+)", text, "ranks of NEURON")),
        spikes=int(_found(r"^spikes (\d+)", text, "spikes")),
        checksum=float(_found(r"^spikes \d+ checksum (\S+)", text, "checksum of spikes")),
        rate=_positive(float(_found(r" s, (\S+) cell ms/s", text, "rate")), "rate"),
    )


def _labeled(text: str, label: str) -> float:
    return float(_found(rf"^{label}:\s+{_NUMBER}\s*(?:sec)?$", text, label))


def _found(pattern: str, text: str, what: str) -> str:
    match = re.search(pattern, text, re.MULTILINE)
    if not match:
        raise ValueError(f"the output lacks {what}")
    return match.group(1)


def _positive(value: float, what: str) -> float:
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"{what} is {value}, not above zero")
    return value


def parse_sparse(text: str) -> SparseRun:
    """Read the last line of `spmv_peer.py`; other output may precede it."""
    run = _last_line(text, SparseRun, "times of products")
    _check_times(run.seconds)
    if run.nonzeros < 1:
        raise ValueError(f"its matrix has {run.nonzeros} nonzeros")
    return run


def parse_product(text: str) -> ProductRun:
    """Read the last line of `gemm_peer.py run`; other output may precede it."""
    run = _last_line(text, ProductRun, "times of products")
    _check_times(run.seconds)
    return run


def parse_matrices(text: str) -> MatricesRun:
    """Read the last line of `quartets_peer.py`; other output may precede it."""
    run = _last_line(text, MatricesRun, "times of matrices")
    _check_times(run.seconds)
    return run


def parse_likelihood(text: str) -> LikelihoodRun:
    """Read the last line of `likelihood.cpp`; other output may precede it."""
    run = _last_line(text, LikelihoodRun, "times of rounds")
    _check_times(run.seconds)
    return run


def parse_projection(text: str) -> ProjectionRun:
    """Read the last line of `projection.cpp`; other output may precede it."""
    run = _last_line(text, ProjectionRun, "times of solves")
    _check_times(run.seconds)
    return run


def parse_numpy_blas(text: str) -> NumpyBlas:
    """Read the last line of `gemm_peer.py library`; other output may precede it."""
    return _last_line(text, NumpyBlas, "BLAS of NumPy")


def _last_line(text: str, kind: type[_Form], what: str) -> _Form:
    lines = text.strip().splitlines()
    try:
        return msgspec.json.decode(lines[-1] if lines else "", type=kind)
    except msgspec.MsgspecError as error:
        raise ValueError(f"it printed no {what}: {error}") from error


def _check_times(seconds: tuple[float, ...]) -> None:
    if not seconds or not all(math.isfinite(t) and t > 0 for t in seconds):
        raise ValueError("its times of products are missing or not above zero")
