"""Results over threads, ranks, nodes or cores, and the laws fitted to them."""
