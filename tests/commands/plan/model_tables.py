"""tools/model-tables: tables.def and enums.def become C; what is wrong in them is reported with its file and
line, and nothing is written."""
import os
from harness import *

TOOL = os.path.join(ROOT, "tools", "model-tables")
OUTPUTS = ("records.h", "rows.h", "descriptions.c")
ENUMS = """/* words of
   colours */
ENUMERATION(colour, "Colours")
VALUE(colour, RED, "red", "like blood")
VALUE(colour, OWNERS, "owner's", "the owner, chooses (or does not)")
END_ENUMERATION(colour)
"""
TABLES = """TABLE(houses, house, "Houses")
TEXT(name, "name, or number", "for ruins")
ENUM(door, colour, "colour of the door", "without one")
END_TABLE(houses)

LINK(rooms, room, "house, wall_code", "Rooms")
REF(house, houses, "the house")
CODED(wall, colour, "colour of the walls")
NUMBER(register, int16_t, "number in the register")
MEMORY(size, uint32_t, "only in memory")
VIRTUAL(size, "length(bytes)", "size")
BYTES_BY(bytes, model_bytes, "bytes")
GROUP("Figures")
SHARE(share, "used part")
QUOTIENT(each, size, register, "size of a number")
SORTED(house)
INDEX(wall_code)
END_TABLE(rooms)
"""


def make(tables=TABLES, enums=ENUMS):
    """(status, message, {output: text})"""
    with Folder() as folder:
        paths = [os.path.join(folder, name) for name in ("tables.def", "enums.def", *OUTPUTS)]
        for path, text in zip(paths, (tables, enums)):
            open(path, "w").write(text)
        done = command([TOOL, *paths], status=None)
        written = {name: open(path).read() for name, path in zip(OUTPUTS, paths[2:]) if os.path.exists(path)}
        return done.returncode, done.stderr.decode().replace(folder + "/", ""), written


def line_of(text, start):
    return next(line for line in text.splitlines() if line.strip().startswith(start))


@test
def a_good_definition_becomes_records_accessors_and_descriptions():
    status, message, written = make()
    assert status == 0 and not message, message
    records, rows, descriptions = (written[name] for name in OUTPUTS)
    assert "enum colour { colour_RED, colour_OWNERS, colour_COUNT };" in records
    assert ("struct room {\n    uint32_t house;\n    uint8_t wall;\n    int16_t register_;\n    uint32_t size;\n"
            "    double share;\n};" in records), records
    assert "#define MODEL_TABLES houses, rooms\n" in records
    assert "struct room *model_room(const struct model *model, uint32_t id)" in rows
    assert ".refers_to = &table_descriptions[0]" in line_of(descriptions, '{.name = "house"')
    assert ".is_sorted = true" in line_of(descriptions, '{.name = "house"')
    code, word = line_of(descriptions, '{.name = "wall_code"'), line_of(descriptions, '{.name = "wall",')
    assert "COLUMN_NUMBER" in code and "offsetof(struct room, wall)" in code and ".is_indexed = true" in code
    assert "COLUMN_VIRTUAL" in word and "case wall_code when 0 then 'red' when 1 then 'owner''s' end" in word
    number = line_of(descriptions, '{.name = "register"')
    assert ".size = 2, .is_signed = true" in number and "offsetof(struct room, register_)" in number
    assert '.sql = "length(bytes)"' in line_of(descriptions, '{.name = "size"')
    name = line_of(descriptions, '{.name = "name"')
    assert '.doc = "name, or number; NULL for ruins", .brief = "name, or number"' in name, name
    assert ".is_zero_null = true" in line_of(descriptions, '{.name = "door"')
    share, each = line_of(descriptions, '{.name = "share"'), line_of(descriptions, '{.name = "each"')
    assert '.group = "Figures"' in share and "COLUMN_REAL" in share and ".is_share = true" in share
    assert '.sql = "size / register", .over = &columns_of_rooms[4], .under = &columns_of_rooms[3]' in each, each
    assert ".bytes = model_bytes" in line_of(descriptions, '{.name = "bytes"')
    assert '.key = "house, wall_code"' in line_of(descriptions, '{.name = "rooms"')


