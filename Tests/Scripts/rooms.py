"""Checks who may know whom: the imports of each target, and the rooms of LoadLogSQLite.

    rooms.py

A room is a folder of Sources/LoadLogSQLite. Its code names only types and functions of its own room and of those before
it; comments may mention later ones. Prints a line for each name that breaks the order, and exits 1 if there are any.
"""

import os
import pathlib
import re
import sys

import swift_text

ROOMS = ["Database", "Pages", "Files", "Rules", "Summaries", "Reading", "Writing", "Exchange", "Shipping", "Doctor", "Recovery"]
STORE = "LoadLogSQLite"

# What each target may import of this package, and of the packages that only some targets use.
IMPORTS = {
    "CLoadLogCLI": ["CLoadLogShims"],
    "CLoadLogShims": [],
    "LoadLogLibC": [],
    "LoadLogText": [],
    "LoadLogJSON": [],
    "LoadLogCore": ["CLoadLogShims", "LoadLogLibC", "Logging", "Metrics"],
    STORE: [
        "CLoadLogShims", "LoadLogLibC", "LoadLogText", "LoadLogCore", "SQLiteMigrations", "GRDB", "GRDBSQLite",
    ],
    "LoadLog": ["LoadLogCore", STORE, "Logging"],
    "LoadLogFleet": ["CPostgres", "LoadLogCore", "LoadLogLibC", "LoadLogText", STORE, "PostgresMigrations"],
    "LoadLogReports": ["LoadLogCore", "LoadLogJSON", "LoadLogLibC", "LoadLogText", "Mustache"],
    "LoadLogPresentation": ["LoadLogCore", "LoadLogText"],
    "LoadLogTracing": ["LoadLogCore", "Tracing"],
    "LoadLogTestSupport": ["LoadLog", "LoadLogCore", "LoadLogLibC", STORE],
    "LoadLogProgram": ["LoadLogCLI"],
    "LoadLogServer": [
        "CLoadLogShims", "CZlib", "LoadLog", "LoadLogCLI", "LoadLogCore", "LoadLogPresentation", "LoadLogReports",
        "AsyncHTTPClient", "Crypto", "HTTPTypes", "Hummingbird", "HummingbirdCore", "Logging", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL",
        "ServiceLifecycle", "UnixSignals",
    ],
    "LoadLogNetProgram": ["LoadLog", "LoadLogCLI", "LoadLogFleet", "LoadLogServer", STORE, "Logging"],
    "LoadLogCLI": [
        "CLoadLogCLI", "CLoadLogShims", "LoadLog", "LoadLogCore", "LoadLogLibC", "LoadLogPresentation", "LoadLogReports", "LoadLogText", "ArgumentParser",
        "Logging",
    ],
}
ALL = set(IMPORTS) | {module for modules in IMPORTS.values() for module in modules}

# Below an `#if`, imports are indented.
IMPORT = re.compile(r"^ *(?:@\w+ )*(?:public |package |internal |private )?import (?:\w+ )?(\w+)", re.M)
DECLARATION = re.compile(
    r"^(?:@\w+(?:\([^)]*\))? )*(?:public |package )?(?:final |indirect )?"
    r"(?:struct|class|enum|actor|protocol|typealias|func|let|var) (\w+)", re.M)


def main():
    sources = pathlib.Path(__file__).resolve().parents[2] / "Sources"
    files = {path: swift_text.split(path.read_text())[0] for path in sorted(sources.rglob("*.swift"))}
    found = wrong_imports(sources, files) + wrong_names(sources / STORE, files)
    for path, line, text in found:
        print(f"{path.relative_to(sources.parent)}:{line}: {text}")
    print(f"rooms: {len(found)} names break the order" if found else "rooms: each knows only those before it")
    return 1 if found else 0


def wrong_imports(sources, files):
    found = []
    for path, code in files.items():
        target = path.relative_to(sources).parts[0]
        if target not in IMPORTS:
            found.append((path, 1, f"{target} is not in the table of imports; add it"))
            continue
        for match in IMPORT.finditer(code):
            if match[1] in ALL and match[1] not in IMPORTS[target]:
                found.append((path, line(code, match), f"{target} must not import {match[1]}"))
    return found


def wrong_names(store, files):
    """Names in the code of a room that a later room declares; the files beside the rooms come last."""
    order = {room: number for number, room in enumerate(ROOMS)}
    rooms, declared, found = {}, {}, []
    for path, code in files.items():
        if store not in path.parents:
            continue
        folders = path.relative_to(store).parts[:-1]
        room = folders[0] if folders else ""
        if folders and room not in order:
            found.append((path, 1, f"{room} is not in the list of rooms; add it"))
        rooms[path] = order.get(room, len(ROOMS))
        for match in DECLARATION.finditer(code):
            declared[match[1]] = (rooms[path], room)
    for path, room in rooms.items():
        for match in re.finditer(r"(?<![.\w])\w+", files[path]):
            later, name = declared.get(match[0], (0, ""))
            if later > room:
                found.append((path, line(files[path], match), f"{ROOMS[room]} names {match[0]} of {name or 'no room'}"))
    return found


def line(code, match):
    return code.count("\n", 0, match.start()) + 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:
        os._exit(1)
