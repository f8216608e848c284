"""Descriptions that are told without yaml are those that yaml would tell."""

from __future__ import annotations

import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from xum_intuition.memory.describe import frontmatter_description, one_line

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# Control characters are not among them: yaml refuses them, a description only leaves them out.
SIGNS = list(" \"'\\#:-?!&*%@`|>{}[],aeflnorstuy012é日~")


@settings(max_examples=400, deadline=None)
@given(
    text=st.text(alphabet=st.sampled_from(SIGNS), max_size=12),
    form=st.sampled_from(["{}", '"{}"', "'{}'", ' "{}" ', "'{}' # said so"]),
)
@example(text="n", form="{}")
@example(text="true", form="{}")
@example(text="true", form='"{}"')
@example(text="Use when: deploying", form='"{}"')
@example(text="it''s", form="'{}'")
def test_a_one_line_scalar_is_what_yaml_makes_of_it(text: str, form: str) -> None:
    value = form.format(text)
    found = frontmatter_description(f"---\nname: x\ndescription: {value}\n---\nbody\n")
    expected = _by_yaml(value)
    if expected is None:
        assert not found or value[0].isalpha(), "only plain words are taken from broken YAML"
    else:
        assert found == expected


def _by_yaml(value: str) -> str | None:
    """What yaml makes of the value; None where it is broken."""
    try:
        scalar = yaml.compose(f"description: {value}\n", Loader=LOADER).value[0][1]
        loaded = yaml.load(f"description: {value}\n", Loader=LOADER)["description"]
    except (yaml.YAMLError, ValueError, TypeError, KeyError):
        return None
    if isinstance(loaded, (bool, list, dict)) or loaded is None:
        return ""
    return one_line(scalar.value)  # a number as it is written: 1.10 is a version
