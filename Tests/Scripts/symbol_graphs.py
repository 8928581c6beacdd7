"""Extracts the symbol graphs of modules that are built: their declarations and documentation, as JSON."""

import functools
import json
import pathlib
import subprocess
import sys


@functools.cache
def target():
    info = json.loads(subprocess.run(["swift", "-print-target-info"], check=True, capture_output=True).stdout)
    return info["target"]["triple"]


def module_maps(build):
    """Options for the C modules that Swift modules import: handwritten maps, and those that SwiftPM generates."""
    checkouts = build.parents[1] / "checkouts"
    own = pathlib.Path(__file__).resolve().parents[2] / "Sources"
    maps = [
        *own.glob("*/module.modulemap"), *checkouts.glob("*/Sources/**/module.modulemap"),
        *build.glob("*.build/module.modulemap"),
    ]
    libpq = subprocess.run(["pkg-config", "--cflags", "libpq"], check=True, capture_output=True, text=True).stdout.split()
    options = [*libpq, *(f"-fmodule-map-file={path}" for path in sorted(maps))]
    return [word for option in options for word in ("-Xcc", option)]


def extract(module, build, output, *options):
    """Writes the symbol graphs of a module to a folder.

    `build` is what `swift build --show-bin-path` prints for a build with all traits: some modules are empty without.
    """
    command = [
        "swift", "symbolgraph-extract", "-module-name", module, "-target", target(), "-I", build / "Modules",
        "-output-dir", output, "-minimum-access-level", "public", "-swift-version", "6", *options, *module_maps(build),
    ]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"cannot read the interface of {module}:\n{result.stderr}")
