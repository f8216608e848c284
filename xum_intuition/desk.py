"""What recalls share: settings, the store at hand, the models, the clock.

One desk serves one command, a whole batch or a running server; it keeps what is dear to get (the
model library, and for a batch the documents) and nothing that could go stale.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xum_intuition import dirs
from xum_intuition.agent.model import Seat
from xum_intuition.clock import Clock
from xum_intuition.errors import StoreError, UsageProblem
from xum_intuition.memory.index import Document, documents
from xum_intuition.memory.paths import Layout, locate
from xum_intuition.memory.store import Store
from xum_intuition.protocol import Memories
from xum_intuition.settings import OFFLINE, Flags, Settings, load

if TYPE_CHECKING:
    from xum_intuition.agent.offline import Recognizer

EXAMPLE_DIR = Path(__file__).with_name("example")
MAX_PRELOADED_CHARS = 64 * 1024 * 1024


@dataclass
class Desk:
    """Where recalls happen. Creates nothing on disk."""

    settings: Settings
    env: Mapping[str, str]
    state_dir: Path
    cwd: Path | None = None
    clock: Clock = field(default_factory=Clock)
    _preloaded: tuple[Store, list[Document]] | None = field(default=None, init=False)

    @cached_property
    def layout(self) -> Layout:
        try:
            return locate(self.settings.store, state_dir=self.state_dir, cwd=self.cwd)
        except StoreError as error:
            source = self.settings.sources.get("memory_dir") or self.settings.sources.get("root")
            if source is None or source.startswith("--"):
                raise
            raise StoreError(f"{error} It is named by {source}.") from None

    def preload(self) -> None:
        """Read the store once for many cues, as far as it fits a sensible amount of memory."""
        store = self._new_store()
        kept: list[Document] = []
        size = 0
        for document in documents(store):
            size += len(document.text or "")
            if size > MAX_PRELOADED_CHARS:
                return
            kept.append(document)
        self._preloaded = (store, kept)

    def documents(self, stop: Callable[[], bool]) -> tuple[Store, Iterator[Document]]:
        """The store and its memories, read from disk unless they were preloaded."""
        if self._preloaded is not None:
            store, kept = self._preloaded
            return store, iter(kept)
        store = self._new_store()
        return store, documents(store, stop)

    def _new_store(self) -> Store:
        return Store(self.layout, max_files=self.settings.limits.max_files)

    @property
    def models(self) -> tuple[str, ...]:
        """The model and its fallbacks, in the order in which they take over."""
        return (self.settings.model, *self.settings.fallback_models)

    def prepare_models(self) -> None:
        """Begin to load the model library in the background, if a real model is named."""
        if any(name != OFFLINE for name in self.models):
            from xum_intuition.agent import litellm_model

            litellm_model.load_in_background()

    def seats(self, recognizer: Callable[[], Recognizer], memories: Memories) -> Sequence[Seat]:
        """How to get each model, tried in turn; the embedded one is made from the recall's own."""
        return [self._seat(name, recognizer, memories) for name in self.models]

    def _seat(self, name: str, recognizer: Callable[[], Recognizer], memories: Memories) -> Seat:
        if name == OFFLINE:
            from xum_intuition.agent.offline_model import OfflineModel

            return lambda: OfflineModel(recognizer(), memories)
        from xum_intuition.agent import litellm_model

        return litellm_model.seat(name, api_base=self.settings.api_base_for(name))


def open_desk(given: Mapping[str, Any], env: Mapping[str, str], *, example: bool = False) -> Desk:
    """The desk for a command line's values, by the names of `settings.Flags`."""
    if example:
        if given["memory_dirs"] or given["root"]:
            raise UsageProblem("--example goes without --memory-dir and --root.")
        given = {**given, "memory_dirs": (str(EXAMPLE_DIR),)}
    return Desk(load(Flags(**given), env), env, dirs.state_dir(env))
