"""Databases made by others, or by attackers: reading one writes nothing, never hangs and stays within the memory limit;
output never replaces an input and keeps the permissions of the file that it replaces."""
import atexit, functools, os, pty, re, select, shutil, signal, sqlite3, stat, subprocess, time
from harness import *

OTHER = 12345  # a user who is nobody here


class Made:
    """A program, its database with everything in it, and one of a run's denormals; made once."""

    def __init__(self):
        self.folder = Folder()
        self.path = self.folder.__enter__()
        atexit.register(self.folder.__exit__)
        self.program = build(self.path, [need("gcc")], [os.path.join(PROGRAMS, "loops.c")], "-O2", "-g", "-c", output="loops.o")
        self.database = os.path.join(self.path, "loops.db")
        assay("db", self.program, "--report", "--flow", "-o", self.database, "-q")


@functools.lru_cache(maxsize=None)
def made():
    return Made()


def copy_to(folder, name="x.db"):
    os.chmod(folder, 0o755)
    return shutil.copy(made().database, os.path.join(folder, name))


# Every command that reads a database, with words that make it read much.
READERS = [["loops"], ["functions"], ["calls"], ["blocks"], ["edges"], ["variables"], ["types"], ["lines"], ["sources"],
           ["programs"], ["sections"], ["symbols"], ["problems"], ["asm"], ["report"], ["bounds"], ["cycles"],
           ["graph", "--calls"], ["denormals", "report"], ["show", "instructions"], ["analysis", "instruction-mix"]]


def reading(database):
    for words in READERS:
        yield [*words, database]
    yield ["sql", database, "select count(*) from instructions"]
    yield ["sql", database, "select * from loops"]


def bytes_of(path):
    with open(path, "rb") as file:
        return file.read()


def plant_journal(database):
    """A journal that SQLite would undo: each page of the database becomes bytes of ours.  Made by a write that is never
    committed, so that its sums are right."""
    other = database + ".other"
    shutil.copy(database, other)
    writer = sqlite3.connect(other, isolation_level=None)
    writer.execute("pragma cache_size=1")
    writer.execute("update functions set name = 'planted'")  # what the journal will bring into the victim
    writer.execute("begin")
    writer.execute("update functions set name = 'later'")
    writer.execute("insert into findings (text) with recursive n(n) as (select 1 union all select n + 1 from n where n < 500) "
                   "select hex(zeroblob(2000)) from n")
    shutil.copy(other + "-journal", database + "-journal")
    writer.execute("rollback")
    writer.close()
    os.remove(other)


@test
def reading_a_database_beside_a_planted_journal_changes_no_byte():
    with Folder() as folder:
        database = copy_to(folder)
        plant_journal(database)
        # The journal is a hot one: SQLite itself would take it.
        victim = shutil.copy(database, os.path.join(folder, "victim.db"))
        shutil.copy(database + "-journal", victim + "-journal")
        assert sqlite3.connect(victim).execute("select distinct name from functions").fetchall() == [("planted",)]
        before, journal, names = bytes_of(database), bytes_of(database + "-journal"), sorted(os.listdir(folder))
        for words in reading(database):
            result = assay(*words, status=2)
            assert b"assay recover" in result.stderr and not result.stdout, (words, result)
            assert bytes_of(database) == before and bytes_of(database + "-journal") == journal, words
            assert sorted(os.listdir(folder)) == names, words
        assay("analysis", "instruction-mix", database, "--keep", status=2)
        assert bytes_of(database) == before


@test
def a_write_that_was_cut_short_is_undone_when_asked():
    with Folder() as folder:
        database = copy_to(folder)
        before = connect_read(database).execute("select count(*), sum(address) from functions").fetchone()
        program = ("import os, sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); "
                   "c.execute('pragma cache_size=1'); c.execute('begin'); c.execute('update functions set address = 1'); "
                   "c.execute(\"insert into findings (text) with recursive n(n) as (select 1 union all select n + 1 from n "
                   "where n < 500) select hex(zeroblob(2000)) from n\"); os.kill(os.getpid(), 9)")
        subprocess.run(["python3", "-c", program, database])
        assert os.path.exists(database + "-journal")
        assert b"assay recover" in assay("loops", database, status=2).stderr
        assert b"restored" in assay("recover", database).stderr
        assert not os.path.exists(database + "-journal")
        assert connect_read(database).execute("select count(*), sum(address) from functions").fetchone() == before
        assert connect_read(database).execute("pragma integrity_check").fetchone() == ("ok",)
        assert b"nothing to undo" in assay("recover", database).stderr
        assay("loops", database)


