"""Globs over relative paths."""

from __future__ import annotations

import re
from collections.abc import Callable


def matcher(patterns: tuple[str, ...]) -> Callable[[str], bool]:
    """Whether a relative path matches one of the globs.

    A pattern without a slash is matched against the file's name at any depth, one with a slash
    against the relative path, where `**` spans folders.
    """
    if not patterns:
        return lambda relative: False
    if patterns == ("*",):
        return lambda relative: True
    suffixes = tuple(p[1:] for p in patterns if re.fullmatch(r"\*[^*?\[\]/]+", p))
    if len(suffixes) == len(patterns):
        return lambda relative: relative.endswith(suffixes)
    matches = re.compile("|".join(_glob(p) for p in patterns)).fullmatch
    return lambda relative: matches(relative) is not None


def _glob(pattern: str) -> str:
    """A glob as a regular expression over relative paths."""
    anchored = "/" in pattern.rstrip("/")
    pattern = pattern.removeprefix("/")
    if pattern.endswith("/"):
        pattern += "**"
    pieces = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    split = re.split(r"(\*\*/|\*\*|\*|\?|\[!?\]?[^\]]*\])", pattern)
    body = "".join(pieces.get(s) or (_set(s) if s[:1] == "[" else re.escape(s)) for s in split)
    return body if anchored else f"(?:.*/)?{body}"


def _set(piece: str) -> str:
    """A glob's character set `[abc]` or `[!abc]` as a regular expression's."""
    if len(piece) < 3 or piece[-1] != "]":
        return re.escape(piece)
    inside, negated = (piece[2:-1], "^") if piece[1] == "!" else (piece[1:-1], "")
    return f"(?!/)[{negated}{inside.replace(chr(92), chr(92) * 2).replace('[', chr(92) + '[')}]"
