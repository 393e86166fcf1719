"""The tables of OSU and IMB between two ranks, and the equivalent points of machmeter."""
