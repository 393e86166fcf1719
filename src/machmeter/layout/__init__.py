"""From a request (ranks x threads, spread, reserve a core) to CPUs; and whether it came true."""
