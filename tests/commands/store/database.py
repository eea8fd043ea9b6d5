"""Databases: they contain all of the code, are consistent, and give the same answers as the binary.

The programs are compiled here, for both instruction sets where there is a compiler, and a few of the machine's own
are used too.  Expected results come from other tools: objcopy, objdump, sqlite3, and Python's csv and json."""
# last build only: the same rows in both builds; writing and reading bytes is best watched by the sanitizers
import atexit, collections, csv, functools, io, json, os, re, shutil, sqlite3, sys
from harness import *

sys.path.append(os.path.join(ROOT, "tools"))
from model_definitions import read_enumerations, read_tables

MACHINES = ("x86_64", "aarch64")

# Figure 2 of the first paper.
SETF = ("select 'No of setf : ' || count(*) from blocks, instructions where blocks.function=FUNCTION and "
        "instructions.block=blocks.id and instructions.name='setf';")
SIZES = ("select 'Size: ' || size || ' Number: ' || count(*) from (select blocks.name, count(*) as size from blocks, "
         "instructions where instructions.block=blocks.id and blocks.function=FUNCTION group by blocks.name order by "
         "size) group by size;")

CPLUSPLUS = r"""
#include <stdexcept>
#include <vector>
struct guard { int *p; guard(int *q) : p(q) { ++*p; } ~guard() { --*p; } };
int thrower(int n) { if (n > 3) throw std::runtime_error("n"); return n; }
int catcher(std::vector<int> &v, int n) {
    int count = 0;
    for (auto &x : v) { guard g(&count); try { x += thrower(n); } catch (std::exception &) { count += 2; } }
    switch (n) { case 0: return 7; case 1: return 9; case 2: return 11; case 3: return 1; case 4: return 5;
                 case 5: return 8; default: return count; }
}
"""


class Programs:
    """Compiled once for all tests of this file: (name, machine, path)."""

    def __init__(self):
        self.folder = Folder()
        self.path = self.folder.__enter__()
        atexit.register(self.folder.__exit__)
        self.files = [entry for machine in MACHINES for entry in self.compile(machine)]

    def compile(self, machine):
        c = need(cross("gcc", machine))
        source, name = os.path.join(PROGRAMS, "loops.c"), functools.partial("{1}-{0}".format, machine)
        made = [("executable", build(self.path, [c], [source], "-O2", "-g", output=name("executable"))),
                ("fixed", build(self.path, [c], [source], "-O1", "-no-pie", "-s", output=name("fixed"))),
                ("object", build(self.path, [c], [source], "-O2", "-g", "-c", "-ffunction-sections",
                                 output=name("object") + ".o"))]
        touch = build(self.path, [c], [os.path.join(PROGRAMS, "touch.c")], "-c", "-O1", output=name("touch") + ".o")
        archive = os.path.join(self.path, name("library") + ".a")
        command([cross("ar", machine), "rc", archive, made[-1][1], touch])
        made.append(("archive", archive))
        text_path = os.path.join(self.path, "throw.cc")
        open(text_path, "w").write(CPLUSPLUS)
        made.append(("C++", build(self.path, [need(cross("g++", machine))], [text_path], "-O2", "-g", "-shared", "-fPIC",
                                  output=name("throw") + ".so")))
        made.append(("Fortran", build(self.path, [need(cross("gfortran", machine))],
                                      [os.path.join(PROGRAMS, "loops.f90"), touch], "-O3", "-g", "-shared", "-fPIC",
                                      output=name("fortran") + ".so")))
        return [(what, machine, path) for what, path in made]

    def database(self, path, *words):
        result = path + "".join(words) + ".db"
        if not os.path.exists(result):
            assay("db", path, *words, "-o", result, "-q")
        return result


@functools.lru_cache(maxsize=None)
def programs():
    return Programs()


