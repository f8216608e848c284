"""The program that shares the sidecar, as it would be written from the protocol alone.

Nothing of the package is imported here, so that the two can only agree by keeping to it. Run as
a process of its own:

    other_program.py hold SIDECAR          take the lock, say "held", keep it until stdin ends
    other_program.py count SIDECAR KEY N   N times: lock, read, add a use, replace
"""

import errno
import json
import os
import pathlib
import secrets
import sys
import time


def birth(pid):
    line = pathlib.Path(f"/proc/{pid}/stat").read_text()
    return "linux-ticks:" + line[line.rindex(")") + 2 :].split(" ")[19]


def token_of(pid, born=None):
    hexed = (birth(pid) if born is None else born).encode().hex()
    return f"{pid}:{secrets.token_hex(8)}:{hexed}"


def is_gone(token):
    pid, _, born = token.split(":")
    try:
        os.kill(int(pid), 0)
    except OSError as error:
        return error.errno == errno.ESRCH
    return bytes.fromhex(born).decode() != birth(int(pid))


class Lock:
    def __init__(self, sidecar):
        self.name = pathlib.Path(f"{sidecar}.lock")
        self.token = token_of(os.getpid())

    def try_once(self, name):
        draft = pathlib.Path(f"{name}.tmp-{os.getpid()}-{secrets.token_hex(8)}")
        draft.write_text(self.token)
        try:
            os.link(draft, name)
        except FileExistsError:
            return False
        finally:
            draft.unlink()
        return True

    def clear_stale(self):
        guard = pathlib.Path(f"{self.name}.reclaim")
        try:
            seen = self.name.read_text()
            if not is_gone(seen) or not self.try_once(guard):
                return
        except FileNotFoundError:
            return
        try:
            if self.name.read_text() == seen:
                aside = pathlib.Path(f"{self.name}.stale-{secrets.token_hex(2)}")
                self.name.rename(aside)
                aside.unlink()
        except FileNotFoundError:
            pass
        finally:
            guard.unlink()

    def __enter__(self):
        until = time.monotonic() + 60
        while not self.try_once(self.name):
            self.clear_stale()
            if time.monotonic() > until:
                raise TimeoutError(self.name)
            time.sleep(0.012)
        return self

    def __exit__(self, *_):
        if self.name.read_text() == self.token:
            self.name.unlink()


def count(sidecar, key):
    with Lock(sidecar):
        try:
            document = json.loads(sidecar.read_text())
        except FileNotFoundError:
            document = {"entries": {}}
        empty = {"pinned": False, "accessCount": 0, "lastAccessedAt": None, "lastWriteAt": None}
        entry = document["entries"].setdefault(key, empty)
        entry["accessCount"] += 1
        entry["lastAccessedAt"] = time.time_ns() // 1_000_000
        draft = sidecar.with_name(f"draft-{secrets.token_hex(8)}")
        draft.write_text(json.dumps(document, indent=2))
        draft.rename(sidecar)


def main():
    command, sidecar, *rest = sys.argv[1:]
    sidecar = pathlib.Path(sidecar)
    if command == "hold":
        with Lock(sidecar):
            print("held", flush=True)
            sys.stdin.read()
    else:
        for _ in range(int(rest[1])):
            count(sidecar, rest[0])


if __name__ == "__main__":
    main()
