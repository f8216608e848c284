from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xum_intuition.memory.language import language
from xum_intuition.memory.terms import (
    MAX_TERMS,
    Fit,
    Kind,
    cue_terms,
    fold,
    needles,
    split_identifier,
    stem,
)


def stems(cue: str) -> set[str]:
    return {term.stem for term in cue_terms(cue)}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("deploy", "deployment"),
        ("deploys", "deploying"),
        ("migration", "migrated"),
        ("config", "configuration"),
        ("repo", "repositories"),
        ("ran", "running"),
        ("stopped", "stops"),
        ("файлы", "файлов"),
        ("Straße".lower(), "strasse"),
    ],
)
def test_forms_of_a_word_share_a_stem(one: str, other: str) -> None:
    assert stem(fold(one)) == stem(fold(other))


@pytest.mark.parametrize(
    ("one", "other"), [("class", "clan"), ("station", "state"), ("status", "state"), ("bus", "bu")]
)
def test_other_words_keep_their_own_stem(one: str, other: str) -> None:
    assert stem(one) != stem(other)


@pytest.mark.parametrize(
    "cue",
    [
        "what should I do with it then?",
        "was soll ich denn damit machen",
        "que dois-je faire avec ça ?",
        "что мне с этим делать",
    ],
)
def test_function_words_are_no_terms(cue: str) -> None:
    assert len(cue_terms(cue)) <= 1


@pytest.mark.parametrize(
    ("cue", "whole"),
    [
        ("where does fooBar go", "foobar"),
        ("rename foo_bar", "foo_bar"),
        ("may I pass --no-verify here", "no-verify"),
        ("it ends with ECONNRESET again", "econnreset"),
        ("edit /etc/hosts on my laptop", "etc/hosts"),
        ("tag v2.3.1 today", "v2.3.1"),
        ("call std::move there", "std::move"),
        ("why is `x-y` empty", "x-y"),
    ],
)
def test_identifiers_are_looked_for_as_a_whole(cue: str, whole: str) -> None:
    found = {t.stem: t.kind for t in cue_terms(cue)}
    if len(whole) > 3:
        assert found[whole] is Kind.IDENTIFIER


def test_the_parts_of_an_identifier_are_terms_as_well() -> None:
    assert {"keep", "aliv"} & stems("set keepAliveMsecs") and "msec" in stems("set keepAliveMsecs")
    assert split_identifier("parseHTTPHeader") == ["parse", "HTTP", "Header"]


def test_names_and_numbers_are_told_from_words() -> None:
    found = {t.word: t.kind for t in cue_terms("Ask Magento for the 42 orders")}
    assert found["Magento"] is Kind.NAME and found["42"] is Kind.NUMBER
    assert found["orders"] is Kind.WORD


def test_unspaced_scripts_become_pairs_and_katakana_stays_whole() -> None:
    assert {"設定", "定画", "画面", "ボタン"} <= stems("設定画面にボタンを足して")
    assert {"生产", "产环", "环境"} <= stems("部署到生产环境")
    assert "플러" in stems("플러그인을 켜 줘")
    assert not any("的" in s for s in stems("我的订单"))


def test_a_short_form_must_be_a_word_and_a_long_one_a_beginning() -> None:
    [run] = [t for t in cue_terms("run") if t.stem == "run"]
    assert ("run", Fit.STEM) in needles(run)
    [word] = cue_terms("Mémoire")
    assert {form for form, _ in needles(word)} >= {"memoir", "mémoir"}


def test_a_short_name_is_no_stem() -> None:
    tim = {t.word: t for t in cue_terms("Ask Tim")}["Tim"]
    assert needles(tim) == [("tim", Fit.WORD)]


def test_a_cue_has_a_bounded_number_of_terms() -> None:
    assert len(cue_terms(" ".join(f"wort{i}x" for i in range(900)))) == MAX_TERMS


@given(st.text(max_size=300))
def test_any_text_has_terms_without_an_error(text: str) -> None:
    for term in cue_terms(text):
        assert term.stem and needles(term)


@pytest.mark.parametrize("text", ["a_" * 1000, "-" * 2000, "x.y" * 600, "aB" * 1000, "é" * 2000])
def test_a_hostile_cue_takes_no_longer_than_its_length(text: str) -> None:
    began = time.process_time()
    cue_terms(text)
    assert time.process_time() - began < 2.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Run the tests before you push", "en"),
        ("Die Tests müssen vor dem Push laufen, und zwar alle", "de"),
        ("Il faut que les tests passent dans la branche", "fr"),
        ("Los cambios de la rama no se suben hasta que pasan", "es"),
        ("Запусти тесты перед отправкой", "ru"),
        ("テストを実行してからプッシュする", "ja"),
        ("先运行测试再推送", "zh"),
        ("푸시하기 전에 테스트를 실행한다", "ko"),
        ("", "en"),
    ],
)
def test_the_language_of_a_text_is_guessed(text: str, expected: str) -> None:
    assert language(text) == expected
