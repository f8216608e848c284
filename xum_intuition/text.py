"""Making text that came from elsewhere harmless: for JSON output and for a person's terminal."""

from __future__ import annotations

import json
import re
from typing import Any

# Spaces of other widths do not count as printable in Python, but do no harm.
_SPACES = frozenset("\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
                    "\u202f\u205f\u3000")  # fmt: skip
# Letters and marks by category that show nothing: they can hide text in text.
_BLANKS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0\U000e0100-\U000e01ef]"
)


def hidden(character: str) -> bool:
    """Whether a character does not print: C0, C1, bidirectional and zero-width controls, …"""
    if character.isprintable():
        return _BLANKS.match(character) is not None
    return character not in _SPACES


def _escape(text: str, form: Any, keep: str) -> str:
    if text.isprintable() and not _BLANKS.search(text):
        return text
    return "".join(c if c in keep or not hidden(c) else form(ord(c)) for c in text)


def _json_form(code: int) -> str:
    if code > 0xFFFF:
        code -= 0x10000
        return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
    return f"\\u{code:04x}"


def _visible_form(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def dump_json(value: Any, *, indent: int | None = None) -> str:
    """JSON in which every character that does not print is escaped; other text stays readable."""
    text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    return printable_json(text, keep="\n" if indent is not None else "")


def printable_json(text: str, *, keep: str = "") -> str:
    """JSON text with what does not print, which only its strings can hold, escaped."""
    return _escape(text, _json_form, keep)


def visible(text: str, *, keep: str = "") -> str:
    """Text with what does not print shown as `\\x1b` or `\\u202e`, but for characters in `keep`."""
    return _escape(text, _visible_form, keep)
