"""The longer run: `python -m tests.fuzz [SECONDS]`, from the top of a checkout.

Each target gets about that long (60 s unless said): first under hypothesis, then under atheris
where it is installed (`pip install atheris`).
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile

EXAMPLES_A_SECOND = 200


def main() -> int:
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    examples = {"FUZZ_EXAMPLES": str(seconds * EXAMPLES_A_SECOND)}
    command = [sys.executable, "-m", "pytest", "-q", "tests/fuzz"]
    codes = [subprocess.run(command, env={**os.environ, **examples}, check=False).returncode]
    if importlib.util.find_spec("atheris") is None:
        print("atheris is not installed: its two targets are left out.", file=sys.stderr)
        return codes[0]
    for target in ("excerpt", "frontmatter"):
        with tempfile.TemporaryDirectory() as found:
            options = [
                f"-max_total_time={seconds}",
                f"-artifact_prefix={found}/",
                "-close_fd_mask=1",
            ]
            command = [sys.executable, "-m", "tests.fuzz.atheris_target", target, *options]
            codes.append(subprocess.run(command, check=False).returncode)
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
