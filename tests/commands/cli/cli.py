"""The command line: help, errors, formats, outputs, selections, bad inputs."""
import csv, io, os, pty, re, signal, time
from harness import *

EXAMPLE = os.path.join(ROOT, "examples", "heat.c")
LISTINGS = ("loops functions calls blocks edges variables types lines sources programs sections symbols problems").split()


class Heat:
    """The example, compiled, and its database: with Heat() as (folder, program, database)."""

    def __enter__(self):
        self.folder = Folder()
        folder = self.folder.__enter__()
        program = build(folder, ["cc"], [EXAMPLE, "-lm"], "-O2", "-g", output="heat")
        database = os.path.join(folder, "heat.db")
        assay("db", program, "-o", database)
        return folder, program, database

    def __exit__(self, *what):
        self.folder.__exit__(*what)


def expect_error(result, *pieces):
    """One line on standard error that names the pieces, nothing on standard output."""
    lines = result.stderr.decode().splitlines()
    assert len(lines) == 1 and lines[0].startswith("assay: "), lines
    for piece in pieces:
        assert piece in lines[0], f"{piece!r} is not in {lines[0]!r}"
    assert not result.stdout, result.stdout[:200]


@test
def help_opens_with_examples():
    overview = text("help")
    assert overview.startswith("Examples:"), overview[:100]
    names = re.findall(r"^  (\w+) {2,}\S", overview.split("Commands:")[1].split("Options of every")[0], re.M)
    assert set(LISTINGS) < set(names), names
    for name in names:
        page = text("help", name)
        assert page == text(name, "--help"), name
        assert f"Usage: assay {name}" in page and "Exit code:" in page, name
        assert page.startswith("Examples:") or name == "version", page[:100]


@test
def mistakes_are_one_line_with_a_hint():
    expect_error(assay("lops", "x", status=2), "did you mean loops?")
    expect_error(assay("loops", "--inermost", "x", status=2), "did you mean --innermost?")
    expect_error(assay("loops", status=2), "usage: assay loops FILE")
    expect_error(assay("report", ASSAY, "--html", "page.html", status=2), "for a file: --html -o page.html")
    expect_error(assay("loops", "--csv", ASSAY, "rows.csv", status=2), "for a file: --csv -o rows.csv")
    expect_error(assay("report", ASSAY, "page.html", status=2), "report does not take page.html")
    expect_error(assay("run", "--", "true", status=2, env=dict(os.environ, TMPDIR="/nowhere")), "TMPDIR names it")
    expect_error(assay("loops", "a", "b", status=2), "does not take b")
    expect_error(assay("loops", "x", "--limit", "many", status=2), "x")
    expect_error(assay("help", "lops", status=2), "did you mean loops?")
    expect_error(assay("db", "x", "--csv", "--json", status=2), "--json and --csv")
    assert assay(status=2).stdout.startswith(b"Examples:")


@test
def bad_inputs_are_one_line():
    with Folder() as folder:
        empty, words = os.path.join(folder, "empty"), os.path.join(folder, "words")
        open(empty, "w").close()
        open(words, "w").write("just text\n" * 100)
        for verb in ("loops", "asm", "sql", "db"):
            more = ["select 1"] if verb == "sql" else []
            for path in (empty, words, folder, os.path.join(folder, "missing")):
                expect_error(assay(verb, path, *more, status=2), path)
        assert sorted(os.listdir(folder)) == ["empty", "words"], os.listdir(folder)
        broken = os.path.join(folder, "broken.db")
        open(broken, "wb").write(b"SQLite format 3\0" + b"\xff" * 5000)
        expect_error(assay("loops", broken, status=2))


@test
def listings_of_binary_and_database_are_equal():
    with Heat() as (folder, program, database):
        for name in LISTINGS:
            status = None if name == "problems" else 0
            for form in ((), ("--json",), ("--csv",)):
                one, other = (assay(name, file, "-q", *form, status=status) for file in (program, database))
                assert one.stdout == other.stdout, f"{name} {form}"
                assert one.returncode == other.returncode
            table = json.loads(text(name, database, "--json", "-q", status=status))
            again = list(csv.reader(io.StringIO(assay(name, database, "--csv", "-q", status=status).stdout.decode())))
            assert len(again) == len(table) + 1, name
            assert not table or list(table[0]) == again[0], name


