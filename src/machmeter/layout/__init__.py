"""From a wish (ranks x threads, close or spread) to CPUs; and the verification of what ran."""
