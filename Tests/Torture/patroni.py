"""A PostgreSQL cluster of three servers on loopback that Patroni keeps, with three members of etcd."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

from outcome import Skipped
from postgres import PROGRAMS, ask, become_postgres, free_ports

NODES = 3
PATIENCE = 180
"""Seconds after which a leader that is gone is replaced. Patroni takes no lower value."""
TTL = 20
"""Bytes of the log. Patroni lets no node lead that lacks a MiB."""
MOST_LAG = 1 << 19

CONFIGURATION = """\
scope: fleet
name: {name}
restapi: {{listen: "127.0.0.1:{api}", connect_address: "127.0.0.1:{api}"}}
etcd3: {{hosts: [{etcd}]}}
bootstrap:
  dcs:
    ttl: {ttl}
    loop_wait: 2
    retry_timeout: 3
    postgresql: {{use_pg_rewind: true}}
  initdb: [encoding: UTF8, locale: C, data-checksums]
  pg_hba: ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"]
postgresql:
  listen: 127.0.0.1:{port}
  connect_address: 127.0.0.1:{port}
  data_dir: {folder}/data
  bin_dir: {programs}
  pgpass: {folder}/pgpass
  authentication:
    superuser: {{username: postgres, password: none}}
    replication: {{username: replicator, password: none}}
  parameters: {{unix_socket_directories: "{folder}"}}
"""


class Cluster:
    """Its servers do not wait for each other: a leader that dies may lose what it acknowledged last."""

    def __init__(self):
        if not PROGRAMS or not shutil.which("patroni") or not shutil.which("etcd"):
            raise Skipped("PostgreSQL, Patroni and etcd are not all installed")
        self.programs = pathlib.Path(PROGRAMS[-1])
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="loadlog-torture-patroni-"))
        self.prefix = become_postgres(self.folder)
        ports = free_ports(4 * NODES)
        self.ports, self.apis = ports[:NODES], ports[NODES:2 * NODES]
        self.clients, self.peers = ports[2 * NODES:3 * NODES], ports[3 * NODES:]
        self.etcd = [self.start_etcd(number) for number in range(NODES)]
        self.nodes = [None] * NODES
        for number in range(NODES):
            self.start(number)
        self.await_all()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for number in range(NODES):
            self.kill(number)
        for member in self.etcd:
            kill_group(member)
        shutil.rmtree(self.folder, ignore_errors=True)

    def launch(self, name, command):
        folder = self.folder / name
        log = open(self.folder / f"{name}.log", "ab")
        subprocess.run([*self.prefix, "mkdir", "-p", folder], check=True, cwd="/")
        with log:
            return subprocess.Popen(
                [*self.prefix, *command], stdout=log, stderr=log, cwd="/", start_new_session=True)

    def start_etcd(self, number):
        name, host = f"etcd-{number}", "http://127.0.0.1"
        members = ",".join(f"etcd-{n}={host}:{port}" for n, port in enumerate(self.peers))
        client, peer = f"{host}:{self.clients[number]}", f"{host}:{self.peers[number]}"
        return self.launch(name, [
            "etcd", "--name", name, "--data-dir", self.folder / name / "data", "--listen-client-urls", client,
            "--advertise-client-urls", client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
            "--initial-cluster", members])

    def start(self, number):
        name = f"node-{number}"
        folder = self.folder / name
        configuration = self.folder / f"{name}.yml"
        configuration.write_text(CONFIGURATION.format(
            name=name, api=self.apis[number], port=self.ports[number], ttl=TTL, folder=folder, programs=self.programs,
            etcd=", ".join(f'"127.0.0.1:{port}"' for port in self.clients)))
        configuration.chmod(0o644)
        self.nodes[number] = self.launch(name, ["patroni", configuration])

    def kill(self, number):
        """Kills a node's Patroni and its PostgreSQL at once."""
        kill_group(self.nodes[number])
        try:
            server = int((self.folder / f"node-{number}/data/postmaster.pid").read_text().split()[0])
            os.kill(server, signal.SIGKILL)
        except (FileNotFoundError, ProcessLookupError, IndexError, ValueError):
            pass

    def kill_etcd(self, number):
        kill_group(self.etcd[number])

    def state(self):
        """The cluster's members, as a node that answers lists them; none if none answers."""
        for port in self.apis:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/cluster", timeout=2) as answer:
                    return json.load(answer)["members"]
            except (urllib.error.URLError, OSError, KeyError, ValueError):
                pass
        return []

    def leader(self):
        """The number of the node that leads by its own word; nil if none does."""
        for number, port in enumerate(self.apis):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/primary", timeout=2):
                    return number
            except OSError:
                pass
        return None

    def await_all(self):
        """Waits until one node leads and all others follow it closely, so that each of them may lead next."""
        deadline = time.monotonic() + PATIENCE
        while not follows_closely(members := self.state()) or self.leader() is None:
            if time.monotonic() > deadline:
                raise RuntimeError(f"Patroni's nodes are {members} after {PATIENCE} s")
            time.sleep(0.5)

    def await_other_leader(self, than):
        deadline = time.monotonic() + PATIENCE
        while self.leader() in (None, than):
            if time.monotonic() > deadline:
                raise RuntimeError(f"no other node leads after {PATIENCE} s")
            time.sleep(0.2)

    def url(self):
        places = ",".join(f"127.0.0.1:{port}" for port in self.ports)
        return f"postgresql://postgres@{places}/postgres?sslmode=disable"

    def psql(self, sql):
        """The rows of a query to the leader, as lists of texts."""
        return ask(self.programs, self.url() + "&target_session_attrs=read-write", sql)


def follows_closely(members):
    """Whether all nodes run, on one timeline, and none lacks much of the log."""
    lags = [member.get("lag") for member in members if member["role"] != "leader"]
    return (
        len(members) == NODES
        and all(member["state"] in ("running", "streaming") for member in members)
        and len({member.get("timeline") for member in members}) == 1
        and all(isinstance(lag, int) and lag < MOST_LAG for lag in lags)
    )


def kill_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