@test
def loops_and_their_filters():
    with Heat() as (folder, program, database):
        every = json.loads(text("loops", database, "--json"))
        inner = json.loads(text("loops", database, "--json", "--innermost"))
        assert 0 < len(inner) < len(every)
        assert all(row["is_innermost"] for row in inner)
        step = json.loads(text("loops", database, "--json", "--function", "step"))
        assert [row["depth"] for row in step] == [1, 2], step
        assert all(row["function"] == "step" and row["file"].endswith("heat.c") for row in step)
        line = step[1]["first_line"]
        found = json.loads(text("loops", database, "--json", "--line", f"heat.c:{line}"))
        assert step[1]["loop"] in [row["loop"] for row in found]
        assert json.loads(text("loops", database, "--json", "--line", "eat.c")) == []
        ordered = json.loads(text("loops", database, "--json", "--sort", "-instructions", "--limit", "3"))
        sizes = sorted((row["instructions"] for row in every), reverse=True)
        assert [row["instructions"] for row in ordered] == sizes[:3]
        expect_error(assay("loops", database, "--sort", "dept", status=2), "did you mean depth?")
        expect_error(assay("loops", database, "--function", "stepp", status=1), "did you mean step?")
        assert [row["depth"] for row in json.loads(text("loops", database, "--json", "--depth", "2"))] == [2] * len(
            [row for row in every if row["depth"] == 2])


@test
def functions_by_name_and_expression():
    with Heat() as (folder, program, database):
        names = lambda *more: [row["name"] for row in json.loads(text("functions", database, "--json", *more))]
        assert names("-F", "step") == ["step"]
        assert names("-F", "^(step|distance)$") == ["step", "distance"]
        assert "main" in names()


@test
def sql_runs_queries_scripts_and_macros():
    with Heat() as (folder, program, database):
        for file in (program, database):
            assert rows(file, "select 1 as one, 'x' as two") == [{"one": 1, "two": "x"}]
            chosen = rows(file, "select name from functions where id = FUNCTION", "-F", "main")
            assert chosen == [{"name": "main"}]
            expect_error(assay("sql", file, "select FUNCTION", status=2), "--function")
            expect_error(assay("sql", file, "selct 1", status=2))
            expect_error(assay("sql", file, "create table t(a)", status=2))
            expect_error(assay("sql", file, "delete from functions", status=2))
            assert assay("sql", file, "--csv", stdin=b"select 7 as n;\nselect 8 as n;").stdout == b"n\r\n7\r\n\r\nn\r\n8\r\n"
        script = os.path.join(folder, "script.sql")
        open(script, "w").write("-- counts\nselect count(*) as n from loops;\n")
        assert text("sql", database, "-f", script) == text("sql", program, "-f", script)
        bars = text("sql", database, "select 'a' as k, 2 as n union all select 'b', 1", "--bars", "n",
                    env=dict(os.environ, LC_ALL="C"))
        assert bars.splitlines()[1:] == ["a  2  " + "#" * 40, "b  1  " + "#" * 20], bars
        expect_error(assay("sql", database, "select 1 as a", "--bars", "b", status=2), "no column b")


@test
def sql_knows_the_commands_of_the_shell():
    with Heat() as (folder, program, database):
        for file in (program, database):
            names = text("sql", file, ".tables").split()
            assert {"loops", "loop_metrics", "functions"} <= set(names), names
            assert {row["name"] for row in json.loads(text("sql", file, ".tables", "--json"))} == set(names[1:])
            schema = text("sql", file, ".schema loops")
            assert "create table loops" in schema and "create table blocks" not in schema, schema
        script = os.path.join(folder, "script.sql")
        with open(script, "w") as file:
            file.write("-- a comment;\nselect 'first';\n\n  .choose loop 1\n.tables\nselect LOOP as chosen,\n  1.5\n;\n")
        for said in (text("sql", database, "-f", script), assay("sql", database, stdin=open(script, "rb").read()).stdout.decode()):
            assert said.index("first") < said.index("loop_metrics") < said.index("chosen"), said
            assert said.splitlines()[-1].split() == ["1", "1.5"], said
        expect_error(assay("sql", database, ".table", status=2), "unknown command .table", ".help")
        expect_error(assay("sql", database, ".schema", "--csv", status=2), ".schema", "--csv")
        stopped = assay("sql", database, "select 'before'; \n.choose nothing\nselect 'after';", status=2)
        assert b"before" in stopped.stdout and b"after" not in stopped.stdout and b".choose takes" in stopped.stderr, stopped


