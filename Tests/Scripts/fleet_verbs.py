"""Asks a fleet with the verbs that do more than answer once, as a user does, and compares with the stores.

    fleet_verbs.py LOADLOG LOADLOG-NET
"""

import contextlib
import datetime
import http.client
import json
import os
import pathlib
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests" / "Torture"))

from fleet_hosts import PATIENCE, Host, wait  # noqa: E402
from postgres import Postgres  # noqa: E402

faults = []


def expect(what, found, wanted):
    if found != wanted:
        faults.append(what)
        print(f"FAULT {what}: {found!r}, not {wanted!r}", flush=True)


def main():
    programs = [pathlib.Path(name).resolve() for name in sys.argv[1:]]
    with tempfile.TemporaryDirectory(prefix="loadlog-fleet-") as folder, Postgres() as database:
        fleet = Fleet(pathlib.Path(folder), programs, database)
        export(fleet)
        single_loads(fleet)
        notify(fleet)
        hosts(fleet)
        serve(fleet)
        watch(fleet)
        anywhere(fleet)
        on_each_host(fleet)
        keep_in_step(fleet)
        names(fleet)
        fail_and_go_on(fleet)
        prune_and_retire(fleet)
    print(f"fleet: the verbs: {len(faults)} faults")
    return 1 if faults else 0


class Fleet:
    """Two hosts that have shipped, one of them every load and its messages, and one that asks."""

    def __init__(self, folder, programs, database):
        self.database = database
        self.all, self.some, self.laptop = [
            Host(folder, name, programs, database) for name in ("web-1", "web-2", "laptop")]
        for host in (self.all, self.some, self.laptop):
            host.environment["LOADLOG_FLEET"] = database.url()
        self.laptop.shell("loadlog fleet init")
        self.all.shell("loadlog run backup -q -m 'disk 1' -- true", "loadlog run backup -q -- false || true",
                       "loadlog expect -q backup --every 1d")
        self.some.shell("loadlog run backup -q -m secret -- true", "loadlog pop network || true")
        self.all.shell("loadlog sync --lease 10m --loads all --with-messages")
        self.some.shell("loadlog sync --lease 10m")

    def says(self, *lines):
        """What the lines print, with what they remark."""
        return self.laptop.shell("exec 2>&1", *lines)

    def notifies(self, *options):
        """The lines that one check delivers, and what it prints."""
        told = self.laptop.home / "told"
        told.unlink(missing_ok=True)
        command = "echo \"$LOADLOG_SUMMARY\" >> told; cat > told.json"
        said = self.says(f"loadlog notify --fleet --once --on-change '{command}' {' '.join(options)}")
        return told.read_text().splitlines() if told.exists() else [], said


def numbers(status):
    """What must be equal wherever a record is asked."""
    return {
        feed["feed"]: {name: feed[name] for name in ("last_updated", "loads", "succeeded", "failed", "unbalanced")}
        | {"count": feed["duration"] and feed["duration"]["count"]} for feed in json.loads(status)["feeds"]}


def sealed_days(path):
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [line for line in lines if line["event"] == "sealed_day"]


