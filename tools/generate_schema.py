"""Write `xum_intuition/result.schema.json` from the dataclasses of `result.py`.

With --check nothing is written, and it fails where the file is not up to date.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from xum_intuition import result

TARGET = Path(result.__file__).with_name("result.schema.json")


def schema() -> dict[str, Any]:
    """The JSON Schema of a result, with the names that its JSON form has."""
    adapter: TypeAdapter[Any] = TypeAdapter(result.Result)
    found = adapter.json_schema(mode="serialization")
    for definition in found["$defs"].values():
        _rename(definition)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Result of a recall",
        **found,
    }


def _rename(definition: dict[str, Any]) -> None:
    """Camel case, and every property required but those that are left out where they are None."""
    names = list(definition["properties"])
    definition["properties"] = {result.camel(n): definition["properties"][n] for n in names}
    definition["required"] = [result.camel(n) for n in names if not _may_be_left_out(definition, n)]
    for value in definition["properties"].values():
        value.pop("default", None)
        value.pop("title", None)


def _may_be_left_out(definition: dict[str, Any], name: str) -> bool:
    of_a_failure = definition.get("title") == "Failure" and name in ("usage", "stats")
    return of_a_failure or name == "considered"


def text() -> str:
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    if "--check" not in sys.argv:
        TARGET.write_text(text(), encoding="utf-8")
    elif TARGET.read_text(encoding="utf-8") != text():
        sys.exit(f"{TARGET.name} is out of date: run python tools/generate_schema.py")
