"""The one line that stands for a memory in the index."""

from __future__ import annotations

import contextlib
import json
import re
from functools import lru_cache
from typing import Any

from xum_intuition.limits import FRONTMATTER_BYTES, MAX_DESCRIPTION_CHARS
from xum_intuition.protocol import DescriptionSource

_FENCE = re.compile(r"---[ \t]*\r?\n")
_END = re.compile(r"^(?:---|\.\.\.)[ \t\r]*$", re.M)
_KEY = re.compile(r"^(?:description|'description'|\"description\")[ \t]*:(?=[ \t\r\n]|\Z)", re.M)
_NEXT_KEY = re.compile(r"^[^\s#-]", re.M)
# A plain scalar on one line. A colon in it makes the frontmatter broken YAML, and is what people
# write all the same: the line is taken as it is meant.
_PLAIN = re.compile(r"[ \t]*([^\W\d_][^\r\n]*)\r?\n?")
_YAML_COMMENT = re.compile(r"[ \t]#")
# A quoted scalar on one line; loading yaml and asking it takes 20 ms.
_QUOTED = re.compile(r"""[ \t]*(?:("(?:[^"\\\r\n]|\\.)*")|'([^'\r\n]*)')[ \t]*\r?\n?""")
_NOT_TEXT = frozenset(["true", "false", "yes", "no", "on", "off", "null"])
# Control characters, for which a yaml document would be refused as a whole.
_NOT_YAML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
# A number or a date is shown as it is written.
_TEXT_TAGS = frozenset(f"tag:yaml.org,2002:{kind}" for kind in ("str", "int", "float", "timestamp"))
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(?=\S)")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_RULE = re.compile(r"[ \t]*([-*_=~`|:+][ \t]*){3,}$")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.S)
_MARK = re.compile(r"(?:[-*+][ \t]+(?:\[[ xX]\][ \t]+)?|\d{1,3}[.)][ \t]+|>[ \t]?|\|[ \t]*)+")
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
        found = _YAML_COMMENT.split(plain[1], maxsplit=1)[0].strip()
        return "" if found.lower() in _NOT_TEXT else one_line(found)
    quoted = _QUOTED.fullmatch(value)
    if quoted is not None and quoted[1] is None:
        return one_line(quoted[2])
    if quoted is not None:
        # The escapes of JSON are among YAML's; a pair of surrogates stands for its character.
        with contextlib.suppress(ValueError):
            return one_line(json.loads(quoted[1], strict=False))
    return one_line(_yaml_scalar(value))


def _yaml_scalar(value: str) -> str:
    """A key's value if YAML reads it as one scalar that stands for text, as it is written.

    Only this value is parsed: a mistake elsewhere in the frontmatter (an unquoted glob, say) does
    not take the description away. Nothing is constructed, so that tags, aliases, merged keys and
    numbers of thousands of digits cost nothing.
    """
    import yaml

    clean = _NOT_YAML.sub("", value)
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)("description:" + clean)
    try:
        for _ in range(4):  # of the stream, the document, the mapping; and the key
            loader.get_event()
        found = loader.get_event()
        if not isinstance(found, yaml.ScalarEvent):
            return ""
        while not isinstance(loader.get_event(), yaml.StreamEndEvent):
            pass  # what follows is to be well-formed, too
        tag = found.tag
        if tag in (None, "!"):
            tag = loader.resolve(yaml.ScalarNode, found.value, found.implicit)
    except (yaml.YAMLError, ValueError, RecursionError):
        return ""
    finally:
        loader.dispose()
    return str(found.value) if tag in _TEXT_TAGS else ""


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
        found = "" if fenced else _heading(line)
        if found:
            if heading:
                if sentence:
                    break
                continue
            heading, sentence = found, ""
        elif not line.strip() or _RULE.fullmatch(line):
            continue
        elif not heading and number + 1 < len(lines) and _UNDERLINE.match(lines[number + 1]):
            heading, sentence = line.strip(), ""
        elif not sentence:
            sentence = _SENTENCE_END.split(_unmarked(line), maxsplit=1)[0]
            if heading:
                break
    found = one_line(f"{heading}: {sentence}" if heading and sentence else heading or sentence)
    if not found:  # there was something, but nothing that prints
        return "", "none"
    return found, "heading" if heading else "text"


def _heading(line: str) -> str:
    """The text of a heading, without what closes it; empty where the line is none."""
    mark = _HEADING.match(line)
    if mark is None:
        return ""
    text = line[mark.end() :].rstrip()
    bare = text.rstrip("#")
    return bare.rstrip() if bare[-1:] in (" ", "\t") else text


def _unmarked(line: str) -> str:
    """A line without the marks of lists, quotes and tables that it begins with."""
    bare = line.strip()
    mark = _MARK.match(bare)
    return bare[mark.end() :].strip() if mark else bare


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
