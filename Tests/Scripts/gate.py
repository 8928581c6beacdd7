"""Is another process at a gate, the file whose lock a process has while it writes to a store.

    gate.py hold GATE     prints "held" as soon as it has the lock, which it keeps until its input ends
    gate.py watch GATE    prints "taken" as soon as another process has the lock
"""

import fcntl
import sys
import time

verb, path = sys.argv[1:]
with open(path, "a", encoding="utf-8") as gate:
    if verb == "hold":
        fcntl.flock(gate, fcntl.LOCK_EX)
        print("held", flush=True)
        sys.stdin.read()
        sys.exit()
    for _ in range(1000):
        try:
            fcntl.flock(gate, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("taken")
            break
        fcntl.flock(gate, fcntl.LOCK_UN)
        time.sleep(0.01)
