"""Ships three hosts to one PostgreSQL by the lines of README, kills one of them, and asks from a fourth.

    fleet_hosts.py LOADLOG LOADLOG-NET
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests" / "Torture"))

from postgres import Postgres  # noqa: E402

PATIENCE = 60
# Seconds; README's is longer than a test may wait.
LEASE = 2


def main():
    programs = [pathlib.Path(name).resolve() for name in sys.argv[1:]]
    lines = readme_lines()
    faults = []
    with tempfile.TemporaryDirectory(prefix="loadlog-fleet-") as folder, Postgres() as database:
        database.psql("CREATE DATABASE loadlog")
        hosts = [Host(pathlib.Path(folder), name, programs, database) for name in ("web-1", "web-2", "web-3", "laptop")]
        *web, laptop = hosts
        laptop.shell(lines["export"], lines["loadlog fleet init"])
        for host in web:
            host.shell("loadlog run backup -q -- true", "loadlog run import -q -- false || true")
        web[1].shell("loadlog pop network || true")
        if "belongs to no fleet" not in web[0].shell("loadlog sync --dry-run"):
            faults.append("a store that has not shipped does not say so")
        running = [host.start("loadlog run watch -q -- sleep 1000") for host in web]
        sync = re.sub(r"--lease \S+", f"--lease {LEASE}s", lines["loadlog sync"])
        for host in web:
            wait(lambda host=host: host.loads("watch"), "the load that runs is recorded")
            host.shell(lines["export"], sync)
        if (said := web[0].shell("loadlog sync --dry-run")) != "As web-1: 0 changes wait.\n":
            faults.append(f"after a sync: {said}")
        # The load is crashed for its own host, which never comes back to say so.
        os.killpg(running[2].pid, signal.SIGKILL)
        for host in web[:2]:
            host.shell(lines["export"], sync.replace(f"{LEASE}s", "10m"))
        ask = lambda *words: json.loads(laptop.shell(lines["export"], " ".join([*words, "--json"])))
        wait(
            lambda: [host["host"] for host in ask("loadlog fleet hosts")["hosts"] if host["state"] == "silent"] == ["web-3"],
            "web-3 is silent after its lease")

        status = {feed["feed"]: feed for feed in ask(lines["loadlog status --fleet"])["feeds"]}
        expect = lambda what, found, wanted: found == wanted or faults.append(f"{what}: {found}, not {wanted}")
        expect("successes of backup", status["backup"]["succeeded"], 3)
        expect("failures of import", status["import"]["failed"], 3)
        expect("extra pops of network", status["network"]["unbalanced"]["extra_pop"], 1)
        expect("running loads of watch", (status["watch"]["running"], status["watch"]["unknown"]), (2, 1))
        by_host = ask(lines["loadlog status --fleet"], "--by-host", "--host", "web-2")["feeds"]
        expect("feeds of web-2", sorted(feed["feed"] for feed in by_host),
               ["web-2/backup", "web-2/import", "web-2/network", "web-2/watch"])
        page = laptop.shell(lines["export"], lines["loadlog status --fleet"], lines["loadlog fleet hosts"])
        if "failing" in laptop.shell(lines["export"], lines["loadlog status --fleet"] + " backup"):
            faults.append("the status of one feed speaks of another")
        for text in ("backup", "web-3", "silent beyond its lease"):
            if text not in page:
                faults.append(f"the pages do not say {text!r}")
        laptop.shell(lines["export"], "loadlog report --fleet -q -o fleet.html")
        if "backup" not in (laptop.home / "fleet.html").read_text():
            faults.append("the report is not that of the fleet")
        print(page)
        for process in running[:2]:
            os.killpg(process.pid, signal.SIGKILL)
    for fault in faults:
        print(f"fleet: {fault}")
    print(f"fleet: {len(faults)} faults")
    return 1 if faults else 0


def readme_lines():
    """The lines of README's block about the fleet, by how they begin."""
    text = (ROOT / "README.md").read_text()
    block = re.search(r"## Fleet\n\n```bash\n(.*?)```", text, re.S)[1]
    lines = [line.split(" #")[0].strip() for line in block.splitlines()]
    starts = ["export", "loadlog fleet init", "loadlog sync", "loadlog status --fleet", "loadlog fleet hosts"]
    return {start: next(line for line in lines if line.startswith(start)) for start in starts}


class Host:
    """A machine: a name of its own, and a home of its own, which has the store."""

    def __init__(self, folder, name, programs, database):
        self.name = name
        self.home = folder / name
        self.home.mkdir()
        path = ":".join([str(folder / "bin"), os.environ["PATH"]])
        (folder / "bin").mkdir(exist_ok=True)
        for program in programs:
            # loadlog looks for loadlog-net beside itself, wherever a link leads.
            if not (copy := folder / "bin" / program.name).exists():
                shutil.copy(program, copy)
        self.environment = {
            "HOME": str(self.home), "PATH": path, "PGHOST": "127.0.0.1", "PGPORT": str(database.port),
            "PGUSER": "postgres", "LANG": "C.UTF-8",
            "LOADLOG_MUTANT": os.environ.get("LOADLOG_MUTANT", "0"),  # the mutant that ./dev mutate tries
        }
        # A namespace gives it its name.
        self.prefix = ["unshare", *([] if os.getuid() == 0 else ["--map-root-user"]), "--uts", "bash", "-ec"]

    def start(self, *lines):
        return subprocess.Popen(
            [*self.prefix, "\n".join([f"hostname {self.name}", *lines])], env=self.environment, cwd=self.home,
            start_new_session=True)

    def shell(self, *lines):
        answer = subprocess.run(
            [*self.prefix, "\n".join([f"hostname {self.name}", *lines])], env=self.environment, cwd=self.home,
            capture_output=True, text=True, timeout=PATIENCE)
        if answer.returncode != 0:
            raise SystemExit(f"{self.name}: {lines} exited {answer.returncode}: {answer.stdout}{answer.stderr}")
        return answer.stdout

    def loads(self, feed):
        return json.loads(self.shell(f"loadlog history {feed} --json 2>/dev/null || echo '{{\"loads\": []}}'"))["loads"]


def wait(condition, what):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            raise SystemExit(f"not within {PATIENCE} s: {what}")
        time.sleep(0.1)


if __name__ == "__main__":
    sys.exit(main())
