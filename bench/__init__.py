"""machmeter versus its peers: the same quantities, interleaved in one session."""
