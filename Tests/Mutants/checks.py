"""Checks the entries without building anything; `./dev lint` calls this."""

import re
from functools import cache

from entries import PROJECT, BadEntry

TABLES = "Docs/Promises.md"


def problems_of_all(mutants):
    """A message for each problem of the entries, and of the table of rules that names them."""
    first = {}
    for mutant in mutants:
        yield from problems_of(mutant)
        if other := first.get(mutant.name):
            yield f"{mutant.place}: {mutant.name} has the name of the entry at {other.place}"
        first.setdefault(mutant.name, mutant)
    yield from problems_of_tables(first)


def problems_of(mutant):
    """A message for each problem of one entry."""
    start = f"{mutant.place}: {mutant.name}"
    if not mutant.rule:
        yield f"{start} has no rule"
    if not mutant.killer:
        yield f"{start} does not say what kills it"
    for part in unknown_parts(mutant.killer):
        yield f"{start}: no test or experiment is called {part!r}"
    if not mutant.changes:
        yield f"{start} changes nothing"
        return
    if (target := target_of(mutant.changes[0].file)) != mutant.target:
        yield f"{start} belongs in {target}.mutants"
    for change in mutant.changes:
        if not change.before:
            yield f"{start}: the lines before are missing"
            return
        if change.before == change.after:
            yield f"{start}: the lines before and after are the same"
    for file in mutant.files():
        if not (PROJECT / file).is_file():
            yield f"{start}: there is no file {file}"
            continue
        try:
            mutant.mutated(file, source(file))
        except BadEntry as reason:
            yield str(reason)


def target_of(file):
    """The name of the target that a file belongs to: its folder in Sources or Tests, or else its first folder."""
    parts = file.split("/")
    return parts[1] if parts[0] in ("Sources", "Tests") and len(parts) > 2 else parts[0]


def unknown_parts(killer):
    """The parts of a killer that name no test, suite, test target, experiment or script."""
    if killer.startswith("torture "):
        name = killer.removeprefix("torture ")
        return [] if (PROJECT / f"Tests/Torture/experiments/{name}.py").is_file() else [name]
    if script := script_of(killer):
        return [] if script.is_file() else [script.name]
    return [
        part
        for part in re.split(r"[|/]", killer)
        if part not in tests() and not (PROJECT / "Tests" / part).is_dir()
    ]


def problems_of_tables(mutants):
    """A message for each mutant or guard in a table of rules that is missing, or that does not fit the other."""
    text = (PROJECT / TABLES).read_text(encoding="utf-8")
    rows = list(rows_of_tables(text))
    if not rows:
        yield f"{TABLES}: there is no table with the columns rule, mutant and guarded by"
    for number, names, guards in rows:
        if not names:
            yield f"{TABLES}:{number}: this row names no mutant"
        for name in names:
            if name not in mutants:
                yield f"{TABLES}:{number}: there is no mutant {name!r}"
            elif not suites_of(mutants[name].killer) & guards:
                yield f"{TABLES}:{number}: {name} is killed by {mutants[name].killer}, which is not among the guards"
        for guard in sorted(guards):
            if unknown_parts(guard) and unknown_parts(f"torture {guard}"):
                yield f"{TABLES}:{number}: no test or experiment is called {guard!r}"


def rows_of_tables(text):
    """The rows of the tables of rules: the number of the line, the mutants and the guards."""
    inside = False
    for number, line in enumerate(text.split("\n"), start=1):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells == ["rule", "mutant", "guarded by"]:
            inside = True
        elif not line.startswith("|"):
            inside = False
        elif inside and set(line) - set("|- "):
            yield number, re.findall("`([^`]+)`", cells[1]), set(re.findall("`([^`]+)`", cells[2]))


def suites_of(killer):
    """The suites, the experiment or the script that a killer names."""
    return {part.split("/")[0] for part in re.sub("^(torture|script) ", "", killer).split("|")}


def script_of(killer):
    """The file of the script that a killer names; None if it names none."""
    name = killer.removeprefix("script ")
    return PROJECT / f"Tests/Scripts/{name}.py" if name != killer else None


@cache
def source(file):
    return (PROJECT / file).read_bytes().decode("utf-8")


@cache
def tests():
    """The lines that declare tests and suites. A killer may name only part of a test, so names are not compared."""
    places = [*(PROJECT / "Tests").rglob("*.swift"), *(PROJECT / "Sources/LoadLogTestSupport").rglob("*.swift")]
    lines = (line for place in places for line in place.read_text(encoding="utf-8").split("\n"))
    return "\n".join(line for line in lines if re.search(r"\b(struct|class|enum|func) ", line))
