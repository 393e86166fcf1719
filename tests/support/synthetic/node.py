"""A run of the study of one node made up for tests, on any topology: nothing is measured."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.layout.splits import domain_cores
from machmeter.model.machine import Machine
from machmeter.model.results.finding import Finding
from machmeter.model.results.run import RunResult
from tests.support.made_up.findings import made_up_finding
from tests.support.synthetic import places, threads
from tests.support.synthetic.figures import latency, stream
from tests.support.synthetic.machine import make_machine, make_packages
from tests.support.synthetic.maker import Maker
from tests.support.synthetic.run import make_run

SOURCE = "Schmidl et al. 2010: 100 to 200 times, where their own table says 451 for `for`"


def make_node_run(machine: Machine | None = None) -> RunResult:
    """A run of every benchmark of one node; without a machine, on two packages of two domains."""
    machine = machine or make_packages()
    topology = machine.topology
    cores = len(topology.usable_cores)
    counts = tuple(sorted({*(2**n for n in range(cores.bit_length()) if 2**n <= cores), cores}))
    make = Maker(11)
    over_time, slices = places.timeline(make, topology)
    products, pictures = threads.spmv(make, counts)
    estimates = (
        *places.pages(make, topology),
        *stream(make, counts[-1:]),
        *places.placement(make, counts),
        *over_time,
        *latency(make),
        *places.matrix(make, topology),
        *places.loaded(make, cores),
        *places.allocation(make, counts),
        *threads.sync(make, counts),
        *threads.schedule(make, cores),
        *threads.arrays(make, cores),
        *threads.nested(make, cores),
        *places.pairs(make, topology),
        *products,
        *threads.retrieval(make, cores),
        *threads.heatflow(make, cores, domain_cores(topology)),
    )
    run = make_run(machine.name, (1, cores))
    asked = replace(run.header.request, names=("scalemp",))
    return replace(
        run,
        header=replace(run.header, machine=machine, request=asked, command=("machmeter", "run")),
        estimates=estimates,
        findings=_findings(),
        shown=(*slices, *pictures),
    )


def make_small_run() -> RunResult:
    """The same on two cores of one domain."""
    return make_node_run(make_machine("laptop"))


def _findings() -> tuple[Finding, ...]:
    constructs = ("parallel", "for", "barrier", "single", "critical", "lock", "ordered", "atomic")
    return tuple(
        made_up_finding(
            f"{question}?",
            "yes, 1.92x [1.85, 2.00]: bind threads with `OMP_PROC_BIND=spread`",
            "memory.stream triad, 16 threads, spread against unbound, 12 launches",
            details=tuple(
                f"{name}: {2 + n}.1x [{n + 2}.0, {n + 2}.2]" for n, name in enumerate(cases)
            ),
            source=SOURCE if cases else "",
        )
        for question, cases in (
            ("Is this machine uniform, NUMA or software-shared memory", ()),
            ("Does binding pay", ("triad", "spmv")),
            ("Which schedule shares out uneven rows best", ("power-law", "ramp")),
            ("Do huge pages pay, and at which number of threads", ("1 thread", "16 threads")),
            ("Should a thread allocate its own memory inside the region", ()),
            ("What does synchronizing across domains cost over within one", constructs),
            ("Which split of outer and inner threads is best for image retrieval", ()),
            ("Which split of outer and inner threads is best for heat flow", ("inside", "slices")),
            ("How near does heat flow come to the wave model", ()),
            ("What limits the speedup", ()),
        )
    )
