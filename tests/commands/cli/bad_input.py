"""Files that are damaged, truncated, endless or something else: the command names the file and the error and exits
with 2, or makes a model with its gaps counted.  It never dies by a signal and stays within the limits below."""
import glob, os, random, resource, signal, socket, sqlite3, struct, subprocess, sys, time, zlib
from harness import *
from elf_writer import Elf

SEEDS = os.path.join(ROOT, "fuzz", "corpus", "file")
SECONDS, MEMORY = 60, 2 << 30
with open(ASSAY, "rb") as _program:
    SANITIZED = b"__asan_init" in _program.read()
FEW = SANITIZED  # the sanitizers are slow, and the replayed corpus covers the readers too


def limits(file_size=None, user=None):
    def set_limits():
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if not SANITIZED:  # whose shadow is larger than any limit
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        if file_size is not None:  # like a disk that fills up
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))
        if user:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
    return set_limits


def limited(*words, file_size=None, stdout=subprocess.PIPE, user=None):
    environment = dict(os.environ)
    if SANITIZED:
        environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "exitcode=99") + f":hard_rss_limit_mb={MEMORY >> 20}"
    program = assay_for_everybody() if user else ASSAY
    if user:  # who may not be able to read the list of leaks
        environment["LSAN_OPTIONS"] = "exitcode=99"
    return watched([program, *words], stdin=subprocess.DEVNULL, stdout=stdout, preexec_fn=limits(file_size, user), env=environment)


def said(result):
    return result.stderr.decode(errors="replace")


def refused(result, *pieces):
    """Exit 2, and one line that has the pieces."""
    lines = said(result).splitlines()
    assert result.returncode == 2, f"{result.args[1:]}: exit {result.returncode}: {lines[-5:]}"
    assert len(lines) == 1 and lines[0].startswith("assay: "), lines
    for piece in pieces:
        assert str(piece) in lines[0], f"{piece!r} is not in {lines[0]!r}"
    return lines[0]


def judged(path, what, *words):
    """Exit 0, or refused by name."""
    result = limited(*(words or ("functions", path)))
    if result.returncode not in (0, 2):
        raise Fail(f"{what}: exit {result.returncode}: {said(result)[-1500:]}")
    if result.returncode == 2:
        refused(result, path)
    return result.returncode


def judge_variants(variants, verbs=("functions",)):
    """variants gives (what, bytes).  Returns how many were read and how many were refused."""
    counts = [0, 0]
    with Folder() as folder:
        path = os.path.join(folder, "damaged")
        for number, (what, data) in enumerate(variants):
            with open(path, "wb") as file:
                file.write(data)
            counts[judged(path, what, verbs[number % len(verbs)], path) == 2] += 1
    return counts


def seeds():
    return [(os.path.basename(path), open(path, "rb").read()) for path in sorted(glob.glob(os.path.join(SEEDS, "*")))]


def problems(path):
    return {r["kind"]: r["n"] for r in rows(path, "select kind, sum(count) as n from problems group by kind")}


def assembled(folder, source):
    """An object file of this machine from assembler text."""
    path, output = os.path.join(folder, "made.s"), os.path.join(folder, "made.o")
    with open(path, "w") as file:
        file.write(source)
    command([need("as"), "-o", output, path])
    return output


