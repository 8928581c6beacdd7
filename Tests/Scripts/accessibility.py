"""Asks axe-core what is hard to use on a page without a mouse, good eyes or a screen."""

import pathlib

import axe_playwright_python

AXE = (pathlib.Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")


def violations(page):
    """The rules of axe-core that a page breaks: each with its place."""
    # The page's policy forbids foreign scripts; the browser's own interface may run them.
    page.evaluate(f"() => {{ {AXE} }}")
    found = page.evaluate("() => axe.run().then((result) => result.violations)")
    return [f"{rule['id']} ({rule['impact']}): {node['html'][:120]}" for rule in found for node in rule["nodes"]]