@test
def the_papers_scripts_run_as_printed():
    mix = "select 'No of nop : ' || count(*) as t from blocks, instructions where blocks.function=FUNCTION and " \
          "instructions.block=blocks.id and instructions.name='nop';"
    sizes = "select 'Size: ' || size || ' Number: ' || count(*) as t from (select blocks.name, count(*) as size from " \
            "blocks, instructions where instructions.block=blocks.id and blocks.function=FUNCTION group by blocks.name " \
            "order by size) group by size;"
    with Heat() as (folder, program, database):
        for file in (program, database):
            assert rows(file, mix, "-F", "main")[0]["t"].startswith("No of nop : ")
            reported = [re.match(r"Size: (\d+) Number: (\d+)", row["t"]) for row in rows(file, sizes, "-F", "main")]
            counted = sum(int(match[1]) * int(match[2]) for match in reported)
            known = rows(file, "select instruction_count as n from functions where id=FUNCTION", "-F", "main")[0]["n"]
            assert counted == known, (counted, known)


@test
def bytes_of_code_come_back():
    with Heat() as (folder, program, database):
        for section in [row["name"] for row in rows(database, "select name from sections where is_code and size > 0")]:
            reference, given = os.path.join(folder, "reference"), os.path.join(folder, "given")
            command([need("objcopy"), "--dump-section", f"{section}={reference}", program, "/dev/null"])
            for file in (program, database):
                assay("asm", file, "--section", section, "--raw", "-o", given)
                assert open(given, "rb").read() == open(reference, "rb").read(), f"{section} from {file}"


@test
def asm_shows_source_loops_and_names():
    with Heat() as (folder, program, database):
        listing = text("asm", database, "--function", "step", "--trust")  # the source is not beside the program
        assert listing == text("asm", program, "--function", "step", "--trust")
        assert "to[i][j] = 0.25 *" in listing and "heat.c:17" in listing, listing
        assert re.search(r"loop \d+, depth 2, innermost", listing), listing
        assert re.search(r"<step\+0x[0-9a-f]+>", listing), listing
        loop = rows(database, "select id, instruction_count as n from loops where depth = 2 limit 1")[0]
        listed = text("asm", database, "--loop", str(loop["id"]), "--no-source")
        assert len(re.findall(r"^    0x", listed, re.M)) == loop["n"], listed
        as_rows = json.loads(text("asm", database, "--loop", str(loop["id"]), "--json"))
        assert len(as_rows) == loop["n"] and as_rows[0]["file"].endswith("heat.c"), as_rows
        expect_error(assay("asm", database, "--loop", "999999", status=1), "999999")
        expect_error(assay("asm", database, "--section", ".txt", status=1), ".txt")
        expect_error(assay("asm", database, "--loop", "1", "--block", "1", status=2), "choose one")


@test
def graphs_in_every_format():
    with Heat() as (folder, program, database):
        dot = text("graph", database, "--function", "step")
        blocks = rows(database, "select b.id from blocks b join functions f on f.id = b.function where f.name = 'step'")
        assert all(f"b{row['id']}" in dot for row in blocks) and "cluster_" in dot, dot
        for suffix, magic in (("svg", b"<?xml"), ("pdf", b"%PDF"), ("png", b"\x89PNG"), ("dot", b"digraph")):
            path = os.path.join(folder, "g." + suffix)
            for more in (("-F", "step"), ("-F", "step", "--dominators", "--short"), ("--calls",),
                         ("--calls", "-F", "main", "--depth", "1")):
                assay("graph", database, *more, "-o", path)
                assert open(path, "rb").read(5).startswith(magic[:5]), (suffix, more)
        expect_error(assay("graph", database, "-F", "step", "-o", "x.nonsense", status=2), ".nonsense")
        expect_error(assay("graph", database, status=2), "--function")
        expect_error(assay("graph", database, "-F", "nowhere", "-o", os.path.join(folder, "n.svg"), status=1), "nowhere")
        assert not os.path.exists(os.path.join(folder, "n.svg"))
        assert not [name for name in os.listdir(folder) if "tmp" in name], os.listdir(folder)


