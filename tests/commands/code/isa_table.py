"""tools/isa-table: an error in a description of an instruction set is reported with its line, and nothing is written."""
import os
from harness import *

TOOL = os.path.join(ROOT, "tools", "isa-table")
ENUMS = os.path.join(ROOT, "src", "model", "enums.def")
GOOD = """registers general 64 r0..r3
any r "a register" = r0..r3
numbers i4 -8..7
words width w d
add ?width : r = r, r | r = i4, r : A add int64
"""


def make(text):
    with Folder() as folder:
        source, output = os.path.join(folder, "x.isa"), os.path.join(folder, "x.c")
        open(source, "w").write(text)
        done = command([TOOL, "x", source, ENUMS, output], status=None)
        written = open(output).read() if os.path.exists(output) else None
        return done.returncode, done.stderr.decode(), written


@test
def a_good_description_becomes_tables():
    status, message, written = make(GOOD)
    assert status == 0 and not message, message
    assert "x_table" in written and '"add"' in written and "X_REGISTER_COUNT == 5" in written


@test
def what_is_wrong_is_said_with_its_line():
    for line, said in (
            ("sub : r = q : A add int64", "operand q"),
            ("sub : r = r : Q add int64", "slot kind Q"),
            ("sub : r = r : A plus int64", "class plus"),
            ("sub : r = r : A add int65", "element int65"),
            ("sub size : r = r : A add int64", "completers size"),
            ("sub : r = r : A add int64 fast", "attribute fast"),
            ("sub : r = r : A add int64 read=r9", "register r9"),
            ("sub : r = r : A load int64 load=8", "no address"),
            ("sub : r = r = r : A add int64", "two ="),
            ("sub : r = !r : A add int64", "not written"),
            ("sub : r = r", "NAME COMPLETERS"),
            ("{sub|mul} : r = {r|r|r} : A add int64", "different numbers"),
            ("registers general 64 r2", "declared twice"),
            ("numbers i5 7..1", "empty"),
            ("numbers i5 one..two", "not a number"),
            ("alias a b = r1", "as many registers"),
            ("any s = r1", "any NAME")):
        status, message, written = make(GOOD + line + "\n")
        assert status != 0 and written is None, line
        assert "x.isa:6: " in message and said in message, f"{line}: {message}"
    status, message, _ = make(GOOD + "numbers i5 1..2\n")
    assert status != 0 and "i5 is declared but never used" in message


run()
