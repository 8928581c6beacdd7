"""Installs the package in a fresh Debian root, uses it as a newcomer would, and removes it.

    check.py OUT

OUT is the folder with the package. Needs root, Debian's tools and its archive. The root is booted with systemd, so that the
unit runs as it does on a real machine.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

SUITE = "bookworm"
PACKAGES = "ca-certificates,curl,dbus,libpam-systemd,man-db,systemd"

# Runs in the booted root, and prints what it finds wrong.
INSIDE = r"""#!/bin/bash
fault() { echo "FAULT $*"; }
expect() { # what, then a command whose output must have the words
  local what=$1 words=$2
  shift 2
  "$@" > /tmp/seen 2>&1 || fault "$what: exit $?: $(head -8 /tmp/seen)"
  [ -z "$words" ] || grep -qF -- "$words" /tmp/seen || fault "$what: no '$words' in: $(head -8 /tmp/seen)"
}
for try in $(seq 30); do curl -fs -o /dev/null http://deb.debian.org && break; sleep 1; done
apt-get update -qq
expect "install" "Setting up loadlog" apt-get install -y /root/loadlog.deb
useradd -m you && loginctl enable-linger you
as_you() { runuser -u you -- env HOME=/home/you XDG_RUNTIME_DIR=/run/user/$(id -u you) "$@"; }
expect "no store" "Nothing is recorded yet" as_you loadlog
expect "run" "" as_you loadlog run hello -- true
expect "status" "1 load since" as_you loadlog status
expect "a schedule in a time zone" "20:25" as_you loadlog expect nightly --cron "10 2 * * *" --timezone Asia/Kathmandu
expect "manual" "Record a command as one load" env MANWIDTH=80 man loadlog-run
expect "manual of the server" "loadlog serve" env MANWIDTH=80 man loadlog-net
expect "completions" "complete" cat /usr/share/bash-completion/completions/loadlog
for try in $(seq 30); do as_you systemctl --user is-system-running > /dev/null 2>&1 && break; sleep 1; done
expect "start of the unit" "" as_you systemctl --user start loadlog-serve
for try in $(seq 30); do curl -fs -o /dev/null http://127.0.0.1:8787/healthz && break; sleep 1; done
expect "the page" "hello" curl -fsS http://127.0.0.1:8787/
key=$(grep -v '^#' /home/you/.local/state/loadlog/loadlog.db-ping-keys)
expect "a ping" "Created" curl -fsS "http://127.0.0.1:8787/ping/$key/backup?create=1"
expect "the pinged feed" "backup" as_you loadlog status backup
expect "the unit" "active (running)" as_you systemctl --user status --no-pager loadlog-serve
as_you journalctl --user --no-pager -o cat -u loadlog-serve > /root/journal 2>&1
expect "stop of the unit" "" as_you systemctl --user stop loadlog-serve
expect "end of the unit" "Result=success" as_you systemctl --user show -p Result loadlog-serve
expect "removal" "Removing loadlog" apt-get purge -y loadlog
left=$(find / -xdev -name '*loadlog*' -not -path '/home/*' -not -path '/root/*' -not -path '/var/log/*' \
  -not -path '/var/cache/*' -not -path '/proc/*' 2>/dev/null)
[ -z "$left" ] || fault "left behind: $left"
[ -e /home/you/.local/state/loadlog/loadlog.db ] || fault "the record is gone"
echo DONE
"""

UNIT = """[Unit]
After=network.target systemd-user-sessions.service

[Service]
Type=oneshot
StandardOutput=file:/root/found
StandardError=file:/root/errors
Environment=DEBIAN_FRONTEND=noninteractive
ExecStart=/root/inside
ExecStopPost=systemctl poweroff

[Install]
WantedBy=multi-user.target
"""


def main():
    package = next(Path(sys.argv[1]).glob("*.deb"))
    subprocess.run(["lintian", "--fail-on", "error", "--suppress-tags", "bash-completion-with-hashbang", package], check=True)
    with tempfile.TemporaryDirectory(prefix="loadlog-root-") as folder:
        root = Path(folder)
        root.chmod(0o755)  # it is the / of all its users
        print("making a fresh Debian", file=sys.stderr)
        subprocess.run(
            ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", SUITE, root], check=True,
            stdout=subprocess.DEVNULL)
        home = root / "root"
        (home / "loadlog.deb").write_bytes(package.read_bytes())
        (home / "inside").write_text(INSIDE, encoding="utf-8")
        (home / "inside").chmod(0o755)
        unit = root / "etc/systemd/system/inside.service"
        unit.write_text(UNIT, encoding="utf-8")
        (root / "etc/systemd/system/multi-user.target.wants/inside.service").symlink_to("../inside.service")
        print("booting it", file=sys.stderr)
        subprocess.run(
            ["systemd-nspawn", "-q", "-D", root, "--boot", "--register=no", "--keep-unit"], check=True, timeout=600,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        found = (home / "found").read_text(encoding="utf-8")
    print(found, end="")
    return 0 if found == "DONE\n" else 1


if __name__ == "__main__":
    sys.exit(main())
