"""tools/queries-to-c: what is wrong with a query ends the build, with its file and line; what is right becomes C."""
# first build only: it is a tool of the build
import os
from harness import *

MODEL = [os.path.join(ROOT, "src", "model", name) for name in ("tables.def", "enums.def", "views.sql")]
LEDGER = [os.path.join(ROOT, "src", "ledger", "tables.def")]


def made(sql, schema, status=0):
    """The C of these queries; or what the tool says, without the folder."""
    with Folder() as folder:
        path, output = os.path.join(folder, "queries.sql"), os.path.join(folder, "queries.c")
        with open(path, "w") as file:
            file.write(sql)
        done = command([os.path.join(ROOT, "tools", "queries-to-c"), "these_queries", path, *schema, output], status=status)
        if status:
            assert not os.path.exists(output)
            return done.stderr.decode().replace(folder + os.sep, "")
        with open(output) as file:
            return file.read()


@test
def columns_and_tables_are_there():
    assert '"select id\\n"' in made("--- loops\nselect id\nfrom loops\n", MODEL)
    assert made("--- good\nselect id\nfrom loops\n\n--- bad\nselect nonsense\nfrom loops\n", MODEL, 1).startswith("queries.sql:5: bad: no such column")
    assert made("--- bad\nselect 1 from attempts\n", MODEL, 1).startswith("queries.sql:1: bad: no such table")
    made("--- good\nselect 1 from attempts\n", LEDGER)


@test
def writes_are_checked():
    made("--- add\ninsert into users (name, share) values (?, ?) on conflict (name) do update set share = excluded.share\n", LEDGER)
    made("--- add\ninsert into hosts (engine, name) values (?, ?) on conflict (engine, name) do nothing\n", LEDGER)
    said = made("--- add\ninsert into users (name, share) values (?, ?) on conflict (share) do nothing\n", LEDGER, 1)
    assert "queries.sql:1: add: ON CONFLICT" in said, said
    assert "3 values" in made("--- add\ninsert into users (name, share) values (?, ?, ?)\n", LEDGER, 1)


@test
def functions_are_named():
    assert "no such function: place" in made("--- places\nselect place(1, 2, 3)\n", MODEL, 1)
    made("-- functions: place\n\n--- places\nselect place(1, 2, 3)\n", MODEL)


@test
def a_query_within_another():
    text = made("--- inner\nselect id\nfrom loops\n\n--- outer\nselect max(id)\nfrom ({inner})\n", MODEL)
    assert '"from (select id\\n"' in text and '"from loops)"' in text, text
    assert made("--- outer\nselect * from ({inner})\n\n--- inner\nselect 1\n", MODEL, 1).startswith("queries.sql:1: there is no query inner above")
    assert "queries.sql:4: there is a query one already" in made("--- one\nselect 1\n\n--- one\nselect 2\n", MODEL, 1)


run()
