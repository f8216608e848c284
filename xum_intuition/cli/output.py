"""Where results and complaints go, and the boundary that turns an exception into an exit code."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import Any

import typer

from xum_intuition.cli.terminal import Ink, columns, is_terminal
from xum_intuition.errors import ExitCode, IntuitionError, UsageProblem
from xum_intuition.text import dump_json, visible

HINTS = {
    "provider": "Name another model with --model or --fallback-model, or none at all:"
    " the embedded recognizer needs neither key nor network.",
    "store": "--memory-dir DIR names a folder of memories, --root DIR an xum root;"
    " `intuition recall --example` needs neither.",
    "config": "`intuition config path` prints where the file is; --config FILE takes another one.",
    "disabled": "`intuition config show` tells which setting it is and where it comes from.",
    "interrupted": "The same command can be run again.",
    "internal": "INTUITION_DEBUG=1 shows where it happened.",
}
"""What to do next, by the code of an error."""


class OutputFormat(StrEnum):
    TABLE = "table"
    JSON = "json"


class CannotWrite(Exception):
    """Standard output takes no more: a full disk, say."""


class Output:
    """Standard output carries one document; all else goes to standard error."""

    def __init__(
        self, chosen: OutputFormat | None, *, color: bool, quiet: bool, env: Mapping[str, str]
    ) -> None:
        terminal = is_terminal(sys.stdout)
        self.as_json = not terminal if chosen is None else chosen is OutputFormat.JSON
        self.color = color and not env.get("NO_COLOR")
        self.quiet = quiet
        self._env = env

    def emit(self, document: Any, show: str, *shown: Any) -> None:
        """Print the document as JSON, or what is shown by that function of `render`.

        A function of another module of this package is named as `module.function`.
        """
        if self.as_json:
            print_text(dump_json(document, indent=2))
            return
        module, _, name = show.rpartition(".")
        renderer = importlib.import_module(f"xum_intuition.cli.{module or 'render'}")
        getattr(renderer, name)(self, *shown)

    def progress(self, seconds: float) -> contextlib.AbstractContextManager[Callable[[Any], None]]:
        """A spinner on standard error that tells a recall's step, files read and seconds left."""
        from xum_intuition.cli import progress

        if self.quiet or not progress.can_show(self._env):
            return contextlib.nullcontext(lambda _: None)
        return progress.spinner(seconds, self.ink)

    def counter(
        self, total: Callable[[], int | None]
    ) -> contextlib.AbstractContextManager[Callable[[], None]]:
        """A bar on standard error of a batch's answered lines; not between results on a screen."""
        from xum_intuition.cli import progress

        if self.quiet or not progress.can_show(self._env) or is_terminal(sys.stdout):
            return contextlib.nullcontext(lambda: None)
        return progress.counter(total(), self.ink)

    @property
    def ink(self) -> Ink:
        """How standard error is painted."""
        return Ink(sys.stderr, self._env, color=self.color)

    def warn(self, *messages: str) -> None:
        """Say something on standard error that is no result."""
        if not self.quiet:
            for message in messages:
                complain(self.ink("Warning:", "bold", "yellow"), message)

    def complain(self, code: str, message: str) -> None:
        """Say on standard error what went wrong, and what to do next."""
        complain(self.ink("Error:", "bold", "red"), message)
        told = "--memory-dir" in message or (code == "store" and "looked for" not in message)
        if not self.quiet and code in HINTS and not told:
            complain(self.ink("Hint:", "cyan"), HINTS[code])

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
            self.complain(code, message)
        return typer.Exit(exit_code)

    @contextlib.contextmanager
    def boundary(self) -> Iterator[None]:
        """Expected errors, interrupts and bugs each end a command with their own code."""
        try:
            yield
        except UsageProblem as error:
            complain("Error:", str(error))
            raise typer.Exit(ExitCode.USAGE) from None
        except IntuitionError as error:
            raise self.fail(error.code, str(error), error.exit_code) from None
        except KeyboardInterrupt:
            raise self.fail("interrupted", "Interrupted.", ExitCode.INTERRUPTED) from None
        except (typer.Exit, typer.Abort, BrokenPipeError):
            raise
        except CannotWrite as error:
            complain("Error:", str(error))
            raise typer.Exit(ExitCode.BUG) from None
        except Exception as error:
            if os.environ.get("INTUITION_DEBUG"):
                raise
            message = f"A bug in intuition: {type(error).__name__}: {error}"
            raise self.fail("internal", message, ExitCode.BUG) from error


def complain(word: str, message: str) -> None:
    """One message on standard error; its own line breaks stay, nothing else that does not print."""
    if sys.stderr is not None:
        text = visible(message, keep="\n")
        if is_terminal(sys.stderr):
            text = _by_words(text, columns(sys.stderr, os.environ))
        print(f"{word} {text}", file=sys.stderr)


def _by_words(text: str, width: int) -> str:
    """Lines broken between words, so that a terminal does not break them within."""
    lines = []
    used = len("Warning: ")  # the longest word that a message begins with
    for line in text.split("\n"):
        row: list[str] = []
        for word in line.split(" "):
            if row and used + len(word) > width:
                lines.append(" ".join(row))
                row, used = [], 0
            row.append(word)
            used += len(word) + 1
        lines.append(" ".join(row))
        used = 0
    return "\n".join(lines)


def print_text(text: str) -> None:
    """Write to standard output as UTF-8, whatever the locale says.

    Raises BrokenPipeError when the reader is gone, CannotWrite for other reasons.
    """
    data = (text + "\n").encode("utf-8", "backslashreplace")
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CannotWrite(f"Standard output cannot be written: {error.strerror}.") from None
