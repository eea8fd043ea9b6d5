"""Databases for fuzz/mutate: those that `assay db` and `assay denormals` write, damaged in two ways.

As a file: pages, b-tree headers, cells, records, overflow chains, the list of free pages, the header of the file, the text
of the schema, pieces cut off, repeated or moved.  As tables, through SQLite: cells with numbers that are huge, negative or
name no row, values of another type, text with escapes, rows that are gone, doubled or refer to themselves, and views in
place of tables.  The second kind is a sound file, so it gets past SQLite and to whoever believes rows."""
import os, pathlib, shutil, sqlite3, struct, subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
struct pair { struct pair *next; double value[3]; };
static double grid[64][64], other[64];
static inline double weigh(const struct pair *p, int n) { double s = 0; for (int i = 0; i < n; i++) s += p->value[i % 3]; return s; }
__attribute__((noinline)) static void relax(int n) {
    for (int i = 1; i < n; i++) for (int j = 1; j < n; j++) grid[i][j] = 0.25 * (grid[i - 1][j] + grid[i][j - 1]) * other[j]; }
__attribute__((noinline)) static int choose(int kind) {
    switch (kind) { case 0: return 4; case 1: return 8; case 2: return 15; case 3: return 16; case 4: return 23; case 5: return 42; }
    return kind; }
int main(int count, char **words) {
    struct pair p = {&p, {1, 2, 3}};
    for (int i = 0; i < 64; i++) { other[i] = 1e-160; grid[0][i] = grid[i][0] = 1e-160; }
    relax(64);
    printf("%g %d\n", weigh(&p, count + 5) + grid[3][3], choose(atoi(words[0] + 2)));
    return 0; }
