#!/usr/bin/env python3
# first build only: most of it is compiling and running other programs; the unit test has the judgements with the sanitizers
"""assay asm --apply: listings of gcc and clang are edited by SQL, by Lua, by a database and by an analysis; the programs that come
of them do the same; what is illegal is refused, and random edits are refused or harmless."""
import json, os, random, sqlite3
from harness import *

KERNELS = os.path.join(PROGRAMS, "edit", "kernels.c")
COMMENTED = {"gcc": ["-fverbose-asm"], "clang": []}
SMALL = """	.text
	.globl f
	.type f, @function
f:
	movq %rdi, -16(%rsp)	# 8-byte Spill
	movq -16(%rsp), %rdi	# 8-byte Reload
	leaq 3(%rdi), %rax
	movl $1, %ecx
	movl $2, %ecx
	addq %rcx, %rax
	ret
	.size f, .-f
"""
# Inserted into random places; some are always legal, some never, most here and there.
INSERTED = {
    "x86_64": ["nop", "prefetcht0 64(%rsp)", "movl $1, %eax", "movl $77, %ecx", "xorl %r11d, %r11d", "addq $1, %rdx", "cmpq %rax, %rbx",
               "movq $5, %r12", "leaq 8(%rdi), %r10", "movapd %xmm1, %xmm7", "pxor %xmm3, %xmm3", "movq 8(%rsp), %r9", "incq %r8",
               "testl %esi, %esi", "sete %dl", "cvtsi2sdl %ecx, %xmm5", "movq %rax, -8(%rsp)", "pushq %rax", "imulq $3, %rbp, %rsi"],
    "aarch64": ["nop", "prfm pldl1keep, [sp]", "mov w0, #1", "mov x9, #77", "eor w11, w11, w11", "add x2, x2, #1", "cmp x0, x1",
                "mov x19, #5", "add x10, x0, #8", "fmov d7, d1", "movi v3.2d, #0", "ldr x9, [sp, #8]", "cset w3, eq", "adds w4, w4, #1",
                "str x0, [sp, #8]", "madd x5, x6, x7, x8"],
}


def write(folder, name, content):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(content)
    return path


def compile_listing(folder, compiler, level, source=KERNELS, name="code.s"):
    comments = COMMENTED["gcc" if "gcc" in compiler[0] else "clang"]
    path = os.path.join(folder, name)
    command([*compiler, level, "-w", *comments, "-S", source, "-o", path])
    return path


def apply(listing, *scripts, options=(), status=0):
    """The edited text, and what was said."""
    out = listing.replace(".s", ".new.s")
    words = [word for script in scripts for word in ("--apply", script)]
    done = assay("asm", listing, *words, *options, "-o", out, status=status)
    return out, done.stderr.decode()


def output_of(folder, compiler, machine, listing):
    program = build(folder, compiler, [listing], "-static" if machine != MACHINE else "-g", output=os.path.basename(listing) + ".run")
    return command([*emulator(machine), program]).stdout


def both_machines(check):
    for machine in ("x86_64", "aarch64"):
        for compiler in compilers(machine):
            with Folder() as folder:
                check(folder, machine, compiler)


@test
def sql_lua_and_databases_edit():
    with Folder() as folder:
        listing = write(folder, "f.s", SMALL)
        dead = "select l.instruction, 'delete' as kind, 'overwritten at once' as reason from listing_instructions l where l.line = 8"
        sql = write(folder, "dead.sql", dead)
        lua = write(folder, "before.lua", "local rows = {columns = {'instruction', 'kind', 'text'}}\n"
                    "for _, i in ipairs(assay.query(\"select c.id from code c join encodings e on e.id = c.encoding where e.name = 'ret'\")) do\n"
                    "  rows[#rows + 1] = {instruction = i.id, kind = 'before', text = 'nop'}\nend\nreturn rows\n")
        wanted = SMALL.replace("\tmovl $1, %ecx\n", "// assay: deleted (overwritten at once): movl $1, %ecx\n")
        out, said = apply(listing, sql)
        assert open(out).read() == wanted and "1 of 1 edits made" in said, (open(out).read(), said)
        wanted = wanted.replace("\tret\n", "// assay: inserted\n\tnop\n\tret\n")
        out, said = apply(listing, sql, lua)
        assert open(out).read() == wanted and "2 of 2" in said, said
        database = os.path.join(folder, "f.db")
        assay("db", listing, "-o", database)
        assert text("asm", database) == SMALL
        connection = sqlite3.connect(database)
        with connection:
            connection.execute("insert into edits (instruction, kind, reason) " + dead)
        connection.close()
        assert text("asm", database, "--apply", lua) == wanted
        listed = json.loads(text("asm", listing, "--apply", sql, "--json"))
        assert listed == [{"kind": "delete", "file": listing, "line": 8, "other_line": None, "text": None,
                           "reason": "overwritten at once", "refusal": None}], listed


