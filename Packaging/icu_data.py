"""Copies ICU's library of a Swift toolchain, with the part of its data that the programs can need.

    icu_data.py ARCHIVE CLANG OUT

ARCHIVE is the toolchain's lib_FoundationICU.a. Its data has 34 MB, most of which are names of countries, currencies and
units in each language, and converters of old encodings. OUT has 8 MB of data: it keeps the time zones, the rules of Unicode,
and the formats of dates and numbers in each language. ICU falls back to English for names that are missing, as it does if it
is built with a data filter (https://unicode-org.github.io/icu/userguide/icu_data/buildtool.html).
"""

import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

MEMBER = "icu_packaged_data.cpp.o"
# Folders of which only the entries of these names stay.
BY_LANGUAGE = {"coll", "curr", "lang", "rbnf", "region", "unit", "zone"}
KEPT = {"root", "en", "pool", "res_index", "supplementalData", "ucadata", "tzdbNames"}


def is_kept(name):
    """Whether an entry stays; its name is like `icudt76l/coll/zh.res`."""
    _, *folder, file = name.split("/")
    stem, _, suffix = file.rpartition(".")
    if suffix in ("cnv", "dict") or folder == ["translit"]:
        return False
    return not folder or folder[0] not in BY_LANGUAGE or stem in KEPT


def filtered(data):
    """A data package without the entries that do not stay. It is a header, a table of the offsets of names and contents,
    ordered by name, and these; offsets count from the table."""
    table = struct.unpack_from("<H", data)[0]
    count, = struct.unpack_from("<I", data, table)
    pairs = list(struct.iter_unpack("<II", data[table + 4:table + 4 + 8 * count]))
    ends = [start for _, start in pairs[1:]] + [len(data) - table]
    entries = []
    for (name, start), end in zip(pairs, ends):
        name = data[table + name:data.index(b"\0", table + name)]
        if is_kept(name.decode()):
            entries.append((name, data[table + start:table + end]))

    names, contents = bytearray(), bytearray()
    name_start = 4 + 8 * len(entries)
    content_start = (name_start + sum(len(name) + 1 for name, _ in entries) + 15) // 16 * 16
    offsets = bytearray(struct.pack("<I", len(entries)))
    for name, content in entries:
        contents += bytes(-len(contents) % 16)
        offsets += struct.pack("<II", name_start + len(names), content_start + len(contents))
        names += name + b"\0"
        contents += content
    return data[:table] + bytes(offsets + names).ljust(content_start, b"\0") + contents


def main():
    archive, clang, out = map(Path, sys.argv[1:])
    tools = clang.resolve().parent
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        subprocess.run([tools / "llvm-ar", "x", archive.resolve(), MEMBER], cwd=folder, check=True)
        subprocess.run(
            [tools / "llvm-objcopy", "-O", "binary", "--only-section=.rodata", MEMBER, "all"], cwd=folder, check=True)
        symbols = subprocess.run(
            [tools / "llvm-nm", MEMBER], cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout
        symbol = re.fullmatch(r"[0-9a-f]+ R (icudt\d+_dat)\s*", symbols)[1]
        (folder / "data").write_bytes(filtered((folder / "all").read_bytes()))
        (folder / "data.s").write_text(
            f'.section .rodata,"a",@progbits\n.balign 16\n.globl {symbol}\n.type {symbol},@object\n{symbol}:\n'
            f'.incbin "data"\n.size {symbol}, . - {symbol}\n.section .note.GNU-stack,"",@progbits\n')
        subprocess.run([clang, "-c", "data.s", "-o", MEMBER], cwd=folder, check=True)
        shutil.copyfile(archive, folder / "copy.a")
        subprocess.run([tools / "llvm-ar", "rD", "copy.a", MEMBER], cwd=folder, check=True)
        shutil.move(folder / "copy.a", out)


if __name__ == "__main__":
    main()