def library(name):
    """A library of the machine, by the name that programs know it by."""
    folders = (f"/usr/lib/{MACHINE}-linux-gnu", f"/lib/{MACHINE}-linux-gnu", "/usr/lib64", "/usr/lib")
    paths = (os.path.join(folder, name) for folder in folders)
    return next((os.path.realpath(path) for path in paths if os.path.exists(path)), None)


def shell_tool():
    return os.path.realpath("/bin/bash" if os.path.exists("/bin/bash") else "/bin/sh")


def connect(database):
    return sqlite3.connect(f"file:{database}?mode=ro", uri=True)


# The code comes back.

def bytes_of_section(file, name, machine, folder):
    """What objcopy says the section holds."""
    out = os.path.join(folder, "expected")
    command([need(cross("objcopy", machine)), "--dump-section", f"{name}={out}", file, os.path.join(folder, "copy")])
    return open(out, "rb").read()


def members(archive, machine, folder):
    """Paths of the members of an archive, taken out, by name."""
    command([cross("ar", machine), "x", "--output", folder, archive])
    return {name: os.path.join(folder, name) for name in os.listdir(folder)}


def check_round_trip(file, machine):
    with Folder() as folder:
        copy, database = os.path.join(folder, "the file"), os.path.join(folder, "the.db")
        shutil.copy(file, copy)
        assay("db", copy, "-o", database, "-q")
        os.remove(copy)
        parts = {}
        if file.endswith(".a"):
            os.mkdir(os.path.join(folder, "members"))
            parts = members(file, machine, os.path.join(folder, "members"))
        sections = connect(database).execute(
            """select p.id, p.member, s.name from sections s join programs p on p.id = s.program
                where s.is_code and s.size > 0 order by 1, 3""").fetchall()
        assert sections, f"{file}: no code"
        for program, member, name in sections:
            out = os.path.join(folder, "bytes")
            assay("asm", database, "--program", program, "--section", name, "--raw", "-o", out)
            expected = bytes_of_section(parts[member] if member else file, name, machine, folder)
            found = open(out, "rb").read()
            assert found == expected, f"{file}, {member or ''} {name}: {len(found)} bytes for {len(expected)}"


def round_trips(machine):
    files = [path for _, its, path in programs().files if its == machine]
    if machine == MACHINE:
        files += [path for path in (shell_tool(), library("libm.so.6"), library("libcrypto.so.3")) if path]
    else:
        paths = (f"/usr/{machine}-linux-gnu/lib/{name}" for name in ("libm.so.6", "crt1.o"))
        files += [path for path in paths if os.path.exists(path)]
    for file in files:
        check_round_trip(file, machine)


@test
def the_code_of_x86_64_comes_back_from_the_database_alone():
    round_trips("x86_64")


@test
def the_code_of_AArch64_comes_back_from_the_database_alone():
    round_trips("aarch64")


@test
def the_instructions_of_a_function_come_back_from_the_database_alone():
    for what, machine, file in programs().files:
        if what != "executable":
            continue
        out = os.path.join(programs().path, "function.bin")
        assay("asm", programs().database(file), "--function", "main", "--raw", "-o", out)
        listed = json.loads(text("asm", programs().database(file), "--function", "main", "--json"))
        assert b"".join(bytes.fromhex(row["bytes"]) for row in listed) == open(out, "rb").read() != b""


# Databases are sound.

@test
def the_number_of_threads_leaves_no_trace():
    files = [path for what, _, path in programs().files if what in ("Fortran", "C++", "archive")]
    files += [path for path in (library("libstdc++.so.6"), shell_tool(), library("libm.so.6")) if path]
    with Folder() as folder:
        for file in files:
            made = []
            for threads in (1, 2, 7):
                made.append(os.path.join(folder, f"{threads}.db"))
                assay("db", file, "-o", made[-1], "--threads", threads, "-q")
            first = open(made[0], "rb").read()
            for threads, path in zip((2, 7), made[1:]):
                assert open(path, "rb").read() == first, f"{file}: {threads} threads give another database than 1"
            for path in made:
                os.remove(path)