def export(fleet):
    said = fleet.says("loadlog export --fleet -o all.ndjson")
    expect("what an export says of its gaps", said, "".join(f"loadlog: {line}\n" for line in (
        "the fleet has 1 load only as counts. The file has the counts of those that finished, by UTC day, as far as the fleet has kept them.",
        "web-2 ships no messages, so the file has none of theirs.")))
    fleet.laptop.shell("loadlog import -q --db copy.db all.ndjson")
    expect("the counts of a store that imports the fleet",
           numbers(fleet.laptop.shell("loadlog status --json --db copy.db")),
           numbers(fleet.laptop.shell("loadlog status --json --fleet")))
    text = (fleet.laptop.home / "all.ndjson").read_text()
    expect("messages that are shipped", ("disk 1" in text, "secret" in text), (True, False))

    later = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=1)
    said = fleet.says(f"loadlog export --fleet --since 1h --until {later:%Y-%m-%dT%H:%M:%SZ} -o hours.ndjson")
    expect("what an export without a whole day says of its gaps",
           "1 load on the UTC days of the window only as counts. The file has the counts of those that finished "
           "on days that lie in the window as a whole, as far as the fleet has kept them." in said, True)
    expect("counts of a part of a day", sealed_days(fleet.laptop.home / "hours.ndjson"), [])

    said = fleet.says("loadlog export --fleet --by-host --host web-2 --format csv 2>&1 >web-2.csv")
    expect("what a table leaves out", "the fleet has 1 load only as counts. They are not in the file." in said,
           True)
    rows = fleet.laptop.shell("loadlog export -q --fleet --by-host --host web-1 --format csv").splitlines()[1:]
    expect("the loads of one host", [row.count("web-1/backup") for row in rows], [1, 1])
    expect("what a fleet that ships all says", fleet.says("loadlog export --fleet --host web-1 -o web-1.ndjson"), "")
    expect("days that are only counted", sealed_days(fleet.laptop.home / "web-1.ndjson"), [])

    metrics = fleet.laptop.shell("loadlog export --fleet --format prometheus")
    expect("the metrics of all hosts",
           'loadlog_loads_finished_total{feed="backup",verdict="succeeded"} 2' in metrics, True)
    metrics = fleet.laptop.shell("loadlog export --fleet --by-host --format prometheus")
    expect("the metrics of each host", 'loadlog_failing{feed="web-1/backup"} 1' in metrics, True)
    rows = fleet.laptop.shell("loadlog export -q --fleet --by-host backup --format csv").splitlines()[1:]
    expect("a feed of every host", len(rows), 2)
    for words, code in (("--format sqlite -o copy.db", 2), ("--with-output", 2), ("nowhere", 1)):
        said = fleet.says(f"loadlog export --fleet {words} && exit 9 || echo exit $?")
        expect(f"export --fleet {words}", said.splitlines()[-1], f"exit {code}")


def notify(fleet):
    check = fleet.notifies
    expect("the first check of a fleet", check(),
           (["2 feeds: web-1/backup failing, web-2/network unbalanced"], ""))
    expect("what was delivered", check(), ([], ""))
    expect("the flips of one host, of which another check knows nothing", check("--host web-2")[0],
           ["web-2/network: 1 unbalanced, not acknowledged"])
    expect("a feed of any host", [line.split(": last run")[0] for line in check("backup")[0]], ["web-1/backup: failing"])
    expect("a misspelled feed", check("bakcup")[1],
           'loadlog: no feed is named "bakcup" yet, so it is not checked.\n')
    fleet.database.psql(
        "UPDATE host SET synced_at = now() - INTERVAL '14 minutes', lease_until = now() - INTERVAL '11 minutes'"
        " WHERE name = 'web-2'")
    expect("a silent host", check()[0], ["web-2: silent beyond its lease, last heard 14 m ago"])
    flip = json.loads((fleet.laptop.home / "told.json").read_text())["flips"][0]
    expect("its flip", (flip["feed"], flip["from"], flip["to"], flip["status"]), ("web-2", "fine", "silent", None))
    check_hosts(fleet)
    fleet.some.shell("loadlog sync --lease 10m")
    check()
    folder = fleet.laptop.home / ".local/state/loadlog"
    books = [folder / name for name in os.listdir(folder) if re.fullmatch(r"loadlog\.db-fleet-\w+", name)]
    flips = [
        [(flip["from"], flip["to"]) for flip in json.loads(fleet.laptop.shell(
            f"loadlog history --flips --json --db {book}"))["flips"] if flip["feed"] == "web-2"] for book in books]
    expect("a host that is back, and the book of a check of it alone", sorted(flips),
           [[], [("silent", "fine"), ("fine", "silent")]])
    command = fleet.laptop.shell("loadlog history --flips --fleet").splitlines()[-1].strip()
    expect("the flips of the notifier of this machine", "silent" in fleet.laptop.shell(command), True)
    expect("a fleet whose notifier nobody here knows", "notifier" in fleet.says("loadlog status --fleet"), False)
    expect("a store that nobody checks", "No notifier has run" in fleet.all.shell("loadlog status"), True)


def check_hosts(fleet):
    def check(*options):
        return fleet.says(f"loadlog status --fleet --check {' '.join(options)} && echo exit 0 || echo exit $?").splitlines()

    line = "web-2: silent beyond its lease, last heard 14 m ago"
    for options in ("", "backup"):
        found = check(options)
        expect(f"a check of {options or 'everything'}", (line in found, found[-1]), (True, "exit 1"))
    for options in ("--late", "--host web-1"):
        expect(f"a check with {options}", line in check(options), False)
    problems = json.loads("\n".join(check("--json")[:-1]))["problems"]
    expect("a silent host as JSON", [found["feed"] for found in problems if found["problem"] == "silent"], ["web-2"])


