from __future__ import annotations

import pytest

from machmeter.importing.launch_lines import MOST_HOSTS, hosts_of, launch_in
from machmeter.importing.placement import (
    UNKNOWN,
    label_in,
    label_of_name,
    labels_in,
    place_before,
)
from machmeter.importing.readings import Place
from tests.support.importing_data import read_file, read_lines

LATENCY = "# OSU MPI Latency Test v7.4\n# Size       Avg Latency(us)\n8     1.50\n"
BANDWIDTH = "# OSU MPI Bandwidth Test v7.4\n# Size      Bandwidth (MB/s)\n8     25.10\n"
ALLREDUCE = (
    "# OSU MPI Allreduce Latency Test v7.4\n"
    "# Size  Avg Latency(us)  Min Latency(us)  Max Latency(us)  Iterations\n8  9.3  9.3  9.3  9\n"
)
TWO_NODES = {"nodes": 2, "ranks_per_node": 1}
ONE_NODE = {"nodes": 1, "ranks_per_node": 2}


@pytest.mark.parametrize(
    ("file", "layout"),
    [
        ("03-ucx-log-names-intra-node/ucx-info.txt", {}),
        ("03-ucx-log-names-intra-node/ucx-info-2nodes-said.txt", TWO_NODES),
        ("06-running-on-node/hello.txt", {}),
        ("06-running-on-node/running-on-node.txt", {}),
        ("06-running-on-node/running-on-node-srun.txt", TWO_NODES),
        ("17-ompi-N-is-per-node/ompi-N.txt", {"nodes": 8, "ranks_per_node": 16}),
        ("17-ompi-N-is-per-node/ompi-n2N1.txt", TWO_NODES),
        ("18-hosts-named-in-the-launch-line/host-list.txt", TWO_NODES),
        ("18-hosts-named-in-the-launch-line/host-slots.txt", TWO_NODES),
        ("18-hosts-named-in-the-launch-line/map-by-node.txt", TWO_NODES),
        ("18-hosts-named-in-the-launch-line/mpirun-app.txt", TWO_NODES),
        ("18-hosts-named-in-the-launch-line/scontrol.txt", TWO_NODES),
        ("18-hosts-named-in-the-launch-line/srun-nodelist.txt", TWO_NODES),
        ("22-words-that-are-no-labels/2025-11-04-node.txt", {}),
        ("22-words-that-are-no-labels/3node-cluster.txt", {}),
        ("22-words-that-are-no-labels/osu_bw_ppn_8_node_2.txt", TWO_NODES),
        ("22-words-that-are-no-labels/same-node-word.txt", {}),
        ("22-words-that-are-no-labels/ucx-net.txt", {}),
    ],
)
def test_nodes_of_what_was_found_in_the_field(file: str, layout: dict[str, int]) -> None:
    results = read_file(f"field/{file}").results
    assert results
    assert all(one.layout == layout for one in results)


