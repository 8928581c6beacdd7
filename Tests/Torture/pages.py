"""Distinguishes row data from structure in the bytes of a SQLite file (https://sqlite.org/fileformat2.html)."""

LEAF_INDEX, LEAF_TABLE, INNER_INDEX, INNER_TABLE = 10, 13, 2, 5
KINDS = {LEAF_INDEX: "leaf of an index", LEAF_TABLE: "leaf of a table", INNER_INDEX: "knot of an index",
         INNER_TABLE: "knot of a table"}  # fmt: skip


def row_bytes(file):
    """Returns: a byte for each byte of the file: 1 if the byte holds only row data, or nothing at all.

    Excluded are the headers of the file, of pages and of cells, pointers, and page chains.
    """
    size = int.from_bytes(file[16:18], "big")
    size = 65536 if size == 1 else size
    usable = size - file[20]
    is_row = bytearray(len(file))
    for start in range(0, len(file), size):
        head = start + 100 if start == 0 else start
        kind = file[head]
        if kind not in (LEAF_INDEX, LEAF_TABLE, INNER_INDEX, INNER_TABLE):
            continue
        pointers = head + (12 if kind in (INNER_INDEX, INNER_TABLE) else 8)
        count = int.from_bytes(file[head + 3 : head + 5], "big")
        content = int.from_bytes(file[head + 5 : head + 7], "big") or 65536
        _mark(is_row, pointers + 2 * count, start + content)
        for index in range(count):
            at = pointers + 2 * index
            cell = start + int.from_bytes(file[at : at + 2], "big")
            _mark(is_row, *_payload(file, cell, kind, usable))
    return is_row


def row_numbers(page):
    """Returns: the numbers of the rows in a leaf of a table, which is not the first page."""
    numbers = []
    for at in range(8, 8 + 2 * int.from_bytes(page[3:5], "big"), 2):
        _, cell = _varint(page, int.from_bytes(page[at : at + 2], "big"))
        number, _ = _varint(page, cell)
        numbers.append(number - (number >> 63 << 64))
    return numbers


def _mark(is_row, begin, end):
    is_row[begin:end] = bytes([1]) * (end - begin)


def _payload(file, cell, kind, usable):
    """The start and end of a cell's payload in its page."""
    if kind in (INNER_INDEX, INNER_TABLE):
        cell += 4
    if kind == INNER_TABLE:
        return cell, cell
    length, cell = _varint(file, cell)
    if kind == LEAF_TABLE:
        _, cell = _varint(file, cell)
    most = usable - 35 if kind == LEAF_TABLE else (usable - 12) * 64 // 255 - 23
    if length <= most:
        return cell, cell + length
    least = (usable - 12) * 32 // 255 - 23
    here = least + (length - least) % (usable - 4)
    return cell, cell + (here if here <= most else least)


def _varint(file, at):
    value = 0
    for index in range(8):
        value = value << 7 | file[at + index] & 0x7F
        if file[at + index] < 0x80:
            return value, at + index + 1
    return value << 8 | file[at + 8], at + 9


def place(file, at, is_row):
    """Describes the place of a byte; `is_row` is the result of `row_bytes`."""
    size = int.from_bytes(file[16:18], "big")
    start = at - at % size
    head = start + 100 if start == 0 else start
    if at < 100:
        return f"byte {at} of the header"
    kind = KINDS.get(file[head], "other page")
    return f"byte {at - start} of page {start // size + 1}, {kind}{', in a row' if is_row[at] else ''}"
