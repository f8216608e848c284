"""Write `completions/` for bash, zsh and fish from the application itself.

Options, commands and fixed values stand in the scripts; memory paths, models and workspaces are
asked of `intuition __complete` when they are wanted. With --check nothing is written, and it
fails where a script is not up to date.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools.command_tree import ROOT, arguments, every, options, write
from xum_intuition.cli.help import Doc, Option
from xum_intuition.config_rules import KEYS

NOTE = "Made by tools/generate_completions.py; do not edit."


def kind(option: Option) -> str:
    """What a value is: `none` for a flag, a way to find values, `keys`, `choices` or `text`."""
    if option.names and not option.metavar:
        return "none"
    if option.choices:
        return "choices"
    by_key = {"project": "folders", "workspace": "workspaces", "memory": "memories", "key": "keys"}
    if option.key in by_key:
        return by_key[option.key]
    by_form = {
        "FILE": "files",
        "BEFORE": "files",
        "AFTER": "files",
        "DIR": "folders",
        "PROVIDER/MODEL": "models",
    }
    return by_form.get(option.metavar.strip("[]").removeprefix("SCOPE=]"), "text")


def keys() -> list[str]:
    """The configuration's keys that can be typed as they are."""
    return [key for key in KEYS if "ID" not in key and "NAME" not in key]


def texts() -> dict[str, str]:
    docs = list(every())
    made = {"intuition.bash": bash(docs), "_intuition": zsh(docs), "intuition.fish": fish(docs)}
    return {name: "\n".join(lines) + "\n" for name, lines in made.items()}


def _path(doc: Doc) -> str:
    """`meta diff` of `intuition meta diff`."""
    return doc.name.removeprefix("intuition").strip()


BASH_HEAD = r"""
_intuition_values() {  # offer the lines of standard input that begin as the word does
    local line
    while IFS= read -r line; do
        [[ $line == "$word"* ]] || continue
        [[ $quoted ]] || printf -v line %q "$line"
        COMPREPLY+=("${line#"$cut"}")
    done
}

_intuition_files() {  # -f or -d: files or folders
    local found
    compopt -o filenames 2>/dev/null
    while IFS= read -r found; do
        COMPREPLY+=("$found")
    done < <(compgen "$1" -- "${word/#~\//$HOME/}")
}

_intuition_offer() {
    case $1 in
        files) _intuition_files -f ;;
        folders) word=${word#@(global|project|workspace)=} _intuition_files -d ;;
        memories | models | workspaces)
            local -a before=("${COMP_WORDS[@]:1:COMP_CWORD-1}")
            _intuition_values < <("${COMP_WORDS[0]}" __complete "$1" "${before[@]}" 2>/dev/null) ;;
        choices:*) _intuition_values < <(tr '|' '\n' <<<"${1#choices:}") ;;
    esac
}

_intuition() {
    COMPREPLY=()
    # The word as it is typed, which the shell may have split at colons and equals signs.
    local typed=${COMP_LINE:0:COMP_POINT} word cut="" quoted="" previous
    word=${typed##*[[:space:]]}
    local index=COMP_CWORD joined=${COMP_WORDS[COMP_CWORD]}
    while [[ $joined != "$word" && $word == *"$joined" ]] && ((index > 1)); do
        joined=${COMP_WORDS[--index]}$joined
    done
    previous=${COMP_WORDS[index-1]}
    if [[ $word == --*=* ]]; then previous=${word%%=*} word=${word#*=}; fi
    if [[ $word == [\"\']* ]]; then quoted=1 word=${word:1}; fi
    # What stands before the last colon or equals sign is there already.
    [[ $quoted || $word != *[:=]* ]] || cut=${word%"${word##*[:=]}"}
    local at="${COMP_WORDS[1]} ${COMP_WORDS[2]}" n=3
    ((COMP_CWORD < 2)) && at=" "
    ((COMP_CWORD == 2)) && at="${COMP_WORDS[1]} "
""".strip("\n")


