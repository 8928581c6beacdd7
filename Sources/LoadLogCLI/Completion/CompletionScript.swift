import ArgumentParser

/// Completion scripts: the parser's own, which know verbs, options and files, and around each a function that
/// completes names of feeds and the command of `run`.
enum CompletionScript {
  static func text(for shell: CompletionShell) -> String {
    let verbs = LoadLogCommand.completionScript(for: shell)
    return switch shell {
    case .bash: verbs + bash
    case .zsh: "#compdef loadlog\n\n__loadlog_define() {\n\(verbs)\n}\n__loadlog_define\n" + zsh
    // Fish would take the next word for the size of --keep-output, which only "=" can give.
    default: verbs.replacing(/(-l 'keep-output' .*) -rfka ''/) { "\($0.1) -f" } + fish
    }
  }

  /// Bash splits the line at colons, too, although feeds may contain them: the pieces are joined again, and only
  /// what follows the last break is replaced. Names are compared and quoted here, because `compgen -W` would
  /// execute a command substitution in them.
  private static let bash = #"""


    __loadlog_line() {
        local -i i end=0 last
        local -a words=() plain=()
        local word rest="${COMP_LINE}" names name prefix kind=-f
        for ((i = 0; i <= COMP_CWORD; i++)); do
            word="${COMP_WORDS[i]}"
            if ((i > 1)) && [[ -n "${word}" && "${rest}" = "${word}"* ]]; then
                words[${#words[@]} - 1]+="${word}"
            else
                words+=("${word}")
            fi
            rest="${rest#*"${word}"}"
            if [[ "${word}" = -- ]] && ((end == 0)); then end=i; fi
        done

        if [[ "${COMP_WORDS[1]}" = run ]] && ((end > 0 && end < COMP_CWORD)); then
            if declare -F _comp_command_offset >/dev/null; then
                _comp_command_offset "$((end + 1))"
            elif declare -F _command_offset >/dev/null; then
                _command_offset "$((end + 1))"
            else
                if ((COMP_CWORD == end + 1)); then kind=-c; fi
                while IFS= read -r name; do COMPREPLY+=("${name}"); done < <(compgen "${kind}" -- "${2}")
            fi
            return
        fi

        last="$((${#words[@]} - 1))"
        # A word without its quotes. Variables in it stay as they are: nothing is evaluated here.
        for word in "${words[@]}"; do
            word="${word/#\~\//${HOME}/}"
            plain+=("${word//[\"\'\\]/}")
        done
        if [[ "${words[last]}" != -* ]] &&
            names="$("${plain[0]}" ---feeds "${plain[@]:1:last - 1}" 2>/dev/null)"; then
            prefix="${words[last]%"${2}"}"
            kind=""
            if [[ "${words[last]}" != [\"\']* ]] && compopt +o filenames 2>/dev/null; then kind=quoted; fi
            while IFS= read -r name; do
                [[ -n "${name}" && "${name}" = "${plain[last]}"* ]] || continue
                if [[ -n "${kind}" ]]; then printf -v name %q "${name}"; fi
                COMPREPLY+=("${name#"${prefix}"}")
            done <<<"${names}"
            return
        fi
        _loadlog "${@}"
    }
    complete -o filenames -F __loadlog_line loadlog
    """#

  private static let zsh = #"""
    functions[__loadlog_verbs]="${functions[_loadlog]}"

    _loadlog() {
        local names
        local -a feeds plain=("${(@Q)words[2,CURRENT - 1]}")
        local -i end="${words[(i)--]}"
        if [[ "${words[2]}" = run ]] && ((end < CURRENT)); then
            shift "${end}" words
            ((CURRENT -= end))
            _normal
        elif [[ "${PREFIX}" != -* ]] &&
            names="$("${(Q)words[1]}" ---feeds "${(@)plain/#\~\//${HOME}/}" 2>/dev/null)"; then
            feeds=("${(@f)names}")
            compadd -a feeds
        else
            __loadlog_verbs "${@}"
        fi
    }

    if [[ "${funcstack[1]}" = _loadlog ]]; then
        _loadlog "${@}"
    else
        compdef _loadlog loadlog
    fi
    """#

  private static let fish = #"""


    function __loadlog_words
        commandline -xpc 2>/dev/null; or commandline -opc
    end

    function __loadlog_command_words
        set -l words (__loadlog_words)
        test "$words[2]" = run; or return 1
        set -l end (contains -i -- -- $words); or return 1
        string escape -- $words[(math $end + 1)..]
        return 0
    end

    function __loadlog_feeds
        set -l words (__loadlog_words)
        command $words[1] ---feeds (string replace -r -- '^~/' "$HOME/" $words[2..]) 2>/dev/null
    end

    complete -c loadlog -n 'not string match -q -- "-*" (commandline -ct)' -ka '(__loadlog_feeds)'
    complete -c loadlog -n '__loadlog_command_words >/dev/null' \
        -xa '(complete -C (string join " " -- (__loadlog_command_words) (commandline -ct)))'
    """#
}
