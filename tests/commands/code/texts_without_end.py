"""Texts without a final zero at the very end of a file.  A file of 2 MiB or more is in memory that ends with its last byte,
so reading one byte too many ends the program."""
# last build only: it reads beyond the end of texts, which the sanitizers see at once
import os, struct, subprocess, sys, zlib
from harness import *
from elf_writer import Elf

SIZE = 2 << 20
COMMANDS = (["functions"], ["lines"], ["variables"], ["types"], ["sources"], ["problems"])
STRP, LINE_STRP, STRX1, STRP_SUP, GNU_STR_INDEX, GNU_STRP_ALT = 0x0e, 0x1f, 0x25, 0x1d, 0x1f02, 0x1f21
SEC_OFFSET, ADDR, DATA4, STRING = 0x17, 0x01, 0x06, 0x08
UNIT, FUNCTION, VARIABLE, BASE_TYPE = 0x11, 0x2e, 0x34, 0x24
NAME, STMT_LIST, LOW_PC, HIGH_PC, COMP_DIR, PRODUCER, LINKAGE_NAME = 0x03, 0x10, 0x11, 0x12, 0x1b, 0x25, 0x6e
STR_OFFSETS_BASE, DWO_NAME, GNU_DWO_NAME, GNU_DWO_ID = 0x72, 0x76, 0x2130, 0x2131


def leb(number):
    data = b""
    while number > 127:
        data += bytes([number & 127 | 128])
        number >>= 7
    return data + bytes([number])


def abbreviations(*entries):
    """entries: (tag, has children, (attribute, form)…)"""
    data = b""
    for number, (tag, children, *attributes) in enumerate(entries, 1):
        data += leb(number) + leb(tag) + bytes([children])
        for attribute, form in attributes + [(0, 0)]:
            data += leb(attribute) + leb(form)
    return data + b"\0"


def unit(version, body, kind=1, extra=b""):
    head = struct.pack("<HBBI", version, kind, 8, 0) + extra if version >= 5 else struct.pack("<HIB", version, 0, 8)
    return struct.pack("<I", len(head + body)) + head + body


def value(form):
    """Of a text that starts in the last section, two bytes before its end."""
    return b"\0" if form in (STRX1, GNU_STR_INDEX) else struct.pack("<I", 30)


def debug(elf, form, version):
    """A unit, a function, a variable and a type, all of whose texts have this form."""
    first = [(NAME, form), (PRODUCER, form), (COMP_DIR, form), (LOW_PC, ADDR), (HIGH_PC, DATA4)]
    if version >= 5:
        first.append((STR_OFFSETS_BASE, SEC_OFFSET))
    text = value(form)
    body = leb(1) + 3 * text + struct.pack("<QI", 0x1000, 16) + (struct.pack("<I", 8) if version >= 5 else b"")
    body += leb(2) + 2 * text + struct.pack("<QI", 0x1000, 16) + leb(3) + text + leb(4) + text + b"\0"
    elf.add_section(".debug_abbrev", abbreviations(
        (UNIT, 1, *first), (FUNCTION, 0, (NAME, form), (LINKAGE_NAME, form), (LOW_PC, ADDR), (HIGH_PC, DATA4)),
        (VARIABLE, 0, (NAME, form)), (BASE_TYPE, 0, (NAME, form))))
    elf.add_section(".debug_info", unit(version, body))
    elf.add_section(".debug_str_offsets", (struct.pack("<IHH", 8, 5, 0) if version >= 5 else b"") + struct.pack("<I", 30))


def program():
    return Elf(b"\xc3" * 16, [("f", 0x1000, 16)])


def write(path, elf, name, last, **fields):
    """The file, with the section name of these bytes at its very end."""
    if name:
        elf.add_section(name, b"", offset=SIZE - len(last), size=len(last), **fields)
    data = elf.bytes()
    data += bytes(SIZE - len(last) - len(data)) + last
    with open(path, "wb") as file:
        file.write(data)
    return data


