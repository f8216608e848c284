"""Print one of the README's commands: `try` recalls from the examples, `test` runs the tests.

The README marks each with an HTML comment right before its code block: `<!-- command: test -->`.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def command(name: str) -> str:
    """The text of the code block that carries a name; raises ValueError where there is none."""
    found = re.search(
        rf"<!-- command: {re.escape(name)} -->\n```[a-z]*\n(.*?)\n```", README.read_text(), re.S
    )
    if found is None:
        raise ValueError(f"README.md has no command named {name!r}")
    return found[1]


if __name__ == "__main__":
    print(command(sys.argv[1]))
