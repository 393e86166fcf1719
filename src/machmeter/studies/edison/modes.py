"""Study `edison`: launch modes of the codes of Austin et al. (CUG 2013), by proxies of them."""

from __future__ import annotations

from msgspec import Struct

from machmeter.benchmarks.proxies.beampic import BEAMPIC
from machmeter.benchmarks.proxies.fvcore import FVCORE
from machmeter.benchmarks.proxies.gkpic import GKPIC
from machmeter.benchmarks.proxies.lowmach import LOWMACH
from machmeter.benchmarks.proxies.lqcd import LQCD
from machmeter.benchmarks.proxies.pwdft import PWDFT
from machmeter.benchmarks.proxies.scf import SCF
from machmeter.model.benchmark import Benchmark, Value
from machmeter.model.layout import LaunchMode
from machmeter.model.plan.question import (
    LARGEST,
    BestRule,
    Question,
    Resource,
    Selector,
)
from machmeter.model.plan.study import Experiment, Study

MODES = (
    LaunchMode.MPI,
    LaunchMode.MPI_SMT,
    LaunchMode.MPI_SMT_RESERVED,
    LaunchMode.HYBRID_SMT,
    LaunchMode.HYBRID_SMT_RESERVED,
)
_PAPER = "Austin et al. 2013"
_AXES = ("ranks_per_node", "threads_per_rank", "smt", "reserved_cores")
# As many ranks as the node holds in a mode.
_MPI: dict[str, Value] = {
    "ranks_per_node": LARGEST,
    "threads_per_rank": 1,
    "smt": 1,
    "reserved_cores": 0,
}


class _Code(Struct, frozen=True):
    """A code of the study, what stands for it, and at which size."""

    name: str
    proxy: Benchmark
    size: dict[str, Value]


# Two codes of one kind of work differ in their size: PARATEC in the transforms of few bands,
# MiniDFT in the products of many.
CODES = (
    _Code("CAM", FVCORE, {}),
    _Code("GAMESS", SCF, {}),
    _Code("GTC", GKPIC, {}),
    _Code("IMPACT-T", BEAMPIC, {}),
    _Code("MAESTRO", LOWMACH, {}),
    _Code("MILC", LQCD, {}),
    _Code("PARATEC", PWDFT, {"grid": 48, "bands": 16}),
    _Code("MiniDFT", PWDFT, {"grid": 36, "bands": 40}),
)


def _question(code: _Code) -> Question:
    """Which mode gives most on a whole node."""
    return Question(
        text=f"{code.name} ({code.proxy.name}): in which launch mode does a node do the most?",
        benchmark=code.proxy.name,
        metric="rate",
        rule=BestRule(
            Selector(code.size),
            _AXES,
            baseline=Selector(code.size, _MPI),
            otherwise="start it in this mode",
            same="no mode does more than one rank on every core: start it so",
        ),
        requires={Resource.CORES: 2},
        source=f"{_PAPER}: the best of five modes for each code; with two hardware threads six of "
        "eight gain, and a reserved core costs all but MILC",
    )


EDISON = Study(
    name="edison",
    title="In which launch mode does a node do the most science?",
    summary="The launch modes of Austin et al. (CUG 2013) on whole nodes: a rank on every core, on "
    "every hardware thread, with a core left to the system, and half as many ranks with two "
    "threads; each for the proxies of the eight codes that they compare. Where cores have one "
    "hardware thread, the modes without a second one. `edison-network` has the network half.",
    experiments=tuple(
        Experiment(
            code.proxy.name,
            {name: (value,) for name, value in code.size.items()},
            modes=MODES,
        )
        for code in CODES
    ),
    questions=tuple(_question(code) for code in CODES),
    budget_seconds=900.0,
)
