"""Assembly listings of x86 and AArch64: their rows, line by line, and that assay asm prints the original text."""
# last build only: the same rows in both builds; a parser of strange text is best watched by the sanitizers
import os, re, shutil, subprocess
from harness import MACHINE, PROGRAMS, Folder, assay, command, compilers, cross, need, rows, run, test, text

MACHINES = ["x86_64", "aarch64"]
CXX = """#include <vector>
#include <stdexcept>
int total(const std::vector<int> &v) { int s = 0; for (int x : v) { if (x < 0) throw std::runtime_error("no"); s += x; } return s; }
int guarded(const std::vector<int> &v) { try { return total(v); } catch (const std::exception &) { return -1; } }
"""

HAND = """# by hand
	.text
	.globl daxpy
daxpy:	xorl %eax, %eax
inner:	movsd (%rsi,%rax,8), %xmm1; mulsd %xmm0, %xmm1	# two on one line
	addsd (%rdx,%rax,8), %xmm1	/* one */ /* two */
	movsd %xmm1, (%rdx,%rax,8)
	incq %rax
	cmpq %rdi, %rax
	jne inner
	ret
helper:	ret
	.globl g
g:	call helper
	lock
	incl (%rdi)
	fstsw %ax
	movb $';', %al; movb $'#, %cl
	movb $'"', %al
1:	jne 1b
	.macro two a
	incl \\a	# inside
	decl \\a
	.endm
	two %eax
	TWO %ecx	# second
	.rept 3
	nop; nop
	.endr
	.irp r, eax, ebx
	incl %\\r
	.endr
	.if 0
	movl $1, %eax
	.else
	movl $2, %eax
	.endif
	/* a comment
	   over lines */ ret
	.ascii "a ; # b", "\\"\\\\"
	.p2align 4
	.pushsection .rodata
	.long 1
	.popsection
	nop
	.data
table:	.quad 1b
	.text
	hlt
"""


def sources(folder):
    plus = os.path.join(folder, "plus.cc")
    with open(plus, "w") as file:
        file.write(CXX)
    return [os.path.join(PROGRAMS, "loops.c"), os.path.join(PROGRAMS, "loops.f90"), plus]


def compiler_for(source, compiler, machine):
    """The compiler's sister for another language, or None."""
    if source.endswith(".c"):
        return compiler
    is_clang = compiler[0] == "clang"
    if source.endswith(".cc"):
        tool = "clang++" if is_clang else cross("g++", machine)
    else:
        tool = None if is_clang else cross("gfortran", machine)
    return [need(tool)] + compiler[1:] if tool else None


def reference(folder, listing, machine):
    """The listing as the assembler alone assembles it, without what only clang's assembler knows."""
    plain, object_file = os.path.join(folder, "plain.s"), os.path.join(folder, "plain.o")
    with open(listing, "rb") as file:
        words = [b"\n" if line.split()[:1] in ([b".addrsig"], [b".addrsig_sym"]) else line for line in file]
    with open(plain, "wb") as file:
        file.writelines(words)
    extra = ["-mcpu=all"] if machine == "aarch64" else []
    reported = command([cross("as", machine), *extra, "-aln", "-o", object_file, plain]).stdout.decode(errors="replace")
    return object_file, reported


def code_sections(object_file, machine):
    """Names, sizes and bytes of the sections with code, in order."""
    found = []
    listing = command([cross("readelf", machine), "-SW", object_file]).stdout.decode()
    with open(object_file, "rb") as file:
        data = file.read()
    for name, offset, size, flags in re.findall(
            r"\] (\S+)\s+PROGBITS\s+[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+) [0-9a-f]+\s+(\w*)", listing):
        if "X" in flags and int(size, 16):
            found.append((name, data[int(offset, 16):int(offset, 16) + int(size, 16)]))
    return found


