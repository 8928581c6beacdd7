"""Uses this package as an app does that asks for no trait: it must resolve three packages, build, and record a load.

    consumer.py FOLDER

FOLDER keeps the build for the next run. The app depends on a repository with the files of this one as they are now.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXPECTED = {"loadlog", "grdb.swift", "swift-log", "swift-metrics"}


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    folder.mkdir(exist_ok=True)
    repository, app = folder / "loadlog", folder / "app"
    copy_repository(repository)
    shutil.copytree(ROOT / "Tests/Consumer", app, dirs_exist_ok=True)

    def swift(*arguments, **options):
        environment = {**os.environ, "LOADLOG_REPOSITORY": repository.as_uri()}
        return subprocess.run(["swift", *arguments], cwd=app, env=environment, check=True, **options)

    update(lambda: swift("package", "update", stdout=sys.stderr))
    tree = swift("package", "show-dependencies", "--format", "json", stdout=subprocess.PIPE).stdout
    resolved = identities(json.loads(tree))
    if resolved != EXPECTED:
        sys.exit(
            f"an app without traits resolves {sorted(resolved)} instead of {sorted(EXPECTED)}. It gets the newest versions of"
            " LoadLog's dependencies: one of them may have a new dependency of its own.")
    swift("test", "--disable-xctest", stdout=sys.stderr)
    print("consumer: resolves GRDB, swift-log and swift-metrics, builds, and records a load")


def update(call):
    """Tries some times: if a server does not answer, Swift's package manager gives up at once."""
    for pause in (20, 60):
        try:
            return call()
        except subprocess.CalledProcessError:
            time.sleep(pause)
    return call()


def copy_repository(repository):
    """Makes a repository whose only commit has the files of this one, edited ones included."""
    shutil.rmtree(repository, ignore_errors=True)
    files = git(ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    for name in filter(None, files):
        if (ROOT / name).exists():
            (repository / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, repository / name)
    git(repository, "init", "-q", "-b", "main")
    git(repository, "add", "--all")
    git(repository, "-c", "user.name=LoadLog", "-c", "user.email=loadlog@example.com", "commit", "-q", "-m", "All files")


def git(folder, *arguments):
    return subprocess.run(["git", *arguments], cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout


def identities(package):
    """The packages below one, by identity."""
    below = {dependency["identity"] for dependency in package["dependencies"]}
    return below.union(*map(identities, package["dependencies"]))


if __name__ == "__main__":
    main()
