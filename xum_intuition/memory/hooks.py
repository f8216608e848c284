"""Hooks that may forbid a memory, hide parts of it, or look on when it is read.

Named tuples here and around the settings, because a frozen dataclass with slots takes 1 to 2 ms
of every start.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import NamedTuple

from xum_intuition.clock import Deadline, Interrupt
from xum_intuition.errors import Forbidden
from xum_intuition.names import names_secret

TIMEOUT_S = 10.0
"""Of each hook."""
MAX_RESULT_CHARS = 8_000
"""Of a memory's text in the environment of `tool_post`."""

_KEPT = frozenset({"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR"})
_KEPT_PREFIXES = ("LC_", "XDG_", "XUM_")


class Hook(NamedTuple):
    """A program and its arguments; `source` names who asked for it, for messages."""

    argv: tuple[str, ...]
    source: str


class HookSet(NamedTuple):
    """Every hook in force. Those of the root and of the configuration all run, in this order:
    a hook can only take away, so none switches another one off."""

    tool_pre: tuple[Hook, ...] = ()
    tool_post: tuple[Hook, ...] = ()
    filter: Hook | None = None

    @property
    def hides(self) -> bool:
        """Whether a body may be seen by fewer than all: then nothing of it may leak past them."""
        return bool(self.tool_pre) or self.filter is not None


class HookFailed(Exception):
    """A hook could not do its work; the message says why."""


class Runner:
    """Runs hooks for one recall, within its deadline; raises Interrupted when it is stopped."""

    def __init__(
        self,
        *,
        env: Mapping[str, str],
        folder: str | None,
        project: str | None,
        workspace: str | None,
        deadline: Deadline,
        interrupt: Interrupt,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self._env = environment(env, project=project, workspace=workspace)
        self._cwd = _working_folder(folder, env)
        self._deadline, self._interrupt, self._timeout_s = deadline, interrupt, timeout_s

    def check(self, hook: Hook, path: str) -> None:
        """Let `tool_pre` decide; raises Forbidden, or HookFailed where it cannot tell."""
        code, _, _ = self._run(hook, _input(path))
        if code:
            raise Forbidden("a hook forbids this memory")

    def look_on(self, hook: Hook, path: str, visible: str) -> None:
        """Show `tool_post` what was read; raises HookFailed."""
        import tempfile

        try:
            # The directory's mode is 0700: the memory is nobody else's.
            with tempfile.TemporaryDirectory(
                prefix="intuition-", ignore_cleanup_errors=True
            ) as folder:
                file = os.path.join(folder, "result")
                with open(file, "wb") as stream:
                    stream.write(visible.encode())
                shown = visible[:MAX_RESULT_CHARS].replace("\0", "")
                more = {"XUM_TOOL_RESULT": shown, "XUM_TOOL_RESULT_PATH": file}
                code, _, _ = self._run(hook, {**_input(path), **more})
        except OSError as error:
            raise HookFailed(f"its result could not be written ({error.strerror})") from None
        if code:
            raise HookFailed(f"ended with exit code {code}")

    def visible(self, hook: Hook, path: str, content: bytes) -> str:
        """What the filter lets through of a memory; raises HookFailed."""
        code, output, cut = self._run(hook, _input(path), content)
        if code:
            raise HookFailed(f"ended with exit code {code}")
        try:
            text = output.decode("utf-8", "strict" if not cut else "ignore")
        except UnicodeDecodeError:
            raise HookFailed("answered with something that is not UTF-8") from None
        if "\0" in text:
            raise HookFailed("answered with a NUL byte")
        return text.removeprefix("\ufeff")

    def _run(
        self, hook: Hook, more: Mapping[str, str], given: bytes = b""
    ) -> tuple[int, bytes, bool]:
        """Exit code, output, and whether it was cut."""
        from xum_intuition.memory import process_group

        if self._deadline.passed():
            raise HookFailed("was not run, because the recall's time was up")
        env = self._env | {name.encode(): value.encode() for name, value in more.items()}
        try:
            outcome = process_group.run(
                hook.argv,
                given=given,
                env=env,
                cwd=self._cwd,
                timeout_s=self._timeout_s,
                deadline=self._deadline,
                interrupt=self._interrupt,
            )
        except (OSError, ValueError) as error:
            raise HookFailed(f"cannot be run ({getattr(error, 'strerror', error)})") from None
        if outcome.ending == "interrupt":
            self._interrupt.check()
        if outcome.ending == "timeout":
            raise HookFailed(f"did not end within {self._timeout_s:g} s")
        if outcome.ending != "exited":
            raise HookFailed("did not end before the recall's time was up")
        if outcome.code < 0:
            raise HookFailed(f"was ended by signal {-outcome.code}")
        return outcome.code, outcome.output, outcome.cut


def environment(
    env: Mapping[str, str], *, project: str | None, workspace: str | None
) -> dict[bytes, bytes]:
    """What a hook is told of the world: no key of any provider, no relative entry of PATH."""
    kept = {name: value for name, value in env.items() if _is_kept(name)}
    folders = [part for part in kept.get("PATH", "").split(os.pathsep) if os.path.isabs(part)]
    kept["PATH"] = os.pathsep.join(folders) or os.defpath.lstrip(":")
    kept["INTUITION_SUBAGENT"] = "1"
    kept["XUM_TOOL"] = "memory"
    kept["XUM_WORKSPACE_ID"] = workspace or ""
    kept["XUM_PROJECT_DIR"] = project or ""
    return {os.fsencode(name): os.fsencode(value) for name, value in kept.items()}


def _is_kept(name: str) -> bool:
    if name in _KEPT:
        return True
    # XUM_TOOL… describes one call: what the environment holds of it belongs to another one.
    wanted = name.startswith(_KEPT_PREFIXES) and not name.startswith("XUM_TOOL")
    return wanted and not names_secret(name)


def _input(path: str) -> dict[str, str]:
    call = {"command": "view", "path": path}
    return {
        "XUM_TOOL_INPUT": json.dumps(call, ensure_ascii=False),
        "XUM_TOOL_INPUT_COMMAND": "view",
        "XUM_TOOL_INPUT_PATH": path,
    }


def _working_folder(folder: str | None, env: Mapping[str, str]) -> str:
    """Never the current directory, which may be anyone's project."""
    from xum_intuition.dirs import home

    usual = [folder or "", str(home(env))]
    return next((path for path in usual if os.path.isdir(path)), "/")
