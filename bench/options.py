"""The command line of bench."""

from __future__ import annotations

import argparse
import secrets
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from bench.network.quantity import Family
from machmeter.cli.options.run_options import parse_seconds
from machmeter.model.units import parse_bytes

COMPARISONS = {
    "first-minute": "how long commands take, with 1,000 runs in the store, versus their limits",
    "between-launches": "what a plan of 1,000 points takes between launches, versus its limit",
    "simulation": "how long large machines take to simulate, and how much memory, versus limits",
    "triad": "bandwidth versus likwid-bench and STREAM",
    "device": "bandwidth of a device versus BabelStream, of CPUs by OpenCL versus OpenMP too",
    "fma": "peak floating-point rate versus likwid-bench",
    "gemm": "product of matrices versus NumPy on the same BLAS",
    "latency": "memory latency versus multichase",
    "network-tables": "every table of OSU and IMB between two ranks",
    "network-time": "time to a 2 % interval versus OSU and IMB",
    "busy-network": "change of results on a busy machine versus OSU and IMB",
    "hpcc": "triad and ping-pong versus HPC Challenge",
    "bands": "plane-wave states versus Quantum ESPRESSO",
    "lattice": "lattice fermions versus MILC",
    "likelihood": "phylogenetic likelihood versus libpll",
    "liquid": "Lennard-Jones liquid versus LAMMPS",
    "overheads": "OpenMP overheads versus EPCC's syncbench",
    "pairs": "core-to-core latency versus multichase's pingpong",
    "pressure": "pressure solves versus OpenFOAM",
    "projection": "projections of low-Mach-number flow versus hypre",
    "quartets": "direct Hartree-Fock versus PySCF",
    "spmv": "sparse matrix-vector product versus SciPy and MKL",
    "ring": "rings of nerve cells versus NEURON",
    "beam": "a bunch of charged particles versus IMPACT-T",
    "weather": "a weather model's step versus miniWeather",
    "same-points": "the points of `quick` twice in one session: share of false differences",
    "two-runs": "`quick` twice, one run after the other; use of its wall time",
}


class Options(Struct, frozen=True):
    """Paths of peers (none where the peer is missing), rounds, seconds per comparison."""

    only: tuple[str, ...]
    rounds: int
    budget: float
    mpi: str
    hpcc_mpi: str
    array_bytes: int
    chase_bytes: int
    seed: int
    as_json: bool
    tables: tuple[Family, ...]
    device: str
    peers: dict[str, str]

    def peer(self, name: str) -> str:
        """The path given for a peer, empty where none was given."""
        return self.peers.get(name, "")


def parse_options(arguments: Sequence[str]) -> Options:
    """The options in `arguments`. Exits with a message where one is invalid."""
    parser = _parser()
    given = parser.parse_args(arguments)
    peers = {name: getattr(given, name.replace("-", "_")) for name in _PATHS}
    for name, path in peers.items():
        is_on_path = name in _FROM_PATH and "/" not in path
        if path and not is_on_path and not Path(path).is_file():
            parser.error(f"--{name} {path}: no such file")
        peers[name] = path if is_on_path else _absolute(path)
    for name in _FOLDERS:
        folder = getattr(given, name)
        if folder and not Path(folder).is_dir():
            parser.error(f"--{name} {folder}: no such folder")
        peers[name] = _absolute(folder)
    try:
        budget = parse_seconds(given.budget)
        array_bytes = _multiple(parse_bytes(given.array_bytes), 64_000)
        chase_bytes = _multiple(parse_bytes(given.chase_bytes), 2**20)
    except Exception as error:
        parser.error(str(error))
    if not 2 <= given.rounds <= 1000:
        parser.error(f"--rounds {given.rounds} is not within 2 and 1000")
    return Options(
        only=tuple(given.only or ()),
        rounds=given.rounds,
        budget=budget,
        mpi=given.mpi,
        hpcc_mpi=given.hpcc_mpi,
        array_bytes=array_bytes,
        chase_bytes=chase_bytes,
        seed=given.seed if given.seed is not None else secrets.randbits(31),
        as_json=given.as_json,
        tables=tuple(Family(word) for word in given.tables or ()),
        device=given.device,
        peers={name: path for name, path in peers.items() if path},
    )


