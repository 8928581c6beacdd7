"""Gives syncs and questions unsafe addresses, password files and servers: each is refused, and no password is shown."""

import os
import shutil
import subprocess

import fleet
from outcome import Outcome, Skipped
from postgres import Postgres

PASSWORD = "hunter2-of-the-fleet"
PATIENCE = 60


def run(bench):
    if not shutil.which("openssl"):
        raise Skipped("openssl is not installed")
    outcome = Outcome()
    with SecureServer(bench.folder) as database:
        database.psql(f"CREATE ROLE ship LOGIN PASSWORD '{PASSWORD}'")
        fleet.make_tables(bench, database.url(), "--writer", "ship")
        host = fleet.Host(bench, "host", "")
        record(host)
        asker = Asker(bench, outcome, host, database)

        right, stranger = Authority(bench.folder / "right"), Authority(bench.folder / "stranger")
        database.restart(None)
        asker.refuse("a server without TLS", asker.safe(right), says="does not support SSL")
        database.restart(right.certificate(is_expired=True))
        asker.refuse("an expired certificate", asker.safe(right), says="certificate")
        database.restart(right.certificate())
        asker.refuse("a CA that did not sign", asker.safe(stranger), says="certificate verify failed")
        asker.refuse("another server's name", asker.safe(right, name="other.test"), says="does not match")
        safe = asker.safe(right)
        with_password = safe.replace("ship@", f"ship:{PASSWORD}@")
        asker.refuse("a password in --to", with_password, says="contains a password")
        asker.refuse("a password in a parameter", f"{safe}&password={PASSWORD}", says="contains a password")
        asker.refuse("a password in $LOADLOG_FLEET", None, {"LOADLOG_FLEET": with_password}, "contains a password")
        configured = bench.folder / "config"
        write(configured / "loadlog/fleet", with_password, 0o600)
        asker.refuse("a password in the file", None, {"XDG_CONFIG_HOME": str(configured)}, "contains a password")
        write(configured / "loadlog/fleet", safe, 0o644)
        asker.refuse("a file that others can read", None, {"XDG_CONFIG_HOME": str(configured)}, "other users can read")
        service = write(bench.folder / "service", f"[ship]\nhost=fleet.test\npassword={PASSWORD}\n", 0o600)
        asker.refuse(
            "a password in a service file", safe, {"PGSERVICEFILE": str(service), "PGSERVICE": "ship"},
            "the service file contains a password")
        asker.refuse("an unchecked server elsewhere", "postgresql://ship@db.test/postgres?sslmode=require", says="sslmode")
        asker.passfile.chmod(0o644)
        asker.refuse("a password file that others can read", safe, says="other users can read it")
        write(asker.passfile, f"*:*:*:*:{PASSWORD}-of-old", 0o600)
        asker.refuse("a password that is no longer right", safe, says="password authentication failed")
        write(asker.passfile, f"*:*:*:*:{PASSWORD}", 0o600)
        asker.accept(safe)
        asker.search("the database", database.dump())
        outcome.control = f"psql took {asker.taken} of {asker.refused}"
        outcome.is_void = asker.taken == 0
    return outcome


def record(host):
    recorder = host.recorder()
    recorder.tell("loads news 20 2", "close")
    recorder.finish()


def write(path, text, mode):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


class Authority:
    """A CA, which signs certificates of the server fleet.test."""

    def __init__(self, folder):
        folder.mkdir()
        self.folder, self.file = folder, folder / "ca.crt"
        self.openssl(
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.crt", "-days", "30",
            "-subj", f"/CN={folder.name}")
        write(folder / "index.txt", "", 0o600)
        write(
            folder / "ca.cnf",
            "[ca]\ndefault_ca = test\n[test]\ndatabase = index.txt\nnew_certs_dir = .\nrand_serial = yes\n"
            "default_md = sha256\npolicy = any\nunique_subject = no\n[any]\ncommonName = supplied\n", 0o600)

    def openssl(self, *words):
        subprocess.run(["openssl", *words], cwd=self.folder, check=True, capture_output=True, timeout=PATIENCE)

    def certificate(self, is_expired=False):
        """A new certificate and its key."""
        dates = ("-startdate", "20200101000000Z", "-enddate", "20200102000000Z") if is_expired else ("-days", "30")
        self.openssl(
            "req", "-newkey", "rsa:2048", "-nodes", "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=fleet.test")
        self.openssl(
            "ca", "-batch", "-notext", "-config", "ca.cnf", "-cert", "ca.crt", "-keyfile", "ca.key", "-in", "server.csr",
            "-out", "server.crt", *dates)
        return self.folder / "server.crt", self.folder / "server.key"


