"""How fast, how large, how many tokens: `python -m tests.benchmarks`. Nothing here is a test."""
