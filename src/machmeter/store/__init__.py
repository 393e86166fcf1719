"""Records on disk, and the index over them."""