@test
def a_ledger_is_told_from_a_strangers_database():
    with Heat() as (folder, program, database):
        ledger, flow = os.path.join(folder, "ledger.db"), os.path.join(folder, "flow.txt")
        with open(flow, "w") as file:
            file.write("[task one]\ncommand = true\n")
        assay("schedule", "submit", flow, "--ledger", ledger)
        for words in (["ui", ledger], ["loops", ledger], ["report", ledger]):
            expect_error(assay(*words, status=2), "is a ledger of Assay", "assay sql", "--ledger")
        assert "tasks" in text("sql", ledger, ".tables").split()


@test
def db_refuses_to_overwrite_what_is_not_its_own():
    with Heat() as (folder, program, database):
        precious = os.path.join(folder, "precious")
        open(precious, "w").write("data")
        expect_error(assay("db", program, "-o", precious, status=2), precious, "--force")
        assert open(precious).read() == "data"
        assert "functions" in text("db", program, "-o", database)
        assay("db", program, "-o", precious, "--force")
        assert open(precious, "rb").read(15) == b"SQLite format 3"
        expect_error(assay("db", database, "-o", os.path.join(folder, "again.db"), status=2), "already a database")
        summary = json.loads(text("db", program, "--json", "-o", os.path.join(folder, "two.db")))
        assert summary["functions"] == rows(database, "select count(*) as n from functions")[0]["n"], summary
        expect_error(assay("db", program, "-o", os.path.join(folder, "no", "where.db"), status=2), "where.db")


@test
def several_files_make_one_database():
    with Heat() as (folder, program, database):
        both = os.path.join(folder, "both.db")
        assay("db", program, program, "-o", both)
        counts = rows(both, "select program, count(*) as n from functions group by 1")
        assert len(counts) == 2 and counts[0]["n"] == counts[1]["n"], counts
        assert len(json.loads(text("loops", both, "--json", "--program", "2"))) == len(
            json.loads(text("loops", database, "--json")))


@test
def show_prints_any_table():
    with Heat() as (folder, program, database):
        assert text("show", "loops", program) == text("show", "loops", database)
        assert len(text("show", "instructions", database, "--limit", "4").splitlines()) == 5
        expect_error(assay("show", "loop", database, status=2), "did you mean loops?")
        expect_error(assay("show", "loops", database, "--sort", "dept", status=2), "did you mean depth?")


@test
def names_of_c_plus_plus():
    need("g++")
    source = "namespace space { struct Thing { int weigh(int n) const; }; }\n" \
             "int space::Thing::weigh(int n) const { int s = 0; for (int i = 0; i < n; i++) s ^= s << i; return s; }\n" \
             "int main(int n, char **) { return space::Thing().weigh(n); }\n"
    with Folder() as folder:
        path = os.path.join(folder, "thing.cc")
        open(path, "w").write(source)
        program = build(folder, ["g++"], [path], "-O1", "-g")
        assert "space::Thing::weigh(int) const" in text("functions", program)
        assert "_ZNK5space5Thing5weighEi" in text("functions", program, "--no-demangle")
        for name in ("_ZNK5space5Thing5weighEi", "space::Thing::weigh", "space::Thing::weigh(int) const", "weigh.int"):
            found = json.loads(text("functions", program, "--json", "-F", name))
            assert [row["name"] for row in found] == ["_ZNK5space5Thing5weighEi"], name
            assert found[0]["name_demangled"] == "space::Thing::weigh(int) const"


