"""Rules over all nodes of a system, and the pairs of them."""