@pytest.mark.parametrize(
    ("line", "nodes", "ranks"),
    [
        ("srun -N 4 -n 64 ./osu_allreduce", 4, 64),
        ("srun -N2 -n4 ./a", 2, 4),
        ("srun --nodes=2 --ntasks=8 --cpu-bind=cores ./a -N 9", 2, 8),
        ("srun -N 2 --ntasks-per-node=4 ./a", 2, 8),
        ("srun -N 1-2 -n 2 ./a", 0, 2),
        ("srun -l -u -N 2-2 -n 2 ./a", 2, 2),
        ("srun -n 8 --ntasks-per-node 2 ./a", 4, 8),
        ("srun -w cn[07-08],gpu1 -n 6 ./a", 3, 6),
        ("srun -N 4 -n 2 ./a", 2, 2),
        ("flux run -N4 --tasks-per-node=96 osu_barrier", 4, 384),
        ("flux mini run -N 2 -n 2 ./a", 2, 2),
        ("mpiexec -n 8 -N 2 ./a", 4, 8),
        ("/opt/bin/mpirun -np 2 ./osu_bw", 0, 2),
        ("mpirun -np 4 -npernode 2 ./a", 2, 4),
        ("mpirun -np 4 --pernode ./a", 4, 4),
        ("mpirun -N 2 -np 2 -map-by ppr:1:node ./a", 2, 2),
        ("mpirun -np 8 --map-by ppr:2:node:PE=4 --bind-to core ./a", 4, 8),
        ("mpirun -np 8 --map-by ppr:2:socket ./a", 0, 8),
        ("mpirun -np 8 --map-by node ./a", 0, 8),
        ("mpirun -np 8 --map-by node -host a:8,b:8 ./a", 2, 8),
        ("mpirun -np 2 -host a:4,b:4 ./a", 1, 2),
        ("mpirun -np 2 -host a,a ./a", 1, 2),
        ("mpirun -np 6 -host a:4,b:4 ./a", 0, 6),
        ("mpirun -np 2 -H a,b ./a", 2, 2),
        ("mpirun --mca btl tcp,self -x N=4 -np 2 --bynode ./a", 2, 2),
        ("mpiexec.hydra -genv I_MPI_DEBUG 5 -n 4 -ppn 2 ./a", 2, 4),
        ("mpiexec -n 2 -hosts a,b ./a", 2, 2),
        ("mpiexec -n 5 -ppn 2 ./a", 0, 5),
        ("mpiexec -n 2 -ppn 36 ./a", 1, 2),
        ("mpiexec -n 1 -host a ./a : -n 3 -host b ./a", 0, 4),
        ("mpirun_rsh -np 2 cn07 cn08 MV2_CPU_MAPPING=0 ./osu_latency", 2, 2),
        ("aprun -n 48 -N 24 ./a", 2, 48),
        ("jsrun -n 4 -r 2 -a 3 -c 7 ./a", 2, 12),
        ("jsrun --nrs=2 --rs_per_host=1 --tasks_per_rs=1 ./a", 2, 2),
        ("lrun -N 2 -T 4 ./a", 2, 8),
        ("runjob --np 32 --ranks-per-node 16 : ./a", 2, 32),
        ("ibrun -np 4 ./a", 0, 4),
        ("+ srun -N 2 -n 4 ./a", 2, 4),
        ("[ann@login1 osu]$ OMP_NUM_THREADS=1 time mpirun -np 4 -N 2 ./a", 2, 4),
        ("$ mpirun -np 2 ./a -N 1 --map-by node", 0, 2),
        ("mpirun -np 64 --hostfile /etc/mpi/hosts --map-by ppr:16:node ./osu_allreduce", 4, 64),
        ("mpirun -np 4 -machinefile $PBS_NODEFILE -ppn 2 ./osu_allreduce -f", 2, 4),
        ("mpirun --rankfile /tmp/rf -np 4 -npernode 2 ./a", 2, 4),
        ("mpiexec -wdir /scratch/run -n 2 -ppn 1 ./a", 2, 2),
        ("srun -D /scratch/run -N 2 -n 2 ./a", 2, 2),
        ("srun --output /tmp/o.txt --container-mounts /a:/b -N 2 -n 4 ./a", 2, 4),
        ("jsrun -E OMP_NUM_THREADS=4 -l CPU-CPU -n 2 -r 1 -a 1 ./a", 2, 2),
        ("aprun -b -n 2 -N 1 ./a", 2, 2),
        ('1: Test command: /usr/bin/mpiexec "-n" "2" "-ppn" "1" "/b/osu_latency"', 2, 2),
        ("mpirun -c 4 -npernode 2 ./a", 2, 4),
        ("mpiexec -c 2 -n 4 ./a", 0, 4),
        ("srun -c 4 ./a", 0, 0),
        ("poe ./prog -procs 4 -nodes 2", 2, 4),
        ("poe ./osu_bw -m 8:8 -procs 4 -tasks_per_node 2 -labelio yes", 2, 4),
        ("srun: error: -N 2 nodes", 0, 0),
        ("mpirun noticed that process rank 0 exited on node cn07", 0, 0),
        ("Please start mpirun -np 2 -N 1 ./a", 0, 0),
    ],
)
def test_launch_lines_are_read_as_their_launchers_mean_them(
    line: str, nodes: int, ranks: int
) -> None:
    found = label_in(line)
    assert (found.nodes, found.ranks) == (nodes, ranks)


@pytest.mark.parametrize(
    ("line", "nodes", "ranks"),
    [
        ("== 2 nodes ==", 2, 0),
        ("latency inter-node", 2, 0),
        ("### Intra-node bandwidth ###", 1, 0),
        ("12 ranks on 3 nodes", 3, 12),
        ("osu_latency, 2 nodes, 1 rank per node", 2, 2),
        ("nodes=2 ppn=4", 2, 8),
        ("== 2 nodes x 4 ranks ==", 2, 8),
        ("--- 2 nodes, 1 process per node ---", 2, 2),
        ("== 2 nodes, 1 task per node ==", 2, 2),
        ("=== Intra-node vs inter-node latency ===", 0, 0),
        ("=== inter-node allreduce, 64 ranks ===", 0, 64),
        ("8                       1.22", 0, 0),
        ("internodes of plants", 0, 0),
        ("available: 2 nodes (0-1)", 0, 0),
        ("Running on 4 nodes", 0, 0),
        ("NUMA node(s):          2", 0, 0),
        ("all peers are intra-node", 0, 0),
        ("Number of nodes: 2", 0, 0),
        ("SLURM_NNODES=3 SLURM_NTASKS=12", 0, 0),
        ("SLURM_JOB_NUM_NODES=2", 0, 0),
        ("NumNodes=2 NumCPUs=128 NumTasks=128", 0, 0),
        ("#PBS -l select=2:ncpus=36:mpiprocs=36", 0, 0),
        ("#PBS -l select=2:ncpus=36:mpiprocs=1", 2, 2),
        ("SLURM_NNODES=1", 1, 0),
    ],
)
def test_a_heading_is_a_label_and_a_sentence_is_none(line: str, nodes: int, ranks: int) -> None:
    found = label_in(line)
    assert (found.nodes, found.ranks) == (nodes, ranks)


