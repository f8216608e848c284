"""`intuition` and `python -m xum_intuition`."""

from __future__ import annotations

from xum_intuition.cli.app import main

if __name__ == "__main__":
    main()