def check_bytes(database, object_file, machine):
    ours = rows(database, "select id, name, size from sections where is_code and size > 0 order by id")
    theirs = code_sections(object_file, machine)
    assert [(s["name"], s["size"]) for s in ours] == [(name, len(data)) for name, data in theirs], (ours, theirs)
    pieces = {}
    for row in rows(database, "select section, hex(bytes) h from (select section, address, bytes from blocks union all "
                              "select section, address, bytes from gaps) order by section, address"):
        pieces[row["section"]] = pieces.get(row["section"], "") + row["h"]
    for section, (name, data) in zip(ours, theirs):
        assert pieces.get(section["id"], "") == data.hex().upper(), f"bytes of {name}"


def check_count(database, object_file, machine):
    reported = command([cross("objdump", machine), "-dw", object_file]).stdout.decode()
    expected = len([line for line in reported.splitlines()
                    if re.match(r"\s+[0-9a-f]+:\t[0-9a-f ]+\t", line) and not re.search(r"\t(\.word|\.inst|\(bad\))", line)])
    assert rows(database, "select count(*) n from code")[0]["n"] == expected
    assert rows(database, "select count(*) n from listing_instructions")[0]["n"] == expected


def check_lines(database, reported):
    """Each line's first address, against the assembler's own listing.  Its addresses are those in a section."""
    first = {}
    for match in re.finditer(r"^ *(\d+) ([0-9a-f]{4,}) [0-9A-F]", reported, re.M):
        first.setdefault(int(match.group(1)), int(match.group(2), 16))
    ours = rows(database, "select l.line, min(b.address + c.offset - s.address) a from listing_instructions l join code c on "
                          "c.id = l.instruction join blocks b on b.id = c.block join sections s on s.id = b.section "
                          "group by 1")
    assert ours
    wrong = [(row["line"], row["a"], first.get(row["line"])) for row in ours if first.get(row["line"]) != row["a"]]
    # The assembler says no bytes for alignment; text is data, and its first byte need not begin an instruction.
    data = {int(n) for n in re.findall(r"^ *(\d+) .*\.ascii", reported, re.M)}
    wrong = [one for one in wrong if one[2] is not None and one[0] not in data]
    assert not wrong, wrong[:5]
    assert len(ours) > len([row for row in ours if row["line"] not in first]) * 4


def check_words(database, listing):
    with open(listing, "rb") as file:
        lines = file.read().split(b"\n")
    directives = len([line for line in lines if re.match(rb"\s+\.\w", line)])
    labels = len([line for line in lines if re.match(rb'("[^"]+"|[\w.$]+):', line)])
    kinds = {row["kind"]: row["n"] for row in rows(database, "select kind, count(*) n from directives group by 1")}
    assert kinds.get("directive", 0) == directives, (kinds, directives)
    assert kinds.get("label", 0) == labels, (kinds, labels)
    assert rows(database, "select sum(line_count) n from listings")[0]["n"] == len(lines) - 1


def check_listing(folder, listing, machine, has_words=True):
    database = os.path.join(folder, "listing.db")
    assay("db", listing, "-o", database, "--force", "-q")
    with open(listing, "rb") as file:
        original = file.read()
    assert assay("asm", database).stdout == original
    object_file, reported = reference(folder, listing, machine)
    check_bytes(database, object_file, machine)
    check_lines(database, reported)
    if has_words:
        check_count(database, object_file, machine)
        check_words(database, listing)
    program = rows(database, "select isa, format, path from programs")
    assert len(program) == 1 and program[0]["format"] == "listing" and program[0]["path"] == listing
    assert program[0]["isa"] == {"x86_64": "x86-64"}.get(machine, machine)
    assert not rows(database, "select * from symbols where name like 'assay%$%' or name like '.L%'")
    assert not rows(database, "select * from functions where origin not in ('symbol', 'listing', 'debug', 'unwind', 'import')")
    return database


