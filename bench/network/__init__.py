"""Tables of OSU and IMB between two ranks, and ours beside them."""
