"""Sort rows of 100 bytes by their keys through files, as TeraSort does.

spark-submit sort.py ROWS PARTITIONS [THREADS]

Rows follow from their numbers. The time is that of reading, exchanging, sorting and writing them;
making them and the checks of what was written are outside of it.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as of

ROWS, PARTITIONS = int(sys.argv[1]), int(sys.argv[2])
THREADS = sys.argv[3] if len(sys.argv) > 3 else "*"


def checksum(rows: DataFrame) -> tuple[int, int]:
    """How many rows, and the sum of the CRC-32 of each."""
    each = of.crc32(of.concat_ws(":", "key", "value"))
    counted = rows.select(of.count("*"), of.sum(each)).first()
    return counted[0], counted[1]


def disorders(spark: SparkSession, folder: Path) -> int:
    """Rows with a smaller key than the row before, within files and from one to the next."""
    wrong, last = 0, ""
    smaller = of.expr(
        "size(filter(sequence(2, size(k)), i -> element_at(k, i) < element_at(k, i - 1)))"
    )
    for file in sorted(folder.glob("part-*.parquet")):
        keys = spark.read.parquet(str(file)).agg(of.collect_list("key").alias("k"))
        ends = keys.select(of.expr("element_at(k, 1)"), of.expr("element_at(k, -1)"), smaller)
        first, end, within = ends.first()
        wrong += within + (first < last)
        last = end
    return wrong


spark = (
    SparkSession.builder.master(f"local[{THREADS}]")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", PARTITIONS)
    .config("spark.sql.adaptive.enabled", "false")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("ERROR")
with tempfile.TemporaryDirectory(dir=".") as folder:
    numbers = spark.range(0, ROWS, 1, PARTITIONS)
    made = numbers.select(
        of.hex(of.xxhash64("id")).alias("key"),
        of.rpad(of.sha2(of.col("id").cast("string"), 256), 84, "-").alias("value"),
    )
    made.write.parquet(f"{folder}/unsorted")
    unsorted = spark.read.parquet(f"{folder}/unsorted")
    before = checksum(unsorted)
    begin = time.perf_counter()
    unsorted.sort("key").write.parquet(f"{folder}/sorted")
    seconds = time.perf_counter() - begin
    written = spark.read.parquet(f"{folder}/sorted")
    after = checksum(written)
    # No more threads work than there are partitions.
    threads = min(spark.sparkContext.defaultParallelism, PARTITIONS)
    print(f"Spark {spark.version}, threads {threads}")
    print(f"rows {after[0]} sorted in {seconds:.4f} s, {ROWS / seconds:.1f} rows/s")
    print(f"checksum {after[1]}, changed by {after[1] - before[1]}")
    print("disorders", disorders(spark, Path(folder, "sorted")))
spark.stop()
