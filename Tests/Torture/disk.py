"""Computes the possible states of a disk after a power cut, from a record of `shims/record.c`.

Everything synchronized is there. Any part of the rest may be there: each write, cut and change of a name that came after
the last synchronization of its file (of its folder, for names) is there or not, in any combination, and a write may
be there in some of its sectors of 512 bytes only.
"""

import struct
from dataclasses import dataclass, field

SECTOR = 512
ENTRY = struct.Struct("<cIQQQII")


@dataclass(slots=True)
class Entry:
    kind: bytes
    process: int
    inode: int
    offset: int
    time: int
    name: str
    bytes: bytes


def read(path):
    """The entries of a record, in their order."""
    with open(path, "rb") as file:
        content = file.read()
    entries, at = [], 0
    while at < len(content):
        kind, process, inode, offset, time, name, size = ENTRY.unpack_from(content, at)
        at += ENTRY.size
        text = content[at : at + name].decode()
        at += name
        entries.append(Entry(kind, process, inode, offset, time, text, content[at : at + size]))
        at += size
    return entries


@dataclass
class File:
    durable: bytearray = field(default_factory=bytearray)
    pending: list = field(default_factory=list)


class Disk:
    """The state of a disk while a record is played to it."""

    def __init__(self, synchronizes=lambda entry: True):
        """`synchronizes` selects the synchronizations that take effect; the others are ignored."""
        self.synchronizes = synchronizes
        self.files = {}
        self.names = {}
        self.pending_names = []

    def play(self, entry):
        match entry.kind:
            case b"w" | b"t":
                self.files.setdefault(entry.inode, File()).pending.append(entry)
            case b"c":
                # The number of a deleted file may be used again.
                self.files[entry.inode] = File()
                self.pending_names.append(entry)
            case b"r" | b"u":
                self.pending_names.append(entry)
            case b"s" if self.synchronizes(entry):
                file = self.files.setdefault(entry.inode, File())
                for change in file.pending:
                    _apply(change, file.durable)
                file.pending = []
            case b"d" if self.synchronizes(entry):
                for change in self.pending_names:
                    _rename(change, self.names)
                self.pending_names = []

    def image(self, chance):
        """A random one of the states that a power cut at this point may leave.

        Returns: contents by name.
        """
        kept, torn = chance.choice((0, 1, *(chance.random() for _ in range(8)))), chance.choice((0, 0, 0.3, 1))
        names = dict(self.names)
        for change in self.pending_names:
            if chance.random() < kept:
                _rename(change, names)
        contents = {}
        for name, inode in names.items():
            file = self.files[inode]
            content = bytearray(file.durable)
            for change in file.pending:
                if chance.random() < kept:
                    _apply(change, content, chance if chance.random() < torn else None)
            contents[name] = content
        return contents


def _apply(change, content, chance=None):
    """With chance, only some sectors of it."""
    if change.kind == b"t":
        if change.offset < len(content):
            del content[change.offset :]
        else:
            content.extend(bytes(change.offset - len(content)))
        return
    start, end = change.offset, change.offset + len(change.bytes)
    if chance is None:
        _write(content, start, change.bytes)
        return
    while start < end:
        next = min((start // SECTOR + 1) * SECTOR, end)
        if chance.random() < 0.5:
            _write(content, start, change.bytes[start - change.offset : next - change.offset])
        start = next


def _write(content, start, bytes_):
    if len(content) < start:
        content.extend(bytes(start - len(content)))
    content[start : start + len(bytes_)] = bytes_


def _rename(change, names):
    match change.kind:
        case b"c":
            names[change.name] = change.inode
        case b"u":
            names.pop(change.name, None)
        case b"r":
            if change.name in names:
                names[change.bytes.decode()] = names.pop(change.name)