def check_compilers(machine):
    need(cross("as", machine))
    found = compilers(machine)
    intel = [["-O2", "-masm=intel"]] if machine == "x86_64" else []
    with Folder() as folder:
        for source in sources(folder):
            for compiler in found:
                words = compiler_for(source, compiler, machine)
                for flags in [["-O0"], ["-O3", "-g", "-fverbose-asm"], *intel] if words else []:
                    listing = os.path.join(folder, "listing.s")
                    made = command([*words, *flags, "-S", "-o", listing, source], status=None)
                    if made.returncode and source.endswith(".cc"):
                        continue  # no headers for this machine
                    assert made.returncode == 0, made.stderr
                    try:
                        check_listing(folder, listing, machine)
                    except AssertionError as error:
                        raise AssertionError(f"{' '.join(words + flags)} {os.path.basename(source)}: {error}")


@test
def x86_listings_of_compilers():
    check_compilers("x86_64")


@test
def aarch64_listings_of_compilers():
    check_compilers("aarch64")


@test
def written_by_hand():
    need(cross("as", "x86_64"))
    with Folder() as folder:
        listing = os.path.join(folder, "hand.s")
        with open(listing, "w") as file:
            file.write(HAND)
        database = check_listing(folder, listing, "x86_64", has_words=False)
        lines = HAND.split("\n")
        expected = {"xorl": 4, "movsd (%rsi": 5, "mulsd": 5, "jne inner": 10, "call helper": 14, "movl $2": 36}
        for start, line in expected.items():
            assert start in lines[line - 1]
        by_line = {}
        for row in rows(database, "select l.line, l.column, l.comment, e.name from listing_instructions l join code c on "
                                  "c.id = l.instruction join encodings e on e.id = c.encoding order by c.id"):
            by_line.setdefault(row["line"], []).append(row)

        def names(line):
            return [row["name"] for row in by_line[line]]

        assert names(4) == ["xor"] and names(5) == ["movsd", "mulsd"] and names(10) == ["jne"]
        assert by_line[5][0]["column"] == 8 and by_line[5][1]["column"] == lines[4].index("mulsd") + 1
        assert by_line[5][1]["comment"] == "two on one line" and by_line[6][0]["comment"] == "one"
        assert names(15) == ["inc"] and 16 not in by_line  # lock on a line of its own
        assert names(17) == ["fwait", "fnstsw"]
        assert names(18) == ["mov", "mov"] and names(19) == ["mov"]
        two = lines.index("\ttwo %eax") + 1
        assert names(two) == ["inc", "dec"] and names(two + 1) == ["inc", "dec"]
        assert by_line[two + 1][0]["comment"] == "second"
        assert names(two + 2) == ["nop"] * 6 and names(two + 5) == ["inc", "inc"]
        assert names(two + 11) == ["mov"] and two + 9 not in by_line
        assert names(two + 14) == ["ret"]
        assert "hlt" in names(len(lines) - 1)
        macros = rows(database, "select name, text, line from directives where kind = 'macro' order by line")
        assert [(m["name"], m["text"]) for m in macros] == [("two", "%eax"), ("TWO", "%ecx")]
        functions = [f["name"] for f in rows(database, "select name from functions where address is not null order by address")]
        assert functions == ["daxpy", "helper", "g"], functions
        assert rows(database, "select count(*) n from loops l join functions f on f.id = l.function where f.name = 'daxpy'"
                    )[0]["n"] == 1


@test
def addresses_of_labels_and_directives():
    need(cross("as", "x86_64"))
    with Folder() as folder:
        listing = os.path.join(folder, "a.s")
        with open(listing, "w") as file:
            file.write("\t.text\nf:\tincl %eax\n.L1:\n\tincl %eax\n\t.data\nd:\t.long 1\n\t.text\n.L2:\n\tret\n")
        found = {r["name"]: r["address"] for r in rows(listing, "select name, address from directives where kind = 'label'")}
        base = rows(listing, "select address from sections where name = '.text'")[0]["address"]
        assert found == {"f": base, ".L1": base + 2, "d": None, ".L2": base + 4}, (found, base)


