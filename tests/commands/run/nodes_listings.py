#!/usr/bin/env python3
"""Nodes in listings: they can be taken out again byte for byte, the assembler takes them, and nothing depends within an
issue group of IA-64."""
# first build only: listings and the parser of plans have tests of their own
import os
from harness import *

LISTINGS = os.path.join(os.path.dirname(HERE), "listings")
KERNELS = os.path.join(LISTINGS, "kernels.c")
MACHINES = ["x86_64", "aarch64"]
CXX = """#include <vector>
#include <stdexcept>
int total(const std::vector<int> &v) { int s = 0; for (int x : v) { if (x < 0) throw std::runtime_error("no"); s += x; } return s; }
int guarded(const std::vector<int> &v) { try { return total(v); } catch (const std::exception &) { return -1; } }
"""
FORTRAN = """subroutine smooth(a, b, n)
  integer, intent(in) :: n
  real(8), intent(in) :: a(n)
  real(8), intent(out) :: b(n)
  integer :: i
  do i = 2, n - 1
    b(i) = (a(i - 1) + a(i) + a(i + 1)) / 3
  end do
end subroutine
"""
# Everything at once: a label and several statements on a line, a loop at the function's start, a switch, a tail call.
ODD = {"x86_64": """	.text
	.globl first
first:
.L1:	subl $1, %edi; movl %edi, %eax
	jnz .L1
	ret
	.globl second
	.type second, @function
second: testl %edi, %edi ; je 1f
	jmp first
1:	xorl %eax, %eax; ret
	.intel_syntax noprefix
	.globl third
third:
	mov ecx, edi
2:	sub ecx, 1
	jne 2b
	ret
	.att_syntax prefix
	.globl fourth
fourth:
	movl %edi, %ecx
3:	loop 3b
	rep
	ret""", "aarch64": """	.text
	.globl first
first:
.L1:	subs w0, w0, #1
	bne .L1
	ret
	.globl second
	.type second, %function
second: cbz w0, 1f
	b first
1:	mov w0, #0; ret
	.globl third
third:
	ldaxr w1, [x0]
	add w1, w1, #1
	stlxr w2, w1, [x0]
	cbnz w2, third
	ret"""}


def put(folder, name, contents):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(contents)
    return path


def with_nodes(folder, listing, plan="functions\nloops\n", *words):
    """The listing with nodes, after the round trip; how many subjects have none."""
    out, plan = os.path.join(folder, "out" + os.path.splitext(listing)[1]), put(folder, "plan.txt", plan)
    done = assay("asm", listing, "--probe", plan, "-o", out, *words)
    back = assay("asm", out, "--without-probes").stdout
    with open(listing, "rb") as file:
        assert back == file.read(), f"{listing}: not the same after the round trip"
    with open(out) as file:
        assert "// assay: node begins" in file.read()
    found = re.search(rb"(\d+) of \d+ subjects have no node", done.stderr)
    return out, int(found.group(1)) if found else 0


def check_machine(machine):
    refused = total = 0
    with Folder() as folder:
        sources = [KERNELS, put(folder, "throwing.cc", CXX)]
        compiled = [(compiler, source) for compiler in compilers(machine) for source in sources]
        compiled.append(([need(cross("gfortran", machine))], put(folder, "smooth.f90", FORTRAN)))
        for compiler, source in compiled:
            if source.endswith(".cc"):
                name = compiler[0].replace("gcc", "g++").replace("clang", "clang++")
                if len(compiler) > 1:  # clang does not find the headers of another machine
                    continue
                compiler = [need(name), *compiler[1:]]
            for level in ["-O0", "-O1", "-O2", "-O3"]:
                for more in [[], ["-g"], ["-fPIC", "-fno-asynchronous-unwind-tables"]]:
                    listing = os.path.join(folder, "in.s")
                    command([*compiler, level, *more, "-S", source, "-o", listing])
                    out, missing = with_nodes(folder, listing)
                    command([*compiler, "-c", out, "-o", os.path.join(folder, "out.o")])
                    refused += missing
                    total += 1
    assert total >= 12 and refused <= total, (refused, total)


@test
def nodes_of_x86_listings():
    check_machine("x86_64")


@test
def nodes_of_aarch64_listings():
    check_machine("aarch64")


@test
def intel_syntax():
    need(cross("gcc", "x86_64"))
    with Folder() as folder:
        listing = os.path.join(folder, "in.s")
        command([cross("gcc", "x86_64"), "-O2", "-masm=intel", "-S", KERNELS, "-o", listing])
        out, _ = with_nodes(folder, listing)
        command([cross("gcc", "x86_64"), "-c", out, "-o", os.path.join(folder, "out.o")])


@test
def odd_lines():
    for machine in MACHINES:
        need(cross("as", machine))
        with Folder() as folder:
            listing = put(folder, "odd.s", ODD[machine])
            out, _ = with_nodes(folder, listing, "functions\nloops first|third\n", "--isa", machine.replace("_", "-"))
            command([cross("as", machine), out, "-o", os.path.join(folder, "out.o")])