@test
def analyses_are_listed_and_run():
    with Heat() as (folder, program, database):
        listed = json.loads(text("analyses", "--json"))
        assert listed and all(row["does"] and row["title"] for row in listed), listed
        flow, found = os.path.join(folder, "flow.db"), 0
        assay("db", program, "--flow", "--report", "-o", flow, "-q")
        for row in listed:
            reported = [text("analysis", row["name"], file, "-q", "--function", "main") for file in (program, flow)]
            assert reported[0] == reported[1], row["name"]
            found += len(reported[0].splitlines()) > 1
        assert found >= 7
        group = listed[0]["group"]
        assert {row["group"] for row in json.loads(text("analyses", "--json", "--group", group))} == {group}
        own = os.path.join(folder, "own")
        os.mkdir(own)
        open(os.path.join(own, "weight.sql"), "w").write(
            "-- title: Weight\n-- does: weighs\n-- parameter: least 1 the lightest\n-- shows: histogram\n"
            "select 'x' as what, 10 as n where 10 >= :least;\n")
        env = dict(os.environ, ASSAY_ANALYSES=own, LC_ALL="C")
        assert "weight" in text("analyses", env=env)
        assert text("analysis", "weight", database, "-q", env=env).endswith("x     10  " + "#" * 40 + "\n")
        assert text("analysis", "weight", database, "-q", "--csv", "--set", "least=11", env=env) == "what,n\r\n"
        expect_error(assay("analysis", "weigth", database, status=2, env=env), "did you mean weight?")
        expect_error(assay("analysis", "weight", database, "--set", "most=1", status=2, env=env), "most")
        expect_error(assay("analysis", "weight", database, "--set", "least", status=2, env=env), "NAME=VALUE")


@test
def shell_on_a_terminal():
    with Heat() as (folder, program, database):
        child, terminal = pty.fork()
        if child == 0:
            os.execve(ASSAY, [ASSAY, "sql", database], dict(os.environ, HOME=folder, TERM="xterm"))
        os.write(terminal, b"select 40 + 2\n as answer;\nselct;\nselect 'still' || ' here' as t;\n.quit\n")
        reported, end = b"", time.monotonic() + PATIENCE
        try:
            while time.monotonic() < end and (piece := os.read(terminal, 4096)):
                reported += piece
        except OSError:
            pass  # the terminal is gone: the shell ended
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert status == 0 and b"42" in reported and b"still here" in reported, (status, reported)


