"""The terms of a cue and of a text: words, identifiers, numbers, pairs of unspaced scripts."""

from __future__ import annotations

import re
from enum import Enum
from functools import cache
from typing import NamedTuple
from unicodedata import combining, normalize

from xum_intuition.memory.stopwords import FILLER_CHARS, IRREGULAR, STOP_WORDS

MAX_TERMS = 48
"""Terms of a cue that are looked for; a longer cue keeps its first ones."""

_BEGINNING = 5
"""Letters from which on a stem is known by a word that begins with it."""

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff々"
_HIRAGANA = "\u3041-\u309f"
_KATAKANA = "\u30a1-\u30fa\u30fc\u31f0-\u31ff"
_HANGUL = "\uac00-\ud7a3"
_UNSPACED = "\u0e00-\u0e7f\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
_CJK = _HAN + _HIRAGANA + _KATAKANA + _HANGUL + _UNSPACED

_ASCII_WORD = re.compile(r"[^\W_]+")
_COMPOUND = re.compile(
    r"(?<![\w.@/-])(?:--?|/|\./|~/|@)?[A-Za-z0-9][A-Za-z0-9]*(?:(?:::|->|[._/:@#+-])[A-Za-z0-9]+)+"
    r"|--[A-Za-z0-9]+|[A-Za-z_]\w*(?=\()|\b_\w+"
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_CODE = re.compile(r"`([^`\n]{2,80})`")


# Compiling these character sets takes 5 ms, and ASCII text needs none of them.
@cache
def _cjk_runs() -> re.Pattern[str]:
    """Runs of one unspaced script each."""
    return re.compile(f"[{_HAN}]+|[{_KATAKANA}]+|[{_HANGUL}]+|[{_UNSPACED}]+")


@cache
def _any_word() -> re.Pattern[str]:
    return re.compile(f"[^\\W_{_CJK}]+")


def word_pattern(text: str) -> re.Pattern[str]:
    """Finds in this text the words of spaced scripts: letters and digits, no underscore."""
    return _ASCII_WORD if text.isascii() else _any_word()


def _has_cjk(text: str) -> bool:
    return not text.isascii() and _cjk_runs().search(text) is not None


class Kind(Enum):
    """What a term is; it decides how the term is looked for."""

    WORD = "word"
    NUMBER = "number"
    NAME = "name"
    IDENTIFIER = "identifier"
    GRAM = "gram"


class Fit(Enum):
    """How a piece of text has to stand in it, to be taken for a term."""

    BEGINNING = "beginning"
    """At the beginning of a word, or less surely inside of one."""
    STEM = "stem"
    """As a word whose stem it is: too short to tell much as a beginning (`exam`, `example`)."""
    WORD = "word"
    """As a word by itself: a short name is no verb's stem (`Tim`, `timing`)."""


class Term(NamedTuple):
    """One thing to look for. `stem` is lower case; `word` is what the cue said."""

    stem: str
    kind: Kind
    word: str
    weight: float = 1.0

    @property
    def whole(self) -> bool:
        """Whether it is looked for as a piece of text and not as a word."""
        return self.kind in (Kind.IDENTIFIER, Kind.GRAM)

    @property
    def exact(self) -> bool:
        """Whether only the word itself will do: a short name."""
        return self.kind is Kind.NAME and len(self.stem) < _BEGINNING


def fold(word: str) -> str:
    """Lower case without accents (`Mémoire` → `memoire`); Cyrillic й and kana keep theirs."""
    low = word.lower()
    if low.isascii():
        return low
    flat = "".join(c for c in normalize("NFD", low.replace("ß", "ss")) if not combining(c))
    return flat if flat.isascii() else low


_ENDINGS = (
    "izations", "ization", "ations", "ation", "ating", "ators", "ator", "ated", "ates", "ate",
    "ments", "ment", "iness", "ities", "ness", "ions", "ings", "ion", "ing", "ity", "ers", "ies",
    "ied", "able", "ive", "er", "ed", "es", "ly", "s", "y", "e",
)  # fmt: skip
_ENDINGS_RU = (
    "иями", "ами", "ями", "ого", "его", "ому", "ему", "ыми", "ими", "ться", "ется", "ить", "ать",
    "ять", "еть", "ешь", "ете", "ов", "ев", "ей", "ой", "ый", "ий", "ая", "яя", "ое", "ее", "ые",
    "ие", "ую", "юю", "ах", "ях", "ам", "ям", "ом", "ем", "ия", "ию", "ии", "ет", "ут", "ют", "ит",
    "а", "я", "о", "е", "у", "ю", "ы", "и", "ь",
)  # fmt: skip

_LEAST = {"s": 3, "ed": 3, "ing": 3, "es": 3, "e": 3, "ion": 5, "ions": 5}
"""Letters that an ending leaves at least, where not four: `station` is no `state`."""
_BELONGS = {"s": ("ss", "us", "is"), "y": ("ay", "ey", "oy", "uy")}
"""Where an ending belongs to the word."""
_BY_LAST_LETTER: dict[str, list[str]] = {}
for _ending in _ENDINGS + _ENDINGS_RU:
    _BY_LAST_LETTER.setdefault(_ending[-1], []).append(_ending)


def stem(word: str) -> str:
    """The light stem of one lower-case word; what is left has at least three letters."""
    word = IRREGULAR.get(word, word)
    if len(word) < 4 or word[-1].isdigit():
        return word
    cyrillic = "\u0400" <= word[0] <= "\u04ff"
    for ending in _BY_LAST_LETTER.get(word[-1], ()):
        if word.endswith(ending):
            left = len(word) - len(ending)
            least = 3 if cyrillic else _LEAST.get(ending, 4)
            if left >= least and not word.endswith(_BELONGS.get(ending, ())):
                return _undouble(word[:left])
    return word


def _undouble(root: str) -> str:
    """`stopp` → `stop`; a doubled l, s or z may belong to the word."""
    if len(root) > 3 and root[-1] == root[-2] and root[-1] in "bdgmnprt":
        return root[:-1]
    return root


def split_identifier(word: str) -> list[str]:
    """`fooBarHTTP2` → `foo`, `Bar`, `HTTP2`."""
    return _CAMEL.split(word) if not (word.islower() or word.isupper()) else [word]


def cue_terms(cue: str) -> list[Term]:
    """The distinct terms of a cue, in the order in which they first occur, at most MAX_TERMS."""
    found: dict[str, Term] = {}
    for term in (*_identifiers(cue), *_words(cue), *_grams(cue)):
        found.setdefault(term.stem, term)
    return list(found.values())[:MAX_TERMS]


def _identifiers(cue: str) -> list[Term]:
    spans = [m.group() for m in _COMPOUND.finditer(cue)]
    spans += [m.group(1) for m in _CODE.finditer(cue) if " " not in m.group(1)]
    spans += [
        w for w in word_pattern(cue).findall(cue) if len(split_identifier(w)) > 1 or _is_constant(w)
    ]
    terms = []
    for span in spans:
        text = span.strip("-./:@#~+()").lower()
        if len(text) >= 4 and text not in STOP_WORDS and not _has_cjk(text):
            terms.append(Term(text, Kind.IDENTIFIER, span))
    return terms


def _is_constant(word: str) -> bool:
    return len(word) >= 6 and word.isupper() and word.isascii()


def _words(cue: str) -> list[Term]:
    terms = []
    for match in word_pattern(cue).finditer(cue):
        for part in split_identifier(match.group()):
            word = fold(part)
            if word in STOP_WORDS or part.lower() in STOP_WORDS:
                continue
            number = any(c.isdigit() for c in word)
            if len(word) < (2 if number or part.isupper() else 3):
                continue
            first = match.start() == 0 or cue[: match.start()].rstrip()[-1:] in ".!?:\n\"'“„«("
            name = part[0].isupper() and not first
            kind = Kind.NUMBER if number else Kind.NAME if name else Kind.WORD
            root = word if name and len(word) < _BEGINNING else stem(word)
            terms.append(Term(root, kind, part))
    return terms


def _grams(cue: str) -> list[Term]:
    if cue.isascii():
        return []
    terms = []
    for match in _cjk_runs().finditer(cue):
        run = match.group()
        if "\u30a1" <= run[0] <= "\u31ff":  # a katakana run is a word
            pieces = [run] if len(run) > 1 else []
        elif "\uac00" <= run[0] <= "\ud7a3" or len(run) > 2:
            size = 3 if "\u0e00" <= run[0] <= "\u17ff" else 2
            pieces = [run[i : i + size] for i in range(max(1, len(run) - size + 1))]
        else:
            pieces = [run]
        for piece in pieces:
            if not any(c in FILLER_CHARS for c in piece) and (len(piece) > 1 or piece > "\u4e00"):
                weight = 0.6 if len(piece) > 1 else 0.3
                terms.append(Term(piece, Kind.GRAM, piece, weight if len(run) > 1 else 0.3))
    return terms


_SHORT_FORMS: dict[str, list[str]] = {}
for _form, _base in IRREGULAR.items():
    _SHORT_FORMS.setdefault(stem(_base), []).append(_form)


def needles(term: Term) -> list[tuple[str, Fit]]:
    """The lower-case pieces of text that betray a term, each with how it has to fit."""
    forms = {term.stem}
    if term.exact:
        return [(term.stem, Fit.WORD)]
    if not term.whole:
        forms.add(_accented_stem(term))
        forms.update(_SHORT_FORMS.get(term.stem, ()))
    kept = [f for f in forms if not any(f != g and f.startswith(g) and len(g) > 4 for g in forms)]
    return [
        (form, Fit.STEM if not term.whole and len(form) < _BEGINNING else Fit.BEGINNING)
        for form in sorted(kept)
    ]


def _accented_stem(term: Term) -> str:
    """The stem as the cue spells it: a text may have the accents that `fold` takes away."""
    spelled = term.word.lower()[: len(term.stem)]
    return spelled if fold(spelled) == term.stem else term.stem