@test
def several_files_are_one_program():
    for machine in MACHINES:
        found = compilers(machine)
        need(cross("ld", machine))
        with Folder() as folder:
            texts = {"one.c": "int two(int); int one(int n) { return two(n) + two(n + 1); }\n",
                     "two.c": "__attribute__((noinline)) static int deep(int n) { return n * 3 ^ 5; }\n"
                              "int two(int n) { int s = 0; for (int i = 0; i < n; i++) s += deep(s + i); return s; }\n"}
            listings = []
            for name, source in texts.items():
                path = os.path.join(folder, name)
                with open(path, "w") as file:
                    file.write(source)
                listings.append(path[:-1] + "s")
                command([*found[0], "-O1", "-S", "-o", listings[-1], path])
            database = os.path.join(folder, "both.db")
            assay("db", *listings, "-o", database, "-q")
            assert rows(database, "select count(*) n from programs")[0]["n"] == 1
            calls = rows(database, "select a.name caller, b.name callee, c.kind from calls c join functions a on a.id = "
                                   "c.caller join functions b on b.id = c.callee where b.address is not null")
            assert ("one", "two") in {(c["caller"], c["callee"]) for c in calls}, calls
            both = b"".join(open(path, "rb").read() for path in listings)
            assert assay("asm", database).stdout == both
            files = rows(database, "select distinct f.path from listing_instructions l join files f on f.id = l.file")
            assert sorted(f["path"] for f in files) == sorted(listings)
            twice = assay("db", listings[0], listings[0], "-o", os.path.join(folder, "x.db"), status=2)
            assert b"twice" in twice.stderr
            copy = os.path.join(folder, "copy.s")
            shutil.copy(listings[0], copy)
            clash = assay("db", listings[0], copy, "-o", os.path.join(folder, "x.db"), status=2)
            assert b"'one' is defined" in clash.stderr and clash.stderr.count(b"\n") == 1


@test
def a_listing_beside_a_binary():
    compiler = compilers(MACHINE)
    with Folder() as folder:
        source, listing, object_file = (os.path.join(folder, name) for name in ("a.c", "a.s", "a.o"))
        with open(source, "w") as file:
            file.write("int f(int n) { return n + 1; }\n")
        command([*compiler[0], "-S", "-o", listing, source])
        command([*compiler[0], "-c", "-o", object_file, source])
        database = os.path.join(folder, "x.db")
        assay("db", listing, object_file, "-o", database, "-q")
        formats = [r["format"] for r in rows(database, "select format from programs order by id")]
        assert sorted(formats) == ["listing", "object"]
        number = formats.index("listing") + 1
        with open(listing, "rb") as file:
            assert assay("asm", database, "--program", number).stdout == file.read()
        assert b"function" in assay("asm", database, "--program", 3 - number).stdout


@test
def selections_show_lines_of_the_listing():
    need(cross("as", "x86_64"))
    with Folder() as folder:
        listing = os.path.join(folder, "hand.s")
        with open(listing, "w") as file:
            file.write(HAND)
        shown = text("asm", listing, "--function", "daxpy")
        assert re.search(r"0x[0-9a-f]+: f2 0f 59 c8 +5  mulsd %xmm0, %xmm1", shown), shown
        assert re.search(r" 10  jne inner", shown)
        assert "fnstsw ax" in text("asm", listing, "--function", "g")
        import json
        found = json.loads(text("asm", listing, "--function", "daxpy", "--json"))
        assert [row["listing_line"] for row in found] == [4, 5, 5, 6, 7, 8, 9, 10, 11]


@test
def raw_bytes():
    need(cross("as", "x86_64"))
    with Folder() as folder:
        listing = os.path.join(folder, "a.s")
        with open(listing, "w") as file:
            file.write("f:\tmovl $1, %eax\n\tret\n")
        assert assay("asm", listing, "--raw", "--section", ".text").stdout == bytes.fromhex("b801000000c3")
        itanium = os.path.join(folder, "b.s")
        with open(itanium, "w") as file:
            file.write("\t.proc f#\nf:\n\tadd r8=r32,r33\n\tbr.ret.sptk.many b0;;\n\t.endp f#\n")
        refused = assay("asm", itanium, "--raw", status=2)
        assert b"no bytes" in refused.stderr
        with open(itanium, "rb") as file:
            assert assay("asm", itanium).stdout == file.read()


