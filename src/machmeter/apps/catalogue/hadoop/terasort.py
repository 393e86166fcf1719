"""Sort rows of 100 bytes with Hadoop on one node: TeraGen, TeraSort and TeraValidate.

terasort.py ROWS [TASKS]

The time is that of TeraSort, with the start of its virtual machine. So many tasks run at once in
that one process; files are in the working folder alone. The examples are those of the installation
whose `hadoop` is first on the PATH.
"""

from __future__ import annotations

import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROW = 100
ROWS = int(sys.argv[1])
TASKS = int(sys.argv[2]) if len(sys.argv) > 2 else len(os.sched_getaffinity(0))
EXAMPLES = "share/hadoop/mapreduce/hadoop-mapreduce-examples-*.jar"


def path_of(program: str) -> Path:
    found = shutil.which(program)
    return Path(found).resolve() if found else sys.exit(f"no program {program} on the PATH")


def hadoop(*words: str, folder: str) -> str:
    """What it printed, with its log."""
    # All tasks share one heap.
    options = f"-Xmx{768 + 256 * TASKS}m -Djava.io.tmpdir={folder}"
    home = os.environ.get("JAVA_HOME", "")
    is_there = bool(home) and os.access(Path(home, "bin/java"), os.X_OK)
    given = {
        **os.environ,
        "JAVA_HOME": home if is_there else str(path_of("java").parents[1]),
        "HADOOP_CLIENT_OPTS": f"{os.environ.get('HADOOP_CLIENT_OPTS', '')} {options}",
        "HADOOP_ROOT_LOGGER": "INFO,console",
    }
    both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "errors": "replace"}
    done = subprocess.run([path_of("hadoop"), *words], env=given, check=False, **both)
    if done.returncode:
        sys.exit(f"hadoop {words[0]} ended with exit code {done.returncode}:\n{done.stdout}")
    return done.stdout


def example(name: str, *arguments: str, folder: str) -> str:
    """Run one on the local file system, whatever this installation is set up for."""
    root = path_of("hadoop").parents[1]
    archive = next(iter(sorted(root.glob(EXAMPLES))), None) or sys.exit(f"no {EXAMPLES} in {root}")
    # Every task has as many maps, each of at most a block of a local file, 32 MiB.
    maps = TASKS * math.ceil(ROWS * ROW / TASKS / 2**25)
    split = math.ceil(ROWS / maps) * ROW
    settings = {
        "fs.defaultFS": "file:///",
        "mapreduce.framework.name": "local",
        "hadoop.tmp.dir": Path(folder, "tmp").absolute(),
        "mapreduce.input.fileinputformat.split.maxsize": split,
        # MiB in which a map sorts its part, with what it notes of each row.
        "mapreduce.task.io.sort.mb": min(100, 2 * split // 2**20 + 8),
        "mapreduce.job.reduces": TASKS,
        "mapreduce.local.map.tasks.maximum": TASKS,
        "mapreduce.local.reduce.tasks.maximum": TASKS,
        "mapreduce.reduce.shuffle.input.buffer.percent": 0.5 / TASKS,
        # Milliseconds between looks whether the job is done: else a second.
        "mapreduce.client.progressmonitor.pollinterval": 20,
    }
    words = (word for pair in settings.items() for word in ("-D", "{}={}".format(*pair)))
    return hadoop("jar", str(archive), name, *words, *arguments, folder=folder)


def last(pattern: str, text: str) -> str:
    """Of several jobs or tasks the total comes last."""
    found = re.findall(pattern, text, re.MULTILINE)
    return found[-1] if found else sys.exit(f"nothing matches {pattern} in:\n{text}")


def at_once(kind: str, log: str) -> int:
    """The most tasks that had begun and not ended; kind: m (map) or r (reduce)."""
    running, most = 0, 0
    for event in re.findall(rf"(Starting|Finishing) task: attempt_\w+_{kind}_", log):
        running += 1 if event == "Starting" else -1
        most = max(most, running)
    return most


with tempfile.TemporaryDirectory(dir=".", prefix="terasort-") as whole:
    # Relative: paths with blanks are no arguments of a virtual machine, nor URIs.
    folder = Path(whole).name
    unsorted, sorted_, report = (f"{folder}/{name}" for name in ("unsorted", "sorted", "report"))
    version = hadoop("version", folder=folder)
    made = example("teragen", str(ROWS), unsorted, folder=folder)
    begin = time.perf_counter()
    log = example("terasort", unsorted, sorted_, folder=folder)
    seconds = time.perf_counter() - begin
    validated = example("teravalidate", sorted_, report, folder=folder)
    found = "".join(one.read_text(errors="replace") for one in Path(report).glob("part-r-*"))
tasks = min(at_once("m", log), at_once("r", log))
before = int(last(r"^\s*CHECKSUM=(\d+)$", made))
after = int(last(r"^checksum\t(\w+)$", found), 16)
rows = int(last(r"^\s*Map input records=(\d+)$", validated))
print(f"{last(r'^Hadoop .+', version)}, tasks {tasks}")
print(f"rows {rows} sorted in {seconds:.4f} s, {rows / seconds:.1f} rows/s")
print(f"checksum {after} ({after:x}), changed by {after - before}")
print("disorders", len(re.findall(r"^error\t", found, re.MULTILINE)))
