"""The agent definition in an xum root, `agents/intuition.md`: frontmatter and instructions."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from xum_intuition.dirs import read_regular
from xum_intuition.limits import MAX_MEMORY_BYTES

MAX_FRONTMATTER_BYTES = 16 * 1024
_TRUE_WORDS = frozenset({"true", "yes", "on"})
_FALSE_WORDS = frozenset({"false", "no", "off"})


class AgentDefinition(NamedTuple):
    """What a root says about this agent; the default is what a root without the file says."""

    source: str | None = None
    """The file, or None where there is none or it is broken."""
    instructions: str | None = None
    """The body that replaces the built-in instructions."""
    disabled: bool = False
    without_effect: tuple[str, ...] = ()
    """Frontmatter keys about models and thinking, which nothing here obeys."""


NO_DEFINITION = AgentDefinition()


class Broken(Exception):
    """The file cannot be used; the message says why."""


def read(root: Path, warnings: list[str]) -> AgentDefinition:
    """The definition of a root; a broken file is a warning and counts as none."""
    file = root / "agents" / "intuition.md"
    try:
        raw = read_regular(file, MAX_MEMORY_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return NO_DEFINITION
    except OSError as error:
        warnings.append(
            f"{file} cannot be read ({error.strerror}); built-in instructions are used."
        )
        return NO_DEFINITION
    try:
        return _parse(raw, file, warnings)
    except Broken as problem:
        warnings.append(f"{file} is ignored: {problem}; the built-in instructions are used.")
        return NO_DEFINITION


def _parse(raw: bytes, file: Path, warnings: list[str]) -> AgentDefinition:
    if len(raw) > MAX_MEMORY_BYTES:
        raise Broken(f"it is larger than {MAX_MEMORY_BYTES // 1024} KiB")
    try:
        text = raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise Broken("it is not UTF-8") from None
    if "\0" in text:
        raise Broken("it holds a NUL byte")
    front, body = _split(text)
    fields = _frontmatter(front) if front.strip() else {}
    if not body.strip():
        warnings.append(f"{file} has no instructions; the built-in ones are used.")
    return AgentDefinition(
        source=str(file),
        instructions=body.strip() or None,
        disabled=_disabled(fields),
        without_effect=_without_effect(fields),
    )


def _split(text: str) -> tuple[str, str]:
    """Frontmatter (empty where there is none) and body."""
    first, _, rest = text.partition("\n")
    if first.rstrip() != "---":
        return "", text
    lines = rest.split("\n")
    end = next((i for i, line in enumerate(lines) if line.rstrip() in ("---", "...")), None)
    if end is None:
        raise Broken("its frontmatter is not closed by a line `---`")
    return "\n".join(lines[:end]), "\n".join(lines[end + 1 :])


def _frontmatter(text: str) -> dict[str, Any]:
    if len(text.encode()) > MAX_FRONTMATTER_BYTES:
        raise Broken(f"its frontmatter is larger than {MAX_FRONTMATTER_BYTES // 1024} KiB")
    import yaml

    # The C loader where there is one: the other takes seconds over thousands of brackets.
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        # An alias can stand for as much text as it likes, many times over; no honest
        # frontmatter of an agent needs one.
        if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text, loader)):
            raise Broken("its frontmatter uses YAML aliases")
        fields = yaml.load(text, loader)  # noqa: S506 (a safe loader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise Broken(f"its frontmatter is not YAML ({_place(error)})") from None
    if fields is None:
        return {}
    if not isinstance(fields, dict):
        raise Broken("its frontmatter is not a list of `key: value`")
    return {str(key): value for key, value in fields.items()}


def _place(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or type(error).__name__
    return f"{problem}, line {mark.line + 2}" if mark is not None else str(problem)


def _disabled(fields: dict[str, Any]) -> bool:
    value = fields.get("disabled", False)
    word = str(value).strip().lower()
    if value is None or word in _FALSE_WORDS:
        return False
    if word in _TRUE_WORDS:
        return True
    raise Broken("`disabled` in its frontmatter must be true or false")


def _without_effect(fields: dict[str, Any]) -> tuple[str, ...]:
    """Names of the frontmatter's settings for models and thinking, which have no effect."""
    found = []
    for key, value in fields.items():
        names = [f"{key}.{inner}" for inner in value] if isinstance(value, dict) else [key]
        found += [name for name in names if "model" in name.lower() or concerns_thinking(name)]
    return tuple(found)


def concerns_thinking(key: str) -> bool:
    """Whether a setting of another program is about thinking or reasoning."""
    return any(word in key.lower() for word in ("think", "reason", "effort"))