@test
def the_text_comes_back_whatever_it_ends_with():
    need(cross("as", "x86_64"))
    with Folder() as folder:
        listing = os.path.join(folder, "a.s")
        for end in ["", "\n", "\n\n\n", "\r\n", " # \x00\x01\xff", "\n# " + "long " * 300000 + "\n", "\n\t.quad " + "1," * 200000 + "1"]:
            body = ("f:\tmovq %rax, %rbx" + end).encode("latin-1")
            with open(listing, "wb") as file:
                file.write(body)
            database = os.path.join(folder, "x.db")
            assay("db", listing, "-o", database, "--force", "-q")
            assert assay("asm", database).stdout == body
            assert assay("asm", listing).stdout == body


@test
def compilers_and_options():
    compiler = [[need("gcc")]]
    with Folder() as folder:
        source, listing = os.path.join(folder, "a.c"), os.path.join(folder, "a.s")
        with open(source, "w") as file:
            file.write("int f(int n) { return n + 1; }\n")
        command([*compiler[0], "-O2", "-fno-inline", "-fverbose-asm", "-S", "-o", listing, source])
        unit = rows(listing, "select name, language, compiler, flags from units")
        assert len(unit) == 1 and unit[0]["language"] == "C" and unit[0]["name"].endswith("a.c")
        assert unit[0]["compiler"].startswith("GNU C") and "-fno-inline" in unit[0]["flags"].split()
        command([*compiler[0], "-O2", "-S", "-o", listing, source])
        assert "GCC" in rows(listing, "select compiler from units")[0]["compiler"]
        command([*compiler[0], "-O2", "-g", "-S", "-o", listing, source])
        assert len(rows(listing, "select * from units where dwarf_version > 1")) == 1
        assert rows(listing, "select * from source_lines where line = 1")


@test
def names_like_our_marks_do_no_harm():
    need(cross("as", "x86_64"))
    with Folder() as folder:
        listing = os.path.join(folder, "a.s")
        with open(listing, "w") as file:
            file.write("\t.globl assay$0$0\nassay$0$0:\tmovq %rax, %rbx\n\tret\n")
        assert rows(listing, "select name from symbols") == [{"name": "assay$0$0"}]
        assert [r["line"] for r in rows(listing, "select line from listing_instructions")] == [2, 3]


@test
def the_assembler_names_lines_of_the_listing():
    need(cross("as", "x86_64"))
    with Folder() as folder:
        listing = os.path.join(folder, "a.s")
        with open(listing, "w") as file:
            file.write('# 1 "other.c"\nf:\tmovq %rax, %rbx\n\t.string "a\\"b"\n# 77 "other.c" 1\n\tmovq %rax\n\tret\n\tfoo %rax\n')
        refused = assay("db", listing, "-o", os.path.join(folder, "x.db"), status=2)
        assert f"{listing}:5: ".encode() in refused.stderr, refused.stderr
        assert refused.stderr.count(b"\n") == 1
        assert not os.path.exists(os.path.join(folder, "x.db"))


@test
def without_the_assembler():
    with Folder() as folder:
        for isa, line, package in [("x86", "\tmovq %rax, %rbx\n", b"binutils-x86-64-linux-gnu"),
                                   ("aarch64", "\tldp x0, x1, [sp]\n", b"binutils-aarch64-linux-gnu")]:
            listing = os.path.join(folder, "a.s")
            with open(listing, "w") as file:
                file.write("f:" + line + "\tret\n")
            refused = assay("programs", listing, status=2, env=dict(os.environ, PATH=folder))
            assert package in refused.stderr and refused.stderr.count(b"\n") == 1, refused.stderr