@pytest.mark.parametrize(
    ("name", "nodes", "ranks"),
    [
        ("osu_latency_2nodes.txt", 2, 0),
        ("osu_bw_2node.txt", 2, 0),
        ("osu_bw-2-nodes.log", 2, 0),
        ("osu-intra-node.log", 1, 0),
        ("internode.out", 2, 0),
        ("single_node_run.txt", 1, 0),
        ("allreduce_np16.out", 0, 16),
        ("allreduce_nodes4_ppn8.out", 4, 32),
        ("allreduce_32ranks_4nodes.out", 4, 32),
        ("2025-11-04-node.txt", 0, 0),
        ("2025-11-04-nodes.txt", 0, 0),
        ("3node-cluster.txt", 0, 0),
        ("node07.txt", 0, 0),
        ("allreduce_mvapich2_np16.txt", 0, 16),
        ("gcc12_np64_allreduce.txt", 0, 64),
        ("mpich4_nodes2.txt", 2, 0),
        ("ompi5_ppn4_nodes2.txt", 2, 8),
        ("osu_latency_mvapich2_node07.txt", 0, 0),
        ("osu_allreduce_run2_node07.txt", 0, 0),
        ("slurm-123456-node-3.out", 0, 0),
        ("job_123456_node_03_latency.txt", 0, 0),
        ("allreduce_internode_np64.txt", 0, 64),
        ("osu_node2.txt", 0, 0),
        ("same-node-word.txt", 0, 0),
        ("nodeless.txt", 0, 0),
    ],
)
def test_names_of_files_are_read_by_a_strict_pattern(name: str, nodes: int, ranks: int) -> None:
    found = label_of_name(name)
    assert (found.nodes, found.ranks) == (nodes, ranks)


@pytest.mark.parametrize(
    "test", ["OSU MPI Multiple Bandwidth / Message Rate Test", "OSU MPI-CUDA Bandwidth Test"]
)
def test_a_launch_is_of_a_title_with_any_words(test: str) -> None:
    program = "osu_mbw_mr" if "Multiple" in test else "osu_bw"
    labels = labels_in((f"srun -N 2 -n 2 ./{program} -d cuda D D", "", f"# {test}"))
    assert place_before(labels, 3, "out.txt", UNKNOWN, test).nodes == 2


def test_a_launch_ends_what_was_said_before_it() -> None:
    text = f"srun -N 2 -n 2 ./osu_latency\n{LATENCY}mpirun -np 2 ./osu_latency\n{LATENCY}"
    assert [one.layout for one in read_lines(text).results] == [TWO_NODES, {}]


@pytest.mark.parametrize("line", ["srun -N 2 hostname", "srun -N 2 -n 2 ./osu_bw"])
def test_a_launch_of_something_else_says_nothing_of_a_table(line: str) -> None:
    assert [one.layout for one in read_lines(f"{line}\n{LATENCY}").results] == [{}]


def test_a_launch_broken_over_lines_is_one() -> None:
    text = f"+ srun -N 2 \\\n    -n 2 \\\n    ./osu_bw\n{BANDWIDTH}"
    assert [one.layout for one in read_lines(text).results] == [TWO_NODES]


def test_ranks_of_each_node_are_enough_for_two_ranks() -> None:
    text = "mpirun -hostfile hosts -N {} ./osu_latency\n" + LATENCY
    layouts = [read_lines(text.format(each)).results[0].layout for each in (1, 2)]
    assert layouts == [TWO_NODES, ONE_NODE]


def test_ranks_that_imb_prints_and_those_of_each_node_make_up_the_nodes() -> None:
    text = (
        "mpiexec -ppn 4 ./IMB-MPI1 Allreduce\n#    Intel(R) MPI Benchmarks 2021.11, MPI-1 part\n"
        "# Benchmarking Allreduce\n# #processes = 8\n"
        " #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n 8 1000 8.0 9.0 8.5\n"
    )
    assert read_lines(text).results[0].layout == {"nodes": 2, "ranks_per_node": 4}


