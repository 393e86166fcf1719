"""The terms machmeter uses, one line each with a source: the one list behind docs/glossary.md."""

from __future__ import annotations

from msgspec import Struct

MPI = "MPI 4.1"
OPENMP = "OpenMP 5.2"
OURS = "machmeter"


class GlossaryTerm(Struct, frozen=True):
    """A term of the field or of machmeter, in the one sense in which it is used."""

    name: str
    """As it is written in code, help, pages and documents."""

    meaning: str
    """One sentence."""

    source: str
    """Standard with section, paper, or `machmeter` for a term of its own."""


MEASURING = (
    GlossaryTerm(
        "machine",
        "A computer system, measured, published, imported or simulated.",
        OURS,
    ),
    GlossaryTerm(
        "benchmark", "One thing measured: a kernel, its parameters and its metrics.", OURS
    ),
    GlossaryTerm("kernel", "The timed part of a benchmark.", OURS),
    GlossaryTerm(
        "metric",
        "One quantity a benchmark yields, with its unit and which direction is better.",
        OURS,
    ),
    GlossaryTerm("point", "A benchmark at one value of every parameter, under one layout.", OURS),
    GlossaryTerm(
        "layout",
        "Where ranks and threads go: nodes, ranks, threads, binding, page size, wait policy.",
        OURS,
    ),
    GlossaryTerm(
        "variant",
        "What launches may differ in beyond the layout: MPI library, compiler, flags.",
        OURS,
    ),
    GlossaryTerm(
        "launch",
        "One start of a program; the unit of replication.",
        "Hunold, Carpen-Amarie, IEEE TPDS 27 (2016)",
    ),
    GlossaryTerm(
        "round", "One launch of every layout that still needs one, in random order.", OURS
    ),
    GlossaryTerm("sample", "One raw time from inside a launch.", OURS),
    GlossaryTerm("batch", "Events timed together because one is too short for the clock.", OURS),
    GlossaryTerm(
        "warm-up",
        "Leading samples of a launch that are not yet in steady state, cut by MSER-5.",
        "White, Simulation 69 (1997)",
    ),
    GlossaryTerm(
        "interquartile mean",
        "Mean of the middle half of the samples: the value of a launch.",
        "Tukey, Exploratory Data Analysis (1977)",
    ),
    GlossaryTerm(
        "outlier",
        "A sample farther than three interquartile ranges from the quartiles; counted, kept.",
        "Tukey, Exploratory Data Analysis (1977)",
    ),
    GlossaryTerm(
        "record",
        "The immutable file a launch writes: what was observed, and every raw sample.",
        OURS,
    ),
    GlossaryTerm(
        "verified placement",
        "CPUs and hosts observed inside the launch, compared with the requested ones.",
        OURS,
    ),
    GlossaryTerm(
        "rejected launch",
        "A launch whose observed placement differs from the requested one; it does not count.",
        OURS,
    ),
    GlossaryTerm(
        "check",
        "A kernel's own test of what it computed or received, outside the timed part.",
        OURS,
    ),
)

STATISTICS = (
    GlossaryTerm(
        "result", "A measured number with its unit, interval, launches, layout and toolchain.", OURS
    ),
    GlossaryTerm(
        "figure", "What a paper prints or a page draws; a measured number is a result.", OURS
    ),
    GlossaryTerm(
        "estimate", "What the launches say together: value, 95 % interval, precision.", OURS
    ),
    GlossaryTerm(
        "95 % interval",
        "Confidence interval over launches, by Student's t, on logs for times and rates.",
        "Student, Biometrika 6 (1908)",
    ),
    GlossaryTerm("precision", "Half the width of the 95 % interval over the value.", OURS),
    GlossaryTerm(
        "target precision",
        "The precision at which launching stops; 2 % unless requested otherwise.",
        OURS,
    ),
    GlossaryTerm("ratio", "One result over another, turned so that above 1 is better.", OURS),
    GlossaryTerm(
        "Welch's t",
        "The comparison of results whose launches are not paired.",
        "Welch, Biometrika 34 (1947)",
    ),
    GlossaryTerm(
        "paired comparison",
        "The comparison of results that were measured in the same launches or rounds.",
        OURS,
    ),
    GlossaryTerm(
        "Holm adjustment",
        "Correction of p values for the number of comparisons.",
        "Holm, Scand. J. Statistics 6 (1979)",
    ),
    GlossaryTerm("inconclusive", "The interval holds both better and worse.", OURS),
    GlossaryTerm(
        "not significant",
        "The interval of one result leaves equality out, and the correction for the number of "
        "results (Holm) does not.",
        OURS,
    ),
    GlossaryTerm("same", "The whole interval is within 2 % of 1.", OURS),
    GlossaryTerm(
        "finding", "A question answered from estimates by a rule, with its interval.", OURS
    ),
    GlossaryTerm(
        "sensitivity",
        "What would change a finding: the bound of its answer, and the distance to it.",
        OURS,
    ),
    GlossaryTerm(
        "drift", "Change of a fixed piece of work between the start and the end of a run.", OURS
    ),
    GlossaryTerm(
        "OS noise",
        "Time that the operating system and other programs take from fixed work.",
        "Petrini, Kerbyson, Pakin, SC 2003",
    ),
    GlossaryTerm(
        "steal",
        "Time in which another guest of the hypervisor had the CPU.",
        "Linux kernel, proc(5), /proc/stat",
    ),
    GlossaryTerm(
        "change point",
        "Where a result changes its level from run to run.",
        "Fleming et al., ICPE 2023 (Hunter)",
    ),
    GlossaryTerm(
        "geometric mean",
        "The mean of ratios: the exponential of the mean of logs.",
        "Fleming, Wallace, CACM 29 (1986)",
    ),
    GlossaryTerm("score", "One number for many codes, shown only after its components.", OURS),
)