@test
def the_preprocessor_is_asked_for_capital_s():
    need(cross("as", "x86_64"))
    need("cc")
    with Folder() as folder:
        listing = os.path.join(folder, "a.S")
        body = ('#define N 4\n#include "not-there.h"\n\t.globl f\nf:\n\tmovl $N, %eax\n#ifdef NEVER\n\tnop\n#endif\n\tret\n')
        with open(listing, "w") as file:
            file.write(body)
        found = rows(listing, "select l.line, e.name from listing_instructions l join code c on c.id = l.instruction "
                              "join encodings e on e.id = c.encoding order by c.id", "--isa", "x86-64")
        assert [(r["line"], r["name"]) for r in found] == [(5, "mov"), (9, "ret")], found
        assert text("asm", listing, "--isa", "x86-64") == body
        assert rows(listing, "select * from problems where text like 'headers%'", "--isa", "x86-64")


@test
def large_text_from_the_preprocessor():
    need(cross("as", "x86_64"))
    need("cc")
    with Folder() as folder:
        listing = os.path.join(folder, "a.S")
        with open(listing, "w") as file:
            file.write("f:\tmovq %rax, %rbx\n\tret\n\t.data\n" + ("\t.ascii \"" + "x" * 4000 + "\"\n") * 1500 + "\t.text\ng:\tret\n")
        found = rows(listing, "select l.line, e.name from listing_instructions l join code c on c.id = l.instruction "
                              "join encodings e on e.id = c.encoding order by c.id")
        assert [(r["line"], r["name"]) for r in found] == [(1, "mov"), (2, "ret"), (1505, "ret")], found


@test
def the_preprocessor_has_limits():
    need(cross("as", "x86_64"))
    need("cc")
    code = "f:\tmovq %rax, %rbx\n\tret\n"
    doubled = "#define A0 nop;\n" + "".join(f"#define A{i} A{i - 1} A{i - 1}\n" for i in range(1, 40))
    with Folder() as folder:
        os.mkfifo(os.path.join(folder, "pipe"))
        for name, body, said in [("bomb", doubled + code + "A39\n", b"stopped|far larger"),
                                 ("device", code + '#include "/dev/zero"\n', b"stopped"),
                                 ("pipe", code + '#include "pipe"\n', b"stopped"),
                                 ("error", code + "#error not here\n", b"error.S:3: the C preprocessor says: #error not here"),
                                 ("itself", code + '#include "itself.S"\n#if\n', b"itself.S:4: ")]:
            listing = os.path.join(folder, name + ".S")
            with open(listing, "w") as file:
                file.write(body)
            refused = assay("programs", listing, status=2)
            assert refused.stderr.count(b"\n") == 1 and any(words in refused.stderr for words in said.split(b"|")), (name, refused.stderr)
            assert listing.encode() in refused.stderr, refused.stderr


@test
def the_isa_can_be_said():
    need(cross("as", "x86_64"))
    with Folder() as folder:
        listing = os.path.join(folder, "a.s")
        with open(listing, "w") as file:
            file.write("\t.text\n\t.globl f\n\t.type f, @function\nf:\n\tret\n")
        assert b"--isa" in assay("programs", listing, status=2).stderr
        for isa in ["x86-64", "i386"]:
            assert rows(listing, "select isa from programs", "--isa", isa) == [{"isa": isa}]
        assert b"--isa takes" in assay("programs", listing, "--isa", "vax", status=2).stderr


