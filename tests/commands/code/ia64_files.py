"""IA-64 ELF files: instructions, targets, bundles, functions and loops.  No compiler for it is packaged; the files are
the ones in fuzz/seeds, and objdump (binutils-multiarch) gives the expected contents."""
import os, re, struct
from harness import *

FILES = os.path.join(ROOT, "fuzz", "corpus", "file")


def kept(name):
    if "ia64" not in re.search(r"^features +(.*)$", text("version"), re.M)[1].split(", "):
        raise Skip("this system's binutils has no IA-64")
    return os.path.join(FILES, "kept-ia64-" + name)


def objdump(file):
    """{address: (template or "", text with @ for the place it leads to, that place or None, whether a stop follows)}"""
    need("objdump")
    done = command(["objdump", "-d", "-z", "-w", "--no-show-raw-insn", file], status=None)
    if done.returncode or b"elf64-ia64" not in done.stdout:
        raise Lacking("this objdump does not know IA-64")
    found = {}
    for line in done.stdout.decode().splitlines():
        match = re.match(r"\s*([0-9a-f]+):\s+(?:\[(\w+)\])?\s*(.*?)(;;)?$", line)
        if not match:
            continue
        words = re.sub(r"^\(p0", "(p", match[3].strip())
        place = re.search(r"([0-9a-f]+) <[^>]*>$", words)
        target = int(place[1], 16) if place else None
        if place:
            words = words[:place.start()] + "@"
        found[int(match[1], 16)] = (match[2] or "", words, target, bool(match[4]))
    return found


def ours(file):
    query = """select b.address + c.offset - case p.format when 'object' then s.address else 0 end as address, e.text, e.size,
                      c.target - case p.format when 'object' then s.address else 0 end as target
                 from code c join blocks b on b.id = c.block join sections s on s.id = b.section
                 join programs p on p.id = s.program join encodings e on e.id = c.encoding order by 1"""
    return {row["address"]: row for row in rows(file, query)}


@test
def instructions_are_those_of_objdump():
    for name in ("debug", "object", "shared"):
        theirs, mine = objdump(kept(name)), ours(kept(name))
        assert len(theirs) > 100
        padding = {a for a in theirs if a not in mine}
        assert all(theirs[a][1].startswith("nop") for a in padding), sorted(padding)[:5]
        assert not [a for a in mine if a not in theirs]
        for address, row in mine.items():
            assert row["text"] == theirs[address][1], f"{name} {address:x}: {row['text']} | {theirs[address]}"
            after = min((a for a in theirs if a > address), default=None)
            if after and after - address <= 10:
                assert row["size"] == after - address
            if name != "object" and theirs[address][2] is not None:
                assert row["target"] == theirs[address][2], f"{name} {address:x}"


@test
def bundles_have_the_templates_and_stops_of_objdump():
    theirs = objdump(kept("debug"))
    query = """select b.address + c.offset as address, u.template, u.stops, u.instruction_count as count
                 from bundles u join code c on c.id = u.first_instruction join blocks b on b.id = c.block"""
    found = rows(kept("debug"), query)
    assert len(found) > 50
    for row in found:
        start = row["address"]
        assert start % 16 == 0 and theirs[start][0].lower() == row["template"]
        slots = [a for a in theirs if start <= a < start + 16]
        assert len(slots) == row["count"]
        stops = sum(theirs[a][3] << (2 if a == slots[-1] else i) for i, a in enumerate(slots))
        assert stops == row["stops"], f"{start:x}: {stops} {row['stops']}"


@test
def functions_loops_and_calls():
    names = [row["name"] for row in rows(kept("debug"), "select name from functions order by address")]
    assert names == ["outside", "choose", "further", "_start"], names
    loops = rows(kept("debug"), "select f.name, count(*) as n from loops l join functions f on f.id = l.function group by 1")
    assert {row["name"]: row["n"] for row in loops} == {"_start": 1, "choose": 2, "outside": 1}
    lines = rows(kept("debug"), "select name, line from functions f order by address")
    assert [row["line"] for row in lines] == [13, 7, 14, 15], lines
    calls = """select coalesce(g.name, '?') as name, c.kind from calls c join functions f on f.id = c.caller
                 left join functions g on g.id = c.callee where f.name = 'choose' order by 1"""
    assert {(row["name"], row["kind"]) for row in rows(kept("object"), calls)} == {
        ("further", "import"), ("outside", "import")}
    stubs = rows(kept("shared"), "select name from functions where origin = 'plt' and name like '%@plt' order by 1")
    assert [row["name"] for row in stubs] == ["further@plt", "outside@plt"]


@test
def code_that_is_not_in_bundles_is_no_code():
    data = bytearray(open(kept("debug"), "rb").read())
    start, = struct.unpack_from("<Q", data, 40)
    width, count = struct.unpack_from("<HH", data, 58)
    for i in range(count):
        flags, address = struct.unpack_from("<QQ", data, start + i * width + 8)
        if flags & 4:
            struct.pack_into("<Q", data, start + i * width + 16, address + 8)
    with Folder() as folder:
        file = os.path.join(folder, "moved")
        open(file, "wb").write(data)
        assert rows(file, "select count(*) as n from code")[0]["n"] == 0
        problems = rows(file, "select text from problems")
        assert any("multiple of 16" in row["text"] for row in problems), problems


run()
