# bash completion of intuition. Made by tools/generate_completions.py; do not edit.
shopt -s extglob
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
    case ${COMP_WORDS[1]} in meta | config | hook) ;; *) at=${at%% *} n=2 ;; esac
    at=${at% }
    case $at,$previous in
        "recall",--cue) _intuition_offer 'text'; return ;;
        "recall",--cue-file) _intuition_offer 'files'; return ;;
        "recall",--batch) _intuition_offer 'files'; return ;;
        "recall",--jobs) _intuition_offer 'text'; return ;;
        "recall",--memory-dir | "recall",-d) _intuition_offer 'folders'; return ;;
        "recall",--root) _intuition_offer 'folders'; return ;;
        "recall",--project) _intuition_offer 'folders'; return ;;
        "recall",--workspace) _intuition_offer 'workspaces'; return ;;
        "recall",--include) _intuition_offer 'text'; return ;;
        "recall",--exclude) _intuition_offer 'text'; return ;;
        "recall",--meta) _intuition_offer 'files'; return ;;
        "recall",--config) _intuition_offer 'files'; return ;;
        "recall",--model) _intuition_offer 'models'; return ;;
        "recall",--fallback-model) _intuition_offer 'models'; return ;;
        "recall",--api-base) _intuition_offer 'text'; return ;;
        "recall",--max-steps) _intuition_offer 'text'; return ;;
        "recall",--max-results) _intuition_offer 'text'; return ;;
        "recall",--timeout) _intuition_offer 'text'; return ;;
        "recall",--max-cost) _intuition_offer 'text'; return ;;
        "recall",--threshold) _intuition_offer 'text'; return ;;
        "recall",--floor) _intuition_offer 'text'; return ;;
        "recall",--turn) _intuition_offer 'text'; return ;;
        "recall",--format) _intuition_offer 'choices:table|json'; return ;;
        "index",--cue) _intuition_offer 'text'; return ;;
        "index",--memory-dir | "index",-d) _intuition_offer 'folders'; return ;;
        "index",--root) _intuition_offer 'folders'; return ;;
        "index",--project) _intuition_offer 'folders'; return ;;
        "index",--workspace) _intuition_offer 'workspaces'; return ;;
        "index",--include) _intuition_offer 'text'; return ;;
        "index",--exclude) _intuition_offer 'text'; return ;;
        "index",--meta) _intuition_offer 'files'; return ;;
        "index",--config) _intuition_offer 'files'; return ;;
        "index",--format) _intuition_offer 'choices:table|json'; return ;;
        "stats",--memory-dir | "stats",-d) _intuition_offer 'folders'; return ;;
        "stats",--root) _intuition_offer 'folders'; return ;;
        "stats",--project) _intuition_offer 'folders'; return ;;
        "stats",--workspace) _intuition_offer 'workspaces'; return ;;
        "stats",--include) _intuition_offer 'text'; return ;;
        "stats",--exclude) _intuition_offer 'text'; return ;;
        "stats",--meta) _intuition_offer 'files'; return ;;
        "stats",--config) _intuition_offer 'files'; return ;;
        "stats",--format) _intuition_offer 'choices:table|json'; return ;;
        "stats",--since) _intuition_offer 'text'; return ;;
        "meta diff",--memory-dir | "meta diff",-d) _intuition_offer 'folders'; return ;;
        "meta diff",--root) _intuition_offer 'folders'; return ;;
        "meta diff",--project) _intuition_offer 'folders'; return ;;
        "meta diff",--workspace) _intuition_offer 'workspaces'; return ;;
        "meta diff",--include) _intuition_offer 'text'; return ;;
        "meta diff",--exclude) _intuition_offer 'text'; return ;;
        "meta diff",--meta) _intuition_offer 'files'; return ;;
        "meta diff",--config) _intuition_offer 'files'; return ;;
        "meta diff",--format) _intuition_offer 'choices:table|json'; return ;;
        "meta diff",--at) _intuition_offer 'text'; return ;;
        "meta show",--memory-dir | "meta show",-d) _intuition_offer 'folders'; return ;;
        "meta show",--root) _intuition_offer 'folders'; return ;;
        "meta show",--project) _intuition_offer 'folders'; return ;;
        "meta show",--workspace) _intuition_offer 'workspaces'; return ;;
        "meta show",--include) _intuition_offer 'text'; return ;;
        "meta show",--exclude) _intuition_offer 'text'; return ;;
        "meta show",--meta) _intuition_offer 'files'; return ;;
        "meta show",--config) _intuition_offer 'files'; return ;;
        "meta show",--format) _intuition_offer 'choices:table|json'; return ;;
        "meta path",--memory-dir | "meta path",-d) _intuition_offer 'folders'; return ;;
        "meta path",--root) _intuition_offer 'folders'; return ;;
        "meta path",--project) _intuition_offer 'folders'; return ;;
        "meta path",--workspace) _intuition_offer 'workspaces'; return ;;
        "meta path",--include) _intuition_offer 'text'; return ;;
        "meta path",--exclude) _intuition_offer 'text'; return ;;
        "meta path",--meta) _intuition_offer 'files'; return ;;
        "meta path",--config) _intuition_offer 'files'; return ;;
        "meta path",--format) _intuition_offer 'choices:table|json'; return ;;
        "meta pin",--memory-dir | "meta pin",-d) _intuition_offer 'folders'; return ;;
        "meta pin",--root) _intuition_offer 'folders'; return ;;
        "meta pin",--project) _intuition_offer 'folders'; return ;;
        "meta pin",--workspace) _intuition_offer 'workspaces'; return ;;
        "meta pin",--include) _intuition_offer 'text'; return ;;
        "meta pin",--exclude) _intuition_offer 'text'; return ;;
        "meta pin",--meta) _intuition_offer 'files'; return ;;
        "meta pin",--config) _intuition_offer 'files'; return ;;
        "meta pin",--format) _intuition_offer 'choices:table|json'; return ;;
        "meta unpin",--memory-dir | "meta unpin",-d) _intuition_offer 'folders'; return ;;
        "meta unpin",--root) _intuition_offer 'folders'; return ;;
        "meta unpin",--project) _intuition_offer 'folders'; return ;;
        "meta unpin",--workspace) _intuition_offer 'workspaces'; return ;;
        "meta unpin",--include) _intuition_offer 'text'; return ;;
        "meta unpin",--exclude) _intuition_offer 'text'; return ;;
        "meta unpin",--meta) _intuition_offer 'files'; return ;;
        "meta unpin",--config) _intuition_offer 'files'; return ;;
        "meta unpin",--format) _intuition_offer 'choices:table|json'; return ;;
        "meta snapshot",--memory-dir | "meta snapshot",-d) _intuition_offer 'folders'; return ;;
        "meta snapshot",--root) _intuition_offer 'folders'; return ;;
        "meta snapshot",--project) _intuition_offer 'folders'; return ;;
        "meta snapshot",--workspace) _intuition_offer 'workspaces'; return ;;
        "meta snapshot",--include) _intuition_offer 'text'; return ;;
        "meta snapshot",--exclude) _intuition_offer 'text'; return ;;
        "meta snapshot",--meta) _intuition_offer 'files'; return ;;
        "meta snapshot",--config) _intuition_offer 'files'; return ;;
        "meta snapshot",--format) _intuition_offer 'choices:table|json'; return ;;
        "config show",--memory-dir | "config show",-d) _intuition_offer 'folders'; return ;;
        "config show",--root) _intuition_offer 'folders'; return ;;
        "config show",--project) _intuition_offer 'folders'; return ;;
        "config show",--workspace) _intuition_offer 'workspaces'; return ;;
        "config show",--include) _intuition_offer 'text'; return ;;
        "config show",--exclude) _intuition_offer 'text'; return ;;
        "config show",--meta) _intuition_offer 'files'; return ;;
        "config show",--config) _intuition_offer 'files'; return ;;
        "config show",--model) _intuition_offer 'models'; return ;;
        "config show",--fallback-model) _intuition_offer 'models'; return ;;
        "config show",--api-base) _intuition_offer 'text'; return ;;
        "config show",--max-steps) _intuition_offer 'text'; return ;;
        "config show",--max-results) _intuition_offer 'text'; return ;;
        "config show",--timeout) _intuition_offer 'text'; return ;;
        "config show",--max-cost) _intuition_offer 'text'; return ;;
        "config show",--threshold) _intuition_offer 'text'; return ;;
        "config show",--floor) _intuition_offer 'text'; return ;;
        "config show",--turn) _intuition_offer 'text'; return ;;
        "config show",--format) _intuition_offer 'choices:table|json'; return ;;
        "config set",--config) _intuition_offer 'files'; return ;;
        "config set",--format) _intuition_offer 'choices:table|json'; return ;;
        "config unset",--config) _intuition_offer 'files'; return ;;
        "config unset",--format) _intuition_offer 'choices:table|json'; return ;;
        "config path",--config) _intuition_offer 'files'; return ;;
        "config path",--format) _intuition_offer 'choices:table|json'; return ;;
        "guidance",--style) _intuition_offer 'choices:markdown|xml'; return ;;
        "guidance",--skill) _intuition_offer 'folders'; return ;;
        "mcp",--memory-dir | "mcp",-d) _intuition_offer 'folders'; return ;;
        "mcp",--root) _intuition_offer 'folders'; return ;;
        "mcp",--project) _intuition_offer 'folders'; return ;;
        "mcp",--workspace) _intuition_offer 'workspaces'; return ;;
        "mcp",--include) _intuition_offer 'text'; return ;;
        "mcp",--exclude) _intuition_offer 'text'; return ;;
        "mcp",--meta) _intuition_offer 'files'; return ;;
        "mcp",--config) _intuition_offer 'files'; return ;;
        "mcp",--model) _intuition_offer 'models'; return ;;
        "mcp",--fallback-model) _intuition_offer 'models'; return ;;
        "mcp",--api-base) _intuition_offer 'text'; return ;;
        "mcp",--max-steps) _intuition_offer 'text'; return ;;
        "mcp",--max-results) _intuition_offer 'text'; return ;;
        "mcp",--timeout) _intuition_offer 'text'; return ;;
        "mcp",--max-cost) _intuition_offer 'text'; return ;;
        "mcp",--threshold) _intuition_offer 'text'; return ;;
        "mcp",--floor) _intuition_offer 'text'; return ;;
        "mcp",--turn) _intuition_offer 'text'; return ;;
        "hook claude-code",--memory-dir | "hook claude-code",-d) _intuition_offer 'folders'; return ;;
        "hook claude-code",--root) _intuition_offer 'folders'; return ;;
        "hook claude-code",--project) _intuition_offer 'folders'; return ;;
        "hook claude-code",--workspace) _intuition_offer 'workspaces'; return ;;
        "hook claude-code",--include) _intuition_offer 'text'; return ;;
        "hook claude-code",--exclude) _intuition_offer 'text'; return ;;
        "hook claude-code",--meta) _intuition_offer 'files'; return ;;
        "hook claude-code",--config) _intuition_offer 'files'; return ;;
        "hook claude-code",--model) _intuition_offer 'models'; return ;;
        "hook claude-code",--fallback-model) _intuition_offer 'models'; return ;;
        "hook claude-code",--api-base) _intuition_offer 'text'; return ;;
        "hook claude-code",--every) _intuition_offer 'text'; return ;;
        "hook claude-code",--timeout) _intuition_offer 'text'; return ;;
    esac
    case $at in
        "")
            [[ $word == -* ]] || _intuition_values < <(printf '%s\n' recall index stats meta config guidance mcp hook)
            [[ $word == -* ]] &&
                _intuition_values < <(printf '%s\n' --version -h --help)
            ;;
        "recall")
            [[ $word == -* ]] &&
                _intuition_values < <(printf '%s\n' --cue --cue-file --batch --jobs --example --memory-dir -d --root --project --workspace --include --exclude --meta --config --model --fallback-model --api-base --max-steps --max-results --timeout --max-cost --threshold --floor --turn --format --json -j --no-color --quiet -q --no-record --exit-code --verbose -v --dry-run --schema -h --help)
            ;;
        "index")
            [[ $word == -* ]] &&
                _intuition_values < <(printf '%s\n' --cue --example --discover --memory-dir -d --root --project --workspace --include --exclude --meta --config --all --format --json -j --no-color --quiet -q -h --help)
            ;;
        "stats")
            [[ $word == -* ]] &&
                _intuition_values < <(printf '%s\n' --memory-dir -d --root --project --workspace --include --exclude --meta --config --format --json -j --no-color --quiet -q --since --all-stores -h --help)
            ;;
        "meta")
            [[ $word == -* ]] || _intuition_values < <(printf '%s\n' diff show path pin unpin snapshot)
            [[ $word == -* ]] &&
                _intuition_values < <(printf '%s\n' -h --help)
            ;;
        "meta diff")
            [[ $word == -* ]] || _intuition_argument 'files' 'files'
            [[ $word == -* ]] &&
                _intuition_values < <(printf '%s\n' --memory-dir -d --root --project --workspace --include --exclude --meta --config --format --json -j --no-color --quiet -q --at --exit-code -h --help)
            ;;
        "meta show")
            [[ $word == -* ]] &&
                _intuition_values < <(printf '%s\n' --memory-dir -d --root --project --workspace --include --exclude --meta --config --format --json -j --no-color --quiet -q -h --help)
            ;;
        "meta path")
            [[ $word == -* ]] &&
                _intuition_values < <(printf '%s\n' --memory-dir -d --root --project --workspace --include --exclude --meta --config --format --json -j --no-color --quiet -q -h --help)
            ;;
        "meta pin")
            [[ $word == -* ]] || _intuition_argument 'memories'
            [[ $word == -* ]] &&
                _intuition_values < <(printf '%s\n' --memory-dir -d --root --project --workspace --include --exclude --meta --config --format --json -j --no-color --quiet -q -h --help)
            ;;
        "meta unpin")
            [[ $word == -* ]] || _intuition_argument 'memories'
            [[ $word == -* ]] &&
                _intuition_values < <(printf '%s\n' --memory-dir -d --root --project --workspace --include --exclude --meta --config --format --json -j --no-color --quiet -q -h --help)
            ;;
        "meta snapshot")
            [[ $word == -* ]] || _intuition_argument 'files'
            [[ $word == -* ]] &&
                _intuition_values < <(printf '%s\n' --memory-dir -d --root --project --workspace --include --exclude --meta --config --format --json -j --no-color --quiet -q -h --help)
            ;;
        "config")
            [[ $word == -* ]] || _intuition_values < <(printf '%s\n' show set unset path)
            [[ $word == -* ]] &&
                _intuition_values < <(printf '%s\n' -h --help)
            ;;
        "config show")
            [[ $word == -* ]] &&
                _intuition_values < <(printf '%s\n' --memory-dir -d --root --project --workspace --include --exclude --meta --config --model --fallback-model --api-base --max-steps --max-results --timeout --max-cost --threshold --floor --turn --format --json -j --no-color --quiet -q -h --help)
            ;;
        "config set")
            [[ $word == -* ]] || _intuition_argument 'choices:model|root|memory_dir|api_base|agent.enabled|agent.model|agent.fallback_models|budgets.max_steps|budgets.max_output_tokens|budgets.max_uses_per_turn|budgets.max_results|budgets.max_excerpt_chars|budgets.max_read_bytes|budgets.max_index_entries|budgets.max_index_bytes|budgets.max_files|budgets.timeout_ms|budgets.max_cost_usd|budgets.threshold|budgets.floor|experiments.memory|experiments.memory_intuition|integrations.enabled|tools.remove|hooks.tool_pre|hooks.tool_post|hooks.filter' 'text'
            [[ $word == -* ]] &&
                _intuition_values < <(printf '%s\n' --config --format --json -j --no-color --quiet -q --force -h --help)
            ;;
        "config unset")
            [[ $word == -* ]] || _intuition_argument 'choices:model|root|memory_dir|api_base|agent.enabled|agent.model|agent.fallback_models|budgets.max_steps|budgets.max_output_tokens|budgets.max_uses_per_turn|budgets.max_results|budgets.max_excerpt_chars|budgets.max_read_bytes|budgets.max_index_entries|budgets.max_index_bytes|budgets.max_files|budgets.timeout_ms|budgets.max_cost_usd|budgets.threshold|budgets.floor|experiments.memory|experiments.memory_intuition|integrations.enabled|tools.remove|hooks.tool_pre|hooks.tool_post|hooks.filter'
            [[ $word == -* ]] &&
                _intuition_values < <(printf '%s\n' --config --format --json -j --no-color --quiet -q --force -h --help)
            ;;
        "config path")
            [[ $word == -* ]] &&
                _intuition_values < <(printf '%s\n' --config --format --json -j --no-color --quiet -q -h --help)
            ;;
        "guidance")
            [[ $word == -* ]] &&
                _intuition_values < <(printf '%s\n' --style --skill --force -h --help)
            ;;
        "mcp")
            [[ $word == -* ]] &&
                _intuition_values < <(printf '%s\n' --memory-dir -d --root --project --workspace --include --exclude --meta --config --model --fallback-model --api-base --max-steps --max-results --timeout --max-cost --threshold --floor --turn --no-record --example -h --help)
            ;;
        "hook")
            [[ $word == -* ]] || _intuition_values < <(printf '%s\n' claude-code)
            [[ $word == -* ]] &&
                _intuition_values < <(printf '%s\n' -h --help)
            ;;
        "hook claude-code")
            [[ $word == -* ]] &&
                _intuition_values < <(printf '%s\n' --memory-dir -d --root --project --workspace --include --exclude --meta --config --model --fallback-model --api-base --install --uninstall --yes -y --every --leads --timeout -h --help)
            ;;
    esac
}

# The last of the kinds that are given stands for all that follow.
_intuition_argument() {
    local index count=0 value=""
    for ((index = n; index < COMP_CWORD; index++)); do
        if [[ $value ]]; then value=""
        elif [[ ${COMP_WORDS[index]} == -* ]]; then
            case ${COMP_WORDS[index]} in --api-base | --at | --batch | --config | --cue | --cue-file | --every | --exclude | --fallback-model | --floor | --format | --include | --jobs | --max-cost | --max-results | --max-steps | --memory-dir | --meta | --model | --project | --root | --since | --skill | --style | --threshold | --timeout | --turn | --workspace | -d) value=1 ;; esac
        else ((count++)); fi
    done
    ((count >= $#)) && count=$(($# - 1))
    _intuition_offer "${@:count+1:1}"
}

complete -F _intuition intuition
