"""The scripts of the first paper's Figure 2, as it prints them, on a listing that gcc made for IA-64.  (Figure 3 is in
bounds.py; Figures 8 and 9, the alloc line and the r44 case are in analyses.py.)"""
import os
import re

from harness import ROOT, Folder, assay, run, test, text

LISTING = os.path.join(ROOT, "tests", "listings", "kernels-O2.s")
SETF = ("select 'No of setf : ' count(*) from blocks, instructions where blocks.function=FUNCTION and "
        "instructions.block=blocks.id and instructions.name='setf';")
SIZES = ("select 'Size: ' size ' Number: ' count(*) from (select blocks.name, count(*) as size from blocks, instructions "
         "where instructions.block=blocks.id and blocks.function=FUNCTION group by blocks.name order by size) group by "
         "size;")


def body_of(name):
    with open(LISTING) as file:
        return re.search(rf"^{name}:$(.*?)^\t\.endp {name}#", file.read(), re.M | re.S)[1]


def instructions_of(body):
    """Statements that are instructions: not directives, labels, templates, stops or tags."""
    lines = [re.sub(r"\[\.[^\]]*:\]", "", line).strip() for line in body.splitlines()]
    return [line for line in lines if re.match(r"(\(p\d+\) )?[a-z]", line)]


@test
def number_of_setf():
    with Folder() as folder:
        database = os.path.join(folder, "k.db")
        assay("db", LISTING, "-o", database)
        for name in ("daxpy", "dot", "checksum", "pick", "multiply", "compare"):
            count = sum("setf" in line for line in instructions_of(body_of(name)))
            for file in (LISTING, database):
                assert f"No of setf : {count}\n" in text("sql", file, SETF, "--function", name), (name, count)
        assert "No of setf : 3\n" in text("sql", database, SETF, "--function", "checksum")


@test
def histogram_of_block_sizes():
    for name in ("daxpy", "checksum", "fibonacci"):
        shown = re.findall(r"Size: (\d+) Number: (\d+)", text("sql", LISTING, SIZES, "--function", name))
        total = sum(int(size) * int(number) for size, number in shown)
        assert total == len(instructions_of(body_of(name))), (name, shown, total)
        assert [int(size) for size, _ in shown] == sorted({int(size) for size, _ in shown}), shown


run()
