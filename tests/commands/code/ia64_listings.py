"""IA-64 listings through the commands: hand-written code, code that only a label leads to, and errors."""
import os
from harness import *

LISTINGS = os.path.join(os.path.dirname(HERE), "listings")
START = "\t.text\n\t.proc f#\nf:\n"
END = "\tbr.ret.sptk.many b0;;\n\t.endp f#\n"


def listing(name):
    return os.path.join(LISTINGS, name)


def written(folder, text, name="a.s"):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())
    return path


def problems(file, *words):
    return [row["text"] for row in rows(file, "select text from problems", *words)]


def functions(file):
    query = "select name, loop_count, instruction_count n from functions where address is not null order by address"
    return [(row["name"], row["loop_count"], row["n"]) for row in rows(file, query)]


def names(file, function):
    return [row["name"] for row in rows(file, f"""select e.name from code c join blocks b on b.id = c.block
        join functions f on f.id = b.function join encodings e on e.id = c.encoding where f.name = '{function}' order by c.id""")]


@test
def every_listing_comes_back():
    for name in sorted(os.listdir(LISTINGS)):
        if name.endswith(".c"):
            continue
        with open(listing(name), "rb") as file:
            original = file.read()
        with Folder() as folder:
            database = os.path.join(folder, "x.db")
            if name.endswith(".S"):
                need("cc")
            assay("db", listing(name), "-o", database, "-q")
            assert assay("asm", database).stdout == original, name


@test
def routines_of_the_kernel():
    need("cc")
    file = listing("kernel.S")
    found = functions(file)
    assert [f[:2] for f in found] == [("sum_words", 0), ("sum_words_user", 4)], found
    reported = problems(file)
    assert len(reported) == 2 and any("headers" in text for text in reported) and any("jumps" in text for text in reported), reported
    loads = rows(file, """select e.name, p.name predicate, r.name target from code c join encodings e on e.id = c.encoding
        join registers p on p.id = e.predicate join operands o on o.encoding = e.id and o.position = 1
        join registers r on r.id = o.register where e.load_bytes order by c.id""")
    assert [row["name"] for row in loads] == ["ld1", "ld2", "ld4", "ld8"], loads
    assert {(row["predicate"], row["target"]) for row in loads} == {("p16", "r32")}, loads
    adds = rows(file, """select p.name predicate, r.name source from code c join encodings e on e.id = c.encoding
        join registers p on p.id = e.predicate join operands o on o.encoding = e.id and o.position = 3
        join registers r on r.id = o.register where e.name = 'add'""")
    assert [tuple(row.values()) for row in adds] == [("p18", "r34")] * 4, adds
    # Code that only the table of faults leads to is part of the function, and reached.
    dead = rows(file, "select b.id from blocks b join functions f on f.id = b.function where not b.is_reachable")
    assert not dead, dead
    assert names(file, "sum_words_user")[-2:] == ["mov", "br"]
    assert rows(file, "select r.name from register_uses u join registers r on r.id = u.register where r.name = 'ar.k6'")


@test
def routines_of_libm_and_blas():
    need("cc")
    assert functions(listing("libm.S")) == [("half", 0, 20)], functions(listing("libm.S"))
    assert problems(listing("libm.S")) == []
    moved = rows(listing("libm.S"), "select class from encodings where text = 'add GR_bits = 0,r0'")
    assert [row["class"] for row in moved] == ["move"], moved
    found = functions(listing("blas.S"))
    assert found == [("REALNAME", 1, 21)], found
    reported = problems(listing("blas.S"))
    assert len(reported) == 1 and "headers" in reported[0], reported
    loop = rows(listing("blas.S"), """select group_concat(e.name, ' ') names from (select e.name, c.id from code c join blocks b
        on b.id = c.block join encodings e on e.id = c.encoding where b.loop is not null order by c.id) e""")
    assert loop[0]["names"] == "ldfpd stfd fma lfetch nop br", loop
    pipeline = rows(listing("blas.S"), "select stages, is_counted from pipelined_loops")
    assert pipeline == [{"stages": 3, "is_counted": 1}], pipeline


@test
def a_table_that_is_named_far_from_its_jump():
    cases = 5
    text = START + "\taddl r14=@ltoffx(.Ltable),r1\n;;\n\tld8.mov r14=[r14],.Ltable\n;;\n" + "\tadds r20=1,r20\n;;\n" * 200
    text += ".Lagain:\n\tld8 r15=[r32],8\n;;\n\tshladd r16=r15,3,r14\n;;\n\tld8 r17=[r16]\n;;\n\tadd r17=r16,r17\n;;\n"
    text += "\tmov b6=r17\n;;\n\tbr.cond.sptk b6\n;;\n"
    for i in range(cases):
        text += f".Lcase{i}:\n\tadds r8={i},r8\n\tbr.cond.sptk .Lagain\n;;\n"
    text += ".Lend:\n" + END + "\t.section .rodata\n\t.align 8\n.Ltable:\n"
    text += "".join(f"\tdata8 @pcrel(.Lcase{i})\n" for i in range(cases)) + "\tdata8 @pcrel(.Lend)\n\t.byte 0\n"
    with Folder() as folder:
        file = written(folder, text)
        assert problems(file) == []
        edges = rows(file, "select count(*) n from edges where kind = 'switch'")[0]["n"]
        assert edges == cases + 1, edges
        assert functions(file)[0][1] == 1


