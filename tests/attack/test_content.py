"""Contents that try to break, to stall or to fool the reading of them."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from xum_intuition.agent import passages, text_protocol
from xum_intuition.agent.offline import Recognizer
from xum_intuition.judge.verify import verify
from xum_intuition.limits import MAX_MEMORY_BYTES
from xum_intuition.memory.describe import describe, frontmatter_description
from xum_intuition.memory.preselect import Preselect, Ranking

CUE = "deploy the log of fooBar with --no-verify 日志 部署 배포 로그"
PATH = "/memories/global/a.md"


def filled(piece: str) -> str:
    """As many whole pieces as a memory can hold."""
    return piece * (MAX_MEMORY_BYTES // len(piece.encode()))


ORDINARY = filled("## Deploying\n\nThe deploy log is rotated by cron, so look at `/var/log`.\n\n")
HOSTILE = {
    **{repr(piece): filled(piece) for piece in (
        "# a\n", "#", "# ", "`", "```\n", "~~~", "| a ", "|\n", "|", ">", "> ", "- ", "- a\n",
        "- deploy log\n", "1. ", "* ", "=", "a\n==", "[ ] ", "{", "[{", '{"a":', '["', "\n", "\r",
        "\u2028", "a\u2028", "\u00a0", "a", "aB", "loG", "deploy ", "a. ", "!?", "。", "İ", "<!--",
        "<!-- -->", "---\n", "--- x\n", "\U0001f1e6", "\u0301\u0323", "\u200d",
    )},
    "a line of spaces": filled(" ") + "x",
    "tabs before a word": filled("\t")[:-1] + "x",
    "a heading of spaces": "# x" + filled(" ")[:-4] + "y",
    "a heading closed in vain": "# a" + filled(" #")[:-4] + "x",
    "distinct ideographs": "".join(chr(0x4E00 + n % 20_000) for n in range(34_000)),
    "distinct words": " ".join(f"deplo{n:x}" for n in range(10_000)),
    "nested lists": "\n".join(" " * (n % 200) + "- a" for n in range(900)),
    "spaces in frontmatter": "---\ndescription:" + " " * 4_000 + "x\n---\n",
    "quotes in frontmatter": '---\ndescription: "' + "\\" * 3_900 + "\n---\n",
    "brackets in frontmatter": "---\ndescription: " + "[" * 4_000 + "\n---\n",
    "mappings in frontmatter": "---\ndescription: " + "{a: " * 1_000 + "\n---\n",
}  # fmt: skip


def rank(text: str) -> Ranking:
    preselect = Preselect(CUE)
    preselect.add(PATH, "", text)
    return preselect.finish()


def recognize(text: str) -> None:
    Recognizer(CUE, rank(text), [(PATH, "", 1.0)]).judge({PATH: text})


def verify_all_but(text: str) -> None:
    verify(text + "!", text, text, 1_200)
    verify(text, text, text, 1_200)


def cut_up(text: str) -> None:
    passages.is_conversation(text)
    found = passages.blocks(text)
    for first, last in passages.windows(found):
        passages.widen(found, first, last)


READERS: dict[str, Callable[[str], object]] = {
    "describe": describe,
    "preselect": rank,
    "passages": cut_up,
    "recognize": recognize,
    "verify": verify_all_but,
    "tool calls": text_protocol.calls_in,
}


def cpu_seconds(reader: Callable[[str], object], text: str) -> float:
    begun = time.process_time()
    reader(text)
    return time.process_time() - begun


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_no_text_takes_far_longer_than_an_ordinary_one(reader: Callable[[str], object]) -> None:
    """Quadratic time would be thousands of times as long: a store of such files stalls a recall."""
    recognize(ORDINARY)  # imports and compiled patterns are paid for once
    ordinary = min(cpu_seconds(recognize, ORDINARY) for _ in range(3))
    slow = {name: spent for name, text in HOSTILE.items()
            if (spent := cpu_seconds(reader, text)) > 5 * ordinary}  # fmt: skip
    assert not slow, f"an ordinary text takes {ordinary:.4f} s"


def bomb(levels: int) -> str:
    """Merged keys, which multiply by ten a level."""
    rows = ["  a0: &a0 {k: v}"]
    rows += [f"  a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 10)}]}}" for n in range(1, levels)]
    return "\n" + "\n".join(rows)


@pytest.mark.parametrize(
    ("value", "described"),
    [
        (bomb(12), ""),
        (" &a [*a, *a]", ""),
        (" *nothing", ""),
        (' !!python/object/apply:os.system ["true"]', ""),
        (" !!binary aGVsbG8=", ""),
        (" !!timestamp 2024-99-99", "2024-99-99"),
        (" 2024-01-01", "2024-01-01"),
        (" 1.10", "1.10"),
        (" [a, b]", ""),
        (" .nan", ".nan"),
        (" 0x" + "f" * 4_000, "0x" + "f" * 197 + "…"),
        (" 1" + ":59" * 1_000, "1" + ":59" * 66 + "…"),
        (" <<", ""),
        (" =", ""),
        (' "\\ud800"', ""),
        (' "a\\x00\\e[31m\\u202eb"', "a[31mb"),
        (" " * 4_100 + "x", ""),
    ],
    ids=lambda value: value[:24],
)
def test_a_description_is_text_or_nothing(value: str, described: str) -> None:
    assert frontmatter_description(f"---\ndescription:{value}\n---\nbody\n") == described


def test_a_description_beyond_the_first_4_kib_is_not_looked_for() -> None:
    padding = "padding: " + "x" * 4_096
    assert frontmatter_description(f"---\n{padding}\ndescription: late\n---\n") == ""
    assert frontmatter_description(f"---\ndescription: early\n{padding}\n---\n") == "early"