def connect_read(path):
    return sqlite3.connect(f"file:{path}?mode=ro", uri=True)


@test
def a_journal_that_may_be_anybodys_is_not_undone():
    if os.geteuid():
        raise Skip("needs root")
    with Folder() as folder:
        database = copy_to(folder)
        plant_journal(database)
        before = bytes_of(database)

        def refused(*pieces):
            for words in (["recover", database], ["loops", database]):
                said = assay(*words, status=2).stderr.decode()
                assert all(piece in said for piece in ("-journal", *pieces)), said
            assert bytes_of(database) == before and os.path.exists(database + "-journal")

        os.chown(database + "-journal", OTHER, -1)
        refused("owner")
        os.chown(database + "-journal", 0, -1)
        os.chmod(folder, 0o777)
        refused("everybody can write")
        os.chmod(folder, 0o755)
        os.chown(folder, OTHER, -1)
        refused("another user owns the folder")
        os.chown(folder, 0, -1)
        os.link(database + "-journal", os.path.join(folder, "second"))
        refused("hard links")
        os.remove(os.path.join(folder, "second"))
        os.rename(database + "-journal", os.path.join(folder, "journal"))
        os.symlink("journal", database + "-journal")
        assert b"not a regular file" in assay("recover", database, status=2).stderr
        assert bytes_of(database) == before


@test
def nothing_is_left_beside_a_database_with_a_log():
    with Folder() as folder:
        database = copy_to(folder)
        writer = sqlite3.connect(database, isolation_level=None)
        writer.execute("pragma journal_mode=wal")
        writer.close()
        before = bytes_of(database)
        assert os.listdir(folder) == ["x.db"]
        for words in reading(database):
            assay(*words, status=None if words[0] in ("problems", "denormals") else 0)
            assert os.listdir(folder) == ["x.db"] and bytes_of(database) == before, words
        # A change that is in the log alone is not passed over.
        writer = sqlite3.connect(database, isolation_level=None)
        writer.execute("pragma wal_autocheckpoint=0")
        writer.execute("update functions set name = 'changed'")
        names = sorted(os.listdir(folder))
        assert "x.db-wal" in names
        for words in reading(database):
            result = assay(*words, status=2)
            assert b"pragma journal_mode=delete" in result.stderr, (words, result)
            assert sorted(os.listdir(folder)) == names and bytes_of(database) == before, words
        writer.close()
        assert "changed" in text("functions", database)


@test
def a_log_beside_a_database_that_has_none_is_refused():
    with Folder() as folder:
        database = copy_to(folder)
        other = copy_to(folder, "y.db")
        writer = sqlite3.connect(other, isolation_level=None)
        writer.execute("pragma journal_mode=wal")
        writer.execute("update functions set name = 'planted'")
        shutil.copy(other + "-wal", database + "-wal")
        writer.close()
        names, before = sorted(os.listdir(folder)), bytes_of(database)
        for words in reading(database):
            result = assay(*words, status=2)
            assert b"does not belong to it" in result.stderr, (words, result)
            assert sorted(os.listdir(folder)) == names and bytes_of(database) == before, words


def change(folder, *statements, name="x.db"):
    database = copy_to(folder, name)
    writer = sqlite3.connect(database, isolation_level=None)
    for statement in statements:
        writer.execute(statement)
    writer.close()
    return database


ENDLESS = "with recursive n(n) as (select 1 union all select n + 1 from n) select "


@test
def a_view_in_a_tables_place_is_refused():
    with Folder() as folder:
        columns = [row[1] for row in connect_read(made().database).execute("pragma table_xinfo(loops)")]
        endless = ENDLESS + ", ".join(f"n as {column}" for column in columns) + " from n"
        database = change(folder, "alter table loops rename to old", f"create view loops as {endless}")
        for words in reading(database):
            result = assay(*words, status=2)
            assert b"make it again" in result.stderr and not result.stdout, (words, result)
        database = change(folder, "drop view instructions", f"create view instructions as {ENDLESS} n as id, n as name from n",
                          name="y.db")
        assert b"instructions" in assay("loops", database, status=2).stderr
        database = change(folder, "drop table findings", name="z.db")
        assert b"findings" in assay("loops", database, status=2).stderr


