"""The user's TOML file: which keys there are, what they may hold, how it is read.

Importing this costs 100 ms (pydantic), so it is imported only where there is a file to read.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from xum_intuition.errors import ConfigError
from xum_intuition.names import api_base_problem, workspace_problem

MAX_CONFIG_BYTES = 1024 * 1024
MAX_TIMEOUT_MS = 24 * 60 * 60 * 1000
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+\Z")


def _text(value: str) -> str:
    if not value.strip():
        raise ValueError("must not be empty")
    if "\0" in value:
        raise ValueError("must not hold a NUL character")
    return value


def _address(value: str) -> str:
    problem = api_base_problem(value)
    if problem:
        raise ValueError(problem)
    return value


def _folders(value: object) -> object:
    return [_each_text(item) for item in (value if isinstance(value, list) else [value])]


def _command(value: object) -> object:
    """A path, or a program with its arguments."""
    if isinstance(value, list):
        if not value:
            raise ValueError("must name a program")
        _each_text(value[0])
        if not all(isinstance(item, str) and "\0" not in item for item in value):
            raise ValueError("must be a path or a list of strings")
        return value
    return _each_text(value)


def _each_text(value: object) -> str:
    if not isinstance(value, str):
        # ValueError is what pydantic turns into a message.
        raise ValueError("must be a string or a list of strings")  # noqa: TRY004
    return _text(value)


def _workspace_ids(value: dict[str, Workspace]) -> dict[str, Workspace]:
    for name in value:
        problem = workspace_problem(name)
        if problem:
            raise ValueError(f"the workspace id {name!r} {problem}")
    return value


Text = Annotated[str, AfterValidator(_text)]
Address = Annotated[str, AfterValidator(_address)]
Command = Annotated[Any, AfterValidator(_command)]
Count = Annotated[int, Field(gt=0)]
Amount = Annotated[float, Field(gt=0)]


class Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class Agent(Table):
    enabled: bool | None = None
    model: Text | None = None
    fallback_models: list[Text] | None = None


class WorkspaceAgent(Table):
    model: Text | None = None


class Workspace(Table):
    model: Text | None = None
    agent: WorkspaceAgent | None = None


class ModelEntry(Table):
    api_base: Address | None = None


class Budgets(Table):
    max_steps: Count | None = None
    timeout_ms: Annotated[int, Field(gt=0, le=MAX_TIMEOUT_MS)] | None = None
    max_output_tokens: Count | None = None
    max_uses_per_turn: Count | None = None
    max_results: Count | None = None
    max_excerpt_chars: Count | None = None
    max_read_bytes: Count | None = None
    max_index_entries: Count | None = None
    max_index_bytes: Count | None = None
    max_files: Count | None = None
    max_cost_usd: Amount | None = None
    threshold: Annotated[float, Field(gt=0, le=1)] | None = None
    floor: Annotated[float, Field(gt=0, lt=1)] | None = None


class Experiments(Table):
    memory: bool | None = None
    memory_intuition: bool | None = None


class Integrations(Table):
    enabled: bool | None = None


class Tools(Table):
    remove: list[Text] | None = None


class Hooks(Table):
    tool_pre: Command | None = None
    tool_post: Command | None = None
    filter: Command | None = None


class ConfigModel(Table):
    """The whole file."""

    model: Text | None = None
    root: Text | None = None
    memory_dir: Annotated[Any, AfterValidator(_folders)] | None = None
    api_base: Address | None = None
    agent: Agent | None = None
    workspaces: Annotated[dict[str, Workspace], AfterValidator(_workspace_ids)] | None = None
    models: dict[str, ModelEntry] | None = None
    budgets: Budgets | None = None
    experiments: Experiments | None = None
    integrations: Integrations | None = None
    tools: Tools | None = None
    hooks: Hooks | None = None


KEYS = (
    "model",
    "root",
    "memory_dir",
    "api_base",
    *(f"agent.{name}" for name in Agent.model_fields),
    "workspaces.ID.model",
    "workspaces.ID.agent.model",
    'models."NAME".api_base',
    *(f"budgets.{name}" for name in Budgets.model_fields),
    *(f"experiments.{name}" for name in Experiments.model_fields),
    "integrations.enabled",
    "tools.remove",
    *(f"hooks.{name}" for name in Hooks.model_fields),
)
"""Every key, as it is written in messages; ID and NAME stand for the user's own."""


