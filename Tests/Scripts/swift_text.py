"""Splits Swift source into code, comments and string literals, so that checks do not confuse them."""

import re

_START = re.compile(r'//|/\*|(#*)("""|")')


def split(source):
    """Returns the code with comments and literals blanked out, and a list of (line, kind, text).

    Each kind is "comment" or "string". Code in interpolations stays code. Each text is a part of one line, so that a
    finding has the line of its word.
    """
    code, texts = [], []
    _code(source, 0, False, code, texts)
    return "".join(code), texts


def _code(source, at, in_interpolation, code, texts):
    """Reads code up to the end of the source, or of the interpolation. Returns the position after it."""
    depth = 0
    while at < len(source):
        match = _START.match(source, at)
        if match is None:
            depth += {"(": 1, ")": -1}.get(source[at], 0)
            if in_interpolation and depth < 0:
                return at
            code.append(source[at])
            at += 1
        elif match.group(2):
            at = _literal(source, match.end(), match.group(2), match.group(1), code, texts)
        else:
            end = _end_of_comment(source, at)
            _add(source, at, end, "comment", code, texts)
            at = end
    return at


def _end_of_comment(source, at):
    if source.startswith("//", at):
        end = source.find("\n", at)
        return len(source) if end < 0 else end
    end = source.find("*/", at)
    return len(source) if end < 0 else end + 2


def _literal(source, at, quote, hashes, code, texts):
    """Reads a literal after its opening quote. Returns the position after its closing one."""
    closing, escape = quote + hashes, "\\" + hashes
    start = at
    while at < len(source) and not source.startswith(closing, at):
        if quote == '"' and source[at] == "\n":
            # A quotation mark in a regular expression opened this: no such literal goes beyond its line.
            _add(source, start, at, "string", code, texts)
            return at
        if not source.startswith(escape, at):
            at += 1
        elif not source.startswith("(", at + len(escape)):
            at += len(escape) + 1
        else:
            _add(source, start, at, "string", code, texts)
            code.append(" ")
            at = start = _code(source, at + len(escape) + 1, True, code, texts) + 1
    _add(source, start, at, "string", code, texts)
    return at + len(closing)


def _add(source, start, end, kind, code, texts):
    line = source.count("\n", 0, start) + 1
    for text in source[start:end].split("\n"):
        if text.strip():
            texts.append((line, kind, text))
        line += 1
    code.append("\n" * source.count("\n", start, end) + " ")
