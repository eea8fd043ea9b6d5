"""Reads src/model/enums.def and tables.def, whose heads say how they are written: for tools/model-tables, which makes C of
them, and for whoever else needs to know the tables.  What is wrong is collected with its file and line, and raised at once."""
import re
from dataclasses import dataclass, field

COMMENT = re.compile(r"/\*.*?\*/", re.S)
ROW = re.compile(r"([A-Z_]+)\((.*)\)")
ARGUMENT = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[^",]+?)\s*(?:,|$)')
INTEGER_BYTES = {f"{sign}int{bits}_t": bits // 8 for sign in ("", "u") for bits in (8, 16, 32, 64)}

# What stands between the parentheses of each kind of row.
ENUMERATION_ROWS = {
    "ENUMERATION": ("name", "doc"),
    "VALUE": ("name", "symbol", "word", "doc"),
    "END_ENUMERATION": ("name",),
}
COLUMN_ROWS = {
    "REF": ("name", "table", "doc"),
    "TEXT": ("name", "doc"),
    "NUMBER": ("name", "integer", "doc"),
    "OPTIONAL": ("name", "integer", "doc"),
    "MAYBE": ("name", "doc"),
    "REAL": ("name", "doc"),
    "SHARE": ("name", "doc"),
    "ADDRESS": ("name", "doc"),
    "FLAG": ("name", "doc"),
    "ENUM": ("name", "enumeration", "doc"),
    "CODED": ("name", "enumeration", "doc"),
    "BYTES": ("name", "doc"),
    "BYTES_BY": ("name", "function", "doc"),
    "MEMORY": ("name", "type", "doc"),
    "VIRTUAL": ("name", "sql", "doc"),
    "QUOTIENT": ("name", "over", "under", "doc"),
}
COMPUTED = ("VIRTUAL", "QUOTIENT")
MARKS = ("SORTED", "INDEX", "SEARCHED")
TABLE_ROWS = {
    "TABLE": ("name", "record", "doc"),
    "LINK": ("name", "record", "key", "doc"),
    "GROUP": ("title",),
    **COLUMN_ROWS,
    **{mark: ("name",) for mark in MARKS},
    "END_TABLE": ("name",),
}
QUOTED = ("doc", "absent", "word", "key", "sql", "title")


class Wrong(Exception):
    pass


@dataclass
class Value:
    symbol: str
    word: str
    doc: str


@dataclass
class Enumeration:
    name: str
    doc: str
    values: list = field(default_factory=list)


@dataclass
class Column:
    kind: str  # REF, TEXT, …
    name: str
    doc: str
    absent: str = None  # when it is NULL
    group: str = None  # that it is the first of
    table: str = None
    enumeration: str = None
    integer: str = None
    type: str = None
    sql: str = None
    over: str = None
    under: str = None
    function: str = None
    marks: set = field(default_factory=set)

    def sql_names(self):
        if self.kind == "CODED":
            return [f"{self.name}_code", self.name]
        return [] if self.kind == "MEMORY" else [self.name]

    def is_in_record(self):
        return self.kind not in COMPUTED and self.kind != "BYTES_BY"


@dataclass
class Table:
    name: str
    record: str
    doc: str
    key: str = None  # of a LINK
    columns: list = field(default_factory=list)

    def column_of_sql(self, name):
        return next((column for column in self.columns if name in column.sql_names()), None)


def check_kind(what, text):
    if what in QUOTED:
        what = "what NULL means" if what == "absent" else f"the {what}"
        if not text.startswith('"'):
            raise Wrong(f"{what} must stand in quotes: {text}")
        if "\\" in text:
            raise Wrong(f"{what} must do without backslashes: {text}")
        return text[1:-1]
    if what == "integer" and text not in INTEGER_BYTES:
        raise Wrong(f"{text} is not one of {', '.join(INTEGER_BYTES)}")
    if what != "type" and not re.fullmatch(r"[A-Za-z_]\w*", text):
        raise Wrong(f"{text} is not a name")
    return text


def arguments_of(kind, text, shape):
    found, at = [], 0
    while at < len(text):
        argument = ARGUMENT.match(text, at)
        if not argument:
            raise Wrong(f"cannot read from here on: {text[at:]}")
        found.append(argument[1])
        at = argument.end()
    if kind in COLUMN_ROWS and len(found) == len(shape) + 1:
        shape = (*shape, "absent")
    if len(found) != len(shape):
        raise Wrong(f"wanted ({', '.join(shape)}), found {len(found)} of them")
    return {what: check_kind(what, argument) for what, argument in zip(shape, found)}


class Reader:
    """Takes the rows of a file one after the other; take() of those who inherit gets the kind and its arguments."""

    def __init__(self, path, shapes):
        self.path, self.shapes, self.line, self.wrong = path, shapes, 0, []

    def complain(self, line, message):
        self.wrong.append(f"{self.path}:{line}: {message}")

    def read(self):
        with open(self.path, encoding="utf-8") as file:
            text = COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), file.read())
        for self.line, line in enumerate(text.splitlines(), 1):
            if not line.strip():
                continue
            try:
                row = ROW.fullmatch(line.strip())
                if not row or row[1] not in self.shapes:
                    raise Wrong(f"this is not a row of {', '.join(self.shapes)}: {line.strip()}")
                self.take(row[1], arguments_of(row[1], row[2], self.shapes[row[1]]))
            except Wrong as error:
                self.complain(self.line, error)
        self.finish()
        if self.wrong:
            raise Wrong("\n".join(self.wrong))