@test
def what_is_wrong_in_tables_is_reported_with_its_line():
    for old, new, line, said in (
            ("TEXT(name", "TXET(name", 2, "not a row"),
            ('or number"', 'or number', 2, "cannot read"),
            ('"name, or number"', "name", 2, "the doc must stand in quotes"),
            ('TEXT(name, ', 'TEXT(name, uint8_t, ', 2, "wanted (name, doc), found 4"),
            (', "for ruins"', ", ruins", 2, "what NULL means must stand in quotes"),
            ('in the register"', 'in the register", "never"', 9, "register is never NULL"),
            ("QUOTIENT(each, size", "QUOTIENT(each, bytes", 15, "rooms has no stored column bytes before this"),
            ("SORTED(house)", 'GROUP("More")', 18, 'no column follows the group "More"'),
            ("name, or", "na\\\"me, or", 2, "without backslashes"),
            ("ENUM(door, colour", "ENUM(door, color", 3, "there is no enumeration color"),
            ("ENUM(door", "ENUM(name", 3, "houses has a column name already"),
            ("MEMORY(size", "MEMORY(wall", 10, "rooms has a column wall already"),
            ("VIRTUAL(size", "VIRTUAL(wall_code", 11, "rooms has a column wall_code already"),
            ("TEXT(name", "TEXT(id", 2, "must not be called id"),
            ("END_TABLE(houses)", "END_TABLE(rooms)", 4, "this ends rooms, but the table is houses"),
            ("END_TABLE(houses)\n", "", 5, "END_TABLE(houses) is missing"),
            ("LINK(rooms, room", "LINK(rooms, house", 6, "houses has records called house already"),
            ("LINK(rooms", "LINK(houses", 6, "there is a table houses already"),
            ('"house, wall_code"', '"house, wall_kode"', 6, "the key names wall_kode"),
            ("REF(house, houses", "REF(house, house", 7, "there is no table house"),
            ("REF(house, houses", "REF(house, rooms", 7, "rows of rooms have no id"),
            ("int16_t", "short", 9, "short is not one of"),
            ("SORTED(house)", "SORTED(hous)", 16, "rooms has no column hous"),
            ("SORTED(house)", "SEARCHED(size)", 16, "size is computed, and cannot be SEARCHED"),
            ("INDEX(wall_code)", "INDEX(wall)", 17, "wall is computed, and cannot be INDEX"),
            ("END_TABLE(rooms)\n", "", 17, "END_TABLE(rooms) is missing")):
        assert old in TABLES
        status, message, written = make(TABLES.replace(old, new))
        assert status != 0 and not written, new
        assert f"tables.def:{line}: " in message and said in message, f"{new}: {message}"


@test
def what_is_wrong_in_enumerations_is_reported_with_its_line():
    for old, new, line, said in (
            ("VALUE(colour, RED", "VALUE(color, RED", 4, "this is in enumeration colour, not in color"),
            ("OWNERS", "RED", 5, 'colour has RED, "red" already'),
            ("owner's", "red", 5, 'colour has RED, "red" already'),
            ("RED, ", "", 4, "wanted (name, symbol, word, doc), found 3"),
            ("END_ENUMERATION(colour)", "ENUMERATION(colour, \"again\")", 6, "END_ENUMERATION(colour) is missing")):
        assert old in ENUMS
        status, message, written = make(enums=ENUMS.replace(old, new, 1))
        assert status != 0 and not written, new
        assert f"enums.def:{line}: " in message and said in message, f"{new}: {message}"


@test
def several_faults_are_reported_together():
    status, message, _ = make(TABLES.replace("houses, \"the", "huts, \"the").replace("int16_t", "short"))
    assert status != 0 and "tables.def:7: there is no table huts" in message and "tables.def:9: short" in message, message


run()
