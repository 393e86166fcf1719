"""A twin of round numbers."""

from __future__ import annotations

from machmeter.model.twin import (
    ErrorBand,
    Twin,
    TwinBasis,
    TwinNode,
    TwinParameter,
    TwinProgress,
    TwinTopology,
)

VALUES = {
    "network.software_overhead": 0.25e-6,
    "network.nic_latency": 0.5e-6,
    "network.hop_latency": 0.0,
    "network.optical_latency": 0.0,
    "network.package_latency": 0.2e-6,
    "network.message_gap": 50e-9,
    "network.injection_bandwidth": 10e9,
    "network.duplex_share": 0.9,
    "network.eager_limit": 8192.0,
    "network.put_latency": 0.8e-6,
    "network.get_latency": 1.2e-6,
    "network.atomic_latency": 1.2e-6,
    "node.message_latency": 0.4e-6,
    "node.message_bandwidth": 5e9,
    "node.reduction_bandwidth": 4e9,
}


def made_up_twin(*bands: ErrorBand, nodes: int = 2) -> Twin:
    """Nodes of two sockets with four cores each, at one cable."""
    return Twin(
        name="made-up",
        title="Made up",
        nodes=nodes,
        node=TwinNode(2, 4, "no processor", 2**34),
        topology=TwinTopology.DIRECT,
        progress=TwinProgress.HOST,
        mpi="mpich",
        parameters=tuple(
            TwinParameter(name, value, TwinBasis.ASSUMED, "made up")
            for name, value in VALUES.items()
        ),
        bands=bands,
    )
