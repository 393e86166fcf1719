"""Whether results are normal, as every medium shows it."""
