"""Makes a DocC archive of each library, from its catalog and its symbols. A warning is an error.

    documentation.py DOCC BUILD_FOLDER FOLDER

DOCC is the program. BUILD_FOLDER is what `swift build --show-bin-path` prints for a build with all traits. The archives are
FOLDER/MODULE.doccarchive.
"""

import pathlib
import subprocess
import sys
import tempfile

import symbol_graphs

docc, build, folder = map(pathlib.Path, sys.argv[1:])
for catalog in sorted(pathlib.Path("Sources").glob("*/*.docc")):
    module = catalog.stem
    print(f"documentation of {module}", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as symbols:
        symbol_graphs.extract(module, build, symbols, "-emit-extension-block-symbols")
        subprocess.run(
            [
                docc, "convert", catalog, "--additional-symbol-graph-dir", symbols,
                "--fallback-display-name", module, "--fallback-bundle-identifier", module,
                "--output-path", folder / f"{module}.doccarchive", "--warnings-as-errors",
            ],
            stdout=subprocess.DEVNULL,  # empty lines; what it finds goes to the standard error
            check=True,
        )
