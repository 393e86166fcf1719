"""Output of the Intel MPI Benchmarks."""
