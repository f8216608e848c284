"""How often a turn of the calling agent has recalled, counted across processes.

`turns.json` in the state directory maps each turn's id to its uses and the time of the last
one; a turn that was not heard of for a day is forgotten.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import NamedTuple

from xum_intuition import atomic, dirs, statelock

FORGOTTEN_AFTER_MS = 24 * 60 * 60 * 1000
MAX_TURNS = 1000
"""Turns that are remembered at once; the ones unheard of for longest go first."""
_MAX_ID_CHARS = 200
_MAX_BYTES = 4 * 1024 * 1024
"""More than any of our own ever has; of a larger file nothing is believed."""

_Turns = dict[str, tuple[int, int]]


class Charge(NamedTuple):
    """Whether the recall may go on, and what could not be written down."""

    allowed: bool
    warning: str | None = None


def reached(state_dir: Path, turn_id: str, limit: int, now_ms: int) -> bool:
    """Whether a turn has used up its recalls; looks only."""
    return _uses(_read(state_dir, now_ms), _name(turn_id)) >= limit


def charge(
    state_dir: Path, turn_id: str, limit: int, now_ms: int, *, wait_s: float = statelock.WAIT_S
) -> Charge:
    """Count one recall of a turn unless its limit is reached; raises nothing.

    Another process that counts is waited for at most `wait_s` seconds.
    """
    folder = os.fspath(state_dir)
    name = _name(turn_id)
    try:
        atomic.make_private_folder(folder)
        with statelock.held(os.path.join(folder, "turns.lock"), wait_s=wait_s):
            turns = _read(state_dir, now_ms)
            uses = _uses(turns, name)
            if uses >= limit:
                return Charge(False)
            turns.pop(name, None)
            turns[name] = (uses + 1, now_ms)
            _write(state_dir, turns)
    except OSError as error:
        reason = error.strerror or error
        warning = f"This recall was not counted for its turn in {folder}: {reason}."
        return Charge(not reached(state_dir, turn_id, limit, now_ms), warning)
    return Charge(True)


def _name(turn_id: str) -> str:
    """The id itself, or a digest of one that is unreasonably long."""
    if len(turn_id) <= _MAX_ID_CHARS:
        return turn_id
    import hashlib

    return hashlib.sha256(turn_id.encode("utf-8", "surrogatepass")).hexdigest()


def _uses(turns: _Turns, name: str) -> int:
    return turns[name][0] if name in turns else 0


def _read(state_dir: Path, now_ms: int) -> _Turns:
    """The turns that are remembered, the latest last; none where the file is missing or broken."""
    try:
        found = json.loads(dirs.read_regular(state_dir / "turns.json", _MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    turns: _Turns = {}
    for name, value in found.items() if isinstance(found, dict) else ():
        match value:
            # A clock that went back makes turns of the future; a day of that is believed.
            case [int(uses), int(at)] if abs(now_ms - at) < FORGOTTEN_AFTER_MS:
                turns[name] = (uses, at)
    return turns


def _write(state_dir: Path, turns: _Turns) -> None:
    latest = dict(list(turns.items())[-MAX_TURNS:])
    data = json.dumps(latest).encode()
    atomic.replace(os.path.join(state_dir, "turns.json"), data, durable=False)
