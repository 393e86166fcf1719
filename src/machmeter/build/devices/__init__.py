"""Devices of this machine: which one a launch measures, and the compiler of its kernels."""