def judged(path, what):
    """Each command reads what is sound."""
    for words in COMMANDS:
        result = watched([ASSAY, *words, path, "--quiet"], stdin=subprocess.DEVNULL)
        assert result.returncode in (0, 1), f"{what}: {words}: exit {result.returncode}: {result.stderr.decode()[-600:]}"
    names = [r["name"] for r in rows(path, "select name from functions")]
    assert names == ["f"], f"{what}: {names}"


ENDLESS = b"\0" + b"x" * 31


@test
def texts_of_debug_information():
    with Folder() as folder:
        path = os.path.join(folder, "program")
        for form, name, version in ((STRP, ".debug_str", 4), (STRP, ".debug_str", 5), (LINE_STRP, ".debug_line_str", 5),
                                    (STRX1, ".debug_str", 5), (GNU_STR_INDEX, ".debug_str", 4), (GNU_STRP_ALT, ".debug_str", 4),
                                    (STRP_SUP, ".debug_str", 5), (STRING, ".debug_str", 4)):
            for last in (ENDLESS, b"x" * 32, b"x" * 30 + b"\0x"):
                elf = program()
                debug(elf, form, version)
                write(path, elf, name, last)
                judged(path, f"form {form:#x}, version {version}, {last[-2:]}")
                texts = rows(path, "select name from units union all select name from variables where name is not null")
                wrong = [r for r in texts if r["name"] and "x" in r["name"]]
                assert not wrong, f"form {form:#x}: {wrong}"


@test
def texts_of_a_shared_debug_file():
    """What dwz makes: texts that several programs share lie in a file of their own."""
    with Folder() as folder:
        path, shared = os.path.join(folder, "program"), os.path.join(folder, "shared.debug")
        number = bytes(range(20))
        note = struct.pack("<III", 4, 20, 3) + b"GNU\0" + number
        for form, version in ((GNU_STRP_ALT, 4), (STRP_SUP, 5)):
            other = Elf(b"\xc3" * 16, [])
            other.add_section(".note.gnu.build-id", note, kind=7, flags=2, address=0x9000)
            other.add_section(".debug_info", unit(4, leb(1)))
            other.add_section(".debug_abbrev", abbreviations((UNIT, 0)))
            write(shared, other, ".debug_str", ENDLESS)
            elf = program()
            debug(elf, form, version)
            elf.add_section(".gnu_debugaltlink", b"shared.debug\0" + number)
            elf.add_section(".debug_str", b"\0")
            elf.write(path)
            judged(path, f"form {form:#x}")


@test
def names_of_split_files():
    """libdw looks for the file itself, so the name and the folder must be sound before it is asked."""
    with Folder() as folder:
        path = os.path.join(folder, "program")
        texts = {STRP: struct.pack("<I", 30), STRING: b"part.dwo\0"}
        for name_form, folder_form in ((STRP, STRING), (STRING, STRP)):
            for version in (4, 5):
                elf = program()
                which = DWO_NAME if version == 5 else GNU_DWO_NAME
                number = [] if version == 5 else [(GNU_DWO_ID, 0x07)]
                elf.add_section(".debug_abbrev", abbreviations((0x4a if version == 5 else UNIT, 0, (which, name_form),
                                                                (COMP_DIR, folder_form), *number)))
                body = leb(1) + texts[name_form] + texts[folder_form] + (bytes(8) if number else b"")
                elf.add_section(".debug_info", unit(version, body, kind=4, extra=bytes(8)))
                write(path, elf, ".debug_str", ENDLESS)
                judged(path, f"split, version {version}, forms {name_form:#x} {folder_form:#x}")


