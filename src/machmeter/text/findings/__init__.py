"""Answers to questions as text: cases, evidence, sensitivity, and the order of findings."""