def single_loads(fleet):
    [load] = json.loads(fleet.laptop.shell("loadlog history --fleet --state failed --json"))["loads"]
    expect("the host of a load", load["fleet_host"], "web-1")
    shown = fleet.laptop.shell(f"loadlog show {load['id']} --fleet")
    expect("the host that is shown", [line for line in shown.splitlines() if line.startswith("  host ")],
           ["  host        web-1"])
    said = fleet.laptop.shell("loadlog history --fleet")
    expect("loads without a row", "1 load was only counted; web-2 does not ship every load as a row." in said, True)
    day = sealed_days(fleet.laptop.home / "all.ndjson")[0]["day"]
    said = fleet.laptop.shell(f"loadlog status --fleet --since {day}T00:00:00.001Z")
    expect("the reason of a whole day", ("hosts ship counts of whole days" in said, "pruned" in said), (True, False))
    said = fleet.says("loadlog last-updated elsewhere --fleet || true")
    expect("where feeds are listed", "loadlog status --fleet" in said, True)


def hosts(fleet):
    fleet.database.psql("UPDATE host SET clock_offset = -864000000000 WHERE name = 'web-1'")
    line = "1 of 2 hosts with a wrong clock: web-1"
    expect("a date that may be wrong", fleet.says("loadlog last-updated backup --fleet 2>&1 >date"), f"loadlog: {line}\n")
    answer = json.loads(fleet.laptop.shell("loadlog last-updated backup --fleet --json"))
    expect("the hosts whose dates may be wrong", answer["wrong_clock"], ["web-1"])
    expect("a host whose clock is right", fleet.says("loadlog last-updated backup --fleet --host web-2 2>&1 >date"), "")
    fleet.laptop.shell("loadlog report --fleet -q -o report.html")
    page = (fleet.laptop.home / "report.html").read_text()
    expect("a report's hosts", [part in page for part in (line, "1 of 2 hosts unbalanced: web-2")], [True, True])
    fleet.database.psql("UPDATE host SET clock_offset = 0")