def bash(docs: list[Doc]) -> Iterator[str]:
    yield f"# bash completion of intuition. {NOTE}"
    yield "shopt -s extglob"
    yield BASH_HEAD
    groups = [_path(doc) for doc in docs if doc.commands and _path(doc)]
    yield f"    case ${{COMP_WORDS[1]}} in {' | '.join(groups)}) ;; *) at=${{at%% *}} n=2 ;; esac"
    yield "    at=${at% }"
    yield "    case $at,$previous in"
    for doc in docs:
        for option in options(doc):
            if kind(option) != "none":
                patterns = " | ".join(f"{_bash_path(doc)},{name}" for name in option.names)
                yield f"        {patterns}) _intuition_offer '{_bash_kind(option)}'; return ;;"
    yield "    esac"
    yield "    case $at in"
    for doc in docs:
        words = [name for option in options(doc) for name in option.names]
        yield f"        {_bash_path(doc)})"
        if doc.commands:
            names = " ".join(name for name, _ in doc.commands)
            yield f"            [[ $word == -* ]] || _intuition_values < <(printf '%s\\n' {names})"
        positional = " ".join(f"'{_bash_kind(option)}'" for option in arguments(doc))
        if positional:
            yield f"            [[ $word == -* ]] || _intuition_argument {positional}"
        yield "            [[ $word == -* ]] &&"
        yield f"                _intuition_values < <(printf '%s\\n' {' '.join(words)})"
        yield "            ;;"
    yield "    esac"
    yield "}"
    yield ""
    yield "# The last of the kinds that are given stands for all that follow."
    yield "_intuition_argument() {"
    yield '    local index count=0 value=""'
    yield "    for ((index = n; index < COMP_CWORD; index++)); do"
    yield '        if [[ $value ]]; then value=""'
    yield "        elif [[ ${COMP_WORDS[index]} == -* ]]; then"
    valued = sorted({n for d in docs for o in options(d) if kind(o) != "none" for n in o.names})
    yield f"            case ${{COMP_WORDS[index]}} in {' | '.join(valued)}) value=1 ;; esac"
    yield "        else ((count++)); fi"
    yield "    done"
    yield "    ((count >= $#)) && count=$(($# - 1))"
    yield '    _intuition_offer "${@:count+1:1}"'
    yield "}"
    yield ""
    yield "complete -F _intuition intuition"


def _bash_path(doc: Doc) -> str:
    return f'"{_path(doc)}"'


def _bash_kind(option: Option) -> str:
    found = kind(option)
    if found == "choices":
        return f"choices:{'|'.join(option.choices)}"
    return f"choices:{'|'.join(keys())}" if found == "keys" else found


ZSH_HEAD = r"""
_intuition_ask() {  # memories, models or workspaces of the command line so far
    local -a found
    found=(${(f)"$($words_of_command[1] __complete $1 ${words_of_command[2,-1]} 2>/dev/null)"})
    (( $#found )) && compadd -a found
}

_intuition_folders() {
    compset -P '(global|project|workspace)='
    _files -/
}
""".strip("\n")


def zsh(docs: list[Doc]) -> Iterator[str]:
    yield "#compdef intuition"
    yield f"# zsh completion of intuition. {NOTE}"
    yield ""
    yield ZSH_HEAD
    for doc in docs:
        yield ""
        yield f"_intuition{_zsh_name(doc)}() {{"
        if doc.commands:
            yield from _zsh_group(doc)
        else:
            yield "    _arguments -s -S \\"
            specs = [s for o in options(doc) for s in _zsh_option(o)]
            specs += [_zsh_argument(o) for o in arguments(doc)]
            for spec in specs[:-1]:
                yield f"        {spec} \\"
            yield f"        {specs[-1]}"
        yield "}"
    yield ""
    yield "(( $+functions[compdef] )) && [[ $zsh_eval_context[-1] != loadautofunc ]] &&"
    yield "    compdef _intuition intuition"
    yield 'if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _intuition "$@"; fi'


def _zsh_name(doc: Doc) -> str:
    return "".join(f"_{word.replace('-', '_')}" for word in _path(doc).split())