@test
def an_illegal_command_writes_nothing():
    with Folder() as folder:
        listing = write(folder, "f.s", SMALL)
        both = ("with e(line) as (values (8), (9)) select l.instruction, 'delete' as kind from e "
                "join listing_instructions l on l.line = e.line")
        out, said = apply(listing, write(folder, "both.sql", both), status=1)
        assert f"{listing}:9: not deleted: line 10 (addq %rcx, %rax) reads rcx" in said and "nothing is written" in said, said
        assert not os.path.exists(out) or not open(out).read(), "an illegal edit was written"
        proposals = "-- title: t\n-- does: t\n-- edits: rows\n" + both
        out, said = apply(listing, write(folder, "try.sql", proposals))
        assert "deleted: movl $1" in open(out).read() and "\tmovl $2, %ecx" in open(out).read() and "1 of 2" in said, said


@test
def bad_rows_and_files_are_told():
    with Folder() as folder:
        listing = write(folder, "f.s", SMALL)
        for script, wrong in (("select 1 as instruction", "need a column kind"),
                              ("select 'delete' as kind", "no column instruction"),
                              ("select 1 as instruction, 'remove' as kind", "not 'remove'"),
                              ("select 1 as instruction, null as kind", "not empty"),
                              ("select nonsense", "no such column"),
                              ("-- title: t\n-- does: t\n-- edits: all\nselect 1", "expected delete or rows")):
            said = assay("asm", listing, "--apply", write(folder, "bad.sql", script), status=2).stderr.decode()
            assert wrong in said, (script, said)
        for script, wrong in (("select 999 as instruction, 'delete' as kind", "there is no instruction 999"),
                              ("select -5 as instruction, 'delete' as kind", "there is no instruction 0"),
                              ("select 1 as instruction, 'swap' as kind, 77 as other", "there is no instruction 77"),
                              ("select 1 as instruction, 'before' as kind", "it has no text")):
            said = assay("asm", listing, "--apply", write(folder, "bad.sql", script), status=1).stderr.decode()
            assert wrong in said, (script, said)
        said = assay("asm", listing, "--apply", "nosuch", status=2).stderr.decode()
        assert "no analysis is called nosuch" in said, said
        said = assay("asm", listing, "--apply", "useless-spill-fill", "--function", "f", status=2).stderr.decode()
        assert "does not go with --function" in said, said
        said = assay("asm", ASSAY, "--apply", "useless-spill-fill", status=2).stderr.decode()
        assert "is no assembly listing" in said, said


@test
def what_may_be_volatile_stays():
    with Folder() as folder:
        source = write(folder, "v.c", "int f(int a) { volatile int x = a; x = 1; x = 2; return x; }\n")
        for compiler in compilers("x86_64"):
            listing = compile_listing(folder, compiler, "-O2", source)
            assert json.loads(text("analysis", "useless-spill-fill", listing, "--json")), "the analysis cannot tell"
            out, said = apply(listing, "useless-spill-fill")
            assert open(out).read() == open(listing).read() and "may be a volatile variable" in said, said
            out, said = apply(listing, "useless-spill-fill", options=["--no-volatile"])
            assert open(out).read().count("// assay: deleted (never read)") >= 1, said


