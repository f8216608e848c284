"""Fuzz targets: a bounded run is part of the tests, a longer one is `python -m tests.fuzz`."""
