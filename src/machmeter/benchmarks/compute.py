"""Benchmarks of the arithmetic of cores."""

from __future__ import annotations

from machmeter.benchmarks.programs import NODE_PROGRAM
from machmeter.model.benchmark import (
    AUTO,
    AutoRule,
    Benchmark,
    Direction,
    Formula,
    Metric,
    Parameter,
    ParameterKind,
    ThreadSweep,
)
from machmeter.model.display import (
    Along,
    ChartKind,
    Counted,
    CurveChart,
    CurveForm,
    Definition,
    Display,
    Headline,
    LayoutFilter,
    Limit,
    LimitKind,
    Pick,
    Selection,
    TableKind,
    Yardstick,
    YardstickKind,
)
from machmeter.model.layout import Binding, WaitPolicy
from machmeter.model.units import (
    FLOPS,
    HERTZ,
    JOULES_PER_FLOP,
    MATRIX_BYTES_PER_SECOND,
    RATIO,
    SECONDS,
)

WIDTHS = ("scalar", "128-bit", "256-bit", "512-bit")
PRECISIONS = ("double", "single")

RATE = Metric("flops", "Floating-point rate", FLOPS, Direction.HIGHER, Formula.RATE, amount="flops")
CLOCK = Metric(
    "clock",
    "Core clock",
    HERTZ,
    Direction.HIGHER,
    Formula.RATE,
    series=("multiply_seconds",),
    amount="cycles",
    primary=False,
)

FMA = Benchmark(
    name="compute.fma",
    title="Peak floating-point rate",
    summary="Independent chains of fused multiply-adds in registers, without memory, by register "
    "width and precision (after the peakflops loops of likwid-bench, Treibig et al., PSTI 2010); "
    "a fused multiply-add is two operations a lane. The clock follows from a chain of integer "
    "multiplications, 3 cycles each on Intel since Nehalem and AMD since Zen, that every core runs "
    "after each sample; on other CPUs it is left out.",
    program=NODE_PROGRAM,
    parameters=(
        Parameter(
            "width",
            ParameterKind.CHOICE,
            (AUTO,),
            "one lane of a register, or all of one of 128 (SSE, NEON), 256 (AVX, SVE) or 512 bits "
            "(AVX-512, SVE); auto takes those that the CPU has",
            choices=WIDTHS,
            auto=AutoRule.VECTOR_WIDTHS,
        ),
        Parameter(
            "precision",
            ParameterKind.CHOICE,
            PRECISIONS,
            "of the numbers: 64 or 32 bits each",
            choices=PRECISIONS,
        ),
    ),
    metrics=(
        RATE,
        CLOCK,
    ),
    display=Display(
        headlines=(
            Headline(
                title="Peak rate, {precision} precision",
                select=Selection(metrics=("flops",)),
                by="precision",
                values=PRECISIONS,
                pick=Pick.BEST,
                hide=("precision",),
            ),
            Headline(
                title="Peak rate, {precision} precision, one core",
                select=Selection(
                    metrics=("flops",),
                    prefer=(("precision", "double"),),
                    layouts=(LayoutFilter.ONE_THREAD,),
                ),
                pick=Pick.BEST,
                hide=("precision",),
            ),
        ),
        limit=Limit(LimitKind.ROOFLINE),
        yardsticks=(Yardstick(kind=YardstickKind.HARDWARE, metrics=("flops",), name="its units"),),
        tables=(TableKind.ROOFLINE,),
        charts=(
            ChartKind.ROOFLINE,
            CurveChart(
                name="compute-fma-rates",
                title="Floating-point rate by {along}",
                description="Rate of fused multiply-adds over {along}, a curve for each register "
                "width and binding, a panel for each precision, with 95 % bands.",
                value="rate",
                select=Selection(metrics=("flops",)),
                along=(Along.THREADS,),
                form=CurveForm.PANELS,
                panels=("precision",),
                shared="precision",
            ),
        ),
        definitions=(
            Definition(
                "Core clock",
                "Cycles of a chain of dependent 32-bit integer multiplications over their time, "
                "the mean of all cores, right after each sample: not a counter's value.",
            ),
        ),
    ),
    seconds_per_point=0.05,
    threads=ThreadSweep.POWERS,
    bindings=(Binding.CLOSE, Binding.SPREAD),
)

