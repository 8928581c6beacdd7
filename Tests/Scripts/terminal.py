"""Types into a shell on a terminal, as a person does.

    terminal.py STEP...

A STEP that starts with "?" waits for the text behind it, after what was waited for before; "!" takes the terminal away;
"=60x10" gives it 60 columns and 10 lines; any other is typed. Prints all that appeared, and exits 1 if it waited in vain.
"""

import fcntl
import os
import pty
import re
import struct
import sys
import termios
import time


def main(steps):
    shell, terminal = pty.fork()
    if shell == 0:
        os.environ.update(PS1="$ ", TERM="xterm", COLUMNS="80")
        os.execvp("bash", ["bash", "--norc", "--noprofile", "--noediting", "-i"])
    os.set_blocking(terminal, False)
    seen, place = b"", 0
    for step in (step.encode() for step in steps):
        if step == b"!":
            os.close(terminal)
            break
        if size := re.fullmatch(rb"=(\d+)x(\d+)", step):
            columns, lines = map(int, size.groups())
            fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
            continue
        if not step.startswith(b"?"):
            os.write(terminal, step)
            continue
        end = time.monotonic() + 60
        while step[1:] not in seen[place:]:
            if time.monotonic() > end:
                print(f"waited in vain for {step[1:]} after {seen}", file=sys.stderr)
                return 1
            try:
                seen += os.read(terminal, 65536)
            except BlockingIOError:
                time.sleep(0.005)
        place = seen.index(step[1:], place) + len(step) - 1
    sys.stdout.buffer.write(seen)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
