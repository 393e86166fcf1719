"""From a layout (ranks x threads, spread, a reserved core) to CPUs, and its verification."""
