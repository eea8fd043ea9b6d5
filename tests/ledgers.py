"""Ledgers for tests of views: rows by hand, at times of choice, in tables made of src/ledger/tables.def."""
import os, re, sqlite3

APPLICATION, VERSION = 0x4173736C, 1
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def schema():
    statements, columns = [], []
    with open(os.path.join(ROOT, "src", "ledger", "tables.def")) as file:
        for line in file:
            if found := re.match(r"TABLE\((\w+),", line):
                name, columns = found.group(1), ["id INTEGER PRIMARY KEY"]
            elif found := re.match(r'COLUMN\((\w+), (\w+), "(.*?)",', line):
                columns.append('"{}" {} {}'.format(*found.groups()))
            elif re.match(r"END_TABLE", line):
                statements.append(f"CREATE TABLE {name} ({', '.join(columns)});")
    return "\n".join(statements)


class Ledger:
    """ledger.add("tasks", workflow=1, name="a") returns the id of the new row; columns that need a value and have none get 0 or x."""

    def __init__(self, path):
        self.path, self.needed = path, {}
        self.connection = sqlite3.connect(path)
        self.connection.executescript(f"pragma application_id = {APPLICATION}; pragma user_version = {VERSION};" + schema())

    def add(self, table, **values):
        if table not in self.needed:
            rows = self.connection.execute(f"pragma table_info({table})").fetchall()
            self.needed[table] = {name: "x" if kind == "TEXT" else 0
                                  for _, name, kind, is_needed, fallback, is_key in rows if is_needed and fallback is None and not is_key}
        values = {**self.needed[table], **values}
        names = ", ".join(f'"{name}"' for name in values)
        return self.connection.execute(f"insert into {table} ({names}) values ({', '.join('?' * len(values))})",
                                       list(values.values())).lastrowid

    def task(self, workflow, name, state="waiting", **values):
        return self.add("tasks", workflow=workflow, name=name, state=state, **{"estimate_from": "declared", "least": 1, "most": 1, **values})

    def attempt(self, task, host, started, ended=None, state="done", first=None, processors=1, engine="local", **values):
        self.attempts = getattr(self, "attempts", 0) + 1
        attempt = self.add("attempts", task=task, tag=f"tag-{self.attempts}", engine=engine, processors=processors, state=state,
                           asked=started, started=started, ended=ended, **values)
        self.add("attempt_hosts", attempt=attempt, host=host, processors=processors, first=first)
        return f"tag-{self.attempts}"

    def plan(self, task, host, begins, ends, first=None, processors=1, packed=0):
        self.places = getattr(self, "places", 0) + 1
        return self.add("plan", task=task, place=self.places, host=host, processors=processors, first=first, begins=begins, ends=ends,
                        packed=packed)

    def done(self):
        self.connection.commit()
        self.connection.close()
        return self.path