def read(file: Path) -> dict[str, Any]:
    """The checked values of a file, keys that are not set left out; raises ConfigError."""
    return check(read_raw(file), file)


def read_raw(file: Path) -> dict[str, Any]:
    """The values of a file as TOML gives them; raises ConfigError with line and column."""
    return parse(read_text(file), file)


def read_text(file: Path) -> str:
    """The text of a file; raises ConfigError."""
    try:
        with open(file, "rb") as stream:
            raw = stream.read(MAX_CONFIG_BYTES + 1)
    except FileNotFoundError:
        raise ConfigError(
            f"The configuration file {file} does not exist; `intuition config set` creates it."
        ) from None
    except OSError as error:
        raise ConfigError(
            f"The configuration file {file} cannot be read: {error.strerror}."
        ) from error
    if len(raw) > MAX_CONFIG_BYTES:
        raise ConfigError(f"The configuration file {file} is larger than 1 MiB.")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        good = raw[: error.start].decode("utf-8")
        line, column = good.count("\n") + 1, len(good) - good.rfind("\n")
        raise ConfigError(f"{file}, line {line}, column {column}: this is not UTF-8.") from None


def parse(text: str, file: Path) -> dict[str, Any]:
    """TOML text as values; raises ConfigError with line and column."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ConfigError(f"{file}, line 1, column 1: values are nested too deeply.") from None
    except ValueError as error:
        reason = str(error)
    found = re.search(r" \(at line (\d+), column (\d+)\)$", reason)
    if found:
        line, column = int(found[1]), int(found[2])
        reason = reason[: found.start()]
    else:
        reason = reason.removesuffix(" (at end of document)")
        line, column = text.count("\n") + 1, len(text) - text.rfind("\n")
    raise ConfigError(f"{file}, line {line}, column {column}: {reason}.")


def check(values: dict[str, Any], file: Path) -> dict[str, Any]:
    """Values held against the keys and types above; raises ConfigError naming key and reason."""
    checked, found = validate(values)
    if found:
        shown = "; ".join(problem.text for problem in found[:5])
        more = f"; and {len(found) - 5} more" if len(found) > 5 else ""
        raise ConfigError(f"The configuration file {file} is wrong: {shown}{more}.")
    return checked


class Problem(NamedTuple):
    """What is wrong with one key, or with something below it."""

    key: tuple[str, ...]
    text: str


def validate(values: dict[str, Any]) -> tuple[dict[str, Any], list[Problem]]:
    """The checked values, keys that are not set left out, and what is wrong with them."""
    try:
        return ConfigModel.model_validate(values).model_dump(exclude_none=True), []
    except ValidationError as error:
        return {}, [_problem(item) for item in error.errors(include_url=False)]
    except RecursionError:
        return {}, [Problem((), "values are nested too deeply")]


def _problem(item: ErrorDetails) -> Problem:
    parts = tuple(str(part) for part in item["loc"])
    key = dotted(parts)
    if item["type"] == "extra_forbidden":
        return Problem(parts, f"unknown key {key}{suggestion(key)}")
    reason = item["msg"].removeprefix("Value error, ").replace("Input should be", "must be")
    # An address may hold a password.
    shown = "" if key.endswith("api_base") else f", not {_short(item['input'])}"
    return Problem(parts, f"{key} {reason}{shown}")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"


def dotted(parts: tuple[str, ...]) -> str:
    """A key as TOML writes it."""
    return ".".join(p if _BARE_KEY.match(p) else '"' + _escape(p) + '"' for p in parts)


def _escape(part: str) -> str:
    return part.replace("\\", "\\\\").replace('"', '\\"')


def suggestion(key: str) -> str:
    """` (did you mean X?)` for a key that is nearly right, else an empty string."""
    import difflib

    tables = sorted({known.partition(".")[0] for known in KEYS if "." in known})
    close = difflib.get_close_matches(key, (*KEYS, *tables), n=1, cutoff=0.6)
    if not close:
        last = key.rpartition(".")[2]
        close = [known for known in KEYS if known.rpartition(".")[2] == last][:1]
    return f" (did you mean {close[0]}?)" if close else ""
