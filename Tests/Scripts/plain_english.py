"""Finds words that make the project's English read as translated.

    plain_english.py [PATH…]

Reads the documents (README, CONTRIBUTING, CHANGELOG, SECURITY and Docs), the comments and string literals of Sources and
Migrations, the DocC pages, the names of tests, and the names and rules of mutants; or only what is below each PATH.
Prints a line for each finding, and exits 1 if there is one.

A banned word may be right in a context that ALLOWED lists. If the word is the best one there is, add its context.
"""

import os
import pathlib
import re
import sys

import swift_text

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Word, and what to write instead.
BANNED = [
    (r"who(?:m)?ever", "name the actor: the writer, the caller, the command"),
    (r"(?:some|any|every)body(?:'s)?|nobody(?:'s)?", "name the actor, or write: no process, each caller"),
    (r"so many", "say what the number is: at most N loads"),
    (r"so (?:long|often|much) (?:that nobody|ago go)", "say the limit"),
    (r"tells?|telling|told|untold", "report, show, print, distinguish"),
    (r"hears?|heard|hearing", "receive, is notified"),
    (r"mend(?:s|ed|ing)?", "repair"),
    (r"anew", "again"),
    (r"by and by", "gradually, in the background"),
    (r"at a glance", "leave it out"),
    (r"looks?|looked|looking", "check, read, inspect"),
    (r"lays?|laid|laying", "put, place, copy"),
    (r"forgo(?:es|ne|ing)?", "do without, skip"),
    (r"foul", "corrupt, invalid"),
    (r"amid", "during, between"),
    (r"heed(?:s|ed|ing)?|unheeded", "check, obey"),
    (r"forsak(?:e|es|en|ing)", "abandon"),
    (r"whence|hence|thence|thereof|whereof|wherefrom", "from which, so"),
    (r"lest", "so that … not"),
    (r"for ever", "forever, without limit"),
    (r"for want of", "because there is no"),
    (r"(?:one )?(?:line|row|file|event|batch|call|noun) an? \w+", "per: one line per load"),
    (r"(?:is|are) (?:meant|written) for", "say what it does and what is tested"),
    (r"not one(?=\s*(?:[.;:,)\"]|$))|has no such thing", "say what it is not: is not a load id"),
    (r"allowed (?:is|are)", "the limit is"),
    (r"how it (?:went|goes)", "the result"),
    (r"(?<!has )(?<!have )(?<!had )(?<!having )begun", "started"),
    (r"swept|unswept|settle[ds]?|unsettled|settlements?", "name the mechanism of today: counters, journal, sealed day"),
]

# Contexts in which a banned word is idiomatic or technical.
ALLOWED = [
    r"(?:tells?|telling|told) (?:\S+ ){0,6}apart", r"tell you",
    r"(?:looks?|looked|looking) up", r"looks? like", r"(?:looks?|looking) for(?! it)", r"look and feel",
    r"look closer",
    r"looks? (?:correct|corrupt|damaged|empty|the same|valid|alive|dead|absurd)",
    r"(?:laid|lays?) out",
    r"not one of", r"not one, but", r"if not one",
    # Titles, and a row of a table.
    r"be told when", r"(?-i:Get|Be) told",
    # The term for the last sign of a fleet's host, also in its table and JSON.
    r"heard",
    # A migration that has landed keeps its text.
    r"begun, and all sessions", r"Old ones tell where",
]

WORDS = re.compile("|".join(f"(?P<w{number}>\\b(?:{word})\\b)" for number, (word, _) in enumerate(BANNED)), re.I)
EXEMPT = re.compile("|".join(f"\\b(?:{context})" for context in ALLOWED), re.I)

PLACES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "Docs", "Sources", "Migrations", "Tests"]


def main(arguments):
    paths = [pathlib.Path(argument).resolve(strict=True) for argument in arguments]
    count = 0
    for path in files():
        if paths and not any(path == chosen or chosen in path.parents for chosen in paths):
            continue
        for line, text in texts(path):
            for word, advice in findings(text):
                print(f'{path.relative_to(ROOT)}:{line}: "{word}": {advice}')
                count += 1
    print(f"plain English: {count} findings")
    return 1 if count else 0


def files():
    for place in PLACES:
        path = ROOT / place
        if path.is_file():
            yield path
        yield from sorted(file for file in path.rglob("*") if file.suffix in (".md", ".swift", ".sql", ".mutants"))


def texts(path):
    """The (line, text) pairs of a file that a person reads."""
    source = path.read_text()
    if path.suffix == ".md":
        return prose(source)
    if path.suffix == ".mutants":
        lines = enumerate(source.split("\n"), 1)
        return [(number, line) for number, line in lines if line.startswith(("# ", "rule: "))]
    if path.suffix == ".sql":
        lines = enumerate(source.split("\n"), 1)
        return [(number, line[line.index("--"):]) for number, line in lines if "--" in line]
    if "Tests" in path.relative_to(ROOT).parts[:1]:
        return test_names(source)
    found = [(line, text) for line, _, text in swift_text.split(source)[1]]
    # A symbol or a code sample in a doc comment is no prose.
    return [(line, re.sub(r"``?[^`]*``?", " ", text)) for line, text in found]


def prose(source):
    """Markdown without code, but with the comments in samples of code."""
    in_code = False
    for number, line in enumerate(source.split("\n"), 1):
        if line.lstrip().startswith("```"):
            in_code = not in_code
        elif in_code:
            comment = re.search(r"(?:^|\s)(?://|#) (.*)", line)
            if comment:
                yield number, comment[1]
        else:
            yield number, re.sub(r"`[^`]*`|\]\([^)]*\)|<!--.*?-->", " ", line)


def test_names(source):
    """The names of tests as words: `each verb has help`, eachVerbHasHelp, or the text given to @Test."""
    for match in re.finditer(r'@(?:Test|Suite)\(\s*"([^"]*)"|func (?:`([^`]*)`|(\w+))|(?:struct|class) (\w+Tests)\b', source):
        name = match[1] or match[2] or re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=A)(?=[A-Z][a-z])", " ", match[3] or match[4])
        yield source.count("\n", 0, match.start()) + 1, name


def findings(text):
    exempt = [match.span() for match in EXEMPT.finditer(text)]
    for match in WORDS.finditer(text):
        if not any(start <= match.start() < end for start, end in exempt):
            yield match[0], BANNED[int(match.lastgroup[1:])][1]


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except BrokenPipeError:
        os._exit(1)