@test
def other_instruction_sets_are_named():
    need("clang")
    with Folder() as folder:
        source, listing = os.path.join(folder, "a.c"), os.path.join(folder, "a.s")
        with open(source, "w") as file:
            file.write("int f(int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i] * i; return s; }\n")
        for target, name in [("riscv64", "RISC-V"), ("powerpc64le", "POWER"), ("mips64el", "MIPS"), ("s390x", "s390"),
                             ("armv7-linux-gnueabihf", "32-bit Arm"), ("sparcv9", "SPARC")]:
            for level in ["-O0", "-O2"]:
                made = command(["clang", f"--target={target}", level, "-S", "-o", listing, source], status=None)
                if made.returncode:
                    continue  # a clang without this back end
                refused = assay("programs", listing, status=2)
                assert f"listing for {name}".encode() in refused.stderr or name.encode() in refused.stderr, refused.stderr
        command(["clang", "--target=i386-linux-gnu", "-O2", "-S", "-o", listing, source])
        need(cross("as", "x86_64"))
        assert rows(listing, "select isa, bits from programs") == [{"isa": "i386", "bits": 32}]


@test
def other_texts_are_no_listings():
    root = os.path.dirname(os.path.dirname(PROGRAMS))
    files = ["Makefile", "README.md", "meson.build", "src/code/read/listing/assembled_text.c", "src/code/read/x86/x86.c", "src/cli/options.def",
             "src/model/views.sql", "tests/commands/code/listings.py", "tests/programs/loops.f90", "docs/architecture.md",
             "src/code/read/ia64/ia64.isa", "COPYING", "src/code/read/aarch64/registers.c"]
    for name in files:
        path = os.path.join(root, name)
        if os.path.exists(path):
            refused = assay("programs", path, status=2)
            assert b"this is a text file" in refused.stderr, (name, refused.stderr)


@test
def bad_input():
    need(cross("as", "x86_64"))
    start = b"f:\tmovq %rax, %rbx\n"
    cases = {
        "nonsense": b"the quick brown fox\njumps over the lazy dog\n" * 50,
        "junk": bytes(range(256)) * 20,
        "empty": b"",
        "long word": b"x" * 10_000_000,
        "long line": start + b"\tmovq " + b"%rax," * 2_000_000 + b"\n",
        "no such instruction": start + b"\tfrobnicate %rax\n",
        "macro without end": start + b"\t.macro m\n\tnop\n",
        "macro of itself": start + b"\t.macro m\n\tm\n\t.endm\n\tm\n",
        "repeated too often": start + b"\t.rept 2000000000\n\tnop\n\t.endr\n",
        "large": start + b"\t.fill 3000000000\n",
        "end of condition": start + b"\t.endif\n",
        "condition without end": start + b"\t.if 1\n\tnop\n",
        "missing file": start + b"\t.include \"not-there.s\"\n",
        "symbol twice": start + start,
        "json": b'{"mov": "rax", "a": [1, 2]}\n',
    }
    with Folder() as folder:
        for name, body in cases.items():
            path = os.path.join(folder, "bad.s")
            with open(path, "wb") as file:
                file.write(body)
            refused = assay("db", path, "-o", os.path.join(folder, "x.db"), status=2)
            said = refused.stderr
            assert said.count(b"\n") == 1 and said.startswith(b"assay: "), (name, said[:500])
            assert b"bad.s" in said and len(said) < 1500, (name, said[:500])
        # odd, but the assembler takes them
        for body in [b"", b"/* never closed", b'\t.string "never closed\n', b"\x00\x00", b"#NO_APP\n", b";;;;\n"]:
            path = os.path.join(folder, "odd.s")
            with open(path, "wb") as file:
                file.write(start + body)
            done = assay("asm", path, status=None)
            assert done.returncode in (0, 2), done
            if done.returncode == 0:
                assert done.stdout == start + body


@test
def a_text_with_damage_in_the_database():
    need(cross("as", "x86_64"))
    need("sqlite3")
    with Folder() as folder:
        listing, database = os.path.join(folder, "a.s"), os.path.join(folder, "a.db")
        with open(listing, "w") as file:
            file.write(HAND)
        for damage in ["update listings set size = 4000000000", "update listings set size = size - 1",
                       "update listings set text = x'00'", "update listings set size = -1"]:
            assay("db", listing, "-o", database, "--force", "-q")
            command(["sqlite3", database, damage])
            refused = assay("asm", database, status=2)
            assert b"damaged" in refused.stderr, refused.stderr


run()
