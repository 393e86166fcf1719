"""CPUs, caches and NUMA domains, from Linux or from hwloc files."""
