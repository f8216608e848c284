"""A guess at the language of a text: by its script, else by its function words."""

from __future__ import annotations

import re
from functools import cache

from xum_intuition.memory.stopwords import LANGUAGES
from xum_intuition.memory.terms import word_pattern

_SAMPLE = 2_000
_EAST_ASIAN = "[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]"
_KANA = "[\u3041-\u30ff]"
_HANGUL = "[\uac00-\ud7a3]"
_CYRILLIC = "[\u0400-\u04ff]"


def language(text: str) -> str:
    """Two letters (`en`, `ja`, `ru` …); English where nothing tells."""
    sample = text[:_SAMPLE]
    if not sample.isascii():
        signs = _count(_EAST_ASIAN, sample)
        if signs > len(sample) * 0.08:
            if _count(_KANA, sample) > signs * 0.1:
                return "ja"
            return "ko" if _count(_HANGUL, sample) > signs * 0.3 else "zh"
        if _count(_CYRILLIC, sample) > len(sample) * 0.15:
            return "ru"
    words = [word.lower() for word in word_pattern(sample).findall(sample)]
    counts = {name: sum(w in known for w in words) for name, known in LANGUAGES.items()}
    best = max(counts, key=lambda name: (counts[name], name == "en"))
    return best if counts[best] else "en"


def _count(letters: str, text: str) -> int:
    return len(_compiled(letters).findall(text))


# Compiling these takes 3 ms, and ASCII text needs none of them.
@cache
def _compiled(letters: str) -> re.Pattern[str]:
    return re.compile(letters)
