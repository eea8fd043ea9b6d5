"""Classifies a file by its ELF headers alone: its machine, and whether it has code to disassemble.

Separate debug information has all sections of its program, but code sections without bytes (SHT_NOBITS); other files have no
code at all.  Disassemblers print nothing for them.  An archive is classified by its first ELF member.
"""
MACHINES = {62: "x86-64", 3: "i386", 183: "aarch64"}
ARCHIVE = b"!<arch>\n"
SHT_NULL, SHT_NOBITS, SHF_EXECINSTR = 0, 8, 4


class Header:
    """The ELF header that starts at a place of a file; is_elf is False where there is none that can be read."""

    def __init__(self, file, start=0):
        self.file, self.start = file, start
        head = self.at(0, 64)
        self.is_elf = len(head) >= 52 and head[:4] == b"\x7fELF" and head[4] in (1, 2) and head[5] == 1
        self.wide = self.is_elf and head[4] == 2
        self.machine = MACHINES.get(number(head, 18, 2)) if self.is_elf else None
        self.head = head

    def at(self, offset, size):
        self.file.seek(self.start + offset)
        return self.file.read(size)

    def sections(self):
        """(type, flags, size) of each section."""
        table = number(self.head, 40, 8) if self.wide else number(self.head, 32, 4)
        size, count = (number(self.head, 58 + i if self.wide else 46 + i, 2) for i in (0, 2))
        if not table or size < (64 if self.wide else 40):
            return
        first = self.at(table, size)
        count = count or number(first, 32 if self.wide else 20, 8 if self.wide else 4)
        for index in range(count):
            row = self.at(table + index * size, size)
            if len(row) < size:
                return
            wide = (number(row, 4, 4), number(row, 8, 8), number(row, 32, 8))
            yield wide if self.wide else (number(row, 4, 4), number(row, 8, 4), number(row, 20, 4))

    def has_code(self):
        return any(flags & SHF_EXECINSTR and kind not in (SHT_NULL, SHT_NOBITS) and size
                   for kind, flags, size in self.sections())


def number(data, offset, size):
    return int.from_bytes(data[offset:offset + size], "little")


def first_member(file):
    """Header of the first member of an archive that is ELF, or None."""
    place = len(ARCHIVE)
    while True:
        file.seek(place)
        head = file.read(60)
        if len(head) < 60 or not head[48:58].strip().isdigit():
            return None
        header = Header(file, place + 60)
        if header.is_elf:
            return header
        size = int(head[48:58])
        place += 60 + size + size % 2


def machine_of(path):
    """One of MACHINES' words; None for all else."""
    with open(path, "rb") as file:
        header = first_member(file) if file.read(len(ARCHIVE)) == ARCHIVE else Header(file)
        return header and header.machine


def kind_of(path):
    """What can be disassembled: a machine of MACHINES, or "archive"; None for what has no code for Assay."""
    try:
        with open(path, "rb") as file:
            if file.read(len(ARCHIVE)) == ARCHIVE:
                return "archive" if file.read(1) else None  # some are empty on purpose
            header = Header(file)
            return header.machine if header.machine and header.has_code() else None
    except OSError:
        return None