MACHINES = (
    GlossaryTerm("node", "One host of a cluster, with its own memory and operating system.", OURS),
    GlossaryTerm("package", "What sits in one socket.", "hwloc, HWLOC_OBJ_PACKAGE"),
    GlossaryTerm(
        "NUMA domain",
        "CPUs and the memory that is equally near to all of them.",
        "hwloc, HWLOC_OBJ_NUMANODE",
    ),
    GlossaryTerm(
        "SMT", "Several hardware threads on one core.", "Tullsen, Eggers, Levy, ISCA 1995"
    ),
    GlossaryTerm(
        "memory level", "A cache, or memory: where a working set of that size is served from.", OURS
    ),
    GlossaryTerm("knee", "The working set at which latency leaves one memory level.", OURS),
    GlossaryTerm(
        "first touch",
        "A page is placed in the NUMA domain of the thread that writes it first.",
        "Linux kernel, numa_memory_policy",
    ),
    GlossaryTerm(
        "huge page",
        "A page larger than the base page: 2 MiB on x86-64.",
        "Linux kernel, hugetlbpage, transhuge",
    ),
    GlossaryTerm(
        "write-allocate",
        "A store reads its cache line before it writes it.",
        "Hennessy, Patterson, Computer Architecture, appendix B",
    ),
    GlossaryTerm(
        "non-temporal store",
        "A store that bypasses the caches and needs no write-allocate.",
        "Intel SDM, volume 1, 10.4.6.2",
    ),
    GlossaryTerm("STREAM bytes", "Bytes that the program reads and writes.", "McCalpin, STREAM"),
    GlossaryTerm("bus bytes", "Modeled memory traffic: STREAM bytes and write-allocate.", OURS),
    GlossaryTerm(
        "pointer chase",
        "Loads of which each needs the value of the one before: latency.",
        "McVoy, Staelin, lmbench, USENIX 1996",
    ),
    GlossaryTerm("loaded latency", "Latency while other cores move data.", OURS),
    GlossaryTerm(
        "origin", "Where a result comes from: measured, published, imported, simulated.", OURS
    ),
    GlossaryTerm(
        "claim", "A sentence of a study, judged by the arithmetic of the study's own figures.", OURS
    ),
)

