"""Start native programs bound as asked, with a time limit, and say what became of them."""
