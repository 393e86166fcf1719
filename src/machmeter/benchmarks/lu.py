"""The rate of an LU factorization of the whole memory, which HPL rates machines by."""

from __future__ import annotations

from machmeter.benchmarks.compute import BLAS_LIBRARY, THREADS_THAT_WORKED
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
    ParameterRole,
    ThreadSweep,
)
from machmeter.model.display import (
    Along,
    CurveChart,
    CurveForm,
    Definition,
    Display,
    Headline,
    LayoutFilter,
    Pick,
    Selection,
    TableKind,
    Yardstick,
    YardstickKind,
)
from machmeter.model.layout import WaitPolicy
from machmeter.model.units import FLOPS, SECONDS

_LARGEST = Selection(metrics=("flops",), largest=("order",))

LU = Benchmark(
    name="compute.lu",
    title="LU factorization",
    summary="A x = b by the LU factorization with exchanges of rows of LAPACK's dgesv, as HPL "
    "rates machines by it (Petitet et al., HPL 2.3), in one process: 2/3 n^3 + 3/2 n^2 operations "
    "for order n, on the library's own threads, which are placed as the layout says and counted. "
    "Equations follow from places: those of each event are others, made outside its time, and made "
    "again for the residual of its solution, which must be one that HPL accepts.",
    program=NODE_PROGRAM,
    parameters=(
        BLAS_LIBRARY,
        Parameter(
            "order",
            ParameterKind.COUNT,
            (AUTO,),
            "rows and columns of the matrix; auto goes up to one of which ten launches take about "
            "a tenth of the budget, memory takes 80 % of what is available",
            minimum=1,
            maximum=2**20,
            auto=AutoRule.ORDERS_IN_BUDGET,
            auto_most_per_thread=2000,
            bytes_each=8,
            power=2,
            flops_each=2 / 3,
            role=ParameterRole.WORK,
        ),
    ),
    metrics=(
        Metric("flops", "Rate", FLOPS, Direction.HIGHER, Formula.RATE, amount="flops"),
        Metric("time", "Time of a solution", SECONDS, Direction.LOWER, Formula.TIME, primary=False),
    ),
    display=Display(
        headlines=(
            Headline(title="LU factorization", select=_LARGEST, pick=Pick.BEST),
            Headline(
                title="LU factorization, one thread",
                select=Selection(
                    metrics=("flops",), largest=("order",), layouts=(LayoutFilter.ONE_THREAD,)
                ),
                pick=Pick.BEST,
            ),
        ),
        charts=(
            CurveChart(
                name="compute-lu-rates",
                title="Rate of LU factorizations by {along}",
                description="Rate of LU factorizations over {along}, a curve for each library and "
                "number of threads, with 95 % bands.",
                value="rate",
                select=Selection(metrics=("flops",)),
                along=(Along.ORDER,),
                form=CurveForm.PANELS,
            ),
        ),
        yardsticks=(
            Yardstick(kind=YardstickKind.HARDWARE, metrics=("flops",), name="the nominal peak"),
        ),
        tables=(TableKind.ORDERS,),
        definitions=(
            THREADS_THAT_WORKED,
            Definition(
                "Scaled residual",
                "|A x - b| / (u (|A| |x| + |b|) n) by the largest elements and sums of rows, u = "
                "2^-53; HPL accepts solutions below 16.",
            ),
        ),
    ),
    seconds_per_point=0.5,
    long_events=True,
    threads=ThreadSweep.POWERS,
    wait_policies=(WaitPolicy.DEFAULT,),
)