_FROM_PATH = {
    "likwid-bench": "likwid-bench",
    "hpcc": "hpcc",
    "lammps": "lmp",
    "nrniv": "nrniv",
    "pw": "pw.x",
    "laplacian-foam": "laplacianFoam",
}
_FOLDERS = {
    "osu": "OSU Micro-Benchmarks, all programs in one folder, built with the MPI of --mpi",
    "imb": "IMB-MPI1, IMB-NBC and IMB-RMA, built with the MPI of --mpi",
}
_PATHS = {
    "likwid-bench": "likwid-bench [default: the one on PATH]",
    "hpcc": "hpcc [default: the one on PATH]",
    "lammps": "LAMMPS, linked with the MPI of --hpcc-mpi [default: lmp on PATH]",
    "nrniv": "NEURON's nrniv [default: the one on PATH]",
    "pw": "Quantum ESPRESSO's pw.x, linked with the MPI of --hpcc-mpi [default: the one on PATH]",
    "laplacian-foam": "OpenFOAM's laplacianFoam, linked with the MPI of --hpcc-mpi [default: the "
    "one on PATH]",
    "pyscf": "a Python with pyscf",
    "milc": "MILC's su3_rmd in double precision, linked with the MPI of --hpcc-mpi",
    "impact": "IMPACT-T, linked with the MPI of --hpcc-mpi",
    "miniweather": "miniWeather for 384 x 192 cells, linked with the MPI of --hpcc-mpi",
    "stream": "STREAM 5.10, built with OpenMP",
    "babelstream": "BabelStream 5, built for the interface of the device, which is its first",
    "multichase": "multichase",
    "pingpong": "multichase's pingpong",
    "syncbench": "EPCC's syncbench; machmeter is compiled for its OpenMP runtime",
    "numpy-python": "a Python with numpy [default: the one that runs bench]",
    "mkl-python": "a Python with numpy, scipy, mkl and sparse_dot_mkl",
}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description="Compare machmeter with its peers, interleaved in one session: ratios with "
        "95 % intervals. A ratio above 1 means that machmeter's result is better. Missing peers "
        "are listed and skipped.",
        epilog="comparisons: " + "; ".join(f"{name}: {what}" for name, what in COMPARISONS.items()),
    )
    parser.add_argument(
        "--only", action="append", choices=tuple(COMPARISONS), help="this comparison; repeatable"
    )
    parser.add_argument("--rounds", type=int, default=10, help="rounds of launches [10]")
    parser.add_argument("--budget", default="10min", help="time limit of one comparison [10min]")
    parser.add_argument(
        "--mpi",
        default="mpich",
        help="MPI that the MPI peers were built with: mpich, openmpi, or a prefix [mpich]",
    )
    parser.add_argument(
        "--hpcc-mpi",
        default="/usr",
        help="prefix of the MPI that the distribution's peers are linked with: hpcc, LAMMPS, pw.x, "
        "OpenFOAM, also MILC, IMPACT-T and miniWeather [/usr]",
    )
    parser.add_argument(
        "--array-bytes",
        default="128MB",
        help="bytes of each triad array; with --stream, STREAM's own",
    )
    parser.add_argument("--chase-bytes", default="256MiB", help="bytes of the pointer chase")
    parser.add_argument(
        "--tables",
        action="append",
        choices=tuple(family.value for family in Family),
        help="only these tables of network-tables; repeatable [all]",
    )
    parser.add_argument(
        "--device", default="", help="as `machmeter list devices` names it [the first of the CPUs]"
    )
    parser.add_argument("--seed", type=int, default=None, help="seed of the launch order")
    parser.add_argument("--json", dest="as_json", action="store_true", help="print JSON instead")
    for name, what in _PATHS.items():
        parser.add_argument(
            f"--{name}", default=_FROM_PATH.get(name, ""), metavar="PATH", help=f"path of {what}"
        )
    for name, what in _FOLDERS.items():
        parser.add_argument(f"--{name}", default="", metavar="FOLDER", help=f"folder of {what}")
    return parser


def _absolute(path: str) -> str:
    """For peers that start in a folder of their own. Links stay: a Python of a virtual environment
    is one."""
    return str(Path(path).absolute()) if path else ""


def _multiple(count: int, unit: int) -> int:
    if not unit <= count <= 2**40:
        raise ValueError(f"{count} bytes are not within {unit} bytes and 1 TiB")
    return count // unit * unit