PROGRAMS = (
    GlossaryTerm("rank", "A process of an MPI program.", f"{MPI}, section 7.2.1"),
    GlossaryTerm("processing element", "A process of an OpenSHMEM program.", "OpenSHMEM 1.5"),
    GlossaryTerm("thread", "An OpenMP thread of one rank.", f"{OPENMP}, section 1.2.1"),
    GlossaryTerm("inner team", "Threads of a nested parallel region.", f"{OPENMP}, section 10.1"),
    GlossaryTerm(
        "binding",
        "Which CPUs a thread may run on: close, spread, outer, none.",
        f"{OPENMP}, section 10.1.3",
    ),
    GlossaryTerm(
        "wait policy",
        "What an idle thread does: spin (active) or sleep (passive).",
        f"{OPENMP}, chapter 21, OMP_WAIT_POLICY",
    ),
    GlossaryTerm(
        "schedule",
        "How the iterations of a loop are assigned to threads.",
        f"{OPENMP}, section 11.5.3",
    ),
    GlossaryTerm(
        "overhead",
        "Time with a construct minus time of the same work without it.",
        "Bull, EWOMP 1999",
    ),
    GlossaryTerm(
        "reserved core",
        "A core that no rank uses, left to the system or to a progress thread.",
        OURS,
    ),
    GlossaryTerm("oversubscription", "More ranks or threads than cores.", OURS),
    GlossaryTerm(
        "parallel efficiency",
        "Speedup over the number of cores.",
        "Hennessy, Patterson, Computer Architecture",
    ),
    GlossaryTerm("strong scaling", "The same problem on more cores.", "Amdahl, AFIPS 1967"),
    GlossaryTerm(
        "weak scaling", "A problem that grows with the cores.", "Gustafson, CACM 31 (1988)"
    ),
    GlossaryTerm(
        "toolchain",
        "Compiler, flags, OpenMP runtime, MPI library and kernel sources of a program.",
        OURS,
    ),
    GlossaryTerm(
        "preload",
        "A library put in the place of one that a program was linked with.",
        "ld.so(8), LD_PRELOAD",
    ),
)

NETWORK = (
    GlossaryTerm(
        "latency",
        "Half the round trip of a message, unless said otherwise.",
        "OSU Micro-Benchmarks, osu_latency",
    ),
    GlossaryTerm(
        "bandwidth",
        "Payload bytes per second; one direction, or both summed, as the unit says.",
        OURS,
    ),
    GlossaryTerm(
        "message rate",
        "Messages per second, of one pair or summed over pairs.",
        "OSU Micro-Benchmarks, osu_mbw_mr",
    ),
    GlossaryTerm(
        "window", "Messages outstanding before one short reply.", "OSU Micro-Benchmarks, osu_bw"
    ),
    GlossaryTerm(
        "eager limit",
        "The message size above which the sender waits for the receiver.",
        f"{MPI}, section 3.4, advice to implementors",
    ),
    GlossaryTerm(
        "protocol switch",
        "A message size at which the time jumps because the library sends otherwise.",
        OURS,
    ),
    GlossaryTerm(
        "overlap",
        "Share of communication, or of work, that is hidden behind the other.",
        "Austin et al., CUG 2013",
    ),
    GlossaryTerm(
        "host availability",
        "Share of time left to the program while a message is in progress.",
        "Doerfler, Brightwell, EuroPVM/MPI 2006",
    ),
    GlossaryTerm(
        "progress thread", "A thread that advances communication while its rank computes.", OURS
    ),
    GlossaryTerm(
        "collective operation",
        "An operation that all ranks of a communicator take part in.",
        f"{MPI}, chapter 6",
    ),
    GlossaryTerm(
        "one-sided communication",
        "Access to another rank's memory without its taking part.",
        f"{MPI}, chapter 12",
    ),
    GlossaryTerm(
        "epoch",
        "The time between synchronizations in which one-sided operations may run.",
        f"{MPI}, section 12.5",
    ),
    GlossaryTerm(
        "injection bandwidth",
        "Bytes per second that one node sends to others in an all-to-all.",
        "Austin et al., CUG 2013",
    ),
    GlossaryTerm(
        "bisection bandwidth",
        "Bytes per second between two halves of the nodes.",
        "Hennessy, Patterson, Computer Architecture, appendix F",
    ),
    GlossaryTerm(
        "derived datatype",
        "A description of data that are not contiguous in memory.",
        f"{MPI}, chapter 5",
    ),
)

AB = (
    GlossaryTerm("A/B run", "One run that measures a baseline and a candidate in turn.", OURS),
    GlossaryTerm(
        "baseline",
        "In an A/B run: the earlier run, or settings, that the candidate is compared with.",
        OURS,
    ),
    GlossaryTerm("candidate", "In an A/B run: what is new, and is judged.", OURS),
    GlossaryTerm("unpaired", "A point of the candidate that the baseline does not have.", OURS),
    GlossaryTerm("not comparable", "Two results of which the definitions differ.", OURS),
    GlossaryTerm(
        "unstated", "A part of a layout or definition that a source does not print.", OURS
    ),
)

SECTIONS: tuple[tuple[str, tuple[GlossaryTerm, ...]], ...] = (
    ("Measuring", MEASURING),
    ("Statistics", STATISTICS),
    ("Machines and memory", MACHINES),
    ("Programs", PROGRAMS),
    ("Interconnect", NETWORK),
    ("Comparing", AB),
)
