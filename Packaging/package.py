"""Makes a Debian package and a tarball of built programs.

    package.py PROGRAMS CHECKOUTS MANUAL OUT

PROGRAMS is the folder of the built `loadlog` and `loadlog-net`, CHECKOUTS that of the packages they are built from, MANUAL
that of the pages that ArgumentParser has generated. The same programs give the same bytes: all times are
$SOURCE_DATE_EPOCH.
"""

import gzip
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
from email.utils import formatdate
from pathlib import Path

from licences import notices
from manual import mend_pages

ROOT = Path(__file__).resolve().parent.parent
MAINTAINER = "The LoadLog authors <loadlog@users.noreply.github.com>"
EPOCH = int(os.environ["SOURCE_DATE_EPOCH"])
PROGRAMS = ("loadlog", "loadlog-net")
COMPLETIONS = {
    "bash": "bash-completion/completions/loadlog", "zsh": "zsh/vendor-completions/_loadlog",
    "fish": "fish/vendor_completions.d/loadlog.fish"}
OVERRIDES = """# swift-nio-extras compiles a zlib of its own.
loadlog: embedded-library zlib [usr/bin/loadlog-net]
"""


def output(*command):
    return subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, text=True).stdout


def write(path: Path, text: str):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def write_zipped(path: Path, text: str):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def fill(usr: Path, programs: Path, generated: Path, version: str):
    """Lays out the files below /usr that the package and the tarball share."""
    for name in PROGRAMS:
        (usr / "bin").mkdir(parents=True, exist_ok=True)
        shutil.copyfile(programs / name, usr / "bin" / name)
    for shell, place in COMPLETIONS.items():
        write(usr / "share" / place, output(programs / "loadlog", "--generate-completion-script", shell))
    pages = usr / "share/man/man1"
    mend_pages(generated, pages, version)
    for page in list(pages.iterdir()):
        write_zipped(page.with_name(page.name + ".gz"), page.read_text(encoding="utf-8"))
        page.unlink()
    (pages / "loadlog-net.1.gz").symlink_to("loadlog-serve.1.gz")
    write(
        usr / "lib/systemd/user/loadlog-serve.service",
        (ROOT / "Packaging/loadlog-serve.service").read_text(encoding="utf-8"))


def set_modes(usr: Path):
    for path in usr.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.parent.name == "bin" else 0o644)


def dependencies(usr: Path, work: Path) -> str:
    """The packages with the libraries that the programs load."""
    write(work / "debian/control", "Source: loadlog\n\nPackage: loadlog\nArchitecture: any\n")
    found = subprocess.run(
        ["dpkg-shlibdeps", "-O", *(usr / "bin" / name for name in PROGRAMS)], cwd=work, check=True,
        stdout=subprocess.PIPE, text=True).stdout
    return found.strip().removeprefix("shlibs:Depends=")


def control(usr: Path, version: str, depends: str) -> str:
    size = sum(path.lstat().st_size for path in usr.rglob("*") if path.is_file()) // 1024
    return f"""Package: loadlog
Version: {version}
Architecture: {output("dpkg", "--print-architecture").strip()}
Maintainer: {MAINTAINER}
Installed-Size: {size}
Depends: {depends}
Section: utils
Priority: optional
Description: crash-safe record of what loads, how long it takes and what never ends
 LoadLog writes each load of an app or a script down before it starts, keeps one
 verdict for it, and proves which loads died and of what. It tells when a feed
 was last updated, how long it takes, whether it is loading now, and which line
 of code pushed without popping.
 .
 This package has the command line, and the server for its page, metrics and
 pings.
"""


def make_deb(root: Path, checkouts: Path, version: str, depends: str, out: Path) -> Path:
    share = root / "usr/share"
    write(share / "doc/loadlog/copyright", notices(ROOT, checkouts, apache="/usr/share/common-licenses/Apache-2.0"))
    write_zipped(share / "doc/loadlog/changelog.gz", (
        f"loadlog ({version}) unstable; urgency=medium\n\n  * What is new: CHANGELOG.md of the project.\n\n"
        f" -- {MAINTAINER}  {formatdate(EPOCH)}\n"))
    write(share / "lintian/overrides/loadlog", OVERRIDES)
    set_modes(root / "usr")
    write(root / "DEBIAN/control", control(root / "usr", version, depends))
    sums = "".join(
        f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(root)}\n"
        for path in sorted((root / "usr").rglob("*")) if path.is_file() and not path.is_symlink())
    write(root / "DEBIAN/md5sums", sums)
    for path in [root, *root.rglob("*")]:
        os.utime(path, (EPOCH, EPOCH), follow_symlinks=False)
    # With several threads, the packed bytes would depend on the number of processors.
    subprocess.run(
        ["dpkg-deb", "--root-owner-group", "-Zxz", "--threads-max=1", "--build", root, out], check=True,
        stdout=subprocess.DEVNULL)
    return next(out.glob(f"loadlog_{version}_*.deb"))


def make_tarball(usr: Path, checkouts: Path, version: str, out: Path) -> Path:
    write(usr / "share/doc/loadlog/copyright", notices(ROOT, checkouts))
    set_modes(usr)
    name = f"loadlog-{version}-{platform.machine()}-linux"

    def plain(entry: tarfile.TarInfo):
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        entry.mtime = EPOCH
        return entry

    target = out / f"{name}.tar.gz"
    with open(target, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as zipped, tarfile.open(
        fileobj=zipped, mode="w", format=tarfile.USTAR_FORMAT
    ) as tar:
        for path in sorted(usr.rglob("*")):
            tar.add(path, f"{name}/{path.relative_to(usr)}", recursive=False, filter=plain)
    return target


def main():
    programs, checkouts, generated, out = map(Path, sys.argv[1:])
    os.umask(0o022)
    version = output(programs / "loadlog", "--version").strip()
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        root.mkdir(mode=0o755)
        fill(root / "usr", programs, generated, version)
        tarball = make_tarball(root / "usr", checkouts, version, out)
        deb = make_deb(root, checkouts, version, dependencies(root / "usr", Path(folder)), out)
    sums = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in (deb, tarball))
    write(out / "SHA256SUMS", sums)
    print(sums, end="")


if __name__ == "__main__":
    main()
