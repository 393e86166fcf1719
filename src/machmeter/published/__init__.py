"""Machines as published by studies."""
