"""Benchmarks of devices, which have processors or memory of their own: GPUs, or CPUs by OpenCL."""