@test
def truncated_files():
    def variants():
        for name, data in seeds():
            lengths = {1, 4, 16, 52, 63, 64, len(data) - 1} | {len(data) * i // 8 for i in range(1, 8)}
            for length in sorted(lengths)[::4 if FEW else 1]:
                yield f"{name} cut to {length} bytes", data[:length]
    read, refused_ones = judge_variants(variants())
    assert read and refused_ones, (read, refused_ones)


@test
def flipped_bits():
    chance = random.Random(1)
    def variants():
        for round in range(2 if FEW else 10):
            for name, data in seeds():
                damaged, flips = bytearray(data), []
                for _ in range(chance.choice((1, 2, 8, 40))):
                    # half of the damage goes to the header and the tables at the end, where it does most harm
                    place = chance.choice((chance.randrange(len(data)), chance.randrange(64),
                                           len(data) - 1 - chance.randrange(min(len(data), 2048))))
                    flips.append((place, 1 << chance.randrange(8)))
                    damaged[place] ^= flips[-1][1]
                yield f"{name} flipped at {flips}", bytes(damaged)
    read, refused_ones = judge_variants(variants(), ("functions", "loops", "variables", "lines", "types"))
    assert read and refused_ones, (read, refused_ones)


@test
def section_headers_that_lie():
    """Every field of every section header, one at a time: overlaps, places outside of the file, wrong links."""
    chance = random.Random(2)
    def variants():
        for name, data in seeds():
            if data[:4] != b"\x7fELF" or "headerless" in name:
                continue
            is_64 = data[4] == 2
            start = struct.unpack_from("<Q" if is_64 else "<I", data, 40 if is_64 else 32)[0]
            width, count = struct.unpack_from("<HH", data, 58 if is_64 else 46)
            layout = ((4, "I"), (8, "Q"), (16, "Q"), (24, "Q"), (32, "Q"), (40, "I"), (44, "I"), (48, "Q"), (56, "Q")) \
                if is_64 else tuple((4 * i, "I") for i in range(1, 10))
            for _ in range(6 if FEW else 20):
                place, kind = chance.choice(layout)
                value = chance.choice((0, 1, 2, 8, len(data) - 1, len(data), 2**31, 2**63, 2**64 - 1, 0x1000))
                at, damaged = start + chance.randrange(count) * width + place, bytearray(data)
                if at + 8 > len(data):
                    continue
                struct.pack_into("<" + kind, damaged, at, value % 2 ** (32 if kind == "I" else 64))
                yield f"{name}: {value:#x} at {at:#x}", bytes(damaged)
    read, _ = judge_variants(variants())
    assert read, "no damaged file was read at all"


@test
def sections_that_overlap_or_lie_outside_are_counted():
    with Folder() as folder:
        path = os.path.join(folder, "outside")
        elf = Elf(b"\x90" * 16 + b"\xc3", [("f", 0x1000, 17)])
        elf.add_section(".text2", b"\xc3" * 8, flags=6, address=0x1004)
        elf.add_section(".text3", b"", flags=6, address=0x9000, size=2**40)
        elf.write(path)
        assert rows(path, "select name from functions where name = 'f'"), "what is sound was lost"
        assert problems(path).get("file", 0) >= 2, problems(path)


@test
def things_that_are_no_program():
    with Folder() as folder:
        def make(name, data):
            path = os.path.join(folder, name)
            with open(path, "wb") as file:
                file.write(data)
            return path
        text_file, empty = make("text", b"int main;\n" * 20), make("empty", b"")
        pipe, dangling = os.path.join(folder, "pipe"), os.path.join(folder, "dangling")
        os.mkfifo(pipe)
        os.symlink("nothing", dangling)
        plug = os.path.join(folder, "plug")
        socket.socket(socket.AF_UNIX).bind(plug)
        cases = [(text_file, "text file"), (empty, "is empty"), (folder, "directory"), (pipe, "pipe"), (plug, "socket"),
                 (os.path.join(folder, "missing"), "No such file"), (dangling, "No such file"), ("/dev/null", "device"),
                 ("/dev/zero", "device"), (make("script", b"#!/bin/sh\nexit\n"), "script"),
                 (make("short", b"\x7fELF"), "ends inside"), (make("archive", b"!<arch>\n"), "archive"),
                 (make("zeros", bytes(5000)), "not in ELF format")]
        for path, why in cases:
            for verb in (["functions", path], ["db", path, "-o", os.path.join(folder, "x.db")],
                         ["sql", path, "select 1"], ["asm", path]):
                refused(limited(*verb), path, why)
        assert not os.path.exists(os.path.join(folder, "x.db"))


@test
def programs_of_other_kinds():
    with Folder() as folder:
        path = os.path.join(folder, "other")
        def refuse(why, **fields):
            Elf(b"\xc3", [("f", 0x1000, 1)], **fields).write(path)
            refused(limited("functions", path), path, why)
        refuse("Arm", machine=40)
        refuse("", machine=0xbeef)
        refuse("core", type=4)
        refuse("", type=0x1234)
        data = bytearray(Elf(b"\xc3", [("f", 0x1000, 1)]).bytes())
        data[5] = 2  # the other byte order
        with open(path, "wb") as file:
            file.write(data)
        refused(limited("functions", path), path)


@test
def files_and_folders_of_others():
    nobody = 65534 if os.geteuid() == 0 else None  # root may do everything
    with Folder() as folder:
        path, closed = os.path.join(folder, "program"), os.path.join(folder, "closed")
        Elf(b"\xc3", []).write(path)
        os.mkdir(closed, 0o555)
        os.chmod(folder, 0o755)
        for verb in ("db", "functions"):
            refused(limited(verb, path, "-o", os.path.join(closed, "x"), user=nobody), closed, "Permission denied")
        os.chmod(path, 0)
        refused(limited("functions", path, user=nobody), path, "Permission denied")
        os.chmod(closed, 0)
        refused(limited("functions", os.path.join(closed, "x"), user=nobody), closed, "Permission denied")


@test
def huge_numbers_of_sections_and_segments():
    with Folder() as folder:
        path = os.path.join(folder, "many")
        for place, format, value in ((60, "<H", 0xfffe), (60, "<H", 0), (56, "<H", 0xffff), (58, "<H", 1), (62, "<H", 0xffff)):
            elf = Elf(b"\xc3" * 8, [("f", 0x1000, 8)])
            data = bytearray(elf.bytes())
            struct.pack_into(format, data, place, value)
            if (place, value) == (60, 0):  # then the number is in the first header's size
                struct.pack_into("<Q", data, struct.unpack_from("<Q", data, 40)[0] + 32, 2**63)
            with open(path, "wb") as file:
                file.write(data)
            judged(path, f"{value} at {place}")
        elf = Elf(b"\xc3" * 8, [("f", 0x1000, 8)])
        for i in range(65000):
            elf.add_section(f".s{i % 7}", b"", flags=2, address=0x10000 + i)
        elf.write(path)
        assert judged(path, "65000 sections") == 0


CYCLES = """
.text
.globl f
f: .skip 16
.section .debug_abbrev,"",%progbits
.uleb128 1, 0x11
.byte 1
.uleb128 0x03, 0x08, 0x11, 0x01, 0x12, 0x07, 0, 0   /* unit: name, low_pc, high_pc */
.uleb128 2, 0x16
.byte 0
.uleb128 0x03, 0x08, 0x49, 0x13, 0, 0               /* typedef: name, type */
.uleb128 3, 0x01
.byte 1
.uleb128 0x49, 0x13, 0, 0                           /* array: type */
.uleb128 4, 0x34
.byte 0
.uleb128 0x03, 0x08, 0x49, 0x13, 0, 0               /* variable: name, type */
.uleb128 5, 0x2e
.byte 1
.uleb128 0x31, 0x13, 0x11, 0x01, 0x12, 0x07, 0, 0   /* function: abstract origin, low_pc, high_pc */
.uleb128 6, 0x13
.byte 1
.uleb128 0x47, 0x13, 0, 0                           /* structure: specification */
.uleb128 7, 0x0d
.byte 0
.uleb128 0x03, 0x08, 0x49, 0x13, 0, 0               /* member: name, type */
.uleb128 8, 0x3d
.byte 0
.uleb128 0x18, 0x13, 0, 0                           /* imported unit: import */
.uleb128 9, 0x21
.byte 0
.uleb128 0x49, 0x13, 0x2f, 0x13, 0, 0               /* range: type, upper bound */
.byte 0
.section .debug_info,"",%progbits
start: .4byte end - . - 4
.2byte 4
.4byte 0
.byte 8
unit: .uleb128 1
.asciz "cycles"
.8byte f, 16
one: .uleb128 2
.asciz "one"
.4byte two - start
two: .uleb128 2
.asciz "two"
.4byte one - start
self: .uleb128 2
.asciz "self"
.4byte self - start
array: .uleb128 3
.4byte array - start
range: .uleb128 9
.4byte range - start, range - start
.byte 0
structure: .uleb128 6
.4byte structure - start
member: .uleb128 7
.asciz "again"
.4byte structure - start
.byte 0
.uleb128 4
.asciz "a_variable"
.4byte array - start
.uleb128 4
.asciz "b_variable"
.4byte one - start
.uleb128 4
.asciz "c_variable"
.4byte structure - start
origin: .uleb128 5
.4byte origin - start
.8byte f, 16
.uleb128 8
.4byte unit - start
.byte 0
.byte 0
end:
"""


@test
def debug_information_that_refers_to_itself():
    with Folder() as folder:
        path = assembled(folder, CYCLES)
        assert judged(path, "cycles") == 0
        for verb in ("variables", "types", "lines", "loops"):
            assert judged(path, f"cycles: {verb}", verb, path) == 0
        names = {r["name"] for r in rows(path, "select name from variables")}
        assert {"a_variable", "b_variable", "c_variable"} <= names, names


@test
def debug_files_that_are_no_files():
    """A program's link to its debug information, and its split units, can name anything."""
    need("objcopy")
    with Folder() as folder:
        program, debug = os.path.join(folder, "program"), os.path.join(folder, "program.debug")
        command(["cc", "-shared", "-g", "-gsplit-dwarf", "-Wl,--build-id=none", "-o", program,
                 os.path.join(PROGRAMS, "touch.c")])
        split = glob.glob(os.path.join(folder, "*.dwo"))
        assert split, os.listdir(folder)
        open(debug, "wb").close()
        linked = os.path.join(folder, "linked")
        command(["objcopy", "--strip-debug", f"--add-gnu-debuglink={debug}", program, linked])
        for path, name in [(linked, debug), (linked, linked + ".debug")] + [(program, name) for name in split]:
            for make in (os.mkfifo, lambda name: os.symlink("/dev/zero", name), os.mkdir,
                         lambda name: open(name, "wb").truncate(1 << 40)):
                if os.path.lexists(name):
                    os.unlink(name)
                make(name)
                assert judged(path, f"{name} is something else") == 0
                if os.path.isdir(name):
                    os.rmdir(name)


@test
def odd_files_where_debug_files_are_looked_for():
    """Under --debug-dir a build-id names a file, and so does the link to what several programs share."""
    with Folder() as folder:
        program = os.path.join(folder, "program")
        own, shared = bytes(range(20)), bytes(range(20, 40))
        elf = Elf(b"\xc3" * 16, [("f", 0x1000, 16)])
        elf.add_section(".note.gnu.build-id", struct.pack("<III", 4, 20, 3) + b"GNU\0" + own, kind=7, flags=2, address=0x9000)
        elf.write(program)
        def place(number):
            name = os.path.join(folder, "debug", ".build-id", number[:1].hex(), number[1:].hex() + ".debug")
            os.makedirs(os.path.dirname(name), exist_ok=True)
            return name
        def tried(what):
            result = limited("problems", program, "--debug-dir", os.path.join(folder, "debug"), "--quiet")
            assert result.returncode == 1 and b"did not search for separate debug information" in result.stdout, (what, result.returncode, result.stdout)
        for make in (os.mkfifo, lambda name: os.symlink("/dev/zero", name), lambda name: os.symlink("/dev/tty", name)):
            make(place(own))
            tried("build-id")
            os.unlink(place(own))
        debug = Elf(b"\xc3" * 16, [])
        debug.add_section(".note.gnu.build-id", struct.pack("<III", 4, 20, 3) + b"GNU\0" + own, kind=7, flags=2, address=0x9000)
        debug.add_section(".debug_abbrev", b"\1\x11\0\3\x08\0\0\0")
        debug.add_section(".debug_info", struct.pack("<IHIB", 11, 4, 0, 8) + b"\1a.c\0")
        debug.add_section(".gnu_debugaltlink", b"shared.debug\0" + shared)
        debug.write(place(own))
        os.mkfifo(place(shared))
        tried("the build-id of a shared file")
        os.unlink(place(shared))
        os.mkfifo(os.path.join(os.path.dirname(place(own)), "shared.debug"))
        assert judged(program, "a shared file beside", "functions", program, "--debug-dir", os.path.join(folder, "debug")) == 0


@test
def what_is_no_program_is_not_read_as_a_whole():
    with Folder() as folder:
        path = os.path.join(folder, "image")
        for head in (b"", b"\x1f\x8b", b"MZ", b"SQLite format 3\0"):
            with open(path, "wb") as file:
                file.write(head + bytes(1 << 16))
                file.truncate(64 << 30)
            result = limited("functions", path)
            assert "GB" not in refused(result, path)


@test
def holes_in_a_file_are_not_read():
    """A program with 1.5 GB of nothing in it: beyond the limit of memory only where the hole is written to."""
    with Folder() as folder:
        path = os.path.join(folder, "program")
        elf = Elf(b"\xc3" * 16, [("f", 0x1000, 16)])
        data = elf.bytes()
        with open(path, "wb") as file:
            file.write(data)
            file.truncate(3 << 29)
        words = [ASSAY, "functions", path, "--json", "--quiet"]
        child = subprocess.Popen(words, stdout=subprocess.PIPE)
        output = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
        assert status == 0 and b'"f"' in output, (status, output)
        if not SANITIZED:
            assert usage.ru_maxrss < 1 << 20, f"{usage.ru_maxrss} KiB"


@test
def compressed_sections_that_explode():
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)  # can be repeated
    packed = b"\x78\xda" + block * 1024 + b"\x03\x00" + struct.pack(">HH", (1 << 30) % 65521, 1)  # the end, and the sum of zeros
    with Folder() as folder:
        path = os.path.join(folder, "bomb")
        for name, contents, flags in ((".debug_info", struct.pack("<IIQQ", 1, 0, 1 << 30, 1) + packed, 0x800),
                                      (".debug_str", struct.pack("<IIQQ", 1, 0, 1 << 60, 1) + packed, 0x800),
                                      (".zdebug_info", b"ZLIB" + struct.pack(">Q", 1 << 30) + packed, 0)):
            elf = Elf(b"\xc3" * 16, [("f", 0x1000, 16)])
            elf.add_section(name, contents, flags=flags)
            elf.write(path)
            assert judged(path, name) == 0
            assert problems(path).get("limit") == 1, (name, problems(path))


