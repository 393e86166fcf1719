"""Benchmarks of messages between pairs of ranks."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.benchmarks.memory.access import MEMORY_ACCESS, ONE_THREAD_TRIAD
from machmeter.benchmarks.programs import MPI_PROGRAM
from machmeter.model.benchmark import (
    AUTO,
    AutoRule,
    Benchmark,
    Direction,
    Formula,
    Metric,
    Parameter,
    ParameterKind,
    RankSweep,
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
    Limit,
    LimitKind,
    Pick,
    PivotTable,
    RatiosToDefault,
    Selection,
    TableKind,
    Yardstick,
    YardstickKind,
)
from machmeter.model.units import (
    BYTES_PER_SECOND_BOTH_WAYS,
    BYTES_PER_SECOND_ONE_WAY,
    MESSAGES_PER_SECOND,
    SECONDS,
)

# One rank's buffers must fit into memory; larger counts than a C int are sent all the same.
LARGEST_MESSAGE = 2**36

BUFFERS = Parameter(
    "buffers",
    ParameterKind.CHOICE,
    ("hot",),
    "the same buffers for every message, or others each time, out of caches; device: the same, in "
    "memory of devices",
    choices=("hot", "cold", "device"),
    phrase="{} buffers",
)

ON_DEVICE = (BUFFERS.name, "device")
"""The parameter that says where messages are, and its value where that is in memory of devices."""

HOT_OR_COLD = Definition(
    "Buffers",
    "Hot: every message uses the same buffers, which stay in the caches. Cold: each uses others, "
    "out of caches.",
    "buffers",
)

BETWEEN_DEVICES = Definition(
    "Device buffers",
    "Every message uses the same buffers, in memory of devices, which the MPI sends from and "
    "receives into itself.",
    ON_DEVICE[0],
    ON_DEVICE[1:],
)

LATENCY_VARIANTS = RatiosToDefault(
    name="network-latency-variants",
    title="Other calls, patterns and data over a plain ping-pong",
    names=("pattern", "way", "data", "buffers"),
    description="Ratio of the plain blocking ping-pong to each variant over the message size: "
    "above 1 is faster than the plain one; with 95 % bands.",
    value="plain time / time",
    note="Above 1x: faster than the plain one, of the same size in the same launches.",
)

LATENCY = Benchmark(
    name="network.latency",
    title="Message latency",
    subject=Subject.MPI_LATENCY,
    summary="Half the round trip of one message between two ranks; in ping-ping both send at once, "
    "and the time is that of one such exchange.",
    program=MPI_PROGRAM,
    parameters=(
        Parameter(
            "size",
            ParameterKind.SIZE,
            (0, 1, 2, 4, 8, *(2**power for power in range(4, 23))),
            "bytes of one message",
            maximum=LARGEST_MESSAGE,
        ),
        Parameter(
            "pattern",
            ParameterKind.CHOICE,
            ("ping-pong",),
            "one message at a time, or one each way",
            choices=("ping-pong", "ping-ping"),
        ),
        Parameter(
            "way",
            ParameterKind.CHOICE,
            ("blocking",),
            "the calls that move a message",
            choices=("blocking", "nonblocking", "persistent", "partitioned", "matched-probe"),
        ),
        Parameter(
            "data",
            ParameterKind.CHOICE,
            ("contiguous",),
            "where the bytes lie: together, in equal steps, or at listed places",
            choices=("contiguous", "vector", "indexed"),
        ),
        BUFFERS,
    ),
    metrics=(Metric("latency", "Latency, one way", SECONDS, Direction.LOWER, Formula.TIME),),
    display=Display(
        headlines=(
            Headline(
                title="MPI latency, {size}",
                select=Selection(where=(("size", 8),), plain=True, layouts=(LayoutFilter.USUAL,)),
                hide=("size",),
            ),
            Headline(
                title="MPI latency, {size}",
                select=Selection(
                    where=(("size", 2**20),), plain=True, layouts=(LayoutFilter.USUAL,)
                ),
                hide=("size",),
            ),
        ),
        yardsticks=(MEMORY_ACCESS,),
        charts=(ChartKind.MESSAGE_TIME, LATENCY_VARIANTS),
        tables=(LATENCY_VARIANTS,),
        definitions=(
            Definition(
                "Ping-ping",
                "Both ranks send at once; the time is that of one exchange, not half of it.",
                "pattern",
                ("ping-ping",),
            ),
            Definition(
                "Data",
                "Contiguous: one block of bytes. Vector, indexed: as many bytes with a constant "
                "stride or at listed offsets; MPI packs them.",
                "data",
                ("vector", "indexed"),
            ),
            HOT_OR_COLD,
            BETWEEN_DEVICES,
        ),
    ),
    seconds_per_point=0.02,
    ranks=RankSweep.PAIR,
    least_ranks=2,
    most_ranks=2,
    # Their requests are made once, for one buffer each.
    skips=tuple((("way", way), ("buffers", "cold")) for way in ("persistent", "partitioned")),
    modeled={"way": ("blocking",), "data": ("contiguous",), "buffers": ("hot",)},
)

PAIRS = Benchmark(
    name="network.pairs",
    title="Latency of many pairs at once",
    subject=Subject.MPI_LATENCY,
    summary="Ping-pong of every pair at the same time, each rank of the first half with one of the "
    "second: the mean over pairs counts. `classic` runs on without stopping, as OSU's did up to "
    "5.8; with `barrier` all ranks synchronize before every exchange, as from 5.9 on.",
    program=MPI_PROGRAM,
    parameters=(
        Parameter(
            "size",
            ParameterKind.SIZE,
            (8, 4096, 1048576),
            "bytes of one message",
            maximum=LARGEST_MESSAGE,
        ),
        Parameter(
            "definition",
            ParameterKind.CHOICE,
            ("classic", "barrier"),
            "how pairs keep step",
            choices=("classic", "barrier"),
        ),
    ),
    metrics=(
        Metric(
            "mean_latency",
            "Mean of pairs",
            SECONDS,
            Direction.LOWER,
            Formula.TIME,
            series=("mean",),
        ),
        Metric(
            "latency",
            "Slowest pair",
            SECONDS,
            Direction.LOWER,
            Formula.TIME,
            series=("slowest",),
            primary=False,
        ),
    ),
    display=Display(
        headlines=(
            Headline(
                title="{pairs} pairs at once, {definition}",
                select=Selection(layouts=(LayoutFilter.USUAL, LayoutFilter.MOST_RANKS), small=True),
                by="definition",
                hide=("size", "definition"),
            ),
        ),
        charts=(
            CurveChart(
                name="network-pairs",
                title="Latency of many pairs at once",
                description="Time of one message, the mean of pairs, over the number of pairs, a "
                "panel for each size and definition, one curve a package, with 95 % bands.",
                value="mean of pairs",
                along=(Along.PAIRS,),
                form=CurveForm.PANELS,
                panels=("size", "definition"),
                shared="size",
                note="Classic: pairs run on without stopping. Barrier: all ranks pass a barrier "
                "before every exchange. Panels of one size have the same axes.",
            ),
        ),
        tables=(
            PivotTable(title="Mean of pairs by number of pairs", along=(Along.PAIRS,)),
            PivotTable(
                title="Slowest pair by number of pairs",
                select=Selection(metrics=("latency",)),
                along=(Along.PAIRS,),
            ),
            RatiosToDefault(
                name="",
                title="Barrier over classic",
                names=("definition",),
                along=Along.PAIRS,
                note="Above 1x: `classic` is the slower one.",
            ),
        ),
        definitions=(
            Definition(
                "Classic and barrier",
                "Classic: pairs run on without stopping (OSU up to 5.8). Barrier: all ranks pass a "
                "barrier before every exchange (OSU from 5.9 on), and the skew it leaves counts.",
                "definition",
            ),
            Definition(
                "Mean of pairs",
                "The mean over pairs of each sample, as OSU takes it. The slowest pair is a "
                "result of its own: of more pairs it is later by noise alone.",
            ),
        ),
    ),
    ranks=RankSweep.POWERS,
    least_ranks=2,
    even_ranks=True,
    sweep_packages=True,
    modeled={},
)


def _by_size(name: str, title: str, *metrics: str, precision: bool = True) -> CurveChart:
    """With the largest window, of as few ranks as there are."""
    below = "; below, half the 95 % interval in percent of the value" if precision else ""
    return CurveChart(
        name=name,
        title=f"{title} by message size",
        description=f"{title} over the message size on logarithmic axes, one way and both "
        f"ways{below}.",
        value=title.lower(),
        select=Selection(
            metrics=metrics,
            plain=True,
            vary=("direction",),
            layouts=(LayoutFilter.FEWEST_RANKS,),
            largest=("window",),
        ),
        note="Both ways: the sum of both directions.",
        precision=precision,
    )


BANDWIDTH = Benchmark(
    name="network.bandwidth",
    title="Message bandwidth and rate",
    subject=Subject.MPI_BANDWIDTH,
    summary="A window of messages in flight, then a short acknowledgement; one way, or both at "
    "once. Of many pairs the time is the mean over them.",
    program=MPI_PROGRAM,
    parameters=(
        Parameter(
            "size",
            ParameterKind.SIZE,
            (AUTO,),
            "bytes of one message",
            maximum=LARGEST_MESSAGE,
            auto=AutoRule.MESSAGES,
        ),
        Parameter(
            "direction",
            ParameterKind.CHOICE,
            ("one-way", "both-ways"),
            "who sends",
            choices=("one-way", "both-ways"),
        ),
        Parameter(
            "window", ParameterKind.COUNT, (64,), "messages in flight", minimum=1, maximum=1024
        ),
        BUFFERS,
    ),
    metrics=(
        Metric(
            "bandwidth_one_way",
            "Bandwidth, one way",
            BYTES_PER_SECOND_ONE_WAY,
            Direction.HIGHER,
            Formula.RATE,
            amount="bytes_one_way",
        ),
        Metric(
            "bandwidth_both_ways",
            "Bandwidth, both ways summed",
            BYTES_PER_SECOND_BOTH_WAYS,
            Direction.HIGHER,
            Formula.RATE,
            amount="bytes_both_ways",
        ),
        Metric(
            "message_rate",
            "Message rate",
            MESSAGES_PER_SECOND,
            Direction.HIGHER,
            Formula.RATE,
            amount="messages",
            primary=False,
        ),
        Metric(
            "slowest_window",
            "Window of the slowest pair",
            SECONDS,
            Direction.LOWER,
            Formula.TIME,
            series=("slowest",),
            primary=False,
        ),
    ),
    display=Display(
        limit=Limit(LimitKind.PING_PONG, of="network.latency"),
        yardsticks=(
            Yardstick(
                kind=YardstickKind.HARDWARE,
                metrics=("bandwidth_one_way", "bandwidth_both_ways"),
                name="its adapters",
            ),
            replace(ONE_THREAD_TRIAD, metrics=("bandwidth_one_way", "bandwidth_both_ways")),
            Yardstick(
                kind=YardstickKind.ONE_AT_A_TIME,
                metrics=("message_rate",),
                of="network.latency",
                select=Selection(plain=True),
                name="ping-pong rate",
            ),
        ),
        headlines=(
            Headline(
                title="MPI bandwidth, {direction}",
                select=Selection(metrics=("bandwidth_one_way", "bandwidth_both_ways")),
                by="direction",
                pick=Pick.BEST,
                hide=("direction", "window", "buffers"),
            ),
            Headline(
                title="MPI message rate, {direction}",
                select=Selection(metrics=("message_rate",), prefer=(("direction", "one-way"),)),
                pick=Pick.BEST,
                hide=("direction", "window", "buffers"),
            ),
        ),
        charts=(
            _by_size("network-bandwidth", "Bandwidth", "bandwidth_one_way", "bandwidth_both_ways"),
            # The rate of a message is its bandwidth over its size: of the same precision.
            _by_size("network-message-rate", "Message rate", "message_rate", precision=False),
            ChartKind.MESSAGE_STREAMS,
        ),
        tables=(TableKind.MESSAGE_STREAMS,),
        definitions=(
            Definition(
                "Window",
                "Messages outstanding before one short acknowledgement: 64 as in osu_bw; IMB "
                "takes 256.",
                "window",
            ),
            Definition(
                "Pairs",
                "Of several pairs: the bytes or messages of all over the mean over pairs of the "
                "time of a window. Records of before take the time of the slowest pair.",
            ),
            HOT_OR_COLD,
            BETWEEN_DEVICES,
        ),
    ),
    seconds_per_point=0.03,
    ranks=RankSweep.PAIR,
    least_ranks=2,
    even_ranks=True,
    modeled={"buffers": ("hot",)},
)

THREADS = Benchmark(
    name="network.threads",
    title="Messages of several threads at once",
    summary="Each thread of one rank with one of the other (MPI_THREAD_MULTIPLE), each pair with a "
    "communicator of its own: the time and the message rate of the slowest.",
    program=MPI_PROGRAM,
    parameters=(
        Parameter(
            "size",
            ParameterKind.SIZE,
            (8, 65536),
            "bytes of one message",
            maximum=LARGEST_MESSAGE,
        ),
        Parameter(
            "window",
            ParameterKind.COUNT,
            (1, 64),
            "messages in flight of each thread; 1 is a ping-pong",
            minimum=1,
            maximum=1024,
        ),
    ),
    metrics=(
        Metric("event_time", "One round or window", SECONDS, Direction.LOWER, Formula.TIME),
        Metric(
            "message_rate",
            "Message rate",
            MESSAGES_PER_SECOND,
            Direction.HIGHER,
            Formula.RATE,
            amount="messages",
            primary=False,
        ),
    ),
    display=Display(
        headlines=(
            Headline(
                title="Message rate of threads",
                select=Selection(metrics=("message_rate",)),
                pick=Pick.BEST,
            ),
        ),
        charts=(
            CurveChart(
                name="network-threads",
                title="Message rate of several threads at once",
                description="Message rate over the number of threads that send at once, a panel "
                "for each size and window, with 95 % bands.",
                value="message rate",
                select=Selection(metrics=("message_rate",)),
                along=(Along.THREADS,),
                form=CurveForm.PANELS,
                panels=("size", "window"),
                shared="size",
                note="MPI_THREAD_MULTIPLE, one communicator a pair of threads; the slowest pair "
                "counts. Panels of one size have the same axes.",
            ),
        ),
        tables=(
            PivotTable(
                title="Message rate by threads",
                select=Selection(metrics=("message_rate",)),
                along=(Along.THREADS,),
            ),
        ),
    ),
    threads=ThreadSweep.POWERS,
    ranks=RankSweep.PAIR,
    least_ranks=2,
    most_ranks=2,
)

NETWORK = (LATENCY, PAIRS, BANDWIDTH, THREADS)
