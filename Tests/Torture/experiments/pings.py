"""Kills the server under clients that ping; each answered ping must be in the record, and each run there once.

Clients repeat a ping until it is answered, as `curl --retry` does. Each run has an id, so a repetition adds nothing: at the
end there are as many loads as runs, all with a verdict and a duration.
"""

import http.client
import subprocess
import threading
import time
import uuid

from outcome import Outcome
from server import PATIENCE, Server

CLIENTS = 64


def run(bench):
    outcome = Outcome()
    trial = Trial(bench, "with ids")
    trial.run(bench.times(200, 2000))
    outcome.tried = trial.answered
    trial.check(outcome)
    outcome.survived = outcome.tried - outcome.lost
    bench.say(f"{trial.answered} pings answered, {trial.repeated} repeated after a kill")

    anonymous = Trial(bench, "without ids", has_ids=False)
    anonymous.run(40)
    control = Outcome()
    anonymous.check(control)
    faults = control.lost + len(control.failures)
    outcome.control = f"without ids: {faults} feeds wrong"
    outcome.is_void = faults == 0
    return outcome


class Trial:
    """A store, its server, and clients that ping it."""

    def __init__(self, bench, name, has_ids=True):
        self.bench, self.has_ids = bench, has_ids
        self.folder = bench.folder / name
        self.folder.mkdir()
        self.store = self.folder / "loads.db"
        self.server = Server(bench, self.store)
        self.stop = False
        self.runs = [0] * CLIENTS
        self.answered = self.repeated = 0
        self.lock = threading.Lock()
        self.faults = []

    def run(self, kills):
        clients = [threading.Thread(target=self.client, args=(number,)) for number in range(CLIENTS)]
        for client in clients:
            client.start()
        for _ in range(kills):
            time.sleep(self.bench.random.uniform(0.02, 0.3))
            self.server.kill()
            self.server.start()
        self.stop = True
        for client in clients:
            client.join(PATIENCE)
        if self.server.end() != 0:
            self.faults.append("the server did not end in order")

    def client(self, number):
        while not self.stop:
            query = f"?create=1&rid={uuid.uuid4()}" if self.has_ids else "?create=1"
            for action in ("/start", ""):
                if not self.ping(f"client{number}{action}{query}"):
                    self.faults.append(f"client {number} was not answered")
                    return
            self.runs[number] += 1

    def ping(self, path):
        """Pings until it is answered; false if it never is."""
        deadline = time.monotonic() + PATIENCE
        attempts = 0
        while time.monotonic() < deadline:
            attempts += 1
            connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=10)
            try:
                connection.request("POST", f"/ping/{self.server.key}/{path}", body="done")
                answer = connection.getresponse()
                answer.read()
                if answer.status in (200, 201):
                    with self.lock:
                        self.answered += 1
                        self.repeated += attempts > 1
                    return True
                if answer.status != 503:
                    self.faults.append(f"{path}: {answer.status}")
                    return False
            except (OSError, http.client.HTTPException):
                time.sleep(0.01)
            finally:
                connection.close()
        return False

    def check(self, outcome):
        for fault in self.faults:
            outcome.fail(f"{self.folder.name}: {fault}")
        for number, runs in enumerate(self.runs):
            loads = self.bench.ask(self.store, "history", f"client{number}", "--limit", "all")["loads"]
            good = [load for load in loads if load["state"] == "succeeded" and load["duration"] is not None]
            outcome.lost += max(0, runs - len(loads))
            if len(loads) != runs or len(good) != runs:
                outcome.fail(f"{self.folder.name}: client {number}: {runs} runs, {len(loads)} loads, {len(good)} with an end")
        health = subprocess.run([self.bench.loadlog, "doctor", "--db", self.store], capture_output=True)
        if health.returncode != 0:
            outcome.corrupt += 1