@test
def other_columns_constraints_and_tables_of_programs_are_refused():
    with Folder() as folder:
        for number, statement in enumerate((
                "alter table loops add column more integer",
                "alter table functions add column large as (zeroblob(1000000000)) virtual",
                "alter table functions rename column name to title")):
            database = change(folder, statement, name=f"{number}.db")
            assert b"make it again" in assay("functions", database, status=2).stderr, statement
        database = change(folder, "pragma writable_schema=on",
                          "update sqlite_schema set sql = replace(sql, 'id integer primary key', "
                          "'id integer primary key check (id <> zeroblob(1000000000))') where name = 'findings'", name="check.db")
        assert b"findings" in assay("functions", database, status=2).stderr


@test
def numbers_of_functions_are_not_believed():
    """They are places in tables that are made of them."""
    with Folder() as folder:
        path = change(folder, "update functions set id = id + 2147483648")
        said = assay("graph", path, "--calls", status=2).stderr.decode()
        assert "damaged" in said, said


@test
def tables_views_and_indexes_of_the_user_go_on_working():
    with Folder() as folder:
        database = change(folder, "create table mine (a, b)", "insert into mine values (1, 'one')",
                          "create view large as select name from functions where size > 0",
                          "create index functions_by_length on functions (length(name))",
                          "Create /* a comment */ UNIQUE index mine_a on mine (a)",
                          f"create view endless as {ENDLESS} n from n")
        assert rows(database, "select b from mine") == [{"b": "one"}]
        assert rows(database, "select count(*) > 0 as n from large") == [{"n": 1}]
        for words in reading(database):
            assay(*words, status=None if words[0] in ("problems", "denormals") else 0)
        assay("analysis", "instruction-mix", database, "--keep")
        assert rows(database, "select count(*) > 0 as n from findings") == [{"n": 1}]


@test
def triggers_and_virtual_tables_are_refused():
    """Whatever the type says that is written beside the statement: SQLite goes by the statement."""
    trigger = "create trigger t after insert on findings begin delete from functions; end"
    for statements in ([trigger], ["create virtual table t using fts4(a)"], ["create virtual table t using fts5(a)"],
                       ["create virtual table t using fts4(a)", "pragma writable_schema = on",
                        "update sqlite_schema set type = 'index', rootpage = 2 where name = 't'"],
                       ["create table t (a)", "pragma writable_schema = on",
                        "update sqlite_schema set sql = '/**/create\nvirtual table t using fts4(a)', rootpage = 0 where name = 't'"]):
        with Folder() as folder:
            database = change(folder, *statements)
            before = bytes_of(database)
            for words in [*reading(database), ["analysis", "instruction-mix", database, "--keep"]]:
                said = assay(*words, status=2).stderr.decode()
                assert "neither a table nor a view nor an index" in said or "malformed database schema" in said, (statements, words, said)
            assert bytes_of(database) == before, statements


# What Debian's SQLite has beside SQL, and what takes over a program.
OUTSIDE = ["select fts3_tokenizer('simple', x'4141414141414141')", "select fts3_tokenizer('simple')",
           "select * from fts3tokenize where input = 'abc def'", "select load_extension('x')", "select sqlite_log(1, 'x')",
           "select * from sqlite_dbpage", "select * from dbstat", "select rtreecheck('functions')", "select * from fts5vocab('a', 'b')",
           "select name from functions where name match 'x'"]


@test
def sql_reaches_nothing_but_tables():
    with Folder() as folder:
        for name, text in ("rule.check", "rule 'outside':\n  {};\n"), ("script.lua", "return assay.query([[{}]])\n"):
            with open(os.path.join(folder, name), "w") as file:
                file.write(text.format(OUTSIDE[0]))
        for words in ["check", made().program, os.path.join(folder, "rule.check")], ["lua", os.path.join(folder, "script.lua"), made().program]:
            said = assay(*words, status=2).stderr.decode()
            assert "not authorized to use function: fts3_tokenizer" in said, (words, said)
    for file in (made().program, made().database):
        for question in OUTSIDE:
            said = assay("sql", file, question, status=2).stderr.decode()
            assert "not authorized" in said or "no such table" in said or "unable to use function" in said, (question, said)


