"""Compiles many mutants into one build, so that each only has to be run: "mutant schemata", as the literature calls it.

The body of a function that a mutant changes becomes a switch, with a case for each mutant and the original as default:

    func push(_ feed: Feed) -> Int {
    switch mutantInLoadLogCore {
    case 17:
      return depth
    default:
      return depth + 1
    }
    }

The number comes from the environment. The same is done with the initial values of properties and with default values of
parameters. A change outside of these, in a declaration or in a file that is not Swift, needs a build of its own.
"""

import dataclasses
import os
import re
from dataclasses import dataclass, field

import tree_sitter
import tree_sitter_swift

from entries import PROJECT

VARIABLE = "LOADLOG_MUTANT"

parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_swift.language()))

# What has the statements of a body between its braces.
BODIES = {
    "function_body",
    "computed_getter",
    "computed_setter",
    "computed_modify",
    "computed_property",
    "willset_clause",
    "didset_clause",
}
ACCESSORS = {"computed_getter", "computed_setter", "computed_modify"}
# A body that consists of one of these returns nothing by itself.
STATEMENTS = {
    "assignment",
    "control_transfer_statement",
    "do_statement",
    "for_statement",
    "guard_statement",
    "property_declaration",
    "repeat_while_statement",
    "while_statement",
}


@dataclass
class Edit:
    """Bytes of a file that a mutant replaces."""

    start: int
    end: int
    text: bytes


@dataclass
class Region:
    """Bytes of a file that can be compiled in several variants: the inside of a body, or a value."""

    start: int
    end: int
    kind: str  # "body", "value" or "default value"
    returns: bool = False  # whether a single expression is the value of the body
    edits: dict[int, list[Edit]] = field(default_factory=dict)  # by the number of the mutant

    def contains(self, other):
        return self.start <= other.start and other.end <= self.end


def number_of(mutants):
    """The number of each mutant in a build, by its name."""
    return {mutant.name: number for number, mutant in enumerate(mutants, start=1)}


def switched(mutants, numbers):
    """The texts of files with these mutants as cases, by their paths, and the names of the mutants that they contain."""
    by_file = {}
    for mutant in mutants:
        for change in mutant.changes:
            by_file.setdefault(change.file, []).append((mutant, change))
    left_out = {
        mutant.name for file, changes in by_file.items() if not is_swift(file) for mutant, _ in changes
    }
    while True:
        chosen = {
            file: [(mutant, change) for mutant, change in changes if mutant.name not in left_out]
            for file, changes in by_file.items()
        }
        texts, failed = {}, set()
        for file, changes in chosen.items():
            if changes:
                texts[file], without = switched_file(file, changes, numbers)
                failed |= without
        if not failed:
            break
        left_out |= failed  # A mutant of several files is either in all of them or in none.
    for target in {target_of(file) for file in texts}:
        texts[f"Sources/{target}/MutantNumber.swift"] = declaration(target).encode()
    return texts, {mutant.name for mutant in mutants} - left_out


def numbers_at(text, line):
    """The mutants to which a line of a switched file belongs: one case, or all of its switch if it is in the original."""
    lines = text.split("\n")[:line]
    found = []
    while lines:
        last = lines.pop()
        if case := re.fullmatch(r"case (\d+):", last):
            return [int(case[1])]
        if last == "default:":
            while "switch mutantIn" not in (last := lines.pop()):
                found += map(int, re.findall(r"^case (\d+):$", last))
            return found
    return found


def is_swift(file):
    return file.startswith("Sources/") and file.endswith(".swift")


def target_of(file):
    return file.split("/")[1]


def variable(target):
    """The constant of a target. Its name is its own: tests import several targets with their internal declarations."""
    return f"mutantIn{target}"


def declaration(target):
    return (
        "#if canImport(Glibc)\nimport Glibc\n#else\nimport Darwin\n#endif\n\n"
        f'public let {variable(target)} = getenv("{VARIABLE}").flatMap {{ Int(String(cString: $0)) }} ?? 0\n'
    )


