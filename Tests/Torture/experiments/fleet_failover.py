"""Kills the leaders of a cluster that Patroni keeps, and a member of etcd, while a host records and ships.

Runs in the long form only: each failover takes Patroni some 20 seconds. The same failovers without a sync come first: the
host must record as fast beside one. The control counts the rounds that failed meanwhile: failovers that no round noticed
would prove nothing.
"""

import sqlite3
import subprocess
import threading
import time

import fleet
import patroni
from outcome import Outcome

FAILOVERS = 5
MOST_GAP = patroni.TTL + 10
MOST_SLOWDOWN = 0.1


def run(bench):
    if not bench.is_long:
        return None
    outcome = Outcome()
    with patroni.Cluster() as cluster:
        fleet.make_tables(bench, cluster.url())
        hosts = [fleet.Host(bench, name, cluster.url(), "--loads", "all") for name in ("alone", "shipped")]
        alone, _ = fail_over(bench, cluster, hosts[0], None)
        rounds = Rounds(hosts[1])
        try:
            beside, gaps = fail_over(bench, cluster, hosts[1], rounds)
        finally:
            rounds.end()
        outcome.failures += rounds.problems[:3]
        for host in hosts:
            if (answer := host.sync())[0] != 0:
                outcome.fail(f"{host.name}: the last sync failed: {answer[1]}")
        fleet.check(outcome, hosts, cluster)
        bench.say(
            f"{alone:.0f} loads/s without a sync, {beside:.0f} beside one; the longest gap of each failover: "
            + ", ".join(f"{gap:.1f} s" for gap in gaps))
        if max(gaps) > MOST_GAP:
            outcome.fail(f"no round succeeded for {max(gaps):.1f} s")
        if beside < (1 - MOST_SLOWDOWN) * alone:
            outcome.fail(f"{beside:.0f} loads/s beside a sync, {alone:.0f} without one")
        outcome.control = f"{rounds.failed} rounds failed meanwhile"
        outcome.is_void = rounds.failed == 0
    return outcome


def fail_over(bench, cluster, host, rounds):
    """Records while leaders are killed, one after another. Returns the loads a second, and the longest gaps."""
    recorder = host.recorder()
    recorder.tell("loads news 100000000 4 5")
    recorder.await_lines(8)
    if rounds:
        rounds.start()
    began, before = time.monotonic(), loads_of(host)
    try:
        gaps = [replace_leader(cluster, rounds, with_etcd=number == 0) for number in range(FAILOVERS)]
        return (loads_of(host) - before) / (time.monotonic() - began), gaps
    finally:
        recorder.kill()


def replace_leader(cluster, rounds, with_etcd):
    """Kills the leader, and a member of etcd with it. Returns the longest gap between rounds until the next leader leads."""
    dead = cluster.leader()
    if rounds:
        rounds.longest()
    cluster.kill(dead)
    if with_etcd:
        cluster.kill_etcd(0)
    cluster.await_other_leader(dead)
    gap = rounds.longest_until_next() if rounds else 0
    cluster.start(dead)
    if with_etcd:
        cluster.etcd[0] = cluster.start_etcd(0)
    cluster.await_all()
    return gap


def loads_of(host):
    with sqlite3.connect(f"file:{host.store}?mode=ro", uri=True) as store:
        return store.execute("SELECT max(seq) FROM session").fetchone()[0]


class Rounds:
    """Syncs again and again, and notes when a round succeeded."""

    def __init__(self, host):
        self.host = host
        self.succeeded = self.failed = 0
        self.gap = 0.0
        self.last = time.monotonic()
        self.lock = threading.Condition()
        self.is_over = False
        self.problems = []
        self.thread = threading.Thread(target=self.go_on)

    def start(self):
        self.last = time.monotonic()
        self.thread.start()

    def go_on(self):
        while not self.is_over:
            try:
                code, said = self.host.sync()
            except subprocess.TimeoutExpired:
                code, said = None, "it hangs"
            with self.lock:
                if code == 0:
                    now = time.monotonic()
                    self.gap = max(self.gap, now - self.last)
                    self.last = now
                    self.succeeded += 1
                    self.lock.notify_all()
                else:
                    self.failed += 1
                    if code != 5:
                        self.problems.append(f"a round ended with {code}: {said}")
            time.sleep(0.2)

    def longest(self):
        """The longest time without a round that succeeded, since this was asked last; the present one counts, too."""
        with self.lock:
            gap, self.gap = max(self.gap, time.monotonic() - self.last), 0.0
            return gap

    def longest_until_next(self):
        """The longest such time, with the one that ends at the next round that succeeds."""
        with self.lock:
            seen = self.succeeded
            self.lock.wait_for(lambda: self.succeeded > seen, patroni.PATIENCE)
        return self.longest()

    def end(self):
        self.is_over = True
        self.thread.join()
