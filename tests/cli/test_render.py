"""What a person sees: nothing is lost, nothing harms the terminal, every face is as it was kept."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tests.support.terminal import SGR, assert_as_kept, shown
from xum_intuition.cli import render
from xum_intuition.cli.render_page import bar, fold, text_lines
from xum_intuition.limits import Limits
from xum_intuition.memory.index import build, documents
from xum_intuition.memory.paths import Layout, ScopeRoot
from xum_intuition.memory.store import Store
from xum_intuition.result import (
    Candidate,
    Considered,
    Failure,
    LimitReached,
    Memory,
    ModelUsage,
    Recognized,
    Result,
    Stats,
    Uncertain,
)
from xum_intuition.text import hidden, visible

EXCERPT = (
    "# Logs on this host\n\n"
    "- Service logs are under `/srv/logs/<service>/`, one file a day; nothing is in `/var/log`.\n"
    "\t- 最新のログは名前の順では最後になりません。時刻で並べ替えてください。🎉🎉\n"
    "- [bold]Never[/bold] open a log with an editor\x1b[31m here\x1b[0m \u202eevil\u200b."
)
STATS = Stats(
    index_entries_considered=16, files_read=3, bytes_read=900, steps=2, elapsed_ms=1234, retries=1
)
USAGE = (ModelUsage("openai/gpt-5", 1000, 100, 0, 0.0123),)
MEMORY = Memory(
    path="/memories/global/hosts/log-locations.md",
    file="/x/log-locations.md",
    relevance=0.98,
    excerpt=EXCERPT,
    lines=(4, 8),
    sha256="0" * 64,
    truncated=True,
    why="It names the folder\nand the command.",
)
LEAD = Candidate(
    path="/memories/project/日本語のとても長いファイル名のメモ.md",
    file="/x/y.md",
    relevance=0.45,
    description="How the project is built and why the first build after a pull is slow",
    reason="below_threshold",
)
CONSIDERED = (
    Considered("/memories/global/hosts/log-locations.md", 4.2, True, {"close": 0.5, "none": 0.0}),
    Considered("/memories/project/build.md", 1.0, False),
    Considered("/memories/project/release.md", 0.0, False),
)


def uncertain(*candidates: Candidate, stats: Stats = STATS, note: str | None = None) -> Uncertain:
    return Uncertain("a cue", candidates, "offline", (), stats, note)


FACES: dict[str, Result] = {
    "recognized": Recognized(
        "a cue", (MEMORY,), (LEAD,), "openai/gpt-5", USAGE, STATS, "A note.", ("A warning.",)
    ),
    "verbose": Recognized("a cue", (MEMORY,), (), "offline", (), STATS, considered=CONSIDERED),
    "leads": uncertain(LEAD),
    "nothing": uncertain(),
    "timed-out": uncertain(LEAD, stats=Stats(timed_out=True), note="The deadline of 1 s struck."),
    "no-memory": Uncertain("a cue", (), None, (), Stats(), "There is no memory in /home/me/notes."),
    "limit": LimitReached("This turn has already recalled 3 times, which is its limit."),
    "error": Failure("provider", "openai/gpt-5: 401 from \x1b[31mthe server", USAGE, STATS),
}


@pytest.mark.parametrize("columns", [40, 80, 200])
@pytest.mark.parametrize("face", FACES)
def test_faces_are_as_they_were_kept(face: str, columns: int) -> None:
    stdout, stderr = shown(lambda out: render.show_result(out, FACES[face]), columns=columns)
    assert max(map(cell_len, stdout.split("\n"))) <= columns
    assert_as_kept(f"{face}-{columns}", f"{stdout}--- standard error\n{stderr}")


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_an_index_is_as_it_was_kept(columns: int, tmp_path: Path) -> None:
    (tmp_path / "logs.md").write_text("---\ndescription: Where the logs are\n---\nUnder /srv.\n")
    (tmp_path / "日本語メモ.md").write_text(
        "# 決まり\n\n日本語の文書を書くときの決まりです。ログも。\n"
    )
    (tmp_path / "plain.txt").write_text("Nothing of the kind.\n")
    scopes = (ScopeRoot("global", str(tmp_path), "x"),)
    layout = Layout("folder", str(tmp_path), scopes, tmp_path / "x", 9, ("*.md", "*.txt"), ())
    store = Store(layout)
    index = build(documents(store), "where are the logs", Limits(max_index_entries=2), hidden=False)
    rows = [(row, True) for row in index.shown] + [(row, False) for row in index.left_out()]
    stdout, _ = shown(lambda out: render.show_index(out, rows, index, []), columns=columns)
    assert_as_kept(f"index-{columns}", stdout)


hostile = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from(
            "\x1b\x07\x08\r\n\t\x9b\u202e\u2066\u200b\u2028\ufeff[]/\\ 日🎉\u0301\ufe0f"
        ),
    ),
    max_size=60,
)


@st.composite
def results(draw: st.DrawFn) -> Result:
    memory = Memory(
        draw(hostile),
        "",
        draw(st.floats(0, 1)),
        draw(hostile),
        (1, draw(st.integers(1, 10**6))),
        "",
        draw(st.booleans()),
        draw(hostile),
    )
    lead = Candidate(draw(hostile), "", draw(st.floats(0, 1)), draw(hostile), "lexical")
    considered = (Considered(draw(hostile), draw(st.floats(0, 99)), True, {draw(hostile): 0.5}),)
    rest = (draw(hostile), USAGE, STATS, draw(hostile), (draw(hostile),), considered)
    return draw(
        st.sampled_from(
            [
                Recognized("", (memory,), (lead,), *rest),
                Uncertain("", (lead,), *rest),
                Uncertain("", (), *rest),
                LimitReached(draw(hostile), (draw(hostile),)),
                Failure("provider", draw(hostile), USAGE, STATS, (draw(hostile),)),
            ]
        )
    )


@given(results(), st.integers(20, 120))
def test_no_control_character_of_theirs_reaches_the_terminal(result: Result, columns: int) -> None:
    plain = shown(lambda out: render.show_result(out, result), columns=columns)
    for text in plain:
        assert not [c for c in text if c != "\n" and hidden(c)]
    assert all(cell_len(line) <= max(columns, 28) for line in plain[0].split("\n"))
    painted = shown(lambda out: render.show_result(out, result), columns=columns, terminal=True)
    assert SGR.sub("", painted[0]) == plain[0]
    assert not [c for c in SGR.sub("", painted[1]) if c != "\n" and hidden(c)]


@given(hostile)
def test_an_excerpt_loses_nothing(excerpt: str) -> None:
    memory = Memory("/memories/global/a.md", "", 0.9, excerpt, (1, 1), "", False, "because")
    result = Recognized("", (memory,), (), None, (), STATS)
    stdout, _ = shown(lambda out: render.show_result(out, result), columns=40)
    rows = stdout.split("\n")
    body = [row[2:] for row in rows if row.startswith("│")]
    expected = visible(excerpt.replace("\r\n", "\n"), keep="\n\t")
    assert "".join(body).replace(" ", "") == re.sub(r"[ \n\t]", "", expected)


@given(hostile.map(visible), st.integers(4, 60))
def test_folding_keeps_every_character_within_the_width(text: str, width: int) -> None:
    pieces = fold(text, width)
    assert all(cell_len(text[start:end]) <= width for start, end in pieces)
    ends = [0, *(end for _, end in pieces)]
    dropped = [text[end:start] for end, (start, _) in zip(ends, pieces, strict=False)]
    assert set(dropped) <= {"", " "}
    assert pieces[-1][1] == len(text)


def test_without_colour_bold_stays() -> None:
    stdout, _ = shown(
        lambda out: render.show_result(out, FACES["recognized"]), terminal=True, color=False
    )
    codes = {code for found in SGR.findall(stdout) for code in found[2:-1].split(";")}
    assert codes <= {"0", "1", "2"}
    assert "1" in codes


def test_only_the_sixteen_colours_of_every_terminal_are_used() -> None:
    stdout, _ = shown(lambda out: render.show_result(out, FACES["verbose"]), terminal=True)
    codes = {int(code) for found in SGR.findall(stdout) for code in found[2:-1].split(";")}
    assert codes <= {0, 1, 2, *range(30, 38), *range(90, 98)}


def test_a_result_that_is_no_terminal_is_never_coloured() -> None:
    assert "\x1b" not in "".join(shown(lambda out: render.show_result(out, FACES["recognized"])))


def test_tabs_are_as_wide_as_on_a_terminal() -> None:
    assert text_lines("a\tb\n\tc") == ["a       b", "        c"]
    assert text_lines("日\tb") == ["日      b"]


@pytest.mark.parametrize(("share", "expected"), [(0, "  "), (0.001, "▏ "), (0.5, "█ "), (9, "██")])
def test_a_bar_shows_its_share(share: float, expected: str) -> None:
    assert bar(share, 2) == expected


@given(hostile, st.integers(20, 100))
def test_a_message_is_broken_between_words_and_loses_nothing(text: str, columns: int) -> None:
    _, painted = shown(lambda out: out.warn(text), columns=columns, terminal=True)
    _, plain = shown(lambda out: out.warn(text))
    assert SGR.sub("", painted).replace("\n", " ") == plain.replace("\n", " ")
