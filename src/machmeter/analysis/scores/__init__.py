"""One number for many codes, with its components."""