def definitions():
    """Tables of tables.def: {table: ([(column, table it refers to)], [sorted columns])}."""
    model = os.path.join(ROOT, "src", "model")
    tables = read_tables(os.path.join(model, "tables.def"), read_enumerations(os.path.join(model, "enums.def")))
    return {table.name: ([(column.name, column.table) for column in table.columns if column.table],
                         [column.sql_names()[0] for column in table.columns if "SORTED" in column.marks])
            for table in tables.values()}


def all_databases():
    """A database of everything that was compiled, and one of a program of the machine."""
    made = programs()
    whole = os.path.join(made.path, "whole.db")
    if not os.path.exists(whole):
        assay("db", *[path for _, _, path in made.files], "-o", whole, "-q")
    return [whole, *(made.database(path) for _, _, path in made.files)]


@test
def a_plain_sqlite3_finds_nothing_wrong():
    client = need("sqlite3")
    for database in all_databases():
        assert command([client, database, "pragma integrity_check"]).stdout == b"ok\n", database
        wrong = command([client, database, "pragma foreign_key_check"]).stdout.decode()
        assert wrong == "", f"{database}: {wrong[:300]}"


@test
def every_reference_leads_to_a_row():
    for database in all_databases():
        connection = connect(database)
        for table, (references, _) in definitions().items():
            for column, target in references:
                lost, = connection.execute(
                    f"""select count(*) from {table} a left join {target} b on b.id = a."{column}"
                         where a."{column}" is not null and b.id is null""").fetchone()
                assert lost == 0, f"{database}: {lost} rows of {table} have a {column} that is not in {target}"


@test
def rows_are_in_the_order_that_the_tables_promise():
    for database in all_databases():
        connection = connect(database)
        for table, (_, columns) in definitions().items():
            for column in columns:
                values = [value for value, in connection.execute(f'select "{column}" from {table} not indexed')
                          if value is not None]
                assert values == sorted(values), f"{database}: {table} is not in order of {column}"


@test
def bytes_of_blocks_and_gaps_cover_each_section_of_code_once():
    for database in all_databases():
        found = connect(database).execute("""
            with parts(section, address, size) as (select section, address, length(bytes) from blocks
                                                   union all select section, address, length(bytes) from gaps)
            select s.name, s.size, sum(p.size), min(p.address) - s.address, count(*), count(distinct p.address)
              from sections s join parts p on p.section = s.id group by s.id""").fetchall()
        assert found, database
        for name, size, covered, lead, count, distinct in found:
            assert (covered, lead, count) == (size, 0, distinct), f"{database}: {name}"


# The scripts of the paper.

def objdump_function(file, machine, name):
    """[(address, mnemonic, operands)] of a function, from objdump."""
    words = [need(cross("objdump", machine)), "-d", "-w", "--no-show-raw-insn", f"--disassemble={name}", file]
    output = command(words + (["-M", "intel"] if machine == "x86_64" else [])).stdout.decode()
    return [(int(m[1], 16), m[2], m[3]) for m in re.finditer(r"^ *([0-9a-f]+):\t(\S+)[ \t]*(.*)$", output, re.M)]


def blocks_by_hand(instructions):
    """Sizes of the basic blocks of a function without calls, from objdump's text."""
    leaders, at = {instructions[0][0]}, {address for address, _, _ in instructions}
    for index, (_, name, operands) in enumerate(instructions):
        if re.match(r"j|b$|b\.|cb|tb|ret|br$", name):
            if index + 1 < len(instructions):
                leaders.add(instructions[index + 1][0])
            target = re.search(r"(?:^|[ ,])([0-9a-f]+) <", operands)
            if target and int(target[1], 16) in at:
                leaders.add(int(target[1], 16))
    sizes = []
    for address, _, _ in instructions:
        if address in leaders:
            sizes.append(0)
        sizes[-1] += 1
    return collections.Counter(sizes)


