"""The one line that stands for a memory in the index."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from xum_intuition.limits import FRONTMATTER_BYTES, MAX_DESCRIPTION_CHARS
from xum_intuition.protocol import DescriptionSource

_FENCE = re.compile(r"---[ \t]*\r?\n")
_END = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.M)
_KEY = re.compile(r"^(?:description|'description'|\"description\")[ \t]*:(?=[ \t\r\n]|\Z)", re.M)
_NEXT_KEY = re.compile(r"^[^\s#-]", re.M)
# A plain scalar on one line that YAML reads as the very same text.
_PLAIN = re.compile(r"[ \t]*([^\W\d_][^:#\r\n]*)\r?\n?")
# A quoted scalar on one line without escapes; loading yaml and asking it takes 20 ms.
_QUOTED = re.compile(r"""[ \t]*(?:"([^"\\\r\n]*)"|'([^'\r\n]*)')[ \t]*\r?\n?""")
_NOT_TEXT = frozenset(["true", "false", "yes", "no", "on", "off", "null"])
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.+?)(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_RULE = re.compile(r"[ \t]*([-*_=~`|:+][ \t]*){3,}$")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.S)
_MARK = re.compile(r"[ \t]*(?:[-*+][ \t]+(?:\[[ xX]\][ \t]+)?|\d{1,3}[.)][ \t]+|>[ \t]?|\|[ \t]*)+")
_SENTENCE_END = re.compile(r"(?<=[^\s.][.!?])(?=\s)|(?<=[。！？])")
_BODY_CHARS = 4_096


def frontmatter_end(text: str) -> int:
    """Where the body begins; 0 where there is no frontmatter."""
    fence = _FENCE.match(text)
    if fence is None:
        return 0
    end = _END.search(text, fence.end())
    return 0 if end is None else min(end.end() + 1, len(text))


def frontmatter_description(text: str) -> str:
    """The frontmatter's `description`, found in the first 4 KiB, as one line; else empty."""
    fence = _FENCE.match(text)
    if fence is None:
        return ""
    end = _END.search(text, fence.end())
    if end is None:
        return ""
    head = text[fence.end() : min(end.start(), FRONTMATTER_BYTES)]
    if not head.isascii():
        room = max(0, FRONTMATTER_BYTES - fence.end())
        head = head.encode("utf-8", "replace")[:room].decode("utf-8", "ignore")
    key = _KEY.search(head)
    if key is None:
        return ""
    following = _NEXT_KEY.search(head, key.end())
    value = head[key.end() : following.start() if following else len(head)]
    plain = _PLAIN.fullmatch(value)
    if plain is not None:
        found = plain[1].strip()
        return "" if found.lower() in _NOT_TEXT else one_line(found)
    quoted = _QUOTED.fullmatch(value)
    if quoted is not None:
        return one_line(quoted[1] or quoted[2] or "")
    return one_line(_yaml_scalar(value))


def _yaml_scalar(value: str) -> str:
    """What YAML makes of one key's value; empty where it is no text or broken.

    Only this value is parsed: a mistake elsewhere in the frontmatter (an unquoted glob, say) does
    not take the description away. Anchors, aliases and tags resolve to no text.
    """
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        found = yaml.load("description:" + value, Loader=loader)["description"]  # noqa: S506 (safe)
    except (yaml.YAMLError, ValueError, TypeError, KeyError, RecursionError, OverflowError):
        return ""
    if isinstance(found, (list, dict, set, bytes, bool)) or found is None:
        return ""
    return str(found)


@lru_cache(512)  # a batch's cues are shown the same memories again and again
def body_description(text: str) -> tuple[str, DescriptionSource]:
    """The first heading and the first sentence under it, else the first line of text."""
    start = frontmatter_end(text)
    body = _COMMENT.sub(" ", text[start : start + _BODY_CHARS])
    lines = re.split(r"\r\n|\n|\r", body)
    heading, sentence = "", ""
    fenced = False
    for number, line in enumerate(lines):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
            continue
        found = None if fenced else _HEADING.match(line)
        if found:
            if heading:
                if sentence:
                    break
                continue
            heading, sentence = found[1], ""
        elif not line.strip() or _RULE.fullmatch(line):
            continue
        elif not heading and number + 1 < len(lines) and _UNDERLINE.match(lines[number + 1]):
            heading, sentence = line.strip(), ""
        elif not sentence:
            sentence = _SENTENCE_END.split(_MARK.sub("", line, count=1).strip(), maxsplit=1)[0]
            if heading:
                break
    if heading:
        return one_line(f"{heading}: {sentence}" if sentence else heading), "heading"
    return (one_line(sentence), "text") if sentence else ("", "none")


def describe(text: str, *, body: bool = True) -> tuple[str, DescriptionSource]:
    """A memory's description and where it comes from. Without `body`, frontmatter only."""
    found = frontmatter_description(text)
    if found:
        return found, "frontmatter"
    return body_description(text) if body else ("", "none")


def one_line(text: str) -> str:
    """Folded to one line, control characters removed, cut to 200 characters, `…` included."""
    folded = " ".join(text.split())
    if not folded.isprintable():
        folded = " ".join("".join(c for c in folded if c.isprintable()).split())
    if len(folded) > MAX_DESCRIPTION_CHARS:
        folded = folded[: MAX_DESCRIPTION_CHARS - 1].rstrip() + "…"
    return folded
