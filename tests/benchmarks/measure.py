"""Whole processes, timed in turn: wall clock, processor time, and the most memory they held."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple


class Run(NamedTuple):
    """One process: seconds by the wall, seconds of user and system time, MiB held at most."""

    wall: float
    cpu: float
    mib: float


class Row(NamedTuple):
    """A command to measure, and the reference that its time is divided by."""

    name: str
    command: Sequence[str]
    reference: str
    files: str = ""
    before: Callable[[], object] = lambda: None
    """Called before each run, unmeasured."""
    bar: str = ""


def run(command: Sequence[str], env: Mapping[str, str]) -> Run:
    """Run a process to its end; raises RuntimeError if it fails."""
    begin = time.perf_counter()
    child = subprocess.Popen(
        command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=-1
    )
    assert child.stderr is not None
    said = child.stderr.read()
    _, status, used = os.wait4(child.pid, 0)
    wall = time.perf_counter() - begin
    child.returncode = os.waitstatus_to_exitcode(status)
    child.stderr.close()
    if child.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {child.returncode}: {said[-500:]!r}")
    return Run(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def in_turn(rows: Sequence[Row], env: Mapping[str, str], rounds: int) -> dict[str, list[Run]]:
    """Each row once a round, so that a busy moment falls on all of them; one round goes unseen."""
    found: dict[str, list[Run]] = {row.name: [] for row in rows}
    for number in range(rounds + 1):
        for row in rows:
            row.before()
            measured = run(row.command, env)
            if number:
                found[row.name].append(measured)
    return found


def ratios(runs: Sequence[Run], reference: Sequence[Run]) -> tuple[float, float]:
    """The medians of the ratios by wall and by processor, each of two runs of the same round."""
    pairs = list(zip(runs, reference, strict=True))
    wall = statistics.median(a.wall / b.wall for a, b in pairs)
    return wall, statistics.median(a.cpu / b.cpu for a, b in pairs)


def forget(folder: Path) -> None:
    """Have the system drop a folder's files from its cache, as far as it lets us."""
    for file in folder.rglob("*"):
        if file.is_file() and hasattr(os, "posix_fadvise"):
            descriptor = os.open(file, os.O_RDONLY)
            os.fsync(descriptor)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(descriptor)


def table(rows: Sequence[Row], found: Mapping[str, Sequence[Run]]) -> str:
    """A markdown table: median times, the ratio to the row's reference, the bar if there is one."""
    lines = [
        "| command | files | wall ms | cpu ms | × wall | × cpu | of | bar | MiB |",
        "|---|---:|---:|---:|---:|---:|---|---|---:|",
    ]
    for row in rows:
        runs = found[row.name]
        by_wall, by_cpu = ratios(runs, found[row.reference])
        wall, cpu, mib = (statistics.median(column) for column in zip(*runs, strict=True))
        lines.append(
            f"| {row.name} | {row.files} | {wall * 1000:.0f} | {cpu * 1000:.0f}"
            f" | {by_wall:.2f} | {by_cpu:.2f} | {row.reference} | {row.bar} | {mib:.0f} |"
        )
    return "\n".join(lines)
