"""Plane-wave states versus Quantum ESPRESSO: Davidson's method on the same grid and waves."""

from __future__ import annotations

import math
import re
import tempfile
from functools import partial
from pathlib import Path

from bench.comparisons.proxies.by_ranks import RATE, compare_by_ranks
from bench.context import Bench, Outcome, empty_outcome
from bench.ours import OurPrograms, Statistic, one_point
from bench.peers import PeerPrograms, find_program
from bench.rounds import Contender, ContenderError
from machmeter.benchmarks.proxies.pwdft import PWDFT
from machmeter.model.layout import Layout
from machmeter.model.units import APPLICATIONS_PER_SECOND

TITLE = "bands"
GRID, BANDS, ITERATIONS = 48, 16, 8
# Atomic units, of the proxy; its waves reach a quarter of the grid.
EDGE = 0.6 * GRID
CUTOFF = (2 * math.pi / EDGE * (GRID // 4)) ** 2
# Of eight projectors, as the proxy has.
PSEUDOPOTENTIAL = "Si.pz-vbc.UPF"
# Where the distribution keeps it.
_SHARE = Path("/usr/share/espresso/pseudo")
_INPUT = """\
&control
  calculation = 'scf', disk_io = 'none', outdir = './out', pseudo_dir = '{pseudo}'
/
&system
  ibrav = 1, celldm(1) = {edge}, nat = 2, ntyp = 1, nbnd = {bands}, nosym = .true., noinv = .true.
  ecutwfc = {cutoff}, ecutrho = {dense}, nr1 = {grid}, nr2 = {grid}, nr3 = {grid}
/
&electrons
  diagonalization = 'david', diago_david_ndim = 2, diago_thr_init = 1e-3
  diago_full_acc = .true., startingwfc = 'random', conv_thr = 1e6
/
ATOMIC_SPECIES
Si 28.086 {file}
ATOMIC_POSITIONS crystal
Si 0.03 0.0 0.01
Si 0.53 0.5 0.51
K_POINTS tpiba
1
0.11 0.23 0.37 1
"""
_GRID = re.compile(r"FFT dimensions: \( *(\d+), *(\d+), *(\d+)\)")
_BANDS = re.compile(r"number of Kohn-Sham states *= *(\d+)")
_RANKS = re.compile(r"(?:Number of MPI processes:|Parallel version \(MPI\), running on) +(\d+)")
_TIMER = r"^ +{} +: .*CPU +(?:(\d+)m *)?([0-9.]+)s WALL \( *(\d+) calls\)"


def compare(bench: Bench) -> Outcome:
    """One rank, and one on each of two cores, both with the MPI that pw.x is linked with."""
    outcome = empty_outcome(f"Plane-wave states, {GRID}^3 points, {BANDS} bands, Davidson's method")
    path = find_program(bench.options.peer("pw"))
    if not path:
        outcome.skipped.append(
            "pw.x of Quantum ESPRESSO is not installed (Debian: apt install quantum-espresso), or "
            "not on PATH (--pw PATH)"
        )
        return outcome
    folders = pseudo_folders(Path(path))
    pseudo = next((one for one in folders if (one / PSEUDOPOTENTIAL).is_file()), None)
    if pseudo is None:
        outcome.skipped.append(
            f"Quantum ESPRESSO's {PSEUDOPOTENTIAL} is in none of {', '.join(map(str, folders))} "
            "(Debian: apt install quantum-espresso-data)"
        )
        return outcome
    outcome.notes.append(
        "applications of H to a band over the time of the whole method, with products of bands and "
        "small eigenproblems, without set-up: pw.x's cegterg. It applies H to each band until that "
        "one has converged, machmeter to all of them. pw.x as Debian compiles it, for any x86-64, "
        "with FFTW and BLAS"
    )
    return compare_by_ranks(
        bench,
        outcome,
        TITLE,
        "Quantum ESPRESSO",
        _ours,
        partial(_espresso, path, pseudo),
        unit=APPLICATIONS_PER_SECOND,
        statistic="mean of a launch",
    )


def pseudo_folders(program: Path) -> tuple[Path, ...]:
    """Where pseudopotentials may be: of the installation of pw.x, of a source tree in which
    `bin/pw.x` is a link, and of the distribution."""
    prefixes = (program.parent.parent, program.resolve().parent.parent)
    inside = [p / name for p in prefixes for name in ("share/espresso/pseudo", "pseudo")]
    return tuple(dict.fromkeys((*inside, _SHARE)))


def _ours(ours: OurPrograms, ranks: int) -> Contender:
    spec = one_point(
        PWDFT.name,
        {"grid": GRID, "bands": BANDS, "iterations": ITERATIONS, "scaling": "strong"},
        Layout(ranks_per_node=ranks, page_bytes=ours.base_pages),
        samples=6,
        seconds=3,
        name=f"machmeter, {ranks}",
    )
    return ours.point_contender(spec.name, spec, {RATE: ("applications", Statistic.MEAN)})


def _espresso(path: str, pseudo: Path, peers: PeerPrograms, ranks: int) -> Contender:
    text = _INPUT.format(
        pseudo=pseudo,
        file=PSEUDOPOTENTIAL,
        edge=EDGE,
        bands=BANDS,
        # Four times the cutoff would need one more point along an edge.
        cutoff=CUTOFF,
        dense=3.9 * CUTOFF,
        grid=GRID,
    )

    def start(_round: int) -> dict[str, float]:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "in.bands").write_text(text, encoding="ascii")
            output = peers.run_ranks((path, "-in", "in.bands"), ranks, Path(folder))
        return {RATE: espresso_rate(output, ranks)}

    return Contender(f"Quantum ESPRESSO, {ranks}", start)


def espresso_rate(output: str, ranks: int) -> float:
    """Applications of H to a band per second of Davidson's method. Raises ContenderError for
    another problem or number of ranks, or without its timers."""
    grid, bands = _GRID.search(output), _BANDS.search(output)
    same = grid and set(map(int, grid.groups())) == {GRID} and bands and int(bands[1]) == BANDS
    started = _RANKS.search(output)
    if not same or not started or int(started[1]) != ranks:
        raise ContenderError(f"pw.x did not solve {BANDS} bands on {GRID}^3 points, {ranks} ranks")
    seconds, _ = _timer(output, "cegterg")
    densities = _timer(output, "sum_band")[1]
    transforms = _timer(output, "fftw")[1]
    # Two for each application, one for a band in the density. Before the method, H is applied to
    # every band once.
    applications = (transforms - densities * BANDS) / 2 - BANDS
    if seconds <= 0 or applications < BANDS:
        raise ContenderError(f"pw.x applied H {applications:g} times in {seconds} s")
    return applications / seconds


def _timer(output: str, name: str) -> tuple[float, int]:
    found = re.search(_TIMER.format(name), output, re.M)
    if found is None:
        raise ContenderError(f"pw.x printed no time of {name}")
    return 60 * int(found[1] or 0) + float(found[2]), int(found[3])
