#!/usr/bin/env python3
"""Listings for Knights Corner, as Intel's compiler writes them: no assembler here knows their vectors, so Assay encodes these."""
import json, os

from harness import Folder, assay, command, cross, need, rows, run, test, text
from k1om import around, k1om_object, once, twice

# The loop of in_order.around() with one gather, written by hand as icc -mmic -S writes it.
GATHER = """# mark_description "Intel(R) C Intel(R) 64 Compiler XE for applications running on Intel(R) MIC Architecture, Version 14";
	.file "gather.c"
	.text
..TXTST0:
# -- Begin  axpy
	.align    16,0x90
	.globl axpy
axpy:
# parameter 1: %rdi
..B1.1:                         # Preds ..B1.0
..B1.2:                         # Preds ..B1.2 ..B1.1
        vmovaps   (%rsi), %zmm1                                 #4.14 c1
        kxnor     %k1, %k1                                      #4.14 c1
{gather}        vmovaps   %zmm0, (%rdi)                                 #4.9 c21
        addq      $64, %rsi                                     #3.5 c21
        addq      $64, %rdi                                     #3.5 c23
        decl      %ecx                                          #3.5 c23
        jne       ..B1.2        # Prob 82%                      #3.5 c25
..B1.3:
        ret                                                     #5.1
	.align    16,0x90
	.type	axpy,@function
	.size	axpy,.-axpy
"""
ONCE = """..L7:                                                           #4.14
        vgatherdps (%rax,%zmm1), %zmm0{%k1}                     #4.14 c5
        jknzd     ..L7, %k1     # Prob 50%                      #4.14 c9
"""
TWICE = """..L7:                                                           #4.14
        vgatherdps (%rax,%zmm1), %zmm0{%k1}                     #4.14 c5
        jkzd      ..L6, %k1     # Prob 50%                      #4.14 c9
        vgatherdps (%rax,%zmm1), %zmm0{%k1}                     #4.14 c11
        jknzd     ..L7, %k1     # Prob 50%                      #4.14 c15
..L6:                                                           #
"""
SCALE = """void scale(float *x, long n)
{
    for (long i = 0; i < n; i += 16) {
        __asm__ volatile("vmulps table+4(%%rip)%{1to16%}, %%zmm3, %%zmm1" ::: "memory");
        __asm__ volatile("vaddps %%zmm1%{cdab%}, %%zmm1, %%zmm2" ::: "memory");
        __asm__ volatile("vmovaps %%zmm2, (%0)%{%%k2%}; addq $64, %0" : "+r"(x) :: "memory");
    }
}
__asm__(".section .rodata\\n.align 64\\ntable: .long 0, 0x40000000\\n.text\\n");
"""


def write(folder, name, content):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(content)
    return path


@test
def gathers_of_icc_are_no_loops():
    """CQA, III.C.2, from the compiler's text: the same loop, cycles and range as of the same code in an object file."""
    need(cross("as", "x86_64"))
    with Folder() as folder:
        for words, code in ((ONCE, once(16)), (TWICE, twice(16))):
            listing = write(folder, "gather.s", GATHER.replace("{gather}", words))
            found = json.loads(text("cycles", listing, "--json"))
            wanted = json.loads(text("cycles", k1om_object(folder, around(code)), "--json"))
            assert len(found) == 1 and found[0]["machine"] == "knights-corner", found
            for key in ("cycles", "scattered_cycles", "limit", "instruction_count", "known_count"):
                assert found[0][key] == wanted[0][key], (key, found, wanted)
            database = os.path.join(folder, "g.db")
            assay("db", listing, "-o", database, "--force")
            program, = rows(database, "select isa, format from programs")
            assert (program["isa"], program["format"]) == ("k1om", "listing"), program
            assert not rows(database, "select * from problems"), rows(database, "select * from problems")
            loop, = rows(database, "select depth, is_innermost from loops")
            assert (loop["depth"], loop["is_innermost"]) == (1, 1), loop
            # Each instruction stands at its line, and what the compiler says beside it is kept.
            shown = rows(database, "select l.line, e.name, l.comment from listing_instructions l join code c on c.id = l.instruction "
                                   "join encodings e on e.id = c.encoding order by l.line")
            by_line = {row["line"]: row for row in shown}
            lines = open(listing).read().splitlines()
            for number, row in by_line.items():
                if row["name"] == "nop":  # .align
                    continue
                written = lines[number - 1].split()[0]
                assert row["name"] == {"addq": "add", "decl": "dec", "jne": "jnz"}.get(written, written) or written == "jne", (row, written)
            gathers = [row for row in shown if row["name"] == "vgatherdps"]
            assert len(gathers) == words.count("vgatherdps") and gathers[0]["comment"] == "4.14 c5", gathers
            report = " ".join(text("report", listing, "--level", "hint").split())
            assert "with each lane in a line of its own an iteration takes" in report, report