"""

COMMANDS = [
    ["report", "FILE"], ["report", "FILE", "--level", "expert"], ["report", "FILE", "--json"], ["report", "FILE", "--csv"],
    ["report", "FILE", "--html"], ["bounds", "FILE"], ["bounds", "FILE", "--json"], ["cycles", "FILE"], ["cycles", "FILE", "--csv"],
    ["cycles", "FILE", "--loop", "1"], ["loops", "FILE"], ["loops", "FILE", "--json"], ["functions", "FILE"], ["calls", "FILE"],
    ["blocks", "FILE"], ["edges", "FILE"], ["variables", "FILE"], ["types", "FILE"], ["lines", "FILE"], ["sources", "FILE"],
    ["programs", "FILE"], ["sections", "FILE"], ["symbols", "FILE"], ["problems", "FILE"], ["asm", "FILE"], ["asm", "FILE", "--json"],
    ["asm", "FILE", "--loop", "1"], ["asm", "FILE", "--function", "main"], ["asm", "FILE", "--section", ".text", "--raw"],
    ["graph", "FILE", "--calls"], ["graph", "FILE", "--function", "main"], ["graph", "FILE", "--function", "main", "--dominators"],
    ["graph", "FILE", "--function", "main", "-o", "FOLDER/main.svg"], ["denormals", "report", "FILE"], ["denormals", "report", "FILE", "--json"],
    ["denormals", "report", "FILE", "--csv"], ["denormals", "report", "FILE", "--top", "50"],
    ["denormals", "report", "FILE", "--html", "--maps", "FOLDER/maps"], ["sql", "FILE", "select * from instructions"],
    ["sql", "FILE", "pragma integrity_check"], ["sql", "FILE", "select name, count(*) from instructions group by 1 order by 2", "--csv"],
    ["show", "loop_metrics", "FILE"], ["show", "advice", "FILE", "--json"], ["show", "listing_instructions", "FILE"],
    ["analysis", "instruction-mix", "FILE"], ["analysis", "spill-fill", "FILE"], ["analysis", "block-sizes", "FILE", "--keep"],
    ["analysis", "waiting-loops", "FILE"], ["recover", "FILE"],
]


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, stdin=subprocess.DEVNULL).returncode == 0


def seeds(folder, assay):
    folder = pathlib.Path(folder)
    source, program = folder / "program.c", folder / "program"
    source.write_text(PROGRAM)
    if not run("cc", "-O2", "-g", source, "-o", program):
        raise SystemExit("the seeds need a C compiler, cc")
    run("cc", "-O2", "-g", "-c", source, "-o", folder / "program.o")
    made = [folder / name for name in ("plain.db", "report.db", "cycles.db", "trace.db", "listing.db", "ia64.db", "large.db")]
    run(assay, "db", folder / "program.o", "-o", made[0])
    run(assay, "db", program, "--report", "--flow", "-o", made[1])
    run(assay, "analysis", "instruction-mix", made[1], "--keep")
    run(assay, "db", folder / "program.o", "--cycles", "-o", made[2])
    run(assay, "denormals", "trace", "-o", made[3], "--", program)
    if run("cc", "-O2", "-g", "-S", source, "-o", folder / "program.s"):
        run(assay, "db", folder / "program.s", "--report", "-o", made[4])
    listings = sorted((ROOT / "tests/listings").glob("kernels-O2.s"))
    run(assay, "db", *listings, "--report", "-o", made[5])
    shutil.copy(made[1], made[6])
    writer = sqlite3.connect(made[6], isolation_level=None)  # overflow pages, several levels, free pages
    writer.execute("insert into findings (text) with recursive n(n) as (select 1 union all select n + 1 from n where n < 600) "
                   "select hex(zeroblob(n % 700 * (n % 7))) from n")
    writer.execute("delete from findings where id % 3 = 0")
    writer.close()
    return [str(path) for path in made if path.exists()]


# ---- as a file ----

def page_size(data):
    size = struct.unpack_from(">H", data, 16)[0] if len(data) > 17 else 0
    return 65536 if size == 1 else size if size >= 512 else 4096


def any_byte(random):
    return random.choice((0, 1, 2, 5, 10, 13, 0x7f, 0x80, 0xff, random.randrange(256)))


def any_word(random):
    return random.choice((0, 1, 8, 100, 0x7fff, 0x8000, 0xffff, random.randrange(65536)))


def put(data, at, piece):
    if 0 <= at and at + len(piece) <= len(data):
        data[at:at + len(piece)] = piece


def tree_page(random, data):
    """The start of the header of a page that is a b-tree's, the start of the page, and its size."""
    size = page_size(data)
    count = max(1, len(data) // size)
    for _ in range(50):
        page = random.randrange(count)
        at = page * size + (100 if page == 0 else 0)
        if at < len(data) and data[at] in (2, 5, 10, 13):
            return at, page * size, size
    return 100, 0, size


def damage_tree_header(random, data):
    at, _, _ = tree_page(random, data)
    field = random.choice(((0, 1), (1, 2), (3, 2), (5, 2), (7, 1), (8, 4)))
    value = bytes(any_byte(random) for _ in range(field[1])) if random.random() < 0.5 else any_word(random).to_bytes(4, "big")[-field[1]:]
    put(data, at + field[0], value)


def cells(data, at):
    if at + 8 > len(data):
        return []
    count = min(struct.unpack_from(">H", data, at + 3)[0], 2000)
    first = at + (12 if data[at] in (2, 5) else 8)
    return [(first + 2 * i) for i in range(count) if first + 2 * i + 2 <= len(data)]


def damage_cell_pointer(random, data):
    at, _, size = tree_page(random, data)
    pointers = cells(data, at)
    if pointers:
        one, two = random.choice(pointers), random.choice(pointers)
        put(data, one, random.choice((any_word(random).to_bytes(2, "big"), bytes(data[two:two + 2]), (size - 1).to_bytes(4, "big")[-2:])))


def damage_cell(random, data):
    """Length, rowid, header and types of a record."""
    at, start, _ = tree_page(random, data)
    pointers = cells(data, at)
    if not pointers:
        return
    cell = start + struct.unpack_from(">H", data, random.choice(pointers))[0]
    for _ in range(random.randrange(1, 4)):
        where = cell + random.randrange(random.choice((4, 12, 40)))
        put(data, where, random.choice((bytes([any_byte(random)]), b"\xff" * 9, b"\x81\x00", bytes([random.randrange(12, 128)]))))


def damage_overflow(random, data):
    """Pages that are no b-tree's: overflow pages and free ones begin with the number of the next."""
    size = page_size(data)
    count = len(data) // size
    others = [p * size for p in range(1, count) if data[p * size] not in (2, 5, 10, 13)]
    if others:
        put(data, random.choice(others), random.choice((0, 1, 2, count, count + 1, 0xffffffff, random.randrange(1, count + 1))).to_bytes(4, "big"))


def damage_file_header(random, data):
    field, values = random.choice((
        (16, (0, 1, 511, 512, 1000, 1024, 4096, 32768, 65535)), (18, (0x0101, 0x0202, 0x0102, 0x0301, 0)), (20, (0, 1, 32, 128, 255)),
        (21, (64, 0, 255)), (24, (0, 2, 0xffffffff)), (28, (0, 1, 5, 0xffffffff, 0x7fffffff)), (32, (0, 1, 3, 0xffffffff)),
        (36, (0, 1, 0xffff, 0xffffffff)), (40, (0, 7)), (44, (0, 1, 2, 3, 4, 5)), (48, (0, 0xffffffff)), (52, (0, 3, 99)), (56, (0, 1, 2, 3, 4)),
        (60, (0, 4, 5, 6)), (64, (0, 1)), (68, (0,)), (92, (0, 1, 9)), (96, (0, 1))))
    width = 1 if field in (20, 21) else 2 if field in (16, 18) else 4
    put(data, field, random.choice(values).to_bytes(width, "big"))


def damage_schema(random, data):
    places = []
    at = data.find(b"CREATE ")
    while at >= 0 and len(places) < 400:
        places.append(at)
        at = data.find(b"CREATE ", at + 1)
    if places:
        at = random.choice(places) + random.randrange(200)
        put(data, at, random.choice((b" ", b"(", b"'", b")", b",", b"--", b"/*", b"VIEW", b"VIRTUAL", b"\0", b"\xff\xff", b" as (1/0) ", b"check(0)")))


def damage_bytes(random, data):
    for _ in range(random.randrange(1, 30)):
        put(data, random.randrange(len(data)), bytes([any_byte(random)]))


def cut(random, data):
    size = page_size(data)
    del data[random.choice((random.randrange(len(data)), random.randrange(max(1, len(data) // size)) * size, random.randrange(200))):]


def splice(random, data):
    size = page_size(data)
    count = max(1, len(data) // size)
    one, two, length = random.randrange(count) * size, random.randrange(count) * size, random.choice((size, 100, 2 * size))
    piece = bytes(data[one:one + length])
    if random.random() < 0.7:
        put(data, two, piece)
    else:
        data[two:two] = piece


def swap_pages(random, data):
    size = page_size(data)
    count = max(2, len(data) // size)
    one, two = random.randrange(1, count) * size, random.randrange(1, count) * size
    first, second = bytes(data[one:one + size]), bytes(data[two:two + size])
    put(data, one, second)
    put(data, two, first)


# ---- as tables ----

TEXTS = ("", "\x1b[31mred\x1b[2J", "\x1b]0;title\x07", "a\0b", "\u202eback", "%s%n%d", "'; drop table loops; --", "<script>alert(1)</script>",
         "../../../etc/passwd", "/dev/zero", "x" * 5000, "ä" * 300, "\r\n\r\n", "main", ".text", "_ZN1aIiE1bEv", "_Z" + "N1a" * 300, "1e999", "@", "@@@@")
NUMBERS = (0, 1, -1, 2, 3, 7, 127, 128, 255, 256, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53, 2**63 - 1, -2**63, -2**31)


def any_value(random):
    return random.choice((None, random.choice(NUMBERS), random.choice(NUMBERS), random.randrange(1000), random.choice(TEXTS), random.choice(TEXTS),
                          0.0, -0.0, 1e308, -1e-310, float("inf"), 0.5, bytes(random.randrange(256) for _ in range(random.randrange(40))), b"\x00" * 3000,
                          bytes.fromhex("28b52ffd") + b"\xff" * 30, bytes.fromhex("789c") + b"\xff" * 30))


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


class Tables:
    def __init__(self, random, connection):
        self.random, self.connection = random, connection
        names = [row[0] for row in connection.execute("select name from sqlite_schema where type = 'table' and name not like 'sqlite%' order by rowid")]
        self.filled = [name for name in names if connection.execute(f"select exists (select 1 from {quoted(name)})").fetchone()[0]]

    def columns(self, table):
        return [row[1] for row in self.connection.execute(f"pragma table_info({quoted(table)})")]

    def table(self):
        return self.random.choice(self.filled)

    def one_row(self, table):
        """A condition that chooses one row, of any table."""
        key = [row[1] for row in self.connection.execute(f"pragma table_info({quoted(table)})") if row[5]] or self.columns(table)
        count = self.connection.execute(f"select count(*) from {quoted(table)}").fetchone()[0]
        place = self.random.choice((0, count - 1, self.random.randrange(count))) if count else 0
        names = ", ".join(map(quoted, key))
        row = self.connection.execute(f"select {names} from {quoted(table)} limit 1 offset ?", (place,)).fetchone()
        return " and ".join(f"{quoted(name)} is ?" for name in key), row or (None,) * len(key)

    def do(self, sql, values=()):
        try:
            self.connection.execute(sql, values)
        except (sqlite3.Error, OverflowError):
            pass

    def change_cells(self):
        table = self.table()
        column = self.random.choice(self.columns(table))
        for _ in range(self.random.randrange(1, 4)):
            where, row = self.one_row(table)
            self.do(f"update {quoted(table)} set {quoted(column)} = ? where {where}", (any_value(self.random), *row))

    def change_number(self):
        """A little wrong, so that what checks the type is content."""
        table = self.table()
        column = self.random.choice(self.columns(table))
        where, row = self.one_row(table)
        step = self.random.choice((1, -1, 2, 10, -10, 100, 1000, -1000))
        self.do(f"update {quoted(table)} set {quoted(column)} = {quoted(column)} + ? where {where}", (step, *row))

    def change_column(self):
        table = self.table()
        column = self.random.choice(self.columns(table))
        expression = self.random.choice(("?", f"coalesce({quoted(column)}, 0) + ?", f"{quoted(column)} || ?"))
        self.do(f"update {quoted(table)} set {quoted(column)} = {expression}", (any_value(self.random),))

    def refer_to_itself(self):
        """Parents that go round, in one row or in all."""
        links = [("loops", "parent"), ("loops", "header"), ("inlined_calls", "parent"), ("types", "element"), ("types", "parent"), ("blocks", "dominator"),
                 ("blocks", "loop"), ("variables", "type"), ("edges", "target"), ("calls", "callee"), ("denormal_chains", "parent")]
        table, column = self.random.choice(links)
        self.do(f"update {table} set {column} = {self.random.choice(('id', 'id + 1', 'id - 1', '1', '(select max(id) from ' + table + ')'))}")

    def copy_between_columns(self):
        table = self.table()
        columns = self.columns(table)
        self.do(f"update {quoted(table)} set {quoted(self.random.choice(columns))} = {quoted(self.random.choice(columns))}")

    def delete_rows(self):
        table = self.table()
        if self.random.random() < 0.4:
            self.do(f"delete from {quoted(table)}")
        else:
            where, row = self.one_row(table)
            self.do(f"delete from {quoted(table)} where {where}", row)

    def double_rows(self):
        table = self.table()
        columns = [name for name in self.columns(table) if name != "id"]
        names = ", ".join(map(quoted, columns))
        self.do(f"insert into {quoted(table)} ({names}) select {names} from {quoted(table)} limit ?", (self.random.choice((1, 10, 1000)),))

    def move_ids(self):
        self.do(f"update {quoted(self.table())} set id = id + ?", (self.random.choice((1, 1000, 2**31, 2**32, -1000)),))

    def view_for_table(self):
        table = self.table()
        columns = self.columns(table)
        self.do(f"alter table {quoted(table)} rename to taken_away")
        endless = ", ".join(f"n as {quoted(column)}" for column in columns)
        self.do(f"create view {quoted(table)} as " + self.random.choice((
            f"with recursive n(n) as (select 1 union all select n + 1 from n) select {endless} from n", "select * from taken_away",
            f"select * from {quoted(table)}")))


def mutate_tables(random, seed):
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        connection.deserialize(bytes(seed))
        tables = Tables(random, connection)
        ways = (tables.change_cells,) * 6 + (tables.change_number,) * 6 + (tables.change_column,) * 2 + (tables.refer_to_itself,) * 3 + (
            tables.copy_between_columns, tables.delete_rows, tables.delete_rows, tables.double_rows, tables.move_ids)
        for _ in range(random.choice((1, 1, 1, 2, 3, 6))):
            random.choice(ways)()
        if random.random() < 0.03:
            tables.view_for_table()
        return connection.serialize()
    finally:
        connection.close()


BYTES = (damage_tree_header, damage_cell_pointer, damage_cell, damage_cell, damage_cell, damage_overflow, damage_file_header, damage_schema,
         damage_bytes, cut, splice, swap_pages)


def mutate(random, seed_bytes):
    if random.random() < 0.6:
        return mutate_tables(random, seed_bytes)
    data = bytearray(seed_bytes)
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        if data:
            random.choice(BYTES)(random, data)
    return bytes(data)
