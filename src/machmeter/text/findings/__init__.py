"""Answers to questions in words: cases, evidence, sensitivity, and the order of findings."""