SUSTAINED = Benchmark(
    name="compute.sustained",
    title="Floating-point rate over time",
    summary="The blocks of compute.fma by the widest registers on all cores, one slice after the "
    "other for seconds without a pause: whether power or temperature lower the clock. The ratio is "
    "that of the last slices over those of the first second, as many. With the energy of an "
    "operation where it can be read.",
    program=NODE_PROGRAM,
    parameters=(
        Parameter(
            "seconds",
            ParameterKind.COUNT,
            (AUTO,),
            "length of the series; auto is a thirtieth of the budget, a minute at most",
            minimum=2,
            maximum=3600,
            auto=AutoRule.SERIES_SECONDS,
            phrase="{} s",
        ),
        Parameter(
            "slice_ms",
            ParameterKind.COUNT,
            (50,),
            "milliseconds of one slice",
            minimum=10,
            maximum=1000,
            phrase="slices of {} ms",
        ),
        Parameter(
            "precision",
            ParameterKind.CHOICE,
            ("double",),
            "of the numbers: 64 or 32 bits each",
            choices=PRECISIONS,
        ),
    ),
    metrics=(
        RATE,
        Metric(
            "kept",
            "Rate kept until the end",
            RATIO,
            Direction.HIGHER,
            Formula.QUOTIENT,
            series=("first_seconds", "last_seconds"),
            primary=False,
        ),
        CLOCK,
        Metric(
            "energy",
            "Energy per operation",
            JOULES_PER_FLOP,
            Direction.LOWER,
            Formula.AMOUNT,
            amount="joules_per_flop",
            primary=False,
        ),
    ),
    display=Display(
        headlines=(
            Headline(
                title="Floating-point rate, sustained",
                select=Selection(metrics=("flops",)),
                pick=Pick.BEST,
                hide=("slice_ms",),
            ),
            Headline(
                title="Rate kept until the end",
                select=Selection(metrics=("kept",)),
                pick=Pick.BEST,
                hide=("slice_ms",),
            ),
            Headline(
                title="Energy per floating-point operation",
                select=Selection(metrics=("energy",)),
                pick=Pick.BEST,
                hide=("slice_ms",),
            ),
        ),
        charts=(ChartKind.TIME_SERIES,),
        tables=(TableKind.TIME_SERIES,),
        definitions=(
            Definition(
                "Energy per operation",
                "That of all processor packages of the machine while the series lasts (RAPL, "
                "through the kernel's power capping framework), whoever uses them, over the "
                "operations of the series; memory outside the packages is not in it. Left out "
                "where no counter can be read.",
            ),
        ),
    ),
    threads=ThreadSweep.ALL,
    bindings=(Binding.CLOSE,),
    shows_samples=True,
)

OPENBLAS = "openblas"
BLAS_LIBRARY = Parameter(
    "library",
    ParameterKind.LIBRARY,
    (AUTO,),
    "the BLAS: OpenBLAS as fetched from PyPI, what libblas.so.3 leads to on this system, "
    "or the path of another; auto takes OpenBLAS (built for at most 64 threads), else "
    "that of the system unless it is known to have one thread only",
    choices=(OPENBLAS, "system"),
    auto=AutoRule.BLAS,
)
THREADS_THAT_WORKED = Definition(
    "Threads that worked",
    "Threads of the library with at least a tenth of the CPU time of the one that had "
    "most. Small problems use fewer; on a large product there must be as many as were "
    "requested, else the point does not count.",
)

GEMM = Benchmark(
    name="compute.gemm",
    title="Product of matrices",
    summary="C := s A B of square matrices by the gemm of a BLAS library (Dongarra et al., ACM "
    "TOMS 16, 1990), 2 n^3 operations for order n, on the library's own threads, which are placed "
    "as the layout says and counted. Every last product of a launch is checked with random vectors "
    "(Freivalds, IFIP 1977).",
    program=NODE_PROGRAM,
    parameters=(
        BLAS_LIBRARY,
        Parameter(
            "order",
            ParameterKind.COUNT,
            (AUTO,),
            "rows and columns of each matrix",
            minimum=1,
            maximum=2**20,
            auto=AutoRule.ORDERS,
            auto_most_per_thread=1024,
            bytes_each=3 * 8,
            power=2,
            flops_each=2,
        ),
        Parameter(
            "precision",
            ParameterKind.CHOICE,
            PRECISIONS,
            "of the numbers: dgemm or sgemm",
            choices=PRECISIONS,
        ),
    ),
    metrics=(
        Metric("flops", "Rate", FLOPS, Direction.HIGHER, Formula.RATE, amount="flops"),
        Metric(
            "bandwidth",
            "Compulsory traffic",
            MATRIX_BYTES_PER_SECOND,
            Direction.HIGHER,
            Formula.RATE,
            amount="bytes",
            primary=False,
        ),
        Metric("time", "Time of a product", SECONDS, Direction.LOWER, Formula.TIME, primary=False),
    ),
    display=Display(
        counted=Counted(
            bytes="bandwidth",
            model="compulsory bytes: each matrix once",
            flops="flops",
            each=("library", "precision"),
            largest=("order",),
            name="matrix product, {precision}, {library}",
        ),
        yardsticks=(Yardstick(kind=YardstickKind.ROOF, metrics=("flops",)),),
        headlines=(
            Headline(
                title="Matrix product, {precision} precision",
                select=Selection(metrics=("flops",)),
                by="precision",
                values=PRECISIONS,
                pick=Pick.BEST,
                hide=("precision",),
            ),
        ),
        charts=(
            CurveChart(
                name="compute-gemm-rates",
                title="Rate of matrix products by {along}",
                description="Rate of the product of two square matrices over {along}, a curve for "
                "each library, number of threads and binding, a panel for each precision, with "
                "95 % bands.",
                value="rate",
                select=Selection(metrics=("flops",)),
                along=(Along.ORDER,),
                form=CurveForm.PANELS,
                panels=("precision",),
                shared="precision",
            ),
        ),
        definitions=(THREADS_THAT_WORKED,),
    ),
    seconds_per_point=0.1,
    threads=ThreadSweep.POWERS,
    wait_policies=(WaitPolicy.DEFAULT,),
)

COMPUTE = (FMA, SUSTAINED, GEMM)
