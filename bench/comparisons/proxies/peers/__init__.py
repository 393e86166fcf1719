"""Peers that are libraries: programs that call them, compiled when they are needed."""
