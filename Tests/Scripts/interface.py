"""Writes the public interface of each module to a text file, one line per declaration, or compares it with the file.

    interface.py BUILD_FOLDER FOLDER          writes FOLDER/MODULE.txt
    interface.py BUILD_FOLDER FOLDER --check  prints the differences and exits with 1 if there are any

BUILD_FOLDER is what `swift build --show-bin-path` prints for a build with all traits: some modules are empty without. They
must be built. Synthesized members are left out.
"""

import difflib
import functools
import json
import pathlib
import re
import sys
import tempfile
import urllib.parse

import symbol_graphs

MODULES = [
    "LoadLog", "LoadLogCore", "LoadLogSQLite", "LoadLogPresentation", "LoadLogReports", "LoadLogTestSupport",
    "LoadLogTracing", "LoadLogFleet",
]


def symbols(module, build, output):
    symbol_graphs.extract(module, build, output, "-skip-synthesized-members", "-skip-inherited-docs")
    return [json.loads(path.read_text()) for path in pathlib.Path(output).glob("*.symbols.json")]


@functools.cache
def source(uri):
    return pathlib.Path(urllib.parse.unquote(urllib.parse.urlsplit(uri).path)).read_text().splitlines()


def declaration(symbol):
    """The symbol graph writes the setters that `@Observable` makes without their access, which only the source has."""
    text = " ".join("".join(part["spelling"] for part in symbol["declarationFragments"]).split())
    if not text.endswith("{ get set }"):
        return text
    location = symbol["location"]
    line = source(location["uri"])[location["position"]["line"]]
    is_settable = not re.search(r"\b(private|fileprivate|internal|package)\(set\) var\b", line)
    return text if is_settable else text.removesuffix("{ get set }") + "{ get }"


def lines(graphs):
    """One line per declaration: the path of its name, then the declaration, for types with their conformances."""
    names = {
        symbol["identifier"]["precise"]: ".".join(symbol["pathComponents"])
        for graph in graphs for symbol in graph["symbols"]
    }
    conformances = {}
    for graph in graphs:
        for relation in graph["relationships"]:
            name = names.get(relation["target"], relation.get("targetFallback", "")).split(".")[-1]
            if relation["kind"] == "conformsTo" and name not in ("", "SendableMetatype"):
                conformances.setdefault(relation["source"], set()).add(name)
    found = set()
    for graph in graphs:
        for symbol in graph["symbols"]:
            line = ".".join(symbol["pathComponents"]) + " | " + declaration(symbol)
            protocols = conformances.get(symbol["identifier"]["precise"])
            if protocols:
                line += " : " + ", ".join(sorted(protocols))
            found.add(line)
    return sorted(found)


def main():
    build, folder = (pathlib.Path(argument) for argument in sys.argv[1:3])
    is_check = "--check" in sys.argv[3:]
    is_different = False
    for module in MODULES:
        with tempfile.TemporaryDirectory() as output:
            new = [line + "\n" for line in lines(symbols(module, build, output))]
        if not new:
            sys.exit(f"interface.py: {module} declares nothing. Build it with all traits.")
        file = folder / f"{module}.txt"
        if not is_check:
            file.write_text("".join(new))
            continue
        old = file.read_text().splitlines(keepends=True) if file.exists() else []
        difference = list(difflib.unified_diff(old, new, str(file), f"{module} as built", n=0))
        sys.stdout.writelines(difference)
        is_different = is_different or bool(difference)
    sys.exit(1 if is_different else 0)


if __name__ == "__main__":
    main()