class Enumerations(Reader):
    def __init__(self, path):
        super().__init__(path, ENUMERATION_ROWS)
        self.all, self.open = {}, None
        self.read()

    def take(self, kind, row):
        if kind == "ENUMERATION":
            self.finish()
            if row["name"] in self.all:
                raise Wrong(f"there is an enumeration {row['name']} already")
            self.open = self.all[row["name"]] = Enumeration(row["name"], row["doc"])
        elif not self.open or row["name"] != self.open.name:
            raise Wrong(f"this is in enumeration {self.open.name if self.open else 'none'}, not in {row['name']}")
        elif kind == "VALUE":
            value = Value(row["symbol"], row["word"], row["doc"])
            for other in self.open.values:
                if value.symbol == other.symbol or value.word == other.word:
                    raise Wrong(f"{self.open.name} has {other.symbol}, \"{other.word}\" already")
            self.open.values.append(value)
        else:
            if not self.open.values:
                raise Wrong(f"{self.open.name} has no values")
            self.open = None

    def finish(self):
        if self.open:
            self.complain(self.line, f"END_ENUMERATION({self.open.name}) is missing before this")
            self.open = None


class Tables(Reader):
    def __init__(self, path, enumerations):
        super().__init__(path, TABLE_ROWS)
        self.enumerations, self.all, self.open, self.group = enumerations, {}, None, None
        self.references, self.records = [], {}
        self.read()

    def take(self, kind, row):
        name = row.get("name")
        if kind in ("TABLE", "LINK"):
            self.check_end()
            if name in self.all:
                raise Wrong(f"there is a table {name} already")
            if row["record"] in self.records:
                raise Wrong(f"{self.records[row['record']]} has records called {row['record']} already")
            self.records[row["record"]] = name
            self.open = self.all[name] = Table(**row)
            self.opened = self.line
        elif not self.open:
            raise Wrong("this is in no table")
        elif kind == "END_TABLE":
            if name != self.open.name:
                raise Wrong(f"this ends {name}, but the table is {self.open.name}")
            self.end_table()
        elif kind == "GROUP":
            self.group = row["title"]
        elif kind in MARKS:
            column = self.open.column_of_sql(name)
            if not column:
                raise Wrong(f"{self.open.name} has no column {name}")
            if column.kind in ("CODED", *COMPUTED) and column.name == name:
                raise Wrong(f"{name} is computed, and cannot be {kind}")
            column.marks.add(kind)
        else:
            self.add_column(Column(kind, group=self.group, **row))
            self.group = None

    def add_column(self, column):
        if column.enumeration and column.enumeration not in self.enumerations:
            raise Wrong(f"there is no enumeration {column.enumeration}")
        if column.absent is not None and column.kind in ("NUMBER", "FLAG", "CODED"):
            raise Wrong(f"{column.name} is never NULL")
        for other in self.open.columns:
            both = set(column.sql_names()) & set(other.sql_names())
            if both or (column.is_in_record() and other.is_in_record() and column.name == other.name):
                raise Wrong(f"{self.open.name} has a column {column.name} already")
        if column.name == "id":
            raise Wrong("a column must not be called id, which names the row")
        for part in (column.over, column.under) if column.kind == "QUOTIENT" else ():
            if not any(other.name == part and other.is_in_record() for other in self.open.columns):
                raise Wrong(f"{self.open.name} has no stored column {part} before this")
        if column.table:
            self.references.append((self.line, column.table))
        self.open.columns.append(column)

    def end_table(self):
        table, self.open = self.open, None
        if not table.columns:
            raise Wrong(f"{table.name} has no columns")
        if self.group is not None:
            title, self.group = self.group, None
            raise Wrong(f'no column follows the group "{title}"')
        for name in table.key.split(", ") if table.key is not None else []:
            if not table.column_of_sql(name):
                self.complain(self.opened, f"the key names {name}, which is not a column of {table.name}")

    def check_end(self):
        if self.open:
            self.complain(self.line, f"END_TABLE({self.open.name}) is missing before this")
            self.open = None

    def finish(self):
        self.check_end()
        for line, table in self.references:
            if table not in self.all:
                self.complain(line, f"there is no table {table}")
            elif self.all[table].key is not None:
                self.complain(line, f"rows of {table} have no id to refer to")


def read_enumerations(path):
    """{name: Enumeration}, in the order of the file."""
    return Enumerations(path).all


def read_tables(path, enumerations):
    """{name: Table}, in the order of the file."""
    return Tables(path, enumerations).all
