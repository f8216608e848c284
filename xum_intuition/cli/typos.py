"""A usage error, told in plain text with what was probably meant."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import Any

from xum_intuition.cli import output


def complain_about(error: Any) -> None:
    """Print a click usage error on standard error."""
    context = getattr(error, "ctx", None)
    output.complain("Error:", _message(error, context))
    if context is not None:
        output.complain("Try:", f"{context.command_path} --help")


def _message(error: Any, context: Any) -> str:
    option = getattr(error, "option_name", None)
    if context is not None and option is not None and hasattr(error, "possibilities"):
        return f"No such option: {option}.{_meant_option(option, context.command)}"
    message = str(error.format_message())
    unexpected = message.startswith("Got unexpected extra argument")
    if unexpected and "--cue" in _options(context.command):
        return f"{message.rstrip('.')}. A cue goes behind --cue, in quotes."
    choices = getattr(getattr(getattr(error, "param", None), "type", None), "choices", ())
    given = re.search(r": '(.*)' is not one of ", message)
    if choices and given:
        return message + meant(given[1], [str(getattr(c, "value", c)) for c in choices])
    return message


def _meant_option(option: str, command: Any) -> str:
    close = meant(option, _options(command))
    if close:
        return close
    below = getattr(command, "commands", None) or {}
    for name in below:
        if option in _options(below[name]):
            return f" It belongs to a command: `{name} {option}`."
    return ""


def _options(command: Any) -> list[str]:
    return [name for p in command.params for name in (*p.opts, *p.secondary_opts)] + ["--help"]


def meant(given: str, known: Iterable[str]) -> str:
    """` Did you mean X?` for a word that is nearly right, else an empty string."""
    close = difflib.get_close_matches(given, list(known), n=1, cutoff=0.6)
    return f" Did you mean {close[0]}?" if close else ""
