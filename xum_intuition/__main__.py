"""`intuition` and `python -m xum_intuition`."""

# `python -m` puts the current directory first where modules are looked for, and that may be
# anyone's project, with a `typing.py` in it: out with it before anything else is imported. What
# Python itself imports before this line is told in SECURITY.md.
import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    del sys.path[0]

import gc
import signal


def main() -> None:
    """Run the command line and end the process."""
    # Until a command takes over the signals, a SIGTERM ends a run as SIGINT does.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # What a start imports stays to the end: looking through it for garbage again and again while
    # it grows takes a tenth of a short command's time.
    gc.set_threshold(200_000)
    if sys.argv[1:2] == ["__complete"]:
        from xum_intuition.cli.complete import main as complete

        sys.exit(complete(sys.argv[2:]))
    try:
        from xum_intuition.cli import app
    except KeyboardInterrupt:
        from xum_intuition.cli import app

        sys.exit(app.interrupted())
    app.main()


if __name__ == "__main__":
    main()