def function_without_calls(file, machine):
    """A function of the program whose blocks can be counted by hand: branches, and neither calls nor indirect jumps."""
    for row in rows(file, """select f.name from functions f where f.section is not null and f.loop_count > 0
        and f.origin = 'symbol' and not exists (select 1 from calls c where c.caller = f.id)
        and not exists (select 1 from blocks b where b.function = f.id
                           and b.ends in ('switch', 'indirect', 'tail call'))
        order by f.instruction_count desc"""):
        instructions = objdump_function(file, machine, row["name"])
        if instructions and not any(name in ("nop", "data16", "cs", "xchg") for _, name, _ in instructions):
            return row["name"], instructions
    raise Fail(f"{file}: no function to count by hand")


def three_ways(file, script, *words):
    """Output of a script given as an argument, as a file and on standard input; all three are the same."""
    with Folder() as folder:
        path = os.path.join(folder, "script.sql")
        open(path, "w").write(script + "\n")
        outputs = [text("sql", file, script, "--csv", *words), text("sql", file, "-f", path, "--csv", *words),
                   text("sql", file, "--csv", *words, stdin=(script + "\n").encode())]
    assert outputs[0] == outputs[1] == outputs[2], outputs
    return [line[0] for line in list(csv.reader(io.StringIO(outputs[0])))[1:]]


@test
def the_scripts_of_the_papers_figure_run_as_printed():
    for what, machine, file in programs().files:
        if what != "executable":
            continue
        name, instructions = function_without_calls(file, machine)
        common = collections.Counter(mnemonic for _, mnemonic, _ in instructions).most_common(1)[0]
        for source in (file, programs().database(file)):
            assert three_ways(source, SETF, "--function", name) == ["No of setf : 0"]
            assert three_ways(source, SETF.replace("'setf'", f"'{common[0]}'"), "-F", name) == \
                [f"No of setf : {common[1]}"], (file, name, common)
            expected = [f"Size: {size} Number: {count}" for size, count in sorted(blocks_by_hand(instructions).items())]
            found = three_ways(source, SIZES, "--function", name)
            assert sorted(found) == sorted(expected), f"{file} {name}: {found}, expected {expected}"
            for script in (SETF, SIZES):  # copies of the paper have lost the signs between the parts
                assert three_ways(source, script.replace(" || ", " "), "-F", name) == three_ways(source, script, "-F", name)


# Binary and database say the same.

QUERIES = [
    "select * from programs",
    "select id, name, address, size, is_code from sections",
    "select name, size, block_count, instruction_count, loop_count from functions order by size desc, id limit 20",
    "select origin, count(*) from functions group by 1 order by 1",
    "select count(*), sum(instruction_count), sum(size), min(address), max(address) from blocks",
    "select ends, count(*) from blocks group by 1 order by 1",
    "select kind, count(*) from edges group by 1 order by 1",
    "select b.id, count(e.target) from blocks b left join edges e on e.source = b.id group by 1 having count(*) > 2 "
    "order by 1",
    "select * from loops order by id limit 50",
    "select depth, count(*), sum(block_count) from loops group by depth order by depth",
    "select l.loop, count(*) from loop_blocks l join blocks b on b.id = l.block group by 1 order by 1",
    "select kind, count(*), count(distinct callee) from calls group by kind order by kind",
    "select caller, callee, sites from call_graph_by_name order by 1, 2 limit 100",
    "select name, count(*) from instructions group by name order by 2 desc, 1",
    "select class, element, is_vector, count(*) from instructions group by 1, 2, 3 order by 4 desc, 1, 2, 3",
    "select id, block, name, text, address, bytes from instructions where id between 10 and 60 order by id",
    "select i.text from instructions i join functions f on f.id = i.function where f.name = 'main' order by i.id",
    "select kind, access, count(*) from instruction_operands group by 1, 2 order by 1, 2",
    "select full_register, access, count(*) from instruction_registers group by 1, 2 order by 1, 2",
    "select file, line, count(*) from instruction_sources group by 1, 2 order by 1, 2",
    "select name, kind, function, line from variables order by id",
    "select t.name, t.kind, d.position, d.lower, d.count from types t left join dimensions d on d.type = t.id "
    "order by t.id, 3",
    "select a.id, b.id from blocks a join blocks b on a.function = b.function and a.dom_enter < b.dom_enter and "
    "b.dom_leave <= a.dom_leave where a.function % 5 = 1 order by 1, 2",
    "with recursive up(loop, top) as (select id, id from loops where parent is null union all "
    "select l.id, up.top from loops l join up on l.parent = up.loop) "
    "select top, count(*) from up group by 1 order by 1",
    "select kind, count, text from problems order by id",
]