@test
def functions_that_nobody_listed_are_refused():
    """All that this system's SQLite has: a function is listed, or refused."""
    with open(os.path.join(os.environ["ROOT"], "src", "store", "functions.def")) as file:
        listed = set(re.findall(r'FUNCTION\("([^"]+)"\)', file.read()))
    there = {row["name"]: row["narg"] for row in rows(made().database, "select name, max(narg) as narg from pragma_function_list group by name")}
    refused = set(there) - listed
    assert {"load_extension", "fts3_tokenizer"} <= refused, refused
    for name in refused:
        said = assay("sql", made().database, f'select "{name}"({", ".join(["1"] * max(there[name], 0))})', status=2).stderr.decode()
        assert "not authorized" in said or "wrong number of arguments" in said or "near" in said, (name, said)
    modules = {row["name"] for row in rows(made().database, "select name from pragma_module_list")}
    assert not {name for name in modules if not name.startswith("pragma_")} - {"json_each", "json_tree", "model"}, modules


@test
def memory_of_a_query_has_a_limit():
    big = "select length(hex(zeroblob(40000000))) as n"
    limited = dict(os.environ, ASSAY_SQL_MEMORY="64")
    said = assay("sql", made().database, big, status=2, env=limited).stderr
    assert b"ASSAY_SQL_MEMORY" in said, said
    assert rows(made().database, "select length(hex(zeroblob(1000000))) as n") == [{"n": 2000000}]
    assert text("sql", made().database, "select 1", "--csv", env=dict(os.environ, ASSAY_SQL_MEMORY="0")) == "1\r\n1\r\n"
    for bad in ("much", "-1", "12x"):
        assert b"megabytes" in assay("sql", made().database, "select 1", status=2, env=dict(os.environ, ASSAY_SQL_MEMORY=bad)).stderr


@test
def an_interrupt_stops_what_sqlite_does_in_one_step():
    """It looks between steps only, but runs in a process of its own."""
    process = subprocess.Popen([ASSAY, "sql", made().database, "select instr(hex(zeroblob(10000000)), hex(zeroblob(5000000)) || '1')"],
                               stderr=subprocess.PIPE)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    assert b"interrupted" in process.communicate(timeout=PATIENCE)[1] and process.returncode == 2


@test
def an_interrupt_stops_endless_sql():
    process = subprocess.Popen([ASSAY, "sql", made().database, ENDLESS + "count(*) from n"], stderr=subprocess.PIPE)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    assert b"interrupted" in process.communicate(timeout=60)[1] and process.returncode == 2