@contextlib.contextmanager
def silent_hosts(fleet, count):
    """An address of the database behind hosts that take connections, and say nothing."""
    with contextlib.ExitStack() as sockets:
        hosts = [sockets.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        names = "".join(f"127.0.0.1:{host.getsockname()[1]}," for host in hosts)
        yield fleet.database.url().replace("@", f"@{names}") + "&connect_timeout=2"


def serve(fleet):
    with server(fleet, fleet.database.url()) as port:
        served(fleet, port)
    with silent_hosts(fleet, 2) as url, server(fleet, url) as port:
        ask = asker(port)
        expect("a question behind silent hosts", ask("/api/v1/status")[0], 200)
        expect("a check behind silent hosts", ask("/api/v1/status?check")[0], 200)


@contextlib.contextmanager
def server(fleet, url):
    """The port of a server of the fleet at an address."""
    home = fleet.laptop
    program = subprocess.Popen(
        [*home.prefix, "exec loadlog serve --fleet --listen 127.0.0.1:0"], cwd=home.home,
        env=home.environment | {"LOADLOG_FLEET": url}, stderr=subprocess.PIPE, text=True)
    try:
        yield int(re.search(r"at http://127.0.0.1:(\d+)/", program.stderr.readline())[1])
    finally:
        program.send_signal(signal.SIGTERM)
        expect("the end of the server", program.wait(PATIENCE), 0)


def asker(port):
    """What asks the server at a port, and returns the status and the text of its answer."""

    def ask(path, method="GET", body=None):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        kind = {"Content-Type": "application/x-ndjson"} if body else {}
        connection.request(method, path, body=body, headers=kind)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    return ask


def served(fleet, port):
    ask = asker(port)
    answer, printed = (json.loads(text) for text in (
        ask("/api/v1/status")[1], fleet.laptop.shell("loadlog status --fleet --json")))
    expect("the status that is served", (numbers(json.dumps(answer)), answer["hosts"], answer["store"]),
           (numbers(json.dumps(printed)), printed["hosts"], printed["store"]))
    [load] = json.loads(ask("/api/v1/history?state=failed")[1])["loads"]
    expect("a load that is served", json.loads(ask(f"/api/v1/loads/{load['id']}")[1])["load"]["feed"], "backup")
    expect("the page", [name in ask("/")[1] for name in ("backup", "network", "1 of 2 hosts unbalanced: web-2")],
           [True, True, True])
    expect("the page of a feed", "backup" in ask("/feeds/backup")[1], True)
    expect("the metrics", 'loadlog_unbalanced{feed="network",kind="extra_pop"} 1' in ask("/metrics")[1], True)
    expect("health", ask("/healthz"), (200, "ok\n"))
    status, text = ask("/api/v1/feeds/elsewhere/last-updated")
    expect("an unknown feed", (status, "List the feeds with loadlog status --fleet" in text), (404, True))
    expect("an unknown feed of the command line", "List the feeds with loadlog status --fleet" in fleet.says(
        "loadlog last-updated elsewhere --fleet || true"), True)
    for path, method, body, wanted in (
            ("/api/v1/import", "POST", "{}\n", 403), ("/ping/key/backup", "GET", None, 404)):
        status, text = ask(path, method, body)
        expect(f"{method} {path}", (status, "it shows a fleet" in text), (wanted, True))
    fleet.database.psql("ALTER TABLE feed RENAME TO quick; CREATE VIEW feed AS SELECT quick.* FROM quick, pg_sleep(600)")
    status, text = ask("/api/v1/status")
    expect("a question that takes too long", (status, "it did not answer within 2 s" in text), (503, True))
    expect("health after it", ask("/healthz"), (200, "ok\n"))
    fleet.database.psql("CREATE OR REPLACE VIEW feed AS SELECT quick.* FROM quick, pg_sleep(0.1)")
    expect("a question of some reads", ask("/api/v1/unbalanced")[0], 200)
    fleet.database.psql("CREATE OR REPLACE VIEW feed AS SELECT quick.* FROM quick, pg_sleep(0.3)")
    status, text = ask("/?feed=back")
    expect("a page of many reads", (status, "it did not answer within 2 s" in text), (503, True))
    fleet.database.psql("DROP VIEW feed; ALTER TABLE quick RENAME TO feed")
    expect("the question once more", ask("/api/v1/status")[0], 200)
    events = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    events.request("GET", "/events")
    stream = events.getresponse()

    def await_change():
        # Without a change, a comment comes from time to time.
        deadline = time.monotonic() + PATIENCE
        while stream.readline() != b"event: change\n" and time.monotonic() < deadline:
            pass

    await_change()  # the first listener hears of what there is
    fleet.all.shell("loadlog run served -q -- true", "loadlog sync --lease 10m")
    await_change()
    expect("a change that is announced", "served" in ask("/")[1], True)


def watch(fleet):
    home = fleet.laptop
    main_end, terminal = pty.openpty()
    watcher = subprocess.Popen(
        [*home.prefix, "exec loadlog status --fleet --watch --interval 100ms"], cwd=home.home, stdin=terminal,
        stdout=terminal, stderr=terminal, env=home.environment | {"TERM": "xterm", "LINES": "40", "COLUMNS": "120"})
    os.close(terminal)
    screen = b""

    def until(text):
        nonlocal screen
        deadline = time.monotonic() + PATIENCE
        while text.encode() not in screen and time.monotonic() < deadline:
            if select.select([main_end], [], [], 0.1)[0]:
                screen += os.read(main_end, 1 << 16)
        expect(f"the screen that shows {text!r}", text.encode() in screen, True)

    try:
        until("1 of 2 hosts unbalanced: web-2")
        fleet.all.shell("loadlog run watched -q -- true", "loadlog sync --lease 10m")
        until("watched")
        os.write(main_end, b"q")
        expect("the end of the screen", watcher.wait(PATIENCE), 0)
    finally:
        watcher.kill()
        os.close(main_end)


def late(host, feed, *options):
    """What a check says of a feed."""
    said = host.shell(f"loadlog status --check --late {feed} {' '.join(options)} && echo exit 0 || echo exit $?")
    return [line.split(": due")[0] for line in said.splitlines()]


def expect_daily(host, feed, **more):
    line = {"event": "expectation", "feed": feed, "every_ns": 86_400_000_000_000, "grace_ns": 0,
            "since": "2026-01-01T00:00:00Z", **more}
    (host.home / "expected").write_text(json.dumps(line) + "\n")
    host.shell("loadlog import -q --format ndjson expected", "loadlog sync --lease 10m")


def on_each_host(fleet):
    for host in (fleet.all, fleet.some):
        expect_daily(host, "daily")
    fleet.all.shell("loadlog run daily -q -- true", "loadlog sync --lease 10m")
    for options in ("--fleet", "--fleet --by-host", "--fleet --host 'web-*'"):
        expect(f"what one of two hosts loads, {options}", late(fleet.laptop, "daily", options), ["web-2/daily: late", "exit 1"])
    expect("the host that loads it", late(fleet.laptop, "daily", "--fleet --host web-1"), ["exit 0"])


def anywhere(fleet):
    def check(host, *options):
        return late(host, "leader", *options)

    for host in (fleet.all, fleet.some):
        expect_daily(host, "leader", anywhere=True)
        expect("a host that leaves it to the fleet", check(host), ["exit 0"])
    for options in ("--fleet", "--fleet --by-host", "--fleet --host web-2"):
        expect(f"what no host loads, {options}", check(fleet.laptop, options), ["leader: late", "exit 1"])
    status = json.loads(fleet.laptop.shell("loadlog status --fleet --json"))
    expect("the hosts that are late", status["hosts"]["late"], [])
    expect("what is delivered", [line.split(": due")[0] for line in fleet.notifies("leader")[0]], ["leader: late"])
    fleet.all.shell("loadlog run leader -q -- true", "loadlog sync --lease 10m")
    for options in ("--fleet", "--fleet --by-host"):
        expect(f"what one host loads, {options}", check(fleet.laptop, options), ["exit 0"])
    expect("hosts that do not load it", check(fleet.laptop, "--fleet --host web-2"), ["leader: late", "exit 1"])


def hosts_of(fleet):
    return {host["host"]: host for host in json.loads(fleet.laptop.shell("loadlog fleet hosts --json"))["hosts"]}


def keep_in_step(fleet):
    host = fleet.some
    expect("a lease that ends before the next round",
           host.shell("loadlog sync --every 5m --lease 5m 2>&1 || echo exit $?").splitlines(),
           ['loadlog: --lease "5m": it ends before the next round. Make it longer, or leave it out: then it is 3 minutes, '
            "or three intervals if that is more.", "exit 2"])
    syncing = host.start("exec loadlog sync --every 1h 2>told")
    # Three times the period: so the first round is over.
    wait(lambda: fleet.database.psql(
        "SELECT lease_until - synced_at = INTERVAL '3 hours' FROM host WHERE name = 'web-2'") == [["t"]],
        "the first round")
    host.shell("loadlog run last -q -- true")
    syncing.send_signal(signal.SIGTERM)
    expect("the end of a sync that goes on", syncing.wait(PATIENCE), 0)
    expect("the load before its end", len(fleet.laptop.shell("loadlog last-updated last --fleet").splitlines()), 1)
    expect("a host that said goodbye", hosts_of(fleet)["web-2"]["state"], "closed")


def names(fleet):
    def sync(name, to=fleet.database.url()):
        return fleet.some.shell(f"loadlog sync --lease 10m --name {name} --to '{to}' 2>&1").splitlines()[1:]

    expect("a new name", sync("web-9"), ["loadlog: this host was web-2, and is web-9 now."])
    taken = ["loadlog: this host was web-9, and is web-1 now.", "loadlog: 2 hosts of the fleet are called web-1"]
    with silent_hosts(fleet, 3) as url:  # They take longer than the fleet may take to answer.
        said = sync("web-1", url)
    expect("a name that another host has", [line.split(". ")[0] for line in said], taken)

    for what, state, refused, every, rounds, wanted in (
            ("a name that is asked for again", "53300", 1, "1s", 3, (2, taken)),
            ("a name that is asked for in vain", "53300", 9, "1s", 5, (3, taken[:1])),
            ("a name that may not be asked for", "42501", 9, "1s", 3, (1, taken[:1])),
            ("a name that is not asked for at the end", "53300", 9, "1h", 1, (1, taken[:1]))):
        sync("web-9")
        expect(what, asked_for(fleet, state, refused, every, rounds), wanted)
    found = json.loads(fleet.laptop.shell("loadlog fleet hosts --json"))["hosts"]
    page = fleet.laptop.shell("loadlog fleet hosts")
    expect("the ids of hosts with one name", [host["host_id"] in page for host in found], [True, True])
    sync("web-2")
    expect("a name that stays", sync("web-2"), [])


def asked_for(fleet, state, refused, every, rounds):
    """How often a host that takes the name web-1 asks in some rounds which hosts have it, and what it says.

    The database refuses the first questions with an SQLSTATE.
    """
    database, host = fleet.database, fleet.some
    database.psql(f"""
        CREATE SEQUENCE asked;
        CREATE FUNCTION answers() RETURNS BOOLEAN LANGUAGE plpgsql AS $$ BEGIN
          IF nextval('asked') <= {refused} THEN RAISE 'no answer' USING ERRCODE = '{state}'; END IF;
          RETURN true;
        END $$;
        ALTER VIEW fleet_hosts RENAME TO elsewhere;
        CREATE VIEW fleet_hosts AS SELECT elsewhere.* FROM elsewhere, answers()""")
    [[identity]] = database.psql("SELECT id FROM host WHERE name = 'web-9'")
    synced = set()

    def times():
        return int(database.psql("SELECT coalesce(pg_sequence_last_value('asked'), 0)")[0][0])

    def is_done():
        synced.update(time for [time] in database.psql(
            f"SELECT synced_at FROM host WHERE id = '{identity}' AND name = 'web-1'"))
        return len(synced) >= rounds and times() > 0

    syncing = host.start(f"exec loadlog sync --every {every} --name web-1 2>told")
    wait(is_done, f"{rounds} rounds")
    syncing.send_signal(signal.SIGTERM)
    expect("the end of a sync whose questions are refused", syncing.wait(PATIENCE), 0)
    asked = times()
    database.psql(
        "DROP VIEW fleet_hosts; ALTER VIEW elsewhere RENAME TO fleet_hosts; DROP FUNCTION answers; DROP SEQUENCE asked")
    return asked, [line.split(". ")[0] for line in (host.home / "told").read_text().splitlines()]


def fail_and_go_on(fleet):
    told = fleet.some.home / "told"
    syncing = fleet.some.start("exec loadlog sync --every 1s --lease 11m 2>told")
    wait(lambda: fleet.database.psql(
        "SELECT lease_until - synced_at = INTERVAL '11 minutes' FROM host WHERE name = 'web-2'") == [["t"]],
        "the first round")
    fleet.database.psql("ALTER TABLE host RENAME TO elsewhere")
    failures = set()

    def failed(times):
        doctor = fleet.some.shell("loadlog doctor || true")
        failures.update(re.findall(r"the one at (\S+) failed", doctor))
        return len(failures) >= times

    wait(lambda: failed(3), "three rounds fail")
    fleet.database.psql("ALTER TABLE elsewhere RENAME TO host")
    wait(lambda: "shipping again after" in told.read_text(), "a round succeeds again")
    syncing.send_signal(signal.SIGTERM)
    expect("the end of a sync that failed for a time", syncing.wait(PATIENCE), 0)
    expect("a failure that goes on", [line.startswith("loadlog: shipping again after ") for line in
           told.read_text().splitlines()], [False, True])


def prune_and_retire(fleet):
    def rows(feed):
        return json.loads(fleet.laptop.shell(
            f"loadlog history {feed} --fleet --json 2>/dev/null || echo '{{\"loads\": []}}'"))["loads"]

    def prune():
        return fleet.says("loadlog fleet prune --older-than 1d")

    expect("pruning what is young", (prune(), len(rows("backup"))), ("loadlog: deleted 0 rows.\n", 2))
    fleet.database.psql("UPDATE session SET started_at = started_at - 172800000000")
    expect("pruning what is old", ("deleted 0 rows" in prune(), rows("backup")), (False, []))
    expect("a feed of a host", fleet.notifies("network")[0], ["web-2/network: 1 unbalanced, not acknowledged"])
    fleet.laptop.shell("loadlog fleet retire web-2 2>&1")
    expect("the hosts", {name: host["state"] for name, host in hosts_of(fleet).items()},
           {"web-1": "alive", "web-2": "retired"})
    expect("a feed of a retired host", "loadlog: nothing is due: " in fleet.notifies("network", "-v")[1], True)
    expect("a sync of a retired host", fleet.some.shell("loadlog sync 2>&1 || echo exit $?").splitlines()[-1], "exit 3")
    expect("the feeds that answer", [feed for feed in (
        feed["feed"] for feed in json.loads(fleet.laptop.shell("loadlog status --fleet --by-host --json"))["feeds"])
        if feed.startswith("web-2/")], [])
    prune()
    expect("what a retired host leaves",
           fleet.database.psql("SELECT count(*) FROM feed JOIN host ON host = host.id WHERE host.name = 'web-2'"), [["0"]])


if __name__ == "__main__":
    sys.exit(main())