@test
def names_in_line_tables():
    with Folder() as folder:
        path = os.path.join(folder, "program")
        for form, name in ((STRP, ".debug_str"), (LINE_STRP, ".debug_line_str")):
            entry = struct.pack("<BBBB", 1, 1, form, 1) + value(form)
            head = struct.pack("<BBBbBB", 1, 1, 1, -5, 14, 13) + bytes([0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1]) + entry + entry
            steps = bytes([0, 9, 2]) + struct.pack("<Q", 0x1000) + bytes([4, 0, 1, 2, 16, 0, 1, 1])
            table = struct.pack("<HBBI", 5, 8, 0, len(head)) + head + steps
            elf = program()
            elf.add_section(".debug_abbrev", abbreviations((UNIT, 0, (STMT_LIST, SEC_OFFSET), (NAME, STRING))))
            elf.add_section(".debug_info", unit(5, leb(1) + struct.pack("<I", 0) + b"a.c\0"))
            elf.add_section(".debug_line", struct.pack("<I", len(table)) + table)
            write(path, elf, name, ENDLESS)
            judged(path, f"line table, form {form:#x}")


@test
def names_in_the_file_itself():
    """Sections, symbols, versions, notes, links: each in the last bytes of the file."""
    with Folder() as folder:
        path = os.path.join(folder, "program")
        symbol = struct.pack("<IBBHQQ", 30, 0x12, 0, 1, 0x1000, 16)
        cases = [(".comment", dict(kind=1)), (".GCC.command.line", dict(kind=1)), (".gnu_debuglink", dict(kind=1)),
                 (".gnu_debugaltlink", dict(kind=1)), (".note.gnu.build-id", dict(kind=7, flags=2, address=0x9000)),
                 (".dynstr", dict(kind=3, flags=2, address=0x9000)), (".debug_abbrev", dict(kind=1)), (".debug_line", dict(kind=1)),
                 (".gnu_debugdata", dict(kind=1)), (".debug_str_offsets", dict(kind=1)), (".debug_info", dict(kind=1))]
        for name, fields in cases:
            for last in (ENDLESS, struct.pack("<III", 4, 20, 3) + b"GNU\0" + b"x" * 8, b"\x1d\0\0\0\4\0\0\0\0\0\x08" + b"\x81" * 22):
                elf = program()
                elf.add_section(".dynsym", bytes(24) + symbol, kind=11, flags=2, address=0x8000, entry=24, link=3)
                write(path, elf, name, last, **fields)
                judged(path, name)
        elf = program()
        data = bytearray(write(path, elf, None, ENDLESS))
        headers, = struct.unpack_from("<Q", data, 40)
        count, names = struct.unpack_from("<HH", data, 60)
        for number, what in ((names, "names of sections"), (count - 2, "names of symbols")):
            changed = bytearray(data)
            struct.pack_into("<QQ", changed, headers + 64 * number + 24, SIZE - 32, 32)
            if number == names:
                for i in range(1, count):
                    struct.pack_into("<I", changed, headers + 64 * i, 30)
            with open(path, "wb") as file:
                file.write(changed)
            assert assay("functions", path, "--quiet", status=None).returncode in (0, 1), what


@test
def names_in_a_separate_debug_file():
    """Its symbols come through libdwfl, which believes their offsets."""
    with Folder() as folder:
        path, other = os.path.join(folder, "program"), os.path.join(folder, "program.debug")
        debug_file = program()
        data = bytearray(write(other, debug_file, None, ENDLESS))
        headers, = struct.unpack_from("<Q", data, 40)
        count, = struct.unpack_from("<H", data, 60)
        struct.pack_into("<QQ", data, headers + 64 * (count - 2) + 24, SIZE - 32, 32)  # .strtab
        symbols, = struct.unpack_from("<Q", data, headers + 64 * (count - 3) + 24)
        struct.pack_into("<I", data, symbols + 24, 30)
        with open(other, "wb") as file:
            file.write(data)
        elf = Elf(b"\xc3" * 16, [])
        elf.add_section(".gnu_debuglink", b"program.debug\0\0\0" + struct.pack("<I", zlib.crc32(data)))
        elf.write(path)
        for words in COMMANDS:
            result = assay(*words, path, "--quiet", status=None)
            assert result.returncode in (0, 1), f"{words}: {result.returncode} {result.stderr}"


run()
