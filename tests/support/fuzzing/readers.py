"""Every reader of files that somebody else may have written, with sound files that it reads."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from machmeter.api.machine_files import import_machine
from machmeter.apps.builtin import app_file, app_names
from machmeter.apps.extract import read_output
from machmeter.apps.inputs import lines_of
from machmeter.apps.read import read_description
from machmeter.importing.launch_lines import hosts_of, launch_in
from machmeter.importing.placement import label_in, label_of_name
from machmeter.importing.starts import launch_of
from machmeter.launch.observed import take_observed
from machmeter.machine.detect import detect_machine
from machmeter.machine.libraries import parse_loader_cache
from machmeter.machine.system_files import parse_cpu_list
from machmeter.model.errors import MachmeterError
from machmeter.model.results.run import RunResult
from machmeter.published.load import read_claims, read_machine
from machmeter.published.machine import machine_results
from machmeter.run.history.environments import environment_facts
from machmeter.run.history.indexing import index_of, rebuild, records_of
from machmeter.run.measuring.lock import lock_path, measuring_now
from machmeter.run.results.result import collect
from machmeter.simulation.as_machine import machine_of
from machmeter.simulation.read import read_twin
from machmeter.store.left_out import not_left_out
from machmeter.store.records import parse_record
from machmeter.store.remembered_runs import run_folders
from machmeter.store.result_cache import known_result
from machmeter.store.run_folder import RunFolder
from tests.support.observed_ranks import observed_rank
from tests.support.paths import DATA, ROOT
from tests.support.sysfs_tree import Shape, write, write_sysfs

_SOURCES = ROOT / "src/machmeter"
_RUN = DATA / "run_format_2"


class Input(Struct, frozen=True):
    """A sound file; `name` says where a reader expects it."""

    name: str
    content: bytes


class FileReader(Struct, frozen=True):
    """`read` gets a folder of its own, which it may fill once, and the damaged file."""

    name: str
    inputs: Callable[[], Iterable[Input]]
    read: Callable[[Path, Input], object]


def _files(*patterns: str, below: Path = DATA) -> Callable[[], Iterable[Input]]:
    def found() -> Iterable[Input]:
        for pattern in patterns:
            for path in sorted(below.glob(pattern)):
                if path.is_file():
                    yield Input(str(path.relative_to(below)), path.read_bytes())

    return found


def _written(folder: Path, one: Input, name: str = "") -> Path:
    path = folder / (name or Path(one.name).name)
    path.write_bytes(one.content)
    return path


def _import(folder: Path, one: Input) -> None:
    """As `machmeter machine import` and `compare` read it, and what is written is read again."""
    made = folder / "made.toml"
    made.unlink(missing_ok=True)
    import_machine([_written(folder, one)], made, link="100 Gbit/s")


def _hwloc(folder: Path, one: Input) -> None:
    root = folder / "root"
    if not root.exists():
        write_sysfs(root, Shape(1, 1, 2, 2).topology())
    detect_machine("here", root, _written(folder, one))


def _system_files() -> Iterable[Input]:
    yield Input("proc/cpuinfo", b"processor\t: 0\nmodel name\t: A CPU\nflags\t\t: fpu avx2\n\n" * 4)
    yield Input("proc/meminfo", b"MemTotal: 65536 kB\nMemAvailable: 32768 kB\nHugePages_Total: 4\n")
    yield Input("proc/self/status", b"Name:\tx\nCpus_allowed_list:\t0-3\nMems_allowed_list:\t0-1\n")
    yield Input("proc/self/cgroup", b"0::/user.slice/job\n1:cpuset:/job\n")
    yield Input(
        "proc/self/mountinfo",
        b"30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n",
    )
    for name, text in (
        ("cpuset.cpus.effective", b"0-3\n"),
        ("cpu.max", b"200000 100000\n"),
        ("memory.max", b"8589934592\n"),
        ("memory.high", b"max\n"),
        ("memory.current", b"1048576\n"),
    ):
        yield Input(f"sys/fs/cgroup/user.slice/job/{name}", text)
    yield Input("sys/devices/system/cpu/online", b"0-3\n")
    yield Input("sys/devices/system/cpu/cpu1/topology/core_cpus_list", b"0,2\n")
    yield Input("sys/devices/system/cpu/cpu1/topology/physical_package_id", b"0\n")
    yield Input("sys/devices/system/cpu/cpu0/cache/index0/size", b"1024K\n")
    yield Input("sys/devices/system/cpu/cpu0/cache/index0/shared_cpu_list", b"0,2\n")
    yield Input("sys/devices/system/node/node0/cpulist", b"0-1\n")
    yield Input("sys/devices/system/node/node0/distance", b"10 20\n")
    yield Input("sys/devices/system/node/node0/meminfo", b"Node 0 MemTotal: 65536 kB\n")
    yield Input("sys/devices/system/node/online", b"0-1\n")
    yield Input("etc/os-release", b'NAME="Debian"\nPRETTY_NAME="Debian 12"\n')


def _system(folder: Path, one: Input) -> None:
    root = folder / "root"
    if not root.exists():
        write_sysfs(root, Shape(1, 2, 1, 2).topology())
        for sound in _system_files():
            write(root, sound.name, sound.content.decode().strip("\n"))
    path = root / one.name
    kept = path.read_bytes()
    path.write_bytes(one.content)
    try:
        detect_machine("other", root)
    finally:
        path.write_bytes(kept)


def _run_files(names: str) -> Callable[[], Iterable[Input]]:
    return _files(names, below=_RUN)


def _run(folder: Path, one: Input) -> None:
    """The run as every command reads it, and its facts, and its place in the index."""
    run = folder / "runs" / "run"
    if not run.exists():
        shutil.copytree(_RUN, run)
    path = run / one.name
    kept = path.read_bytes()
    path.write_bytes(one.content)
    try:
        opened = RunFolder.open(run)
        environment_facts(opened)
        result = collect(opened)
        index_of(folder).add(result, run, records_of(opened, result))
    finally:
        path.write_bytes(kept)


def _record(folder: Path, one: Input) -> None:
    parse_record(one.content)


def _index_files() -> Iterable[Input]:
    with tempfile.TemporaryDirectory() as made:
        data = Path(made)
        shutil.copytree(_RUN, data / "runs" / "run")
        rebuild(data, data / "cache", lambda error: None)
        yield Input("index", index_of(data).path.read_bytes())


def _index(folder: Path, one: Input) -> None:
    index = index_of(folder)
    for left in folder.glob(f"{index.path.name}*"):
        left.unlink()
    index.path.write_bytes(one.content)
    for run in index.runs():
        for estimate in index.estimates(run.id)[:4]:
            index.history(estimate.point, estimate.metric)
        index.points(run.id, 12)
    for benchmark in index.benchmarks():
        index.results(benchmark)


def _data_files() -> Iterable[Input]:
    yield Input("folders.txt", f"{_RUN}\n/nowhere/run\n".encode())
    yield Input("left-out.json", b'{"/runs/a": "12 34", "/runs/b": "56"}')
    yield Input("machine.lock", b"run 20250101-120000-abcd, process 1, started at tick 12")


def _data(folder: Path, one: Input) -> None:
    path = lock_path(folder) if one.name == "machine.lock" else folder / one.name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(one.content)
    try:
        not_left_out(folder, run_folders(folder))
        measuring_now(folder)
    finally:
        path.unlink()


def _kept_results() -> Iterable[Input]:
    result = collect(RunFolder.open(_RUN))
    yield Input("result", msgspec.msgpack.encode(result))


def _kept_result(folder: Path, one: Input) -> None:
    cache = folder / "cache"
    opened = RunFolder.open(_RUN)
    if not cache.exists():
        known_result(opened, cache, collect)
    (kept,) = (cache / "results").glob("*.msgpack")
    whole = kept.read_bytes()
    kept.write_bytes(whole[:32] + one.content)
    try:
        known_result(opened, cache, _not_computed)
    finally:
        kept.write_bytes(whole)


def _not_computed(folder: RunFolder) -> RunResult:
    raise MachmeterError("nothing that holds is kept")


def _observed_files() -> Iterable[Input]:
    yield Input("rank", msgspec.json.encode(observed_rank(("/usr/lib/libmpi.so.12",))))


def _observed(folder: Path, one: Input) -> None:
    (folder / "x.rank.0").write_bytes(one.content)
    take_observed(str(folder / "x.rank"), 1)


def _machine(folder: Path, one: Input) -> None:
    machine_results(read_machine(_written(folder, one)))


def _outputs() -> Iterable[Input]:
    for name in app_names():
        for path in sorted((DATA / "apps" / name).glob("*")):
            yield Input(f"{name}/{path.name}", path.read_bytes())


def _output(folder: Path, one: Input) -> None:
    name, _, file = one.name.partition("/")
    text = one.content.decode("utf-8", errors="replace")
    read_output(read_description(app_file(name)), {"" if file == "output" else file: text}, 2)


_LINES = """mpirun -np 4 --host a:2,b:2 --map-by ppr:2:node ./osu_latency -m 8:64
srun -N 2 --ntasks-per-node=4 -w cn[07-09,12] ./IMB-MPI1 PingPong -npmin 2
jsrun -n 4 -a 1 -r 2 ./osu_bw
$ aprun -n 4 -N 2 -L 1,2 ./stream
mpiexec -n 1 -host a ./x : -n 2 -host b ./y
flux run -N 2 -n 4 ./hpcc
\tlibgomp.so.1 (libc6,x86-64) => /lib/x86_64-linux-gnu/libgomp.so.1
0-3,8,16-30:2/4
# 2 nodes, 16 ranks per node
osu_bw_ppn_8_node_2.txt
cn[01-99,100-120],a,b:3
"""


def _lines(folder: Path, one: Input) -> None:
    text = one.content.decode("utf-8", errors="replace")
    parse_loader_cache(text)
    for line in text.split("\n"):
        launch_in(line)
        launch_of(line)
        label_in(line)
        label_of_name(line)
        hosts_of(line)
        with suppress(ValueError):
            parse_cpu_list(line)


READERS = (
    FileReader("import-osu", _files("importing/osu/*"), _import),
    FileReader("import-imb", _files("importing/imb/*"), _import),
    FileReader("import-tools", _files("importing/tools/*"), _import),
    FileReader("import-field", _files("importing/field/*/*"), _import),
    FileReader("launch-lines", lambda: [Input("lines", _LINES.encode())], _lines),
    FileReader("hwloc", _files("hwloc/*.xml"), _hwloc),
    FileReader("system", _system_files, _system),
    FileReader("run", _run_files("*.json"), _run),
    FileReader("launch", _run_files("launches/*"), _run),
    FileReader("record", _run_files("launches/*.jsonl"), _record),
    FileReader("index", _index_files, _index),
    FileReader("data", _data_files, _data),
    FileReader("kept-result", _kept_results, _kept_result),
    FileReader("observed-rank", _observed_files, _observed),
    FileReader("machine", _files("published/machines/*/*.toml", below=_SOURCES), _machine),
    FileReader(
        "claims",
        _files("published/claims/*.toml", below=_SOURCES),
        lambda folder, one: read_claims(_written(folder, one)),
    ),
    FileReader(
        "app",
        _files("apps/catalogue/*/*.toml", below=_SOURCES),
        lambda folder, one: read_description(_written(folder, one)),
    ),
    FileReader("app-output", _outputs, _output),
    FileReader(
        "app-input",
        _files("apps/catalogue/*/*.py", below=_SOURCES),
        lambda folder, one: lines_of(_written(folder, one)),
    ),
    FileReader(
        "twin",
        _files("simulation/machines/*.toml", below=_SOURCES),
        lambda folder, one: machine_of(read_twin(_written(folder, one))),
    ),
)
