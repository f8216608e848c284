"""The shipped word vectors: nearness without a shared word, background rarity."""

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xum_intuition.agent import vectors
from xum_intuition.agent.vectors import Table, open_table, words


@pytest.fixture(scope="module")
def table() -> Table:
    found = open_table()
    assert found is not None
    return found


def nearness(table: Table, cue: str, passage: str) -> float:
    place = table.cue(words(cue))
    assert place is not None
    return place.passage(words(passage))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fooBar foo_bar --no-verify", ["foo", "bar", "foo", "bar", "no", "verify"]),
        ("ECONNRESET in HTTPServer v2.3", ["econnreset", "in", "http", "server", "v2", "3"]),
        ("utf8の設定 Größe", ["utf8", "の設", "設定", "größe"]),
        ("中 ABC", ["中", "abc"]),
        ("", []),
    ],
)
def test_words_are_split_as_the_table_spells_them(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("cue", "near", "far"),
    [
        (
            "The password is rejected at login",
            "Credentials must be authenticated again after they expire.",
            "Charts are drawn with a logarithmic axis.",
        ),
        (
            "Speed up slow queries",
            "Database indexes make lookups faster.",
            "Icons live beside the fonts.",
        ),
        ("Die Datei lässt sich nicht löschen", "Ordner entfernen: Rechte prüfen", "Farbe wählen"),
        ("ファイルを削除できない", "フォルダーの消去には権限が必要", "グラフの色を選ぶ"),
        ("无法删除文件", "移除目录需要权限", "选择图表的颜色"),
        ("Не удаётся удалить файл", "Каталог стирается с правами", "Выбор цвета диаграммы"),
    ],
)
def test_a_passage_in_other_words_is_nearer_than_one_on_something_else(
    table: Table, cue: str, near: str, far: str
) -> None:
    assert nearness(table, cue, near) > nearness(table, cue, far)


def test_another_language_is_reached_from_an_english_cue(table: Table) -> None:
    cue = "delete a file"
    assert nearness(table, cue, "eine Datei löschen") > nearness(table, cue, "Farbe wählen")


def test_rarity_ranks_common_nouns_below_names(table: Table) -> None:
    assert table.rarity("the") < table.rarity("file") < table.rarity("kubernetes")
    assert table.rarity("qqzxwv") == 1.0


def test_an_unknown_word_has_no_closeness_and_makes_no_cue(table: Table) -> None:
    cue = table.cue(["password", "qqzxwv"])
    assert cue is not None
    assert cue.coverage == 0.5
    assert cue.closeness("qqzxwv") is None
    assert cue.closeness("password") == pytest.approx(1.0)
    assert cue.passage(["qqzxwv"]) == 0.0
    assert table.cue(["qqzxwv"]) is None
    assert table.cue([]) is None


def test_an_inflected_word_stands_on_its_stem(table: Table) -> None:
    assert table.knows("passwordless")
    assert not table.knows("qqzxwv")


@given(st.text(max_size=300))
def test_any_text_gives_a_cosine_and_order_and_repeats_do_not_matter(text: str) -> None:
    table = open_table()
    assert table is not None
    cue = table.cue(words("delete a file"))
    assert cue is not None
    found = words(text)
    value = cue.passage(found)
    assert -1.0001 <= value <= 1.0001
    assert cue.passage([*reversed(found), *found]) == value
    assert all(0.0 <= table.rarity(word) <= 1.0 for word in found)


def test_without_a_usable_file_there_is_no_table(tmp_path: Path) -> None:
    assert open_table(tmp_path / "absent.bin") is None
    for name, data in (
        ("empty.bin", b""),
        ("short.bin", b"XUMV"),
        ("other.bin", b"something else altogether, and long enough"),
        ("cut.bin", vectors.DATA.read_bytes()[:-1]),
    ):
        (tmp_path / name).write_bytes(data)
        assert open_table(tmp_path / name) is None


def test_a_copy_of_the_file_serves_as_well(tmp_path: Path) -> None:
    copy = shutil.copy(vectors.DATA, tmp_path / "copy.bin")
    table = open_table(Path(copy))
    assert table is not None
    assert table.knows("password")


def test_many_words_at_once_are_as_near_as_one_by_one(table: Table) -> None:
    many = ["deployment", "banana", "sql", "the", "größe", "zzqx"]
    place = table.cue(["deploy"])
    assert place is not None
    cosines = table.batch(many).cosines(table.sum(["deploy"]))
    assert "zzqx" not in cosines and len(cosines) >= 4
    for word, cosine in cosines.items():
        assert place.closeness(word) == pytest.approx(cosine, abs=0.01)


def test_no_words_at_once_are_no_error(table: Table) -> None:
    assert table.batch([]).cosines(table.sum(["deploy"])) == {}