def answers(file, queries):
    """The answers of several queries, asked at once."""
    output, at, found = text("sql", file, ";\n".join(queries) + ";", "--json", "-q"), 0, []
    while output[at:].strip():
        at += len(output[at:]) - len(output[at:].lstrip())
        answer, at = json.JSONDecoder().raw_decode(output, at)
        found.append(answer)
    assert len(found) == len(queries), (file, len(found))
    return found


@test
def binary_and_database_answer_alike():
    for what, _, file in programs().files:
        if what in ("executable", "archive", "Fortran"):
            both = zip(QUERIES, answers(file, QUERIES), answers(programs().database(file), QUERIES))
            for query, one, other in both:
                assert one == other, f"{file}: {query}\n{str(one)[:300]}\n{str(other)[:300]}"


@test
def the_functions_of_a_binary_are_those_of_its_database():
    """A binary's are listed without rows of its code, which a database has."""
    for what, _, file in programs().files:
        for words in ([], ["--csv"], ["--json", "--sort", "-size"], ["--section", ".text", "--csv"],
                      ["--line", "loops.c", "--csv"], ["--program", "1", "--csv"]):
            one, other = (text("functions", each, *words, "-q") for each in (file, programs().database(file)))
            assert one == other and (one or words[:1] == ["--line"]), (what, words, one[:300], other[:300])


@test
def every_table_and_view_can_be_asked():
    for _, _, file in programs().files[:3]:
        database = programs().database(file, "--flow", "--report")
        names = connect(database).execute("select name, type from sqlite_schema where type in ('table', 'view') and "
                                          "name not like 'sqlite_%'").fetchall()
        assert sum(kind == "view" for _, kind in names) >= 9, names
        assert set(definitions()) <= {name for name, _ in names}, names
        names.sort(key=lambda row: row[0] != "loop_cycles")  # cycles bring their processors with them
        queries = [f"select * from {name} limit 40" for name, _ in names]
        for query, one, other in zip(queries, answers(file, queries), answers(database, queries)):
            assert bool(one) == bool(other), query
            assert not one or set(one[0]) <= set(other[0]), query


@test
def csv_and_json_parse_and_agree():
    file = programs().files[0][2]
    for query in ("select * from instructions limit 300", "select * from functions", "select * from units",
                  "select name, text from encodings", "select * from source_lines limit 100",
                  "select null as missing, 1.5 as number, 'a \"quoted\", word' || char(10) || 'é\\' as words, "
                  "x'00ff' as bytes"):
        objects = json.loads(text("sql", file, query, "--json"))
        lines = list(csv.reader(io.StringIO(text("sql", file, query, "--csv"), newline="")))
        assert objects and lines[0] == list(objects[0]), (lines[0], objects[:1])
        reported = [["" if value is None else str(value) for value in row.values()] for row in objects]
        assert lines[1:] == reported, next((pair for pair in zip(lines[1:], reported) if pair[0] != pair[1]), query)


run()
