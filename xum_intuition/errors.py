"""What can go wrong, as one tree, and the exit code of each.

    IntuitionError
    ├── UsageProblem    2    the command line or the cue is wrong; always plain text
    ├── ProviderError   4    the model or its provider failed
    ├── StoreError      5    the memory directory or the sidecar cannot be read
    ├── ConfigError     5    the configuration cannot be read or is wrong
    ├── Disabled        6    policy forbids recall
    └── Interrupted     130  SIGINT or SIGTERM, or a client that cancelled

    MemoryRefused            one memory cannot be read; never ends a recall
    ├── Unreadable           too large, not UTF-8, gone, no permission
    └── Forbidden            a hook or filter hides it

Messages are complete sentences for a person and name what to do. Nothing is printed here.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xum_intuition.result import ErrorCode


class ExitCode(IntEnum):
    """Every exit code of the command."""

    OK = 0
    DIFFERENT = 1
    USAGE = 2
    LIMIT = 3
    PROVIDER = 4
    STORE = 5
    DISABLED = 6
    BUG = 70
    INTERRUPTED = 130


class IntuitionError(Exception):
    """An expected end of a run; `code` is the word in JSON, `exit_code` the process's."""

    code: ErrorCode = "internal"
    exit_code = ExitCode.BUG


class UsageProblem(IntuitionError):
    code = "usage"
    exit_code = ExitCode.USAGE


class ProviderError(IntuitionError):
    code = "provider"
    exit_code = ExitCode.PROVIDER


class StoreError(IntuitionError):
    code = "store"
    exit_code = ExitCode.STORE


class ConfigError(IntuitionError):
    code = "config"
    exit_code = ExitCode.STORE


class Disabled(IntuitionError):
    code = "disabled"
    exit_code = ExitCode.DISABLED


class Interrupted(IntuitionError):
    code = "interrupted"
    exit_code = ExitCode.INTERRUPTED


class MemoryRefused(Exception):
    """One memory cannot be had; the message says why, in words a model can act on."""


class Unreadable(MemoryRefused):
    pass


class Forbidden(MemoryRefused):
    pass
