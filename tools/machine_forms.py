"""The forms of machine files, for the tools that make them: reading and writing of both notations, and where a table comes from.

docs/machines.md has the grammar.  In memory a table is a dict from the text of a form to its words (`uops 1 ports p01`)."""
import hashlib
import os
import re

WIDTH, MOST_MNEMONICS = 120, 256


def split_form(text):
    """Mnemonic (with its prefix) and operands, `-` for none."""
    words = text.rsplit(" ", 1)
    return (words[0], words[1]) if len(words) == 2 else (text, "-")


def join_form(mnemonic, operands):
    return mnemonic if operands == "-" else mnemonic + " " + operands


def read_all_forms(path):
    """Forms of a file, those of the machine that it is `like` included."""
    forms, relative = read_own_forms(path)
    return {**read_all_forms(os.path.join(os.path.dirname(path), relative)), **forms} if relative else forms


def read_forms(path):
    """The same without those that are missing."""
    return {text: words for text, words in read_all_forms(path).items() if words != "missing"}


def read_own_forms(path):
    """Forms of a file alone, and the name of the machine that it is `like`."""
    forms, relative, mnemonics, operands, is_heading = {}, None, [], [], False
    with open(path, encoding="utf-8") as file:
        for line in file:
            line, is_indented = line.split("#", 1)[0].rstrip(), line[:1] in " \t"
            if not line.strip():
                continue
            if is_indented and is_heading:
                mnemonics += split_names(line)
                is_heading = line.endswith(",")
            elif is_indented:
                before, colon, words = line.partition(" : ")
                operands += before.split()
                if colon:
                    forms.update((join_form(name, each), words.strip()) for each in operands for name in mnemonics)
                    operands = []
            elif line.startswith("forms "):
                mnemonics, is_heading = split_names(line[6:]), line.endswith(",")
            elif line.startswith("form "):
                text, _, words = line[5:].partition(" : ")
                forms[text.strip()] = words.strip()
            elif line.startswith("like "):
                relative = line.split()[1]
    return forms, relative


def split_names(text):
    return [name.strip() for name in text.split(",") if name.strip()]


def block_lines(mnemonics, groups):
    """A block: groups are pairs of lists of operands and their words."""
    if len(mnemonics) == 1 and len(groups) == 1 and len(groups[0][0]) == 1:
        return ["form %s : %s" % (join_form(mnemonics[0], groups[0][0][0]), groups[0][1])]
    lines = wrap([name + "," for name in mnemonics[:-1]] + mnemonics[-1:], "forms ", "    ")
    for operands, words in groups:
        lines += wrap(operands, "  ", "  ")
        lines[-1] += " : " + words
    return lines


def wrap(words, first, others):
    lines = [first + words[0]]
    for word in words[1:]:
        if len(lines[-1]) + 1 + len(word) <= WIDTH:
            lines[-1] += " " + word
        else:
            lines.append(others + word)
    return lines


def form_lines(forms):
    """The lines of a table: operands with the same words together, mnemonics with the same operands and words together."""
    tables = {}
    for text in sorted(forms):
        mnemonic, operands = split_form(text)
        tables.setdefault(mnemonic, {}).setdefault(forms[text], []).append(operands)
    blocks = {}
    for mnemonic, groups in tables.items():
        key = tuple((tuple(operands), words) for words, operands in groups.items())
        blocks.setdefault(key, []).append(mnemonic)
    return [line for groups, mnemonics in blocks.items() for first in range(0, len(mnemonics), MOST_MNEMONICS)
            for line in block_lines(mnemonics[first:first + MOST_MNEMONICS], groups)]


# ---- where a table comes from -------------------------------------------------------------------------

def checksum(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def recorded_dates(text):
    """Of the comments in a machine file: (name of a table, SHA-256): the day on which it was taken."""
    found = re.findall(r"^# Table: (\S+), .*, taken (\S+), SHA-256 (\w+)$", text, re.M)
    return {(name, digest): date for name, date, digest in found}


def table_comments(paths, known, source, today):
    """A comment for each table; a table that was recorded before keeps its date."""
    comments = []
    for path in dict.fromkeys(paths):
        name, digest = os.path.basename(path), checksum(path)
        comments.append("# Table: %s, %s, taken %s, SHA-256 %s" % (name, source, known.get((name, digest), today), digest))
    return comments