@test
def an_interrupt_stops_a_query():
    with Heat() as (folder, program, database):
        query = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"
        process = subprocess.Popen([ASSAY, "sql", database, query], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        wait_until_heard(process, signal.SIGINT)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 2 and err == b"assay: interrupted\n" and not out, (process.returncode, out, err)


FORTRAN = """module bugs
contains
  real function total(a)
    real, intent(in) :: a(:)
    integer :: i
    total = 0
    do i = 1, size(a)
      total = total + a(i)
    end do
  end function
end module
subroutine solve(a)
  use bugs
  real :: a(100)
  a(1) = total(a)
end subroutine
"""


@test
def fortran_names_are_those_of_the_source():
    with Folder() as folder:
        source = os.path.join(folder, "bugs.f90")
        with open(source, "w") as file:
            file.write(FORTRAN)
        program = os.path.join(folder, "bugs.o")
        command([need("gfortran"), "-O1", "-fno-inline", "-c", "-J", folder, source, "-o", program])
        names = [row["name_demangled"] for row in json.loads(text("functions", program, "--json", "-q"))]
        assert sorted(names) == ["bugs::total", "solve_"], names
        assert "bugs::total" in text("loops", program, "-q") and "__bugs_MOD_total" in text("loops", program, "--no-demangle", "-q")
        for wanted in ("bugs::total", "__bugs_MOD_total", "solve", "solve_", "SOLVE"):
            found = json.loads(text("functions", program, "--function", wanted, "--json", "-q"))
            assert [row["name"] for row in found] == ["solve_" if "s" == wanted[0].lower() else "__bugs_MOD_total"], (wanted, found)


@test
def what_the_linker_decides_has_the_name_of_its_symbol():
    body = "extern int other(int), table[]; int f(int x) { return other(x) + table[2] + other(table[x]); }\n"
    with Folder() as folder:
        source = os.path.join(folder, "f.c")
        with open(source, "w") as file:
            file.write(body)
        for machine, call in (("x86_64", "call"), ("aarch64", "bl")):
            need(cross("gcc", machine))
            for flags in (["-fPIC"], ["-fno-pic"]):
                program = build(folder, [cross("gcc", machine)], [source], "-O1", "-c", *flags, output="f.o")
                listed = text("asm", program, "-q")
                assert listed.count(f"{call} other") == 2 and "@" not in listed, listed
                if machine == "x86_64" and flags == ["-fno-pic"]:
                    assert "[table+0x8]" in listed, listed
            database = os.path.join(folder, "f.db")
            assay("db", program, "-o", database, "--force", "-q")
            assert text("asm", database, "-q") == listed


@test
def long_names_are_shortened_in_tables_alone():
    with Folder() as folder:
        source, long = os.path.join(folder, "long.cc"), "a" * 30
        with open(source, "w") as file:
            file.write(f"namespace {long} {{ template <class T> struct {long}2 {{ static int kernel(int *a, T n)"
                       f" {{ int s = 0; for (T i = 0; i < n; i++) s += a[i] * s; return s; }} }}; }}\n"
                       f"struct {long}3 {{}}; template <class T> struct Held {{}};"
                       f"template <class T> int used(T, int *a, long n) {{ return {long}::{long}2<long>::kernel(a, n); }}\n"
                       f"int main() {{ int a[9] = {{}}; return used(Held<Held<Held<{long}3> > >(), a, 9); }}\n")
        program = build(folder, [need("g++")], [source], "-O0")
        table, pages = (text(*words, program, "-q").replace("…", "~") for words in (["loops"], ["report", "--level", "expert"]))
        assert f" ~::{long}2<~>::kernel " in table, table
        assert f"in ~::{long}2<~>::kernel, " in pages, pages
        assert max(len(line) for line in table.splitlines()) < 200, table
        whole = [row["name_demangled"] for row in json.loads(text("functions", program, "--json", "-q"))]
        assert f"int used<Held<Held<Held<{long}3> > > >(Held<Held<Held<{long}3> > >, int*, long)" in whole, whole
        assert "used<Held<Held<Held" in text("functions", program, "-q")


@test
def colours_only_when_asked():
    with Heat() as (folder, program, database):
        assert b"\033" not in assay("loops", database).stdout
        assert b"\033[1m" in assay("loops", database, "--color", "always").stdout
        assert b"\033" not in assay("loops", database, "--color=never").stdout
        expect_error(assay("loops", database, "--color", "maybe", status=2), "maybe")


@test
def generated_files_are_sound():
    with Folder() as folder:
        for shell in ("bash", "zsh", "fish"):
            script = text("generate", shell)
            for name in LISTINGS:
                assert name in script, (shell, name)
            path = os.path.join(folder, shell)
            open(path, "w").write(script)
            if shutil.which(shell):
                command([shell, "-n", path])
        reply = command(["bash", "-c", f"source {folder}/bash; COMP_WORDS=(assay loops --inn); COMP_CWORD=2; _assay; "
                                       "echo ${COMPREPLY[*]}"]).stdout.decode()
        assert reply.split() == ["--innermost"], reply
        own = f"PATH={os.path.dirname(ASSAY)}:$PATH; "
        for words, some in (("report --level ''", ["gain", "potential", "hint", "expert"]), ("loops --color a", ["auto", "always"]),
                            ("cycles --machine sky", ["skylake"]), ("cycles -m neoverse-v", ["neoverse-v1"]),
                            ("cycles --machine = sandy", ["sandy-bridge"]), ("analysis no-o", ["no-ops"]),
                            ("loops --isa ia", ["ia64"])):
            line = f"(assay {words})"
            reply = command(["bash", "-c", own + f"source {folder}/bash; COMP_WORDS={line}; COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); "
                                                 "_assay; echo ${COMPREPLY[*]}"]).stdout.decode()
            assert set(some) <= set(reply.split()), (words, reply)
        for shell in ("zsh", "fish"):
            with open(os.path.join(folder, shell)) as file:
                script = file.read()
            assert "gain potential hint expert" in script and "_assay_names machines" in script and "_assay_names analyses" in script
        page = text("generate", "man")
        assert page.startswith(".TH ASSAY 1") and ".SS assay graph" in page


run()
