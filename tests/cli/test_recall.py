"""`intuition recall` and `intuition index` as a shell sees them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.support import openai_server as scripted
from tests.support.command_line import Done, intuition
from tests.support.openai_server import OpenAIServer
from xum_intuition.result import schema_text

SCHEMA = json.loads(schema_text())
CUE = "show the last two lines of the newest log on this host"
RULE = "Kestrels nest in the bell tower; never clean it before August."
NOTE = f"# Birds\n\nThe tower is old.\n\n- {RULE}\n"
PATH = "/memories/global/birds.md"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "birds.md").write_text(NOTE)
    (folder / "soup.md").write_text("# Soup\n\nAdd the salt at the end, after tasting.\n")
    return folder


def result(done: Done) -> dict[str, Any]:
    """The one document on standard output, valid against the schema."""
    found: dict[str, Any] = json.loads(done.stdout)
    jsonschema.validate(found, SCHEMA)
    return found


def with_model(folder: Path, server: OpenAIServer, *more: object) -> Done:
    place = ("-d", folder, "--model", "openai/test", "--api-base", server.base_url, "--timeout", 60)
    return intuition("recall", *place, "--cue", "clean the tower", *more)


def item(relevance: object = 0.9, excerpt: str = RULE, path: str = PATH) -> dict[str, Any]:
    return {"path": path, "relevance": relevance, "excerpt": excerpt, "why": "it says when"}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789")


def test_the_example_recalls_without_anything_set_up() -> None:
    found = result(intuition("recall", "--example", "--cue", CUE))
    assert found["kind"] == "recognized"
    memory = found["memories"][0]
    assert memory["path"] == "/memories/global/hosts/log-locations.md"
    text = Path(memory["file"]).read_text().split("\n")
    first, last = memory["lines"]
    assert memory["excerpt"] in "\n".join(text[first - 1 : last])
    assert found["model"] == "offline"
    assert found["usage"][0]["costUsd"] == 0


def test_a_memory_with_crlf_comes_back_as_it_is() -> None:
    found = result(
        intuition("recall", "--example", "--cue", "restore a file from the restic backup")
    )
    memory = found["memories"][0]
    assert memory["path"] == "/memories/global/backups.md"
    assert "\r\n" in memory["excerpt"]


def test_a_japanese_cue_finds_the_japanese_memory() -> None:
    found = result(intuition("recall", "--example", "--cue", "日本語の文書の文末はどう書きますか"))
    assert found["memories"][0]["path"] == "/memories/global/日本語メモ.md"
    assert "日本語メモ" in intuition("recall", "--example", "--cue", "日本語の文書").stdout


def test_a_far_off_cue_returns_nothing() -> None:
    found = result(intuition("recall", "--example", "--cue", "convert a cake recipe to grams"))
    assert found["kind"] == "uncertain"
    assert found["candidates"] == []


def test_a_memory_planted_last_among_many_is_recognized(tmp_path: Path) -> None:
    for i in range(400):
        (tmp_path / f"{i:04}.md").write_text(f"# Note {i}\n\nWords about matter number {i}.\n")
    (tmp_path / "zz.md").write_text(NOTE)
    found = result(
        intuition("recall", "-d", tmp_path, "--cue", "when may the kestrel tower be cleaned")
    )
    assert [m["path"] for m in found["memories"]] == ["/memories/global/zz.md"]
    assert found["stats"]["indexEntriesOmitted"] == 401 - found["stats"]["indexEntriesConsidered"]


def test_no_memory_at_all_is_uncertain_with_a_note(tmp_path: Path) -> None:
    for more in ((), ("--model", "openai/never-called")):
        done = intuition("recall", "-d", tmp_path, "--cue", CUE, *more)
        found = result(done)
        assert done.returncode == 0
        assert (found["kind"], found["model"], found["usage"]) == ("uncertain", None, [])
        assert str(tmp_path) in found["note"]


def test_a_model_reads_and_reports(folder: Path, server: OpenAIServer) -> None:
    server.script(
        scripted.answer(None, scripted.read(PATH)),
        scripted.answer(None, scripted.report(item(excerpt=" " + RULE.replace(" ", "\n  ", 3)))),
    )
    found = result(with_model(folder, server))
    assert found["kind"] == "recognized"
    (memory,) = found["memories"]
    assert (memory["excerpt"], memory["lines"]) == (RULE, [5, 5])
    assert memory["file"] == str(folder / "birds.md")
    assert found["stats"]["read"] == [PATH]
    assert found["stats"]["steps"] == 2


def test_what_a_model_makes_up_is_a_candidate_at_most(folder: Path, server: OpenAIServer) -> None:
    invented = item(1.0, "Kestrels nest in the chimney, clean it in May.")
    elsewhere = item(0.9, RULE, "/memories/global/soup.md")
    unknown = item(0.9, RULE, "/memories/global/none.md")
    server.script(scripted.answer(None, scripted.report(invented, elsewhere, unknown)))
    found = result(with_model(folder, server))
    assert found["kind"] == "uncertain"
    assert "memories" not in found
    assert [(c["path"], c["reason"]) for c in found["candidates"]] == [
        (PATH, "excerpt_not_verified"),
        ("/memories/global/soup.md", "excerpt_not_verified"),
    ]
    assert found["stats"]["itemsDropped"] == 1


def test_thresholds_decide(folder: Path, server: OpenAIServer) -> None:
    server.script(*[scripted.answer(None, scripted.report(item(0.6)))] * 3)
    assert result(with_model(folder, server))["candidates"][0]["reason"] == "below_threshold"
    assert result(with_model(folder, server, "--threshold", 0.6))["kind"] == "recognized"
    floor = with_model(folder, server, "--floor", 0.61, "--exit-code")
    assert floor.returncode == 1
    assert result(floor)["candidates"] == []


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "--cue TEXT, --cue-file FILE and --batch FILE"),
        (("--cue", "a", "--cue-file", "b"), "not --cue and --cue-file together"),
        (("--cue", " \n "), "1 to 2,000 characters"),
        (("--cue", "x" * 2001), "at most 2,000"),
        (("--cue", "a", "--threshold", "0.2"), "(0.3) must be below threshold (0.2)"),
        (("--cue", "a", "--threshold", "nan"), "must be a positive number, not nan"),
        (("--cue", "a", "--timeout", "-1"), "-1"),
        (("--cue", "a", "--max-steps", "0"), "max_steps"),
        (("--cue", "a", "--max-steps", "two"), "two"),
        (("--cue", "a", "--workspace", "../x"), "workspace"),
        (("--cue", "a", "--no-such-option"), "no-such-option"),
        (("--cue", "a", "--jobs", "2"), "--jobs goes with --batch"),
        (("--cue-file", "/no/such/file"), "/no/such/file"),
    ],
)
def test_wrong_usage_is_plain_text_on_standard_error(
    folder: Path, arguments: tuple[str, ...], told: str
) -> None:
    done = intuition("recall", "-d", folder, "--json", *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_a_cue_that_is_not_utf8_is_a_usage_error(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "cue").write_bytes(b"caf\xe9 au lait")
    done = intuition("recall", "-d", folder, "--cue-file", tmp_path / "cue")
    assert done.returncode == 2
    assert "not UTF-8" in done.stderr
    assert "2,000" in done.stderr
    done = intuition("recall", "-d", folder, "--cue", b"caf\xe9".decode("utf-8", "surrogateescape"))
    assert done.returncode == 2
    assert "not UTF-8" in done.stderr


def test_the_cue_comes_from_a_file_or_standard_input(folder: Path, tmp_path: Path) -> None:
    cue = "when may the kestrel tower be cleaned?"
    (tmp_path / "cue").write_text(f"\ufeff{cue}\n")
    for done in (
        intuition("recall", "-d", folder, "--cue-file", tmp_path / "cue"),
        intuition("recall", "-d", folder, "--cue", "-", input=f"  {cue}\n"),
        intuition("recall", "-d", folder, "--cue-file", "-", input=cue),
    ):
        assert result(done)["cue"] == cue


def test_a_store_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for path in (tmp_path / "none", tmp_path / "file"):
        for option in ("-d", "--root"):
            done = intuition("recall", option, path, "--cue", "a")
            assert done.returncode == 5
            found = result(done)
            assert found["code"] == "store"
            assert str(path) in found["message"]
    nowhere = intuition("recall", "--cue", "a")
    assert nowhere.returncode == 5
    assert "--memory-dir" in result(nowhere)["message"]


def test_a_dry_run_calls_no_model_and_shows_the_first_request(
    folder: Path, server: OpenAIServer
) -> None:
    done = with_model(folder, server, "--dry-run")
    request = json.loads(done.stdout)
    assert request["model"] == "openai/test"
    user = request["messages"][1]["content"]
    assert user.index("data") < user.index("<cue>") < user.index('{"path"')
    assert "clean the tower" in user
    assert server.connections == 0


def test_verbose_tells_what_was_considered(folder: Path) -> None:
    found = result(intuition("recall", "-d", folder, "--cue", "clean the kestrel tower", "-v"))
    best, other = found["considered"]
    assert (best["path"], best["read"], other["read"]) == (PATH, True, False)
    assert best["features"]
    assert other["features"] is None


def test_a_batch_answers_each_line_in_order(folder: Path) -> None:
    lines = [
        {"id": 1, "cue": "when may the kestrel tower be cleaned"},
        {"id": "two", "cue": "when is the salt added to the soup"},
        {"id": None, "cue": "convert miles to parsecs"},
    ]
    text = "\n\n".join(json.dumps(line) for line in lines)
    for jobs in (1, 3):
        done = intuition("recall", "-d", folder, "--batch", "-", "--jobs", jobs, input=text)
        found = [json.loads(line) for line in done.stdout.splitlines()]
        assert done.returncode == 0
        assert [f["id"] for f in found] == [1, "two", None]
        assert [f["kind"] for f in found] == ["recognized", "recognized", "uncertain"]
        for line in found:
            jsonschema.validate(line, SCHEMA)


def test_a_bad_line_gets_an_error_line_and_the_rest_their_answers(folder: Path) -> None:
    good = json.dumps({"id": "good", "cue": "when may the kestrel tower be cleaned"})
    bad = ["{", "[]", '{"id": 1}', '{"id": 2, "cue": ""}', '{"id": [1], "cue": "x"}', "\xff" * 9]
    done = intuition("recall", "-d", folder, "--batch", "-", input="\n".join([*bad, good]))
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 2
    assert [f["kind"] for f in found] == ["error"] * len(bad) + ["recognized"]
    assert [f["id"] for f in found] == [None, None, 1, 2, None, None, "good"]
    assert "Line 4" in found[3]["message"]


def test_a_batch_whose_store_is_missing_answers_each_line(tmp_path: Path) -> None:
    text = '{"id": 1, "cue": "a"}\n{"id": 2, "cue": "b"}\n'
    done = intuition("recall", "-d", tmp_path / "none", "--batch", "-", input=text)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 5
    assert [(f["id"], f["code"]) for f in found] == [(1, "store"), (2, "store")]


def test_around_what_a_filter_takes_out_the_rest_is_quoted(folder: Path, home: Path) -> None:
    config = home / ".config/intuition/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("[hooks]\nfilter = ['sed', '/TOPSECRET/d']\n")
    (folder / "dog.md").write_text(
        "# Dog door\n\nThe dog door opens with the collar, not with a key.\n"
        "TOPSECRET the master token is plum-otter.\n"
        "The dog door is locked from ten in the evening on.\n"
    )
    found = result(intuition("recall", "-d", folder, "--cue", "when is the dog door locked"))
    assert found["kind"] == "recognized"
    assert "dog door" in found["memories"][0]["excerpt"]
    assert "plum-otter" not in json.dumps(found)


def test_a_batch_counts_each_line_as_a_use_of_the_turn(folder: Path) -> None:
    text = "\n".join(json.dumps({"id": i, "cue": "kestrels"}) for i in range(5))
    done = intuition("recall", "-d", folder, "--batch", "-", "--turn", "t", input=text)
    kinds = [json.loads(line)["kind"] for line in done.stdout.splitlines()]
    assert kinds[3:] == ["limit_reached"] * 2
    assert "limit_reached" not in kinds[:3]
    assert done.returncode == 3


def test_a_batch_whose_reader_goes_away_ends_quietly() -> None:
    lines = "".join(json.dumps({"id": i, "cue": "the newest log"}) + "\n" for i in range(40))
    command = [sys.executable, "-P", "-m", "xum_intuition", "recall", "--example", "--batch", "-"]
    with subprocess.Popen(
        [*command, "--jobs", "3"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdin.write(lines)
        child.stdin.close()
        assert child.stdout.readline().startswith('{"id": 0')
        child.stdout.close()
        assert child.stderr.read() == ""
    assert child.returncode == 0


def test_a_batch_of_a_missing_file_is_a_usage_error(folder: Path) -> None:
    done = intuition("recall", "-d", folder, "--batch", folder / "none.jsonl")
    assert done.returncode == 2
    assert "none.jsonl" in done.stderr


def test_the_index_shows_rows_and_what_is_left_out(folder: Path) -> None:
    shown = json.loads(intuition("index", "-d", folder).stdout)
    assert [(r["path"], r["score"], r["descriptionSource"]) for r in shown["rows"]] == [
        (PATH, None, "heading"),
        ("/memories/global/soup.md", None, "heading"),
    ]
    for_cue = json.loads(intuition("index", "-d", folder, "--cue", "salt").stdout)
    assert [r["score"] > 0 for r in for_cue["rows"]] == [True, False]
    for i in range(250):
        (folder / f"{i}.md").write_text("filler\n")
    full = json.loads(intuition("index", "-d", folder, "--cue", "salt", "--all").stdout)
    assert len(full["rows"]) == 252
    assert sum(row["shown"] for row in full["rows"]) == 200
    assert full["omitted"] == {"rows": 52, "bytes": 0}


def test_the_schema_is_printed_as_it_is_kept() -> None:
    for form in ("json", "table"):
        assert intuition("recall", "--schema", "--format", form).stdout == schema_text() + "\n"