@test
def lines_of_the_source_and_names():
    """Bytes in the place of instructions keep their source lines, and the assembler computes what names stand for."""
    with Folder() as folder:
        source, listing, database = write(folder, "scale.c", SCALE), os.path.join(folder, "scale.s"), os.path.join(folder, "s.db")
        command([need(cross("gcc", "x86_64")), "-g", "-O1", "-S", "-o", listing, source])
        assay("db", listing, "-o", database, "--isa", "k1om")
        found = rows(database, "select e.name, s.line, l.line as listed, c.target from code c join encodings e on e.id = c.encoding "
                               "join source_lines s on s.id = c.source_line join listing_instructions l on l.instruction = c.id "
                               "where e.is_vector or e.load_bytes or e.store_bytes order by c.id")
        found = [row for row in found if row["name"].startswith("v")]
        assert [(row["name"], row["line"]) for row in found] == [("vmulps", 4), ("vaddps", 5), ("vmovaps", 6)], found
        lines = open(listing).read().splitlines()
        assert all(row["name"] in lines[row["listed"] - 1] for row in found), found
        table, = rows(database, "select s.address from sections s where s.name = '.rodata'")
        assert found[0]["target"] == table["address"] + 4, (found, table)
        loop, = json.loads(text("cycles", listing, "--isa", "k1om", "--loop", "1", "--json"))
        texts = [row["text"] for row in loop["instructions"]]
        assert texts[:4] == ["vmulps zmm1, zmm3, dword ptr [0x%x] {1to16}" % found[0]["target"], "vaddps zmm2, zmm1, zmm1 {cdab}",
                             "vmovaps zmmword ptr [rdi] {k2}, zmm2", "add rdi, 0x40"], texts


@test
def what_shows_that_it_is_for_Knights_Corner():
    need(cross("as", "x86_64"))
    with Folder() as folder:
        plain = GATHER.replace("{gather}", "")
        for name, content, isa in (("a.s", plain, "k1om"), ("b.s", "\n".join(plain.splitlines()[1:]), "k1om"),
                                   ("c.s", "f:\n\tvaddps %zmm1, %zmm2, %zmm3\n\tret\n", "x86-64")):
            database = os.path.join(folder, name + ".db")
            assay("db", write(folder, name, content), "-o", database)
            assert rows(database, "select isa from programs") == [{"isa": isa}], name


@test
def what_it_does_not_have_is_told_with_its_line():
    need(cross("as", "x86_64"))
    with Folder() as folder:
        for wrong, said in (("vaddps %xmm1, %xmm2, %xmm3", "Knights Corner has no such instruction: 'vaddps %xmm1, %xmm2, %xmm3'"),
                            ("vaddps (%rsi){most}, %zmm1, %zmm2", "cannot read these operands"),
                            ("vaddps nowhere(%rip), %zmm1, %zmm2, %zmm3, %zmm4, %zmm5", "cannot read these operands"),
                            ("nonsense %rax", "no such instruction")):
            listing = write(folder, "wrong.s", GATHER.replace("{gather}", f"        {wrong}\n"))
            error = assay("loops", listing, status=2).stderr.decode()
            assert f"wrong.s:14: the assembler says: " in error and said in error and error.count("\n") == 1, error


run()
