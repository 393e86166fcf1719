"""Output of the OSU micro-benchmarks."""