@test
def macros_have_no_place():
    need(cross("as", "x86_64"))
    with Folder() as folder:
        listing = put(folder, "macro.s", """	.text
	.macro leave value
	movl $\\value, %eax
	ret
	.endm
	.globl plain
plain:
	ret
	.globl made
made:
	leave 3
""")
        out, missing = with_nodes(folder, listing, "functions\n", "--isa", "x86-64")
        assert missing == 1, missing
        command([cross("as", "x86_64"), out, "-o", os.path.join(folder, "out.o")])


@test
def nodes_are_put_in_once():
    with Folder() as folder:
        listing = os.path.join(folder, "in.s")
        command([*compilers(MACHINE)[0], "-O1", "-S", KERNELS, "-o", listing])
        out, _ = with_nodes(folder, listing)
        message = assay("asm", out, "--probe", os.path.join(folder, "plan.txt"), status=2).stderr.decode()
        assert "has nodes already" in message, message
        cut = put(folder, "cut.s", open(out).read().replace("// assay: node ends\n", "", 1))
        text_cut = open(cut).read()
        last = put(folder, "last.s", text_cut[:text_cut.rindex("// assay: node ends")])
        assert "does not end" in assay("asm", last, "--without-probes", status=2).stderr.decode()


def groups(listing):
    """Issue groups of an IA-64 listing: lists of (line, text, read, written, is a branch)."""
    uses = {}
    for row in rows(listing, "select u.encoding, r.name, u.access from register_uses u join registers r on "
                             "r.id = u.register where r.name not in ('r0', 'f0', 'f1', 'p0', 'ip')"):
        read, written = uses.setdefault(row["encoding"], (set(), set()))
        if row["access"] in ("read", "both"):
            read.add(row["name"])
        if row["access"] in ("write", "both"):
            written.add(row["name"])
    group = []
    for row in rows(listing, "select l.line, l.is_stop, e.id as encoding, e.text, e.flow from listing_instructions l "
                             "join code c on c.id = l.instruction join encodings e on e.id = c.encoding order by c.id"):
        read, written = uses.get(row["encoding"], (set(), set()))
        group.append((row["line"], row["text"], read, written, row["flow"] != "next"))
        if row["is_stop"]:
            yield group
            group = []
    yield group


def check_groups(listing):
    """Within a group of a node nothing is read or written that was written before; branches may read new predicates."""
    inside, checked = False, 0
    node_lines = set()
    for number, line in enumerate(open(listing), 1):
        inside = inside or line.startswith("// assay: node begins")
        if inside:
            node_lines.add(number)
        inside = inside and not line.startswith("// assay: node ends")
    for group in groups(listing):
        if not any(line in node_lines for line, *_ in group):
            continue
        shared = not all(line in node_lines for line, *_ in group)
        assert not shared or all(words.startswith("nop") for line, words, *_ in group if line in node_lines), \
            f"{listing}: a node shares a group: {group}"
        if shared:
            continue
        before = set()
        for line, words, read, written, is_branch in group:
            clash = before & (written | {name for name in read if not (is_branch and name.startswith("p"))})
            assert not clash, f"{listing}:{line}: {words}: {clash}"
            before |= written
        checked += 1
    return checked


@test
def ia64_listings():
    refused = {}
    with Folder() as folder:
        for name in sorted(os.listdir(LISTINGS)):
            if not name.endswith(".s"):
                continue
            listing = os.path.join(LISTINGS, name)
            has_loops = json.loads(text("loops", listing, "--json"))
            plan = "functions\nloops\n" if has_loops else "functions\n"
            out, refused[name] = with_nodes(folder, listing, plan)
            assert check_groups(out) > 10, name
            kinds = {row["kind"] for row in rows(out, "select kind from problems")}
            before = {row["kind"] for row in rows(listing, "select kind from problems")}
            assert kinds <= before | {"compiler's blocks"}, (name, kinds)
            for row in rows(out, "select template, count(*) n from bundles group by 1"):
                assert row["template"] in ("mii", "mmi", "mlx", "mib", "mfi", "mmf", "mfb", "mmb", "mbb", "bbb"), row
    assert refused["kernels-O2.s"] <= 2 and refused["icc10.s"] == 0, refused


@test
def ia64_counted_loops_read_the_counter():
    with Folder() as folder:
        out, _ = with_nodes(folder, os.path.join(LISTINGS, "icc10.s"), "loops\n")
        body = open(out).read()
        assert body.count("= ar.lc") >= 2 and "= ar.itc" in body, body
        kernel = body[body.index(".b1_2:"):body.index("br.ctop")]
        assert "assay" not in kernel, "a counted loop has no node inside"


@test
def the_example_of_the_manual():
    """Its function leaves five general registers, names f126 and keeps all predicates: other registers hold what nodes need."""
    example = os.path.join(ROOT, "examples", "daxpy.s")
    with Folder() as folder:
        out, refused = with_nodes(folder, example, "loops daxpy\n")
        assert refused == 0 and check_groups(out) > 10, refused
        body = open(out).read()
        assert body.count("node begins (loop 0 of daxpy") == 4, body
        saved = re.findall(r"setf\.sig (f\d+) = r\d+", body)
        named = set(re.findall(r"\bf\d+\b", open(example).read()))
        assert saved and not named & set(saved), saved
        for label, branch in ((".b1_1:", "br.ctop"), (".b1_3:", "br.cloop")):
            assert "assay" not in body[body.index(label):body.index(branch)], label


run()
