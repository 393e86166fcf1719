"""Rings of cells that excite each other, simulated by NEURON.

    ring.py RINGS CELLS BRANCHES MILLISECONDS

A cell is a soma with Hodgkin-Huxley channels and a binary tree of dendrites of BRANCHES levels. It
excites the next one of its ring. Cells are dealt to ranks in turn. Prints how many spikes there
were and a checksum of when which cell spiked, the same whatever the ranks.
"""

from __future__ import annotations

import os
import sys
import time

# PyPI's NEURON takes the first MPI that it finds, of any family: it shall be that of its launcher.
LAUNCHED = {"PMI_RANK": "libmpi.so.12", "OMPI_COMM_WORLD_RANK": "libmpi.so.40"}
LIBRARY = next((library for name, library in LAUNCHED.items() if name in os.environ), "")
if LIBRARY:
    os.environ.setdefault("MPI_LIB_NRN_PATH", LIBRARY)

from neuron import h

DELAY, WEIGHT, THRESHOLD = 5.0, 0.05, 0.0


class Neuron:
    def __init__(self, number: int, levels: int) -> None:
        self.soma = h.Section(name="soma", cell=self)
        self.number = number
        self.soma.L = self.soma.diam = 18.8
        self.soma.insert("hh")
        self.dendrites: list = []
        self.grow(self.soma, levels)
        self.synapse = h.ExpSyn(self.dendrites[0](0.5))
        self.synapse.tau = 2.0

    def grow(self, parent: object, levels: int) -> None:
        for _ in range(2 if levels else 0):
            branch = h.Section(name=f"dendrite{len(self.dendrites)}", cell=self)
            branch.L, branch.diam, branch.nseg = 100.0, 1.0, 5
            branch.insert("pas")
            branch.e_pas = -65.0
            branch.connect(parent)
            self.dendrites.append(branch)
            self.grow(branch, levels - 1)


def connect(world: object, own: dict[int, Neuron], cells: int) -> list:
    kept = []
    for number, cell in own.items():
        world.set_gid2node(number, int(world.id()))
        output = h.NetCon(cell.soma(0.5)._ref_v, None, sec=cell.soma)
        output.threshold = THRESHOLD
        world.cell(number, output)
        kept.append(output)
    for number, cell in own.items():
        ring, place = divmod(number, cells)
        before = world.gid_connect(ring * cells + (place - 1) % cells, cell.synapse)
        before.delay, before.weight[0] = DELAY, WEIGHT
        kept.append(before)
        if place == 0:
            start = h.NetStim()
            start.number, start.start = 1, 1.0 + ring % 4
            first = h.NetCon(start, cell.synapse)
            first.delay, first.weight[0] = 1.0, WEIGHT
            kept += [start, first]
    return kept


def main(rings: int, cells: int, levels: int, milliseconds: float) -> None:
    if LIBRARY:
        h.nrnmpi_init()
    world = h.ParallelContext()
    ranks, rank = int(world.nhost()), int(world.id())
    own = {one: Neuron(one, levels) for one in range(rank, rings * cells, ranks)}
    kept = connect(world, own, cells)
    times, numbers = h.Vector(), h.Vector()
    world.spike_record(-1, times, numbers)
    h.dt, h.celsius = 0.025, 6.3
    world.set_maxstep(10)
    h.finitialize(-65)
    world.barrier()
    begin = time.perf_counter()
    world.psolve(milliseconds)
    world.barrier()
    seconds = time.perf_counter() - begin
    spikes = sum(times.x[i] * (1 + numbers.x[i]) for i in range(len(times)))
    count, checksum = (world.allreduce(one, 1) for one in (len(times), spikes))
    if rank == 0:
        print(f"NEURON {h.nrnversion(5)} ranks {ranks}")
        print(f"spikes {count:.0f} checksum {checksum:.3f}")
        print(f"solve time {seconds:.6f} s, {rings * cells * milliseconds / seconds:.6g} cell ms/s")
    del kept
    world.barrier()
    h.quit()


main(*map(int, sys.argv[-4:]))
