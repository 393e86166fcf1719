"""Start native programs bound as requested, with a time limit, and say what became of them."""
