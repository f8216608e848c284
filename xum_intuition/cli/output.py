"""Where results and complaints go, and the boundary that turns an exception into an exit code."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Any

import typer

from xum_intuition.errors import ExitCode, IntuitionError, UsageProblem
from xum_intuition.text import dump_json, visible


class OutputFormat(str, Enum):
    TABLE = "table"
    JSON = "json"


class Output:
    """Standard output carries one document; all else goes to standard error."""

    def __init__(
        self, chosen: OutputFormat | None, *, color: bool, quiet: bool, env: Mapping[str, str]
    ) -> None:
        self.as_json = not sys.stdout.isatty() if chosen is None else chosen is OutputFormat.JSON
        self.color = color and not env.get("NO_COLOR")
        self.quiet = quiet

    def emit(self, document: Any, show: str, *shown: Any) -> None:
        """Print the document as JSON, or what is shown by that function of `render`."""
        if self.as_json:
            print_text(dump_json(document, indent=2))
            return
        from xum_intuition.cli import render

        getattr(render, show)(self, *shown)

    def progress(self, seconds: float) -> contextlib.AbstractContextManager[Callable[[Any], None]]:
        """A spinner on standard error that tells a recall's step, files read and seconds left."""
        if self.quiet or not sys.stderr.isatty():
            return contextlib.nullcontext(lambda _: None)
        from xum_intuition.cli import render

        return render.spinner(self, seconds)

    def counter(self) -> contextlib.AbstractContextManager[Callable[[], None]]:
        """A count on standard error of a batch's answered lines."""
        if self.quiet or not sys.stderr.isatty():
            return contextlib.nullcontext(lambda: None)
        from xum_intuition.cli import render

        return render.counter(self)

    def warn(self, *messages: str) -> None:
        """Say something on standard error that is no result."""
        if not self.quiet:
            for message in messages:
                print(f"warning: {visible(message)}", file=sys.stderr)

    def fail(self, code: str, message: str, exit_code: ExitCode) -> typer.Exit:
        """Print an error in the chosen form; what it returns is to be raised."""
        if self.as_json:
            document = {
                "schemaVersion": 1,
                "kind": "error",
                "isError": True,
                "code": code,
                "message": message,
            }
            print_text(dump_json(document, indent=2))
        else:
            print(f"error: {visible(message)}", file=sys.stderr)
        return typer.Exit(exit_code)

    @contextlib.contextmanager
    def boundary(self) -> Iterator[None]:
        """Expected errors, interrupts and bugs each end a command with their own code."""
        try:
            yield
        except UsageProblem as error:
            print(f"Error: {visible(str(error))}", file=sys.stderr)
            raise typer.Exit(ExitCode.USAGE) from None
        except IntuitionError as error:
            raise self.fail(error.code, str(error), error.exit_code) from None
        except KeyboardInterrupt:
            raise self.fail("interrupted", "Interrupted.", ExitCode.INTERRUPTED) from None
        except (typer.Exit, typer.Abort, BrokenPipeError):
            raise
        except Exception as error:
            if os.environ.get("INTUITION_DEBUG"):
                raise
            told = f"{type(error).__name__}: {error}"
            message = f"A bug in intuition: {told}. INTUITION_DEBUG=1 shows where."
            raise self.fail("internal", message, ExitCode.BUG) from error


def print_text(text: str) -> None:
    """Write to standard output as UTF-8, whatever the locale says."""
    data = (text + "\n").encode("utf-8", "backslashreplace")
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