@test
def output_that_nobody_takes_ends_a_query():
    script = "select hex(zeroblob(100000)); " + ENDLESS + "count(*) from n"
    with open("/dev/full", "w") as full:
        done = watched([ASSAY, "sql", made().database, script], stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2 and b"No space left" in done.stderr, done
    reader = subprocess.Popen([ASSAY, "sql", made().database, script], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    reader.stdout.read(1000)
    reader.stdout.close()  # as `head` does
    assert reader.wait(timeout=PATIENCE) == -signal.SIGPIPE


@test
def statements_that_take_long_to_plan_are_stopped():
    """SQLite asks nobody while it plans: a join of views of joins."""
    names = ", ".join(f"functions f{i} left join blocks b{i} on b{i}.function = f{i}.id" for i in range(20))
    with Folder() as folder:
        rules = os.path.join(folder, "slow.assay")
        with open(rules, "w") as file:
            for i in range(40):
                file.write(f"rule 'slow {i}':\n  select 1 from {names} where f0.name = 'x' limit 0;\n")
        begun = time.monotonic()
        done = assay("check", made().program, rules, status=None, env=dict(os.environ, ASSAY_SQL_SECONDS="2"))
        assert done.returncode in (0, 2) and time.monotonic() - begun < PATIENCE, done
        assert done.returncode == 0 or b"did not end within" in done.stderr, done.stderr


# What is written.

@test
def no_command_writes_over_what_it_reads():
    with Folder() as folder:
        database, program = copy_to(folder), shutil.copy(made().program, os.path.join(folder, "loops.o"))
        script = os.path.join(folder, "script.sql")
        open(script, "w").write("select 1;")
        same = os.path.join(folder, "same")
        os.symlink("x.db", same)
        second = os.path.join(folder, "second")
        os.link(program, second)
        batch = os.path.join(folder, "batch.csv")
        open(batch, "w").write("90\n")
        commands = [[*words, "-o", target] for words in reading(database) for target in (database, same)
                    if words[0] != "graph"]
        commands += [["report", program, "-o", second], ["asm", program, "-o", program], ["loops", program, "-o", second],
                     ["db", program, "-o", program, "--force"], ["db", program, "-o", second, "--force"],
                     ["sql", database, "-f", script, "-o", script], ["cycles", "--batch", batch, "--machine", "zen4", "-o", batch]]
        kept = {path: bytes_of(path) for path in (database, program, script, batch)}
        for words in commands:
            assert b"name another file" in assay(*words, status=2).stderr, words
            assert all(bytes_of(path) == before for path, before in kept.items()), words
        graph = shutil.copy(program, os.path.join(folder, "loops.dot"))
        assert b"name another file" in assay("graph", graph, "--calls", "-o", graph, status=2).stderr
        # A table that is called as a file is not that file.
        assert assay("show", "loops", database, "-o", os.path.join(folder, "loops")).returncode == 0
        here = os.getcwd()
        os.chdir(folder)
        try:
            assay("show", "loops", "x.db", "-o", "loops")
        finally:
            os.chdir(here)


@test
def a_source_that_is_shown_is_not_written_over():
    with Folder() as folder:
        source = shutil.copy(os.path.join(PROGRAMS, "loops.c"), os.path.join(folder, "loops.c"))
        program = build(folder, [need("gcc")], [source], "-O2", "-g", "-c", output="loops.o")
        before = bytes_of(source)
        assert b"name another file" in assay("asm", program, "-o", source, status=2).stderr
        assert bytes_of(source) == before and sorted(os.listdir(folder)) == ["loops.c", "loops.o"]


def mode_of(path):
    return stat.S_IMODE(os.stat(path).st_mode)


@test
def what_is_replaced_keeps_its_permissions():
    old = os.umask(0o022)
    try:
        with Folder() as folder:
            listing, database = os.path.join(folder, "listing"), os.path.join(folder, "p.db")
            write = [["loops", made().program, "-o", listing], ["db", made().program, "-q", "-o", database]]
            for words, path in zip(write, (listing, database)):
                assay(*words)
                assert mode_of(path) == 0o644, path
                for mode in (0o600, 0o640, 0o444, 0o400, 0o666):
                    os.chmod(path, mode)
                    assay(*words)
                    assert mode_of(path) == mode, (path, oct(mode), oct(mode_of(path)))
                os.umask(0o077)
                os.remove(path)
                assay(*words)
                assert mode_of(path) == 0o600, path
                os.umask(0o022)
    finally:
        os.umask(old)


@test
def a_link_stays_and_its_file_is_replaced():
    with Folder() as folder:
        os.mkdir(os.path.join(folder, "there"))
        link, target = os.path.join(folder, "link"), os.path.join(folder, "there", "target")
        os.symlink("there/target", link)
        for before in (None, "old"):
            if before:
                open(target, "w").write(before)
                os.chmod(target, 0o600)
            assay("loops", made().program, "-o", link)
            assert os.path.islink(link) and "function" in open(target).read() and sorted(os.listdir(folder)) == ["link", "there"]
        assert mode_of(target) == 0o600
        os.remove(target)
        assay("db", made().program, "-q", "-o", link)
        assert os.path.islink(link) and text("loops", link)


@test
def a_link_of_another_user_in_a_public_folder_is_not_followed():
    if os.geteuid():
        raise Skip("needs root")
    with Folder() as folder:
        public, secret = os.path.join(folder, "public"), os.path.join(folder, "secret")
        open(secret, "w").write("secret")
        os.mkdir(public)
        os.chmod(public, 0o1777)
        os.symlink(secret, os.path.join(public, "out"))
        os.chown(os.path.join(public, "out"), OTHER, OTHER, follow_symlinks=False)
        assay("loops", made().program, "-o", os.path.join(public, "out"), status=2)
        assert open(secret).read() == "secret"


@test
def output_may_be_standard_output_by_name():
    with Folder() as folder:
        path = os.path.join(folder, "log")
        with open(path, "w") as file:
            file.write("first\n")
            file.flush()
            subprocess.run([ASSAY, "loops", made().program, "-o", "/dev/stdout"], stdout=file, check=True)
        said = open(path).read()
        assert said.startswith("first\n") and "function" in said


@test
def output_that_cannot_be_written_is_an_error_of_every_command():
    commands = [["help"], ["help", "loops"], ["help", "metrics"], ["version"], ["--version"], ["--help"], ["machines"],
                ["machines", "show", "zen4"], ["analyses"], ["report", made().program], ["loops", made().program, "--json"],
                ["report", made().program, "--html"], ["asm", made().program], ["graph", made().program, "--calls"],
                ["sql", made().program, "select 1"], ["cycles", "--hex", "90", "--machine", "zen4"]]
    commands += [["generate", what] for what in ("man", "bash", "zsh", "fish", "tables", "advice", "metrics")]
    for words in commands:
        with open("/dev/full", "w") as full:
            result = watched([ASSAY, *words], stdout=full)
        assert result.returncode == 2 and b"No space left" in result.stderr, (words, result)
        closed = ["bash", "-c", 'exec "$@" >&-', "bash", ASSAY, *words]
        result = watched(closed)
        assert result.returncode == 2 and result.stderr, (words, result)


# What reaches a terminal.

def on_terminal(*words):
    """What a command writes to a terminal that is its input, output and error output."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ["TERM"] = "xterm"
        os.execv(ASSAY, [ASSAY, *map(str, words)])
    return finish(child, terminal)


def finish(child, terminal, limit=60):
    """What the child writes until it ends; one that does not end is killed."""
    written, until = b"", time.monotonic() + limit
    while time.monotonic() < until:
        try:
            piece = os.read(terminal, 65536) if select.select([terminal], [], [], 1)[0] else None
        except OSError:
            break
        if piece == b"":
            break
        written += piece or b""
    else:
        os.kill(child, signal.SIGKILL)
    os.close(terminal)
    os.waitpid(child, 0)
    assert time.monotonic() < until, ("does not end", written[-500:])
    return written


# Colours of show/report/common/style.c, and what progress uses to clear its line.
OWN = re.compile(rb"\x1b\[(?:0|1|2|32|1;33|36|34)m|\r\x1b\[K")
EVIL = "\x1b]0;title\x07\x1b[31mred\x1b[2J\x9b5m\x7f\u202e\x1b[36mcyan"


def harmless(written):
    assert b"\x1b[36mcyan" not in written, written  # a colour of ours that is not ours
    rest = OWN.sub(b"", written)
    rest = re.sub(rb"\r+\n", b"\n", rest)
    found = re.search(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80\xae", rest)
    assert not found, rest[max(0, found.start() - 80):found.end() + 40]


@test
def nothing_of_a_file_drives_a_terminal():
    with Folder() as folder:
        database = copy_to(folder)
        writer = sqlite3.connect(database, isolation_level=None)
        for table, column in [(t, c[1]) for t in ("functions", "files", "symbols", "variables", "types", "sections", "programs",
                                                  "units", "problems", "encodings", "loop_metrics", "advice")
                              for c in writer.execute(f"pragma table_info({t})").fetchall() if c[2].lower() == "text"]:
            if (table, column) in (("encodings", "form"), ("units", "language")):
                continue
            words = {r[0] for r in writer.execute(f"select distinct {column} from {table}")}
            if len(words) < 40 and table == "programs" and column in ("isa", "format"):
                continue
            writer.execute(f"update {table} set {column} = {column} || ?", (EVIL,))
        writer.close()
        for words in reading(database):
            for form in ([], ["--csv"], ["--json"]):
                if form and words[0] == "graph":
                    continue
                harmless(on_terminal(*words, *form))
        assert b"\\x1b[31mred" in on_terminal("functions", database, "--csv")
        assert b"\x1b[31mred" in assay("functions", database, "--csv").stdout  # a pipe gets the bytes themselves
        named = shutil.copy(made().program, os.path.join(folder, "name" + EVIL))
        for words in (["loops", named], ["db", named, "-o", database + EVIL], ["loops", named + "x"], ["sql", named, "select '" + EVIL + "'"],
                      ["sql", named, "select 1 from " + EVIL], ["help", EVIL], [EVIL], ["--" + EVIL], ["report", named, "--html"],
                      ["show", EVIL, named], ["analysis", EVIL, named], ["machines", "show", EVIL], ["loops", named, "-F", EVIL]):
            harmless(on_terminal(*words))
        for words in (["loops", named + "x"], ["db", named + "x"]):  # messages always
            harmless(assay(*words, status=2).stderr)
        harmless(assay("db", named, "-o", database + EVIL).stdout)


@test
def a_listing_and_the_assemblers_messages_do_not_drive_a_terminal():
    with Folder() as folder:
        good, bad = os.path.join(folder, "good.s"), os.path.join(folder, "bad" + EVIL + ".s")
        open(good, "w").write("\t.text\n\t.globl f\n\t.type f, %function\nf:\tnop # " + EVIL + "\n\t.size f, .-f\n")
        open(bad, "w").write("\t.text\nf:\tnonsense " + EVIL + "\n\t.error \"" + "\x1b[31m" + "\"\n")
        isa = {"x86_64": "x86-64", "aarch64": "aarch64"}[MACHINE]
        for words in (["asm", good], ["asm", good, "--csv"], ["loops", bad, "--isa", isa], ["db", bad, "--isa", isa, "-o", os.path.join(folder, "b.db")]):
            harmless(on_terminal(*words))
        harmless(assay("loops", bad, "--isa", isa, status=None).stderr)


def on_shell(folder, database, lines):
    """What `assay sql` writes to a terminal where these lines are typed."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm", HOME=folder)
        os.execv(ASSAY, [ASSAY, "sql", database])
    os.write(terminal, lines)
    return finish(child, terminal)


@test
def the_shell_on_a_terminal_shows_escapes():
    with Folder() as folder:
        database = change(folder, "create table mine as select char(27) || '[31mred' as a")
        written = on_shell(folder, database, b"select a from mine;\n.quit\n")
        assert b"\\x1b[31mred" in written and b"\x1b[31mred" not in written, written


@test
def the_shell_starts_though_views_of_views_are_large():
    with Folder() as folder:
        views = ["create view v0 as select 1 as a"] + [f"create view v{i} as select x.a from v{i - 1} x, v{i - 1} y" for i in range(1, 100)]
        database = change(folder, *views)
        written = on_shell(folder, database, b".tables\n.quit\n")
        assert b"v99" in written and b"functions" in written, written


# SQL that only reads, and says what was meant.

@test
def sql_writes_no_file_and_says_so():
    with Folder() as folder:
        database = copy_to(folder)
        before = bytes_of(database)
        for query in ("vacuum", f"vacuum into '{folder}/copy.db'", f"attach '{folder}/other.db' as o", "pragma journal_mode=wal",
                      "create temp table t (a)", "insert into findings (text) values ('x')", "begin", "analyze", "reindex",
                      "pragma user_version=7", "drop table loops", "detach main"):
            for file in (database, made().program):
                result = assay("sql", file, query, status=2)
                assert b"not allowed" in result.stderr or b"SQL" in result.stderr, (query, result)
        assert os.listdir(folder) == ["x.db"] and bytes_of(database) == before


@test
def sql_suggests_tables_and_columns():
    for file in (made().database, made().program):
        for query, hint in (("select 1 from lops", "did you mean loops?"), ("select functon from loops", "did you mean function?"),
                            ("select l.dept from loops l", "did you mean depth?"), ("select nmae from instructions", "did you mean name?"),
                            ("select 1 from loops join functons f on 1", "did you mean functions?")):
            assert hint in assay("sql", file, query, status=2).stderr.decode(), query
        assert b"did you mean" not in assay("sql", file, "select completely_different from loops", status=2).stderr


@test
def options_that_would_do_nothing_are_refused():
    program, database = made().program, made().database
    for words in (["graph", program, "--calls", "--json"], ["graph", program, "--calls", "--csv"], ["help", "--json"], ["help", "--csv"],
                  ["recover", database, "--json"], ["graph", program, "-F", "one_loop", "--depth", "2"],
                  ["graph", program, "--calls", "--short"], ["asm", program, "--raw", "--json"], ["asm", program, "--raw", "--no-source"],
                  ["asm", program, "--json", "--no-bytes"], ["sql", program, "select 1 as n", "--bars", "n", "--json"],
                  ["sql", database, "select 1", "--machine", "zen4"], ["show", "loops", database, "--machine", "zen4"],
                  ["loops", database, "--isa", "ia64"], ["report", database, "--no-debug"], ["loops", database, "--debug-dir", "/"],
                  ["bounds", program, "--single-bundles"], ["denormals", "report", database, "--top", "3", "--json"],
                  ["db", program, "--machine", "zen4", "-o", "/nowhere/x.db"]):
        result = assay(*words, status=2)
        assert b"--" in result.stderr and not result.stdout, (words, result)


run()