class SecureServer(Postgres):
    """A server that asks the role `ship` for a password."""

    def __init__(self, folder):
        super().__init__()
        rules = self.data / "pg_hba.conf"
        rules.write_text("host all ship 127.0.0.1/32 scram-sha-256\n" + rules.read_text())
        self.settings = (self.data / "postgresql.conf").read_text()
        self.restart(None)

    def restart(self, certificate):
        """Starts it again with a certificate and its key, or without TLS."""
        self.stop()
        settings = self.settings
        if certificate:
            owner = self.data.stat()
            for source, name in zip(certificate, ("server.crt", "server.key")):
                copy = self.data / name
                shutil.copy(source, copy)
                copy.chmod(0o600)
                os.chown(copy, owner.st_uid, owner.st_gid)
            settings += "\nssl = on\n"
        (self.data / "postgresql.conf").write_text(settings)
        self.start()

    def dump(self):
        """All rows of all tables."""
        return subprocess.run(
            [self.programs / "pg_dump", "--data-only", "-d", self.url()], check=True, capture_output=True, text=True,
            timeout=PATIENCE).stdout


class Asker:
    """Ships to and asks the fleet's database, and searches what is said and kept for the password."""

    VERBS = (("sync",), ("status", "--fleet"), ("fleet", "hosts"))

    def __init__(self, bench, outcome, host, database):
        self.outcome, self.host, self.database = outcome, host, database
        self.passfile = write(bench.folder / "passfile", f"*:*:*:*:{PASSWORD}", 0o600)
        self.refused = self.taken = 0

    def safe(self, authority, name="fleet.test"):
        """An address as it should be; only the name of the server's machine is found out by other means than DNS."""
        return (
            f"postgresql://ship@{name}:{self.database.port}/postgres?hostaddr=127.0.0.1&sslmode=verify-full"
            f"&sslrootcert={authority.file}&passfile={self.passfile}")

    def ask(self, verb, address, environment):
        words = [self.host.program, *verb, *(["--db", self.host.store] if verb == ("sync",) else [])]
        words += ["--to", address] if address else []
        # The user's own settings must not help.
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "LOADLOG_FLEET"))}
        return subprocess.run(
            words, capture_output=True, text=True, timeout=PATIENCE, env=clean | (environment or {}))

    def refuse(self, what, address, environment=None, says=""):
        """Checks that an address is refused, and tries psql with what libpq does by itself."""
        for verb in self.VERBS:
            self.outcome.tried += 1
            answer = self.ask(verb, address, environment)
            said = answer.stdout + answer.stderr
            if answer.returncode == 0 or says not in said:
                self.outcome.fail(f"{what}, {' '.join(verb)}: {answer.returncode} {said}")
            elif self.search(f"{what}, {' '.join(verb)}", said):
                self.outcome.survived += 1
        self.refused += 1
        url = address or next(iter(environment.values()))
        if url.startswith("postgresql:"):
            self.taken += self.psql(url.replace("sslmode=verify-full", "sslmode=prefer"), environment)

    def psql(self, url, environment):
        try:
            return subprocess.run(
                [self.database.programs / "psql", "-X", "-q", "-w", "-d", url, "-c", "SELECT 1"], capture_output=True,
                timeout=PATIENCE, env=os.environ | (environment or {})).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def accept(self, address):
        """Checks that the address is taken once all is as it should be."""
        for verb in self.VERBS:
            self.outcome.tried += 1
            answer = self.ask(verb, address, None)
            if answer.returncode != 0:
                self.outcome.fail(f"{' '.join(verb)}: {answer.returncode} {answer.stderr}")
            elif self.search(" ".join(verb), answer.stdout + answer.stderr):
                self.outcome.survived += 1

    def search(self, what, said):
        """Whether the password is neither in a text nor in the store's files."""
        places = {"is printed": said.encode()} | {
            f"is in {path.name}": path.read_bytes() for path in self.host.folder.iterdir() if path.is_file()}
        found = [place for place, text in places.items() if PASSWORD.encode() in text]
        self.outcome.failures += [f"{what}: the password {place}" for place in found]
        return not found
