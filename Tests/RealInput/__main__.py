"""Makes files with real tools, for the tests of import: a HAR file, two Chrome traces, two files of OTLP/JSON.

    python RealInput FOLDER CLANG

Replaces FOLDER when all of them are complete. Needs the packages playwright, opentelemetry-sdk and
opentelemetry-exporter-otlp-proto-common, a Chromium, and clang. Everything is served on 127.0.0.1.
"""

import pathlib
import shutil
import signal
import subprocess
import sys
import time

from spans import record_spans
from visit import record_visit
from website import website

TESTS = pathlib.Path(__file__).resolve().parent.parent
SECONDS = 180


def record_compilation(clang, trace):
    """The trace that clang writes of its own work. Without a granularity of 0 it leaves out what is short."""
    source = TESTS / "Fixtures/leaf.c"
    subprocess.run(
        [clang, "-c", source, "-o", trace.with_suffix(".o"), f"-ftime-trace={trace}", "-ftime-trace-granularity=0"],
        check=True)
    trace.with_suffix(".o").unlink()


def give_up(*_):
    raise TimeoutError(f"the real input was not complete after {SECONDS} seconds")


def main(folder, clang):
    began = time.monotonic()
    # An exception, and not the signal's own effect, lets each part end what it started.
    signal.signal(signal.SIGALRM, give_up)
    signal.alarm(SECONDS)
    folder = pathlib.Path(folder).resolve()
    draft = folder.with_name(folder.name + ".draft")
    shutil.rmtree(draft, ignore_errors=True)
    for format in ["har", "chrome-trace", "otlp"]:
        (draft / format).mkdir(parents=True)
    record_compilation(clang, draft / "chrome-trace/clang.json")
    with website() as site:
        record_visit(site, draft / "har/visit.har", draft / "chrome-trace/chromium.json")
        record_spans(site, draft / "otlp/document.json", draft / "otlp/lines.json")
    shutil.rmtree(folder, ignore_errors=True)
    draft.rename(folder)
    print(f"made {folder} in {time.monotonic() - began:.1f} s", file=sys.stderr)


main(*sys.argv[1:])