def _zsh_group(doc: Doc) -> Iterator[str]:
    top = not _path(doc)
    if top:
        yield "    local -a words_of_command=($words[1,CURRENT-1])"
    yield "    local curcontext=$curcontext state line"
    yield "    local -a commands"
    yield "    commands=("
    for name, summary in doc.commands:
        yield f"        {_zsh_quoted(name + ':' + summary)}"
    yield "    )"
    yield "    _arguments -C \\"
    for option in options(doc):
        for spec in _zsh_option(option):
            yield f"        {spec} \\"
    yield "        '1: :->command' '*:: :->rest'"
    yield "    case $state in"
    yield "        command) _describe command commands ;;"
    yield "        rest)"
    yield "            case $words[1] in"
    for name, _ in doc.commands:
        below = f"_intuition{_zsh_name(doc)}_{name.replace('-', '_')}"
        yield f"                {name}) {below} ;;"
    yield "            esac ;;"
    yield "    esac"


def _zsh_option(option: Option) -> Iterator[str]:
    text = option.text.replace("[", "(").replace("]", ")")
    several = "*" if "repeat" in option.text else ""
    others = "" if several else f"({' '.join(option.names)})"
    for name in option.names:
        equals = "=" if option.metavar and name.startswith("--") else ""
        value = f":{_zsh_escaped(option.metavar)}:{_zsh_action(option)}" if option.metavar else ""
        yield _zsh_quoted(f"{others}{several}{name}{equals}[{_zsh_escaped(text)}]{value}")


def _zsh_argument(option: Option) -> str:
    many = "*" if option.metavar.endswith("...") else ""
    optional = ":" if option.metavar.startswith("[") else ""
    label = _zsh_escaped(option.metavar.strip("[]."))
    return _zsh_quoted(f"{many}{optional}:{label}:{_zsh_action(option)}")


def _zsh_action(option: Option) -> str:
    match kind(option):
        case "choices":
            return f"({' '.join(option.choices)})"
        case "keys":
            return f"({' '.join(keys())})"
        case "files":
            return "_files"
        case "folders":
            return "_intuition_folders"
        case "memories" | "models" | "workspaces" as asked:
            return f" _intuition_ask {asked}"  # a space first: it takes no other words
        case _:
            return " "


def _zsh_escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace(":", "\\:")


def _zsh_quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


FISH_HEAD = r"""
function __intuition_at --description 'Whether the command line names this command, and no more'
    set -l words (commandline -opc)
    set -l wanted $argv
    set -l last (math 1 + (count $wanted))
    test (count $words) -ge $last
    and test "$words[2..$last]" = "$wanted"
end

function __intuition_group --description 'Whether a command of this group is still to be named'
    test (count (commandline -opc)) -eq (math 1 + (count $argv))
    and begin
        not set -q argv[1]
        or __intuition_at $argv
    end
end

function __intuition_ask --description 'Memories, models or workspaces'
    set -l words (commandline -opc)
    $words[1] __complete $argv[1] $words[2..] 2>/dev/null
end
""".strip("\n")


def fish(docs: list[Doc]) -> Iterator[str]:
    yield f"# fish completion of intuition. {NOTE}"
    yield ""
    yield FISH_HEAD
    yield ""
    yield "complete -c intuition -f"
    for doc in docs:
        here = f"__intuition_at {_path(doc)}".strip()
        group = f"__intuition_group {_path(doc)}".strip()
        yield ""
        for name, summary in doc.commands:
            yield f"complete -c intuition -n '{group}' -a {name} -d {_fish_quoted(summary)}"
        for option in options(doc):
            yield f"complete -c intuition -n '{group if doc.commands else here}'{_fish(option)}"
        for option in arguments(doc):
            offer = _fish_values(option)
            if offer:
                yield f"complete -c intuition -n '{here}'{offer}"


def _fish(option: Option) -> str:
    names = "".join(f" -l {n[2:]}" if n[:2] == "--" else f" -s {n[1:]}" for n in option.names)
    needs = " -r" if kind(option) == "files" else " -x" if option.metavar else ""
    return f"{names}{needs}{_fish_values(option)} -d {_fish_quoted(option.text)}"


def _fish_values(option: Option) -> str:
    match kind(option):
        case "choices":
            return f" -a '{' '.join(option.choices)}'"
        case "keys":
            return f" -a '{' '.join(keys())}'"
        case "files":
            return " -F"
        case "folders":
            return " -a '(__fish_complete_directories)'"
        case "memories" | "models" | "workspaces" as asked:
            return f" -a '(__intuition_ask {asked})'"
        case _:
            return ""


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


if __name__ == "__main__":
    write(ROOT / "completions", texts(), "tools/generate_completions.py")