@test
def useless_spills_go_and_programs_stay_the_same():
    def check(folder, machine, compiler):
        for level in ("-O1", "-O2", "-O3"):
            listing = compile_listing(folder, compiler, level)
            out, said = apply(listing, "useless-spill-fill")
            assert output_of(folder, compiler, machine, listing) == output_of(folder, compiler, machine, out), (compiler, level)
        # Without optimisation there always are some; the promise is true of this source.
        listing = compile_listing(folder, compiler, "-O0")
        out, said = apply(listing, "useless-spill-fill", options=["--no-volatile"])
        count = open(out).read().count("// assay: deleted")
        assert count >= 4, (compiler, count)
        assert output_of(folder, compiler, machine, listing) == output_of(folder, compiler, machine, out), compiler

    both_machines(check)


@test
def real_programs_pass_their_own_tests():
    """Parts of Assay itself, each with the unit tests that it has: they pass with the edited listing as with the compiler's."""
    archive = os.path.join(os.path.dirname(ASSAY), "src", "base", "libbase.a")
    for compiler in compilers(MACHINE):
        with Folder() as folder:
            settings = ["-w", "-std=gnu17", "-D_GNU_SOURCE", *(f"-I{os.path.join(ROOT, part)}" for part in ("src", "tests/unit", ""))]
            for unit, least in ("settings", 30), ("digest", 4):
                source, check = (os.path.join(ROOT, place, "base", unit + ".c") for place in ("src", "tests/unit"))
                for level in ("-O0", "-O2"):
                    listing = compile_listing(folder, [*compiler, *settings], level, source, unit + ".s")
                    out, said = apply(listing, "useless-spill-fill", options=["--no-volatile"])
                    deleted = open(out).read().count("// assay: deleted")
                    assert deleted >= (least if level == "-O0" else 0), (compiler, unit, level, deleted)
                    results = []
                    for text in listing, out:
                        # The part's own object comes before that of the archive, which has what it needs.
                        program = text + ".run"
                        command([*compiler, *settings, text, check, archive, "-o", program, "-lcmocka", "-lpthread", "-lm"])
                        done = command([program])
                        results.append(done.stdout + done.stderr)
                    assert b"ok 1 - " in results[0] and b"not ok" not in results[0], results[0]  # exit codes count, too
                    assert results[0] == results[1], (compiler, unit, level, results)


def quoted(value):
    return "null" if value is None else str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"


def random_edits(listing, machine, seed, count):
    chance = random.Random(seed)
    places = rows(listing, "select c.id, c.block from code c join listing_instructions l on l.instruction = c.id "
                           "join blocks b on b.id = c.block where b.function is not null")
    found = []
    while len(found) < count:
        place, kind = chance.choice(places), chance.choice(["delete", "delete", "before", "after", "swap", "swap"])
        near = [other["id"] for other in places if other["block"] == place["block"] and 0 < abs(other["id"] - place["id"]) <= 3]
        if kind == "swap" and near:
            found.append((place["id"], kind, chance.choice(near), None))
        elif kind != "swap":
            found.append((place["id"], kind, None, None if kind == "delete" else chance.choice(INSERTED[machine])))
    values = ", ".join("(" + ", ".join(map(quoted, row)) + ")" for row in found)
    return ("-- title: random\n-- does: proposes edits\n-- edits: rows\n"
            f"with e(instruction, kind, other, text) as (values {values}) select * from e")


@test
def random_edits_are_refused_or_harmless():
    def check(folder, machine, compiler):
        for seed, level in enumerate(("-O0", "-O2")):
            listing = compile_listing(folder, compiler, level)
            script = write(folder, "random.sql", random_edits(listing, machine, seed, 600))
            out, said = apply(listing, script, options=["--no-volatile"])
            made = [int(word) for word in re.findall(r"(\d+) of 600 edits made", said)]
            assert made and 20 <= made[0] <= 300, said
            assert output_of(folder, compiler, machine, listing) == output_of(folder, compiler, machine, out), (compiler, level, seed)

    both_machines(check)


run()