@test
def functions_without_length():
    with Folder() as folder:
        path = os.path.join(folder, "lengths")
        code = b"\x90" * 15 + b"\xc3"
        Elf(code * 4, [("a", 0x1000, 0), ("b", 0x1000, 0), ("c", 0x1010, 0), ("d", 0x1010, 32), ("e", 0x1018, 8),
                       ("f", 0x1030, 2**63), ("g", 0x1040, 0), ("h", 0x1041, 16), ("i", 0, 2**64 - 1)]).write(path)
        assert judged(path, "lengths") == 0
        found = rows(path, "select sum(size) as n from instructions")
        assert found[0]["n"] == 64, found  # every byte once


@test
def code_with_data_inside():
    with Folder() as folder:
        path = os.path.join(folder, "mixed")
        code = b"\x31\xc0\xeb\x10" + b"\x06\x07\x0e\x16\x17\x1e\x1f\x27\x2f\x37\x3f\x60\x61\x62\xd4\xd5" + b"\x90" * 4 + b"\xc3"
        Elf(code, [("f", 0x1000, len(code))]).write(path)
        assert judged(path, "data in code") == 0
        assert problems(path).get("undecoded", 0) >= 8, problems(path)
        listing = limited("problems", path)
        assert b"undecoded" in listing.stdout, listing