def switched_file(file, changes, numbers):
    """The text of a file with its mutants as cases, and the names of those whose changes lie in no region."""
    original = (PROJECT / file).read_bytes()
    regions = regions_of(parser.parse(original).root_node)
    placed, failed = {}, set()
    for mutant, change in changes:
        edit = edit_of(dataclasses.replace(mutant, changes=[change]), file, original)
        around = [region for region in regions if region.contains(edit)]
        if around:
            placed.setdefault(mutant.name, []).append((min(around, key=lambda it: it.end - it.start), edit))
        else:
            failed.add(mutant.name)
    for name, places in placed.items():
        for region, edit in places if name not in failed else []:
            # Of two regions of which one contains the other, the larger one gets both edits.
            largest = max((it for it, _ in places if it.contains(region)), key=lambda it: it.end - it.start)
            largest.edits.setdefault(numbers[name], []).append(edit)
    used = [region for region in regions if region.edits]
    constant = variable(target_of(file)).encode()
    return rendered(original, 0, len(original), used, constant), failed


def edit_of(mutant, file, original):
    """What a mutant with one change replaces: the bytes between the longest equal beginning and end."""
    changed = mutant.mutated(file, original.decode()).encode()
    start = len(os.path.commonprefix([original, changed]))
    shorter = min(len(original), len(changed)) - start
    equal = len(os.path.commonprefix([original[::-1][:shorter], changed[::-1][:shorter]]))
    return Edit(start, len(original) - equal, changed[start : len(changed) - equal])


def regions_of(root):
    regions, nodes = [], [root]
    while nodes:
        node = nodes.pop()
        nodes += node.children
        children = {child.type for child in node.children}
        if node.type in BODIES and not children & ACCESSORS and "{" in children:
            brace = next(child for child in node.children if child.type == "{")
            regions.append(Region(brace.end_byte, node.end_byte - 1, "body", returns=gives_value(node)))
        if node.type == "property_declaration" and node.parent.type in ("class_body", "enum_class_body", "source_file"):
            regions += (Region(value.start_byte, value.end_byte, "value") for value in node.children_by_field_name("value"))
        regions += (
            Region(value.start_byte, value.end_byte, "default value")
            for value in node.children_by_field_name("default_value")
        )
    return regions


def gives_value(node):
    if node.type == "function_body":
        return any(child.type == "->" for child in node.parent.children)
    return node.type in ("computed_getter", "computed_property")


def rendered(text, start, end, regions, constant):
    """The bytes from `start` to `end`, in which each outermost region of these is a choice."""
    parts, position = [], start
    for region in sorted(regions, key=lambda it: (it.start, -it.end)):
        if region.start < position:
            continue  # a part of the one before
        inner = [it for it in regions if it is not region and region.contains(it)]
        default = rendered(text, region.start, region.end, inner, constant)
        variants = {number: edited(text, region, edits) for number, edits in region.edits.items()}
        parts += [text[position : region.start], choice(region, default, variants, constant)]
        position = region.end
    return b"".join([*parts, text[position:end]])


def edited(text, region, edits):
    parts, position = [], region.start
    for edit in sorted(edits, key=lambda it: it.start):
        parts += [text[position : edit.start], edit.text]
        position = edit.end
    return b"".join([*parts, text[position : region.end]])


def choice(region, default, variants, constant):
    if region.kind == "default value":
        for number, text in variants.items():
            default = b"(%b == %d ? (%b) : (%b))" % (constant, number, text, default)
        return default
    if region.kind == "body":
        default, variants = (
            statements(default, region.returns),
            {number: statements(text, region.returns) for number, text in variants.items()},
        )
    cases = b"".join(b"case %d:\n%b\n" % (number, text) for number, text in variants.items())
    return b"%bswitch %b {\n%bdefault:\n%b\n}\n" % (
        b"\n" if region.kind == "body" else b"",
        constant,
        cases,
        default,
    )


def statements(text, returns):
    """A body as the statements of a case: with `break` if it is empty, with `return` before a value."""
    begin = b"func f() {\n"
    body = parser.parse(begin + text + b"\n}").root_node.children[0].child_by_field_name("body")
    inside = body and next((child for child in body.children if child.type == "statements"), None)
    if not inside:
        return text + b"\nbreak"
    found = [child for child in inside.children if child.is_named and "comment" not in child.type]
    is_value = len(found) == 1 and found[0].type not in STATEMENTS
    if is_value and found[0].type in ("if_statement", "switch_statement"):
        is_value = b"return" not in found[0].text
    if returns and is_value:
        position = found[0].start_byte - len(begin)
        return text[:position] + b"return " + text[position:]
    return text
