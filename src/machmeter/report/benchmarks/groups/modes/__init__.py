"""Launch modes: what a node does in each of them, by program and over all of them."""