def small_database(folder):
    database = os.path.join(folder, "small.db")
    assay("db", os.path.join(SEEDS, "x86-64-debug"), "-o", database, "-q")
    return database


@test
def damaged_databases():
    chance = random.Random(3)
    with Folder() as folder:
        whole = open(small_database(folder), "rb").read()
        path = os.path.join(folder, "damaged.db")
        for length in [1, 15, 16, 99, 100, 512, 4096] + [len(whole) * i // 10 for i in range(1, 10)] + [len(whole) - 1]:
            with open(path, "wb") as file:
                file.write(whole[:length])
            refused(limited("loops", path), path)
        verbs = (["loops", path], ["sql", path, "select count(text), max(length(bytes)) from instructions"],
                 ["asm", path], ["functions", path], ["graph", path, "--calls"], ["problems", path], ["show", path, "choose"])
        counts = {}
        for number in range(30 if FEW else 200):
            damaged = bytearray(whole)
            for _ in range(chance.choice((1, 4, 30))):
                damaged[chance.choice((chance.randrange(len(whole)), chance.randrange(100), chance.randrange(20000)))] = \
                    chance.randrange(256)
            with open(path, "wb") as file:
                file.write(damaged)
            result = limited(*verbs[number % len(verbs)])
            counts[result.returncode] = counts.get(result.returncode, 0) + 1
            if result.returncode not in (0, 1, 2):
                raise Fail(f"variant {number}: exit {result.returncode}: {said(result)[-1500:]}")
            if result.returncode == 2:
                refused(result)
        assert counts.get(0) and counts.get(2), counts


@test
def rows_out_of_order_are_damage():
    """What is searched by bisection is believed only if it is in order."""
    with Folder() as folder:
        database = small_database(folder)
        with sqlite3.connect(database) as connection:
            row, block = connection.execute("select max(id), max(block) from code").fetchone()
            assert block > 1
            connection.execute("update code set block = 1 where id = ?", (row,))
        refused(limited("report", database), "code", "not in order")
        refused(limited("cycles", database), "not in order")


@test
def outputs_that_cannot_be_written():
    program = os.path.join(SEEDS, "x86-64-debug")
    with Folder() as folder:
        nowhere = os.path.join(folder, "no", "such", "folder", "x")
        for verb in ("db", "functions"):
            refused(limited(verb, program, "-o", nowhere), nowhere)
            refused(limited(verb, program, "-o", folder), folder)
        refused(limited("functions", program, "-o", "/dev/full"), "/dev/full")
        refused(limited("db", program, "-o", "/dev/full"), "/dev/full")
        with open("/dev/full", "wb") as full:
            refused(limited("functions", program, stdout=full), "standard output")
        output = os.path.join(folder, "out")
        for verb in ("db", "sql"):
            more = ["select printf('%.100000c', 'x')"] if verb == "sql" else []
            refused(limited(verb, program, *more, "-o", output, file_size=20000), output)
            assert os.listdir(folder) == [], os.listdir(folder)
        with open(output, "wb") as file:
            file.write(b"precious")
        refused(limited("db", program, "-o", output), output, "--force")
        refused(limited("sql", program, more[0], "-o", output, file_size=20000), output)
        assert open(output, "rb").read() == b"precious"


@test
def a_thin_archive_that_names_one_file_many_times():
    def header(name, size):
        return f"{name:<16}{0:<12}{0:<6}{0:<6}{644:<8}{size:<10}`\n".encode()
    with Folder() as folder:
        path, member = os.path.join(folder, "thin.a"), os.path.join(folder, "member.o")
        size = (1 if SANITIZED else 4) << 20
        Elf(b"\x90" * size + b"\xc3", [("f", 0x1000, size + 1)], type=1).write(member)
        names = [b"./" * (i % 3) + b"member.o/\n" for i in range(3000)]
        data, place = b"!<thin>\n" + header("//", sum(map(len, names))) + b"".join(names), 0
        data += b"\n" * (len(data) % 2)
        for name in names:
            data, place = data + header(f"/{place}", size), place + len(name)
        with open(path, "wb") as file:
            file.write(data)
        assert judged(path, "thin archive") == 0
        assert len(rows(path, "select id from programs")) == 1
        assert problems(path).get("file") == 2999, problems(path)


@test
def one_bad_file_among_several_leaves_no_database():
    with Folder() as folder:
        output, missing = os.path.join(folder, "x.db"), os.path.join(folder, "missing")
        refused(limited("db", os.path.join(SEEDS, "x86-64-debug"), missing, "-o", output), missing)
        assert os.listdir(folder) == []


def large_program(path, functions, code=bytes.fromhex("31c0488d0440ffc03d00010000 7cf4 c3 9090".replace(" ", ""))):
    start = 0x100000
    Elf(code * functions, [(f"function_{i}", start + i * len(code), len(code)) for i in range(functions)],
        address=start).write(path)


def interrupt_databases(folder, environment, signals):
    """Stops `assay db` at several moments: what is left is a whole database or nothing."""
    program, output = os.path.join(folder, "program"), os.path.join(folder, "x.db")
    large_program(program, 20000 if SANITIZED else 200000)
    words, present = [ASSAY, "db", program, "-o", output, "-q"], sorted(os.listdir(folder))
    started = time.monotonic()
    subprocess.run(words, env=environment, check=True)
    whole = time.monotonic() - started
    os.unlink(output)
    interrupted = 0
    for number, part in enumerate((0.02, 0.2, 0.4, 0.6, 0.75, 0.85, 0.95)):
        process = subprocess.Popen(words, stderr=subprocess.PIPE, env=environment)
        time.sleep(whole * part)
        process.send_signal(signals[number % len(signals)])
        process.communicate(timeout=PATIENCE)
        assert process.returncode in (0, 2, *(-s for s in signals)), process.returncode
        interrupted += process.returncode != 0
        if process.returncode == 0 or os.path.exists(output):
            connection = sqlite3.connect(f"file:{output}?mode=ro", uri=True)
            assert connection.execute("pragma quick_check").fetchone()[0] == "ok"
            connection.close()
            os.unlink(output)
        assert sorted(os.listdir(folder)) == present, os.listdir(folder)
    assert interrupted, "nothing was interrupted"


@test
def an_interrupt_leaves_no_database():
    with Folder() as folder:
        interrupt_databases(folder, None, (signal.SIGINT, signal.SIGKILL))


@test
def an_interrupt_leaves_no_database_where_files_must_have_names():
    if SANITIZED:
        raise Skip("the sanitizer wants to be loaded first")
    with Folder() as folder:
        source, shim = os.path.join(folder, "shim.c"), os.path.join(folder, "shim.so")
        with open(source, "w") as file:
            file.write("""#define _GNU_SOURCE
                #include <errno.h>
                #include <asm/fcntl.h>
                #include <sys/syscall.h>
                #include <unistd.h>
                int open(const char *path, int flags, int mode)
                {
                    if ((flags & O_TMPFILE) == O_TMPFILE)
                        return errno = EOPNOTSUPP, -1;
                    return syscall(SYS_openat, -100, path, flags, mode);
                }
                int open64(const char *path, int flags, int mode) { return open(path, flags, mode); }""")
        command(["cc", "-shared", "-fPIC", "-o", shim, source])
        interrupt_databases(folder, dict(os.environ, LD_PRELOAD=shim), (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))


@test
def many_functions_and_many_names_at_one_address():
    count = 20000 if SANITIZED else 300000
    with Folder() as folder:
        path = os.path.join(folder, "many")
        Elf(b"\xc3" * count, [(f"f{i}", 0x1000 + i, 1) for i in range(count)]).write(path)
        assert judged(path, "many functions", "sql", path, "select count(*) from functions") == 0
        Elf(b"\xc3" * 16, [(f"f{i}", 0x1000, i) for i in range(count)]).write(path)
        assert judged(path, "many names", "sql", path, "select count(*) from functions") == 0


@test
def loops_inside_loops_without_end():
    depth = 2000 if SANITIZED else 30000
    with Folder() as folder:
        # depth loop heads, then as many conditional jumps back, the innermost first
        code = b"\x90" * depth
        for i in range(depth):
            back = depth - 1 - i - (depth + 6 * i + 6)
            code += b"\x0f\x85" + struct.pack("<i", back)
        path = os.path.join(folder, "nested")
        Elf(code + b"\xc3", [("f", 0x1000, len(code) + 1)]).write(path)
        assert judged(path, "nested loops", "sql", path, "select count(*) from loops") == 0
        found = limited("sql", path, "select count(*) as n, max(depth) as deepest from loops", "--json", "-q")
        assert b'"n":%d' % depth in found.stdout.replace(b" ", b""), found
        assert problems(path).get("limit"), problems(path)  # a block is not listed in all of its loops


@test
def code_of_one_byte_value():
    size = 1 << 20
    with Folder() as folder:
        path = os.path.join(folder, "same")
        for value in (0x00, 0xff, 0xcc, 0xeb, 0xe8, 0x0f, 0xc3):
            Elf(bytes([value]) * size, []).write(path)
            assert judged(path, f"only {value:#x}", "sql", path, "select count(*) from instructions") == 0


@test
def a_jump_table_without_bounds():
    with Folder() as folder:
        path = os.path.join(folder, "table")
        # cmp edi, 0xffffffff; ja …; lea rdx, [rip+table]; movsxd rax, [rdx+rdi*4]; add rax, rdx; jmp rax
        code = bytes.fromhex("83ffff 7711 488d1511000000 486304ba 4801d0 ffe0 c3".replace(" ", "")).ljust(32, b"\xc3")
        Elf(code + struct.pack("<i", -32) * 200000, [("f", 0x1000, 32)]).write(path)
        assert judged(path, "jump table", "sql", path, "select count(*) from edges") == 0


run()
