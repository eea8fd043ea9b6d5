"""Files with very many parts: quadratic algorithms would never end here."""
# first build only: the sanitizers are slow, not quadratic
import os, struct, subprocess, sys
from harness import *
from elf_writer import Elf

# Seconds of processor time.  Each file takes a second or a few; with the sanitizers ten times as long.
SECONDS = 150


def limited(*words):
    """What the command prints; it is ended where it takes far too long."""
    def limit():
        import resource
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    result = subprocess.run([ASSAY, *map(str, words)], capture_output=True, preexec_fn=limit, timeout=PATIENCE)
    assert result.returncode in (0, 1), f"{words}: exit {result.returncode}: {result.stderr.decode()[-500:]}"
    return result.stdout.decode()


def function_sections(path, count):
    """An object with a section and a symbol for each function, as -ffunction-sections makes it; there may be more sections
    than fit the header's number."""
    names, data, headers = bytearray(b"\0"), bytearray(64), [bytes(64)]
    symbols, texts, numbers = bytearray(24), bytearray(b"\0"), bytearray(4)

    def header(name, kind, flags, offset, size, link=0, info=0, align=1, entry=0):
        headers.append(struct.pack("<IIQQQQIIQQ", len(names), kind, flags, 0, offset, size, link, info, align, entry))
        names.extend(name + b"\0")

    def section(name, kind, body, **fields):
        data.extend(bytes(-len(data) % 8))
        header(name, kind, 0, len(data), len(body), **fields)
        data.extend(body)

    code = bytes.fromhex("e8fbffffff c3")  # a call and a return
    for i in range(count):
        header(b".text.f%d" % i, 1, 6, len(data), len(code))
        data += code
        symbols += struct.pack("<IBBHQQ", len(texts), 0x12, 0, i + 1 if i + 1 < 0xff00 else 0xffff, 0, len(code))
        numbers += struct.pack("<I", i + 1)
        texts += b"f%d\0" % i
    number = len(headers)
    section(b".symtab", 2, symbols, link=number + 1, info=1, entry=24)
    section(b".strtab", 3, texts)
    section(b".symtab_shndx", 18, numbers, link=number, entry=4)
    names_number = len(headers)
    offset = len(data)
    header(b".shstrtab", 3, 0, offset, len(names) + len(b".shstrtab\0"))
    data += names + bytes(-len(names) % 8)
    headers[0] = struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, len(headers), names_number, 0, 0, 0)
    start = len(data)
    data += b"".join(headers)
    data[:64] = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01", 1, 62, 1, 0, 0, start, 0, 64, 0, 0, 64, 0, 0xffff)
    with open(path, "wb") as file:
        file.write(data)


@test
def an_object_with_a_section_for_each_of_a_hundred_thousand_functions():
    count = 130000
    with Folder() as folder:
        path = os.path.join(folder, "object.o")
        function_sections(path, count)
        lines = limited("functions", path, "--csv", "--quiet").splitlines()
        assert len(lines) == count + 1, len(lines)
        answer = limited("sql", path, "select count(distinct section) from functions", "--csv", "--quiet")
        assert answer.splitlines()[1] == str(count), answer


@test
def all_code_of_an_object_with_many_sections():
    count = 40000
    with Folder() as folder:
        path = os.path.join(folder, "object.o")
        function_sections(path, count)
        assert limited("asm", path, "--quiet").count("call") >= count


@test
def an_archive_of_many_members():
    count = 20000
    body = Elf(b"\xc3" * 16, [("f", 0, 16)], type=1, address=0).bytes()
    body += b"\n" * (len(body) & 1)
    with Folder() as folder:
        path = os.path.join(folder, "many.a")
        with open(path, "wb") as file:
            file.write(b"!<arch>\n")
            for i in range(count):
                file.write(f"{f'm{i}.o/':16}{0:<12}{0:<6}{0:<6}{644:<8}{len(body):<10}`\n".encode() + body)
        assert len(limited("functions", path, "--csv", "--quiet").splitlines()) == count + 1
        answer = limited("sql", path, "select count(*), count(distinct member) from programs", "--csv", "--quiet")
        assert answer.splitlines()[1] == f"{count},{count}", answer


@test
def relocations_of_debug_information_that_need_symbols_of_others():
    """libdwfl looks in all symbols for each that is not defined here."""
    count = 100000
    with Folder() as folder:
        path = os.path.join(folder, "object.o")
        elf = Elf(b"\xc3" * 16, [], type=1, address=0)
        texts = bytearray(b"\0f\0")
        symbols = bytearray(24) + struct.pack("<IBBHQQ", 1, 0x12, 0, 1, 0, 16)
        relocations = bytearray()
        for i in range(count):
            for section in (0, 1):
                symbols += struct.pack("<IBBHQQ", len(texts), 0x11, 0, section, 0, 0)
                texts += b"%d.%d\0" % (section, i)
            relocations += struct.pack("<QQq", 12, (2 * i + 2) << 32 | 10, 0)
        elf.add_section(".debug_abbrev", b"\1\x11\0\3\x08\0\0\0")
        elf.add_section(".debug_info", struct.pack("<IHIB", 11, 4, 0, 8) + b"\1a.c\0")
        elf.add_section(".rela.debug_info", bytes(relocations), kind=4, link=5, info=3, entry=24)
        elf.add_section(".symtab", bytes(symbols), kind=2, link=6, info=1, entry=24)
        elf.add_section(".strtab", bytes(texts), kind=3)
        elf.write(path)
        assert '"f"' in limited("functions", path, "--json", "--quiet")


run()
