"""Names that people write: models, workspaces, addresses, variables. Pure."""

from __future__ import annotations

import re

OFFLINE = "offline"
"""The embedded recognizer's name, where a model is named."""
_NOT_PROVIDERS = frozenset({"arn", "ft"})
"""First words before a colon that belong to the model's own name."""
_COLON_FORM = re.compile(r"([A-Za-z][A-Za-z0-9_-]*):(?=.)")
_NOT_IN_ID = re.compile(r"[/\\\x00-\x1f\x7f-\x9f\ud800-\udfff]|\.\.")
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH", re.IGNORECASE)


def names_secret(variable: str) -> bool:
    """Whether an environment variable is named like one that holds a secret."""
    return _SECRET.search(variable) is not None


def model_name(text: str) -> str:
    """`provider/model` of a name that may be written `provider:model`, as an xum root does."""
    text = text.strip()
    found = _COLON_FORM.match(text)
    if found is None or found[1] in _NOT_PROVIDERS:
        return text
    return f"{found[1]}/{text[found.end() :]}"


def provider_of(model: str) -> str | None:
    """The provider that a name says outright, else None."""
    provider, slash, _ = model_name(model).partition("/")
    return provider.lower() if slash else None


def workspace_problem(identity: str) -> str | None:
    """Why this is no workspace id, or None: it becomes one folder's name below `sessions/`."""
    if not identity.strip() or identity == ".":
        return "must not be empty"
    if _NOT_IN_ID.search(identity):
        return r"must not hold /, \, .. or a control character"
    return None


def api_base_problem(address: str) -> str | None:
    """Why this is no address of a provider, or None."""
    if re.match(r"https?://[^/\s]", address, re.IGNORECASE) is None:
        return "must be an address that begins with http:// or https://"
    if any(char.isspace() or ord(char) < 0x20 for char in address):
        return "must not hold white space"
    return None
