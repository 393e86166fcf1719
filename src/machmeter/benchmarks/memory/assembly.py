"""An assembly of reads: the work of the largest memories, random reads of a table."""

from __future__ import annotations

from machmeter.benchmarks.codes.shared import TOUCH
from machmeter.benchmarks.programs import NODE_PROGRAM
from machmeter.model.benchmark import (
    Benchmark,
    Direction,
    Formula,
    Metric,
    Parameter,
    ParameterKind,
    ParameterRole,
    Subject,
    ThreadSweep,
)
from machmeter.model.display import (
    Along,
    ChartKind,
    CurveChart,
    CurveForm,
    Definition,
    Display,
    Headline,
    LayoutFilter,
    Pick,
    Selection,
    TableKind,
)
from machmeter.model.layout import Binding
from machmeter.model.units import BYTES, READS_PER_SECOND, SECONDS, SHARE, WORDS_PER_SECOND

_LARGEST = Selection(largest=("reads",))
_MOST_PASSES = 64
_ALWAYS = ("coverage", "errors", "strands", "passes", "joined", "touch")
_STAGES = (
    ("load", "Loading reads"),
    ("count", "Counting words"),
    ("hand_over", "Handing counts over"),
    ("prune", "Pruning words"),
    ("extend", "Extending chains"),
    ("cluster", "Clustering chains"),
    ("assign", "Assigning reads"),
    ("trace", "Tracing paths"),
)
"""In their order, as the program names them."""


def _of_stage(name: str, title: str) -> tuple[Metric, ...]:
    return (
        Metric(
            f"{name}_time",
            title,
            SECONDS,
            Direction.LOWER,
            Formula.AMOUNT,
            amount=f"{name}_seconds",
            primary=False,
        ),
        Metric(
            f"{name}_cpu",
            f"{title}, CPU time of all threads",
            SECONDS,
            Direction.LOWER,
            Formula.AMOUNT,
            amount=f"{name}_cpu_seconds",
            primary=False,
        ),
    )


ASSEMBLY = Benchmark(
    name="memory.assembly",
    title="Assembly in memory",
    subject=Subject.APPLICATIONS,
    summary="Reads of 100 letters from a made-up transcriptome, in no order and with wrong "
    "letters: words of 25 letters are counted, rare ones pruned, the others chained, chains that "
    "touch clustered, reads assigned, and paths traced through each cluster. Counts by sorting, "
    "the definitions of what is kept, chained and clustered, and that every transcript whose words "
    "are left comes out again are checked in every launch.",
    stands_for="assembly of genomes and transcriptomes, k-mer counting, tables in large memories",
    program=NODE_PROGRAM,
    parameters=(
        Parameter(
            "reads",
            ParameterKind.COUNT,
            (100_000,),
            "reads of 100 letters",
            minimum=1000,
            maximum=4_000_000_000,
            bytes_each=420,
            most_bytes_each=2600,
            counted=("read", "reads"),
            role=ParameterRole.WORK,
        ),
        Parameter(
            "coverage",
            ParameterKind.COUNT,
            (50,),
            "how often a letter is read in the mean; half of it at least",
            minimum=4,
            maximum=1000,
            phrase="coverage {}",
            role=ParameterRole.WORK,
        ),
        Parameter(
            "errors",
            ParameterKind.COUNT,
            (5,),
            "wrong letters of a thousand",
            maximum=100,
            phrase="{} of 1000 letters wrong",
            role=ParameterRole.WORK,
        ),
        Parameter(
            "strands",
            ParameterKind.CHOICE,
            ("both",),
            "whether a read comes from either strand, so that a word and its reverse complement "
            "are one",
            choices=("both", "one"),
            phrase="strands: {}",
        ),
        Parameter(
            "table",
            ParameterKind.CHOICE,
            ("owned", "shared"),
            "owned: words are sorted into parts, each of which one thread counts; shared: all "
            "threads count in one table",
            choices=("owned", "shared"),
            phrase="{} table",
        ),
        Parameter(
            "passes",
            ParameterKind.COUNT,
            (1,),
            "passes over the reads by an owned table: each sorts a part of the words, in less "
            "memory",
            minimum=1,
            maximum=_MOST_PASSES,
            counted=("pass", "passes"),
        ),
        Parameter(
            "joined",
            ParameterKind.COUNT,
            (0,),
            "genes of a hundred that end with one piece, so that their chains are one cluster",
            maximum=100,
            phrase="{} % of genes joined",
            role=ParameterRole.WORK,
        ),
        Parameter(
            "handover",
            ParameterKind.CHOICE,
            ("memory", "tmpfs"),
            "where reads come from and counts go between stages: memory, files in /dev/shm, or "
            "files beside the record, through the page cache",
            choices=("memory", "tmpfs", "files"),
            phrase="handed over in {}",
        ),
        TOUCH,
    ),
    metrics=(
        Metric("rate", "Rate", READS_PER_SECOND, Direction.HIGHER, Formula.RATE, amount="reads"),
        Metric("time", "Time", SECONDS, Direction.LOWER, Formula.TIME, primary=False),
        Metric(
            "count_rate",
            "Counting",
            WORDS_PER_SECOND,
            Direction.HIGHER,
            Formula.RATE,
            series=("count",),
            amount="words",
            primary=False,
        ),
        Metric(
            "data",
            "Most memory",
            BYTES,
            Direction.LOWER,
            Formula.AMOUNT,
            amount="data_bytes",
            primary=False,
        ),
        Metric(
            "filed",
            "Bytes of files read and written",
            BYTES,
            Direction.LOWER,
            Formula.AMOUNT,
            amount="file_bytes",
            primary=False,
        ),
        Metric(
            "recovered",
            "Transcripts that came out again",
            SHARE,
            Direction.HIGHER,
            Formula.AMOUNT,
            amount="recovered",
            primary=False,
        ),
        *(metric for name, title in _STAGES for metric in _of_stage(name, title)),
    ),
    display=Display(
        headlines=(
            Headline(
                title="Assembly in memory, best layout",
                select=_LARGEST,
                pick=Pick.BEST,
                hide=_ALWAYS,
            ),
            Headline(
                title="Assembly in memory, one thread",
                select=Selection(largest=("reads",), layouts=(LayoutFilter.ONE_THREAD,)),
                pick=Pick.BEST,
                hide=_ALWAYS,
            ),
        ),
        charts=(
            CurveChart(
                name="memory-assembly-rate",
                title="Assembly in memory: rate by {along}",
                description="Rate of an assembly in memory over {along}, a curve for each table "
                "and placement, with 95 % bands.",
                value="rate",
                select=_LARGEST,
                along=(Along.THREADS,),
                form=CurveForm.PANELS,
            ),
            ChartKind.STAGES,
        ),
        tables=(TableKind.STAGES,),
        definitions=(
            Definition(
                "Resident memory over time",
                "Bytes of the process that are in memory, as the kernel states them, read every "
                "2 ms at most by one thread in the last event of a launch; the reads are in them.",
            ),
        ),
    ),
    seconds_per_point=0.5,
    event_seconds=0.5,
    threads=ThreadSweep.POWERS,
    bindings=(Binding.CLOSE, Binding.SPREAD),
    shows_samples=True,
    long_events=True,
    # All count in one pass in one table.
    skips=tuple((("table", "shared"), ("passes", n)) for n in range(2, _MOST_PASSES + 1)),
)