def test_two_ranks_are_not_on_the_four_nodes_of_a_heading() -> None:
    (one,) = read_lines(f"== 4 nodes ==\n{LATENCY}").results
    assert one.layout == {}
    assert "4 nodes" in one.note


def test_ranks_that_hosts_share_unevenly_have_no_layout() -> None:
    text = f"mpirun -np 6 -host a:4,b:4 ./osu_allreduce\n{ALLREDUCE}"
    for one in read_lines(text).results:
        assert one.layout == {}
        assert one.parameters["ranks"] == 6


def test_the_label_that_was_used_is_quoted() -> None:
    remarks = read_lines(f"srun -N 2 -n 2 ./osu_latency\n{LATENCY}").remarks
    assert remarks == ("out.txt: 2 nodes, 2 ranks, from its label 'srun -N 2 -n 2 ./osu_latency'",)


def test_what_a_person_says_counts_most() -> None:
    text = f"srun -N 2 -n 2 ./osu_latency\n{LATENCY}"
    assert read_lines(text, place=Place(1)).results[0].layout == ONE_NODE


def test_host_lists_are_bounded() -> None:
    assert hosts_of("cn[07-09,12],x:4") == [
        ("cn07", 0),
        ("cn08", 0),
        ("cn09", 0),
        ("cn12", 0),
        ("x", 4),
    ]
    assert len(hosts_of(f"cn[1-{MOST_HOSTS}]")) == MOST_HOSTS
    assert hosts_of(f"cn[1-{MOST_HOSTS + 1}]") == []
    assert hosts_of("$HOSTS") == []


def test_the_program_is_found_behind_wrappers() -> None:
    found = launch_in("srun -N 2 numactl -m 0 ./osu_bw -m 8:8")
    assert found is not None
    assert found.program == "./osu_bw"


def test_labels_of_a_table_are_not_completed_from_above_another_table() -> None:
    text = f"== 2 nodes ==\n{ALLREDUCE}== 16 ranks ==\n{ALLREDUCE}"
    layouts = [one.layout for one in read_lines(text).results]
    assert layouts[:2] == [{"nodes": 2}] * 2
    assert not any("nodes" in one for one in layouts[2:])
    # What stands over several tables, with nothing between them, is of all.
    results = read_lines(f"== 2 nodes ==\n== 16 ranks ==\n{ALLREDUCE * 3}").results
    assert len(results) == 3
    assert all(one.layout == {"nodes": 2, "ranks_per_node": 8} for one in results)


def test_a_launch_above_another_table_adds_nothing_to_a_heading() -> None:
    text = f"srun -n 16 ./osu_allreduce\n{ALLREDUCE}== 2 nodes ==\n{ALLREDUCE}"
    _, *below = read_lines(text).results
    assert all(one.layout == {"nodes": 2} for one in below)


def imb(processes: int) -> str:
    return (
        "#    Intel(R) MPI Benchmarks 2021.11, MPI-1 part\n"
        f"# Benchmarking Allreduce\n# #processes = {processes}\n"
        " #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n 8 1000 8.0 9.0 8.5\n"
    )


@pytest.mark.parametrize(("name", "line"), [("internode.txt", ""), ("a.txt", "== inter-node ==\n")])
def test_between_nodes_many_ranks_are_on_any_number_of_them(name: str, line: str) -> None:
    (two,) = read_lines(line + imb(2), name).results
    assert two.layout == TWO_NODES
    (many,) = read_lines(line + imb(64), name).results
    assert (many.benchmark, many.layout, many.parameters["ranks"]) == ("", {}, 64)
    many, *_ = read_lines(line + ALLREDUCE, name, place=Place(0, 64)).results
    assert (many.benchmark, many.layout) == ("", {})
    (pair,) = read_lines(line + LATENCY, name).results
    assert pair.layout == TWO_NODES
    assert all(one.layout == {} for one in read_lines(line + ALLREDUCE, name).results)
    start = f"{line}# OSU MPI Init Test v7.4\nnprocs: 64, min: 1 ms, max: 2 ms, avg: 1 ms\n"
    assert read_lines(start, name).results == ()


@pytest.mark.parametrize(
    ("name", "layout"),
    [
        ("internode_ppn4.txt", {"nodes": 16, "ranks_per_node": 4}),
        ("internode_nodes8.txt", {"nodes": 8, "ranks_per_node": 8}),
        ("internode_np64.txt", {}),
    ],
)
def test_between_nodes_whose_number_follows(name: str, layout: dict[str, int]) -> None:
    assert [one.layout for one in read_lines(imb(64), name).results] == [layout]
