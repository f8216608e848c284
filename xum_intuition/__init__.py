"""Recognize which memories a situation calls up, and quote them verbatim."""

__version__ = "0.1.0"
