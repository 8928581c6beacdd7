"""Corrects the manual pages that ArgumentParser generates, so that `man loadlog-run` finds them and shows them well."""

import re
from pathlib import Path


def mend(text: str, version: str) -> str:
    """A page with a dash in its name, examples as they were typed, and paragraphs instead of blank lines."""
    text = re.sub(r"(?m)^\.Dt LOADLOG\.(\S+) 1", r".Dt LOADLOG-\1 1", text)
    text = re.sub(r'(?m)^\.Nm "loadlog (\S+)"$', r".Nm loadlog-\1", text)
    text = re.sub(r"(?m)^\.Nd \"(.*?)\.?\"$", r".Nd \1", text)
    # The synopsis would show the name with the dash.
    verb = re.search(r"(?m)^\.Nm loadlog-(\S+)$", text)
    if verb:
        text = text.replace(".Sh SYNOPSIS\n.Nm\n", f'.Sh SYNOPSIS\n.Nm "loadlog {verb[1]}"\n')
    text = re.sub(r"(?m)^\.Os.*$", f".Os LoadLog {version}", text)
    text = re.sub(r"(?m)^\.Ex .*$", 'See "loadlog help exit-codes".', text)
    text = re.sub(r"(?m)^\.Xr loadlog\.help 1( ,)?\n", "", text)
    text = re.sub(r"(?m)^\.Xr loadlog\.(\S+) 1", r".Xr loadlog-\1 1", text)

    lines, is_example = [], False
    for line in text.splitlines():
        if line.startswith("  ") and not is_example:
            lines.append(".Bd -literal -offset indent")
            is_example = True
        elif is_example and line and not line.startswith("  "):
            while lines[-1] == "":
                lines.pop()
            lines += [".Ed", ".Pp"]
            is_example = False
        if is_example:
            lines.append(line[2:].replace("\\", "\\e"))
        else:
            lines.append(line or ".Pp")
    # A paragraph before a heading, a list, an item or an example would be empty.
    page = "\n".join(lines) + "\n"
    return re.sub(r"(?m)^\.Pp\n(?=\.(Sh|Pp|Bd|Bl|It|El))", "", page)


def mend_pages(generated: Path, folder: Path, version: str):
    """Writes the pages of the verbs to a folder: loadlog.1, loadlog-run.1, …"""
    folder.mkdir(parents=True, exist_ok=True)
    for page in sorted(generated.glob("*.1")):
        if page.stem != "loadlog.help":
            name = page.stem.replace(".", "-") + ".1"
            (folder / name).write_text(mend(page.read_text(encoding="utf-8"), version), encoding="utf-8")
