"""Types a command line and a tab into an interactive shell, and prints the line that the shell makes of it.

Usage: press_tab.py bash|zsh|fish SCRIPT LINE

SCRIPT is a completion script for the shell. The key Ctrl-O writes the line to a file: the shell reads its keys in
order, so it does that after the completion.
"""

import os
import pty
import select
import shutil
import sys
import tempfile

SETUP = {
    "bash": r"""
PS1='READY> '; bind 'set bell-style none'; source "$SCRIPT"
keep() { printf '%s' "$READLINE_LINE" >"$LINE_FILE"; echo 'D''ONE'; }
bind -x '"\C-o": keep'
""",
    "zsh": r"""
PS1='READY> '; unsetopt beep; autoload -Uz compinit; compinit -u -D; source "$SCRIPT"
keep() { printf '%s' "$BUFFER" >"$LINE_FILE"; print 'D''ONE'; }
zle -N keep; bindkey '^O' keep
""",
    "fish": r"""
function fish_prompt; echo 'READY> '; end
set -g fish_autosuggestion_enabled 0
source "$SCRIPT"
function keep; commandline >"$LINE_FILE"; echo 'D''ONE'; end
bind \co keep
""",
}


def arguments(shell, folder):
    """Returns: the words that start the shell, with the setup as its only configuration."""
    setup = os.path.join(folder, ".zshrc" if shell == "zsh" else "setup")
    with open(setup, "w", encoding="utf-8") as file:
        file.write(SETUP[shell])
    return {
        "bash": ["bash", "--noprofile", "--rcfile", setup, "-i"],
        "zsh": ["zsh", "-d", "-i"],
        "fish": ["fish", "--no-config", "--init-command", f"source {setup}", "--interactive"],
    }[shell]


def read_until(terminal, word):
    text = b""
    while word not in text:
        if not select.select([terminal], [], [], 60)[0]:
            sys.exit(f"{word} does not appear in {text!r}")
        text += os.read(terminal, 4096)


def main(shell, script, line):
    folder = tempfile.mkdtemp()
    line_file = os.path.join(folder, "line")
    words = arguments(shell, folder)
    variables = dict(os.environ, SCRIPT=script, LINE_FILE=line_file, ZDOTDIR=folder, TERM="xterm")
    child, terminal = pty.fork()
    if child == 0:
        os.execvpe(words[0], words, variables)
    try:
        read_until(terminal, b"READY> ")
        os.write(terminal, line.encode() + b"\t\x0f")
        read_until(terminal, b"DONE")
        with open(line_file, encoding="utf-8") as file:
            print(file.read().rstrip("\n"))
    finally:
        os.close(terminal)
        os.kill(child, 9)
        os.waitpid(child, 0)
        shutil.rmtree(folder)


main(*sys.argv[1:])
