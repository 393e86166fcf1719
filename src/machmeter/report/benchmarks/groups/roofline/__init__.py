"""The roofline of a node: its peaks, its memory, and the kernels that stand under them."""