@test
def labels_without_a_jump_are_reached():
    text = START + "\tmov b6=r32\n;;\n{ .bbb\n\tbr.cond.sptk b6\n\tnop.b 0\n\tnop.b 0\n}\n"
    text += ".Lone:\n\tadds r8=1,r8\n\tbr.cloop.sptk .Lone\n;;\n\tbr.cond.sptk .Lout\n;;\n"
    text += "\tadds r9=1,r9\n.Ltwo:\n\tadds r8=2,r8\n\tbr.cloop.sptk .Ltwo\n;;\n.Lout:\n" + END
    with Folder() as folder:
        file = written(folder, text)
        assert functions(file)[0][1] == 2
        dead = rows(file, "select group_concat(e.text, '|') t from code c join blocks b on b.id = c.block "
                          "join encodings e on e.id = c.encoding where not b.is_reachable")
        # No-ops and code without a label: nobody can mean these.
        assert dead[0]["t"] == "nop.b 0|nop.b 0|adds r9=1,r9", dead


@test
def data_alone_is_a_listing():
    with Folder() as folder:
        text = "\t.global t#\n\t.align 8\nt:\n\tdata8 1, 2\n\tdata4.ua 3\n\tstringz \"four\"\n\treal8 5.0\n"
        assert rows(written(folder, text), "select isa, format from programs") == [{"isa": "ia64", "format": "listing"}]
        prose = "string theory needs\ndata that nobody has\nreal people\n"
        assert b"text file" in assay("db", written(folder, prose, "a.txt"), "-o", os.path.join(folder, "x.db"), status=2).stderr


@test
def wrong_texts_are_reported_with_their_place():
    cases = {
        "\tfrobnicate r1=r2\n\tadd r8=r9,r10\n": ["4:2: no such instruction: 'frobnicate'"],
        "{ .imi\n\tnop.i 0\n}\n": ["4:3: no such template: '.imi'"],
        "{ .mii\n\tfma.d f8=f9,f10,f11\n}\n": ["5:2: this does not fit the rest of a bundle mii: 'fma.d f8=f9,f10,f11'"],
        "{ .mii\n\tnop.m 0\n{ .mii\n\tnop.m 0\n}\n": ["4:1: a bundle that is never closed: '{'"],
        "}\n": ["4:1: a bundle that was never opened: '}'"],
        "\tadd r8=r9,r10;;;;\n": ["4:17: a second stop at the same place: ';;'"],
        "\tmov r200=r3\n": ["4:6: no such register: 'r200'"],
        "\tadds r8=" + "(" * 70 + "1" + ")" * 70 + ",r9\n": ["4:10: the expression is too deep: '('"],
        "\t.rept 1000000000\n\tnop 0\n\t.endr\n": ["4:8: not a number of repetitions: '1000000000'"],
        "a=b\nb=a\n\tadd r8=a,r9\n": [],
        "\tadd r8=" + "r" * 1000000 + "\n": ["4:2: skipped an instruction of more than 1000 characters: 'add r8="],
        "\tadd r8=r9,r10;;\r\n{ .mii\r\n nop.m 0\r\n nop.i 0\r\n nop.i 0\r\n}\r\n": [],
    }
    with Folder() as folder:
        for body, expected in cases.items():
            file = written(folder, START + body + END)
            found = problems(file)
            assert len(found) == len(expected), (body[:80], found)
            for one, text in zip(found, expected):
                assert one.startswith(f"{file}:{text}"), (body[:80], one)
        unknown = written(folder, START + "\tfrobnicate r1=r2\n\tadd r8=r9,r10\n" + END)
        marked = rows(unknown, "select name, is_unknown from encodings order by id")
        assert {row["name"]: row["is_unknown"] for row in marked} == {"frobnicate": 1, "add": 0, "br": 0}


@test
def little_text_stays_little_work():
    bombs = ["\t.rept 1000000\n\t.rept 1000000\n\tadd r8=r9,r10\n\t.endr\n\t.endr\n",
             "\t.macro m\n\tm\n\tm\n\t.endm\n\tm\n",
             "".join(f"\t.macro m{i}\n\tm{i + 1}\n\tm{i + 1}\n\t.endm\n" for i in range(40)) + "\tm0\n",
             "\t.macro m a\n\tm \\a\\a\n\t.endm\n\tm xxxxxxxxxxxxxxxx\n",
             "".join(f"x{i}==x{i + 1}+x{i + 1}\n" for i in range(60)) + "x60=1\n\tadds r8=x0,r9\n",
             "{" * 200000 + "}" * 200000 + "\n"]
    with Folder() as folder:
        for bomb in bombs:
            file, database = written(folder, START + bomb + END), os.path.join(folder, "x.db")
            assay("db", file, "-o", database, "--force", "-q")
            assert rows(database, "select count(*) n from functions")[0]["n"] == 1
            assert assay("asm", database).stdout == open(file, "rb").read()


run()
