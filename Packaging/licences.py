"""The copyright notices of everything that is compiled into the programs."""

import subprocess
from pathlib import Path

END_OF_APACHE = "END OF TERMS AND CONDITIONS"
UNICODE = """Foundation includes ICU, copyright 1991 and later Unicode, Inc., under the Unicode License:
https://www.unicode.org/license.txt"""


def notices(root: Path, checkouts: Path, apache: str = "") -> str:
    """Our licence, those of the packages in the build's checkouts, and that of the Swift toolchain, each text once.

    `apache` says where the text of the Apache License is; without it the text is part of the notices."""
    texts: dict[str, list[str]] = {}
    for checkout in sorted(checkouts.iterdir()):
        for name in ("LICENSE", "LICENSE.txt", "NOTICE.txt"):
            if (checkout / name).exists():
                texts.setdefault((checkout / name).read_text(encoding="utf-8").strip(), []).append(checkout.name)
    swift = Path(subprocess.run(
        ["sh", "-c", "readlink -f \"$(command -v swift)\""], check=True, stdout=subprocess.PIPE, text=True).stdout.strip())
    licence = (swift.parent.parent / "share/swift/LICENSE.txt").read_text(encoding="utf-8").strip()
    texts.setdefault(licence, []).append("the Swift libraries and Foundation, https://swift.org")

    parts = [
        "LoadLog\n\n" + (root / "LICENSE").read_text(encoding="utf-8").strip(),
        "The programs also contain compiled code of the following projects.\n\n" + UNICODE]
    for text, names in texts.items():
        terms, _, rest = text.partition(END_OF_APACHE)
        if rest and apache:
            text = "Apache License, Version 2.0: " + apache
            if "Runtime Library Exception" in rest:
                text += "\n\n" + rest[rest.index("## Runtime Library Exception"):]
        parts.append(", ".join(names) + "\n\n" + text)
    return ("\n\n" + "-" * 80 + "\n\n").join(parts) + "\n"
