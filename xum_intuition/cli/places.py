"""`intuition index --discover`: memory folders that are there already."""

from __future__ import annotations

import os

from xum_intuition.cli.options import StoreOptions
from xum_intuition.cli.output import Output, print_text
from xum_intuition.text import dump_json, visible


def show_places(where: StoreOptions, output: Output) -> None:
    """Print each place with its count of files and the command that recalls from it."""
    from xum_intuition.integrations.discover import discover
    from xum_intuition.settings import Flags, load

    root = load(Flags(root=where.root, config=where.config), os.environ).store.root
    places = discover(os.path.abspath(where.project or "."), root, os.environ)
    if output.as_json:
        found = [
            {
                "kind": place.kind,
                "folder": place.folder,
                "files": place.files,
                "options": list(place.options),
                "command": place.command,
            }
            for place in places
        ]
        print_text(dump_json({"places": found}, indent=2))
    elif not places:
        print_text("No folder that agents keep memories in was found for this project.")
    else:
        for place in places:
            files = "1 file" if place.files == 1 else f"{place.files} files"
            print_text(visible(f"{place.kind}: {place.folder} ({files})"))
            print_text(visible(f"    {place.command}"))
