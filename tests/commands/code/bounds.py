#!/usr/bin/env python3
"""assay bounds: the figure of the paper from a listing and its source, and the same question to binaries, listings
and databases of today's machines."""
import csv, io, json, os, re, shutil

from harness import MACHINE, ROOT, Folder, Lacking, assay, build, command, compilers, cross, need, rows, run, test, text

LISTING = os.path.join(ROOT, "examples", "daxpy.s")
SOURCE = os.path.join(ROOT, "examples", "daxpy.c")
# Figure 3, with what a run took: truncated, not rounded.
FIGURE = {
    "t_f": "n/a 2 16 16 n/a", "t_b": "n/a 1 1 1 n/a", "t_m": "n/a 3 32 32 n/a", "c": "n/a 1 9 12 13.5",
    "CPF": "0.5 0.5 0.56 0.75 0.84", "CPB": "0.33 1 9 12 13.5", "CPM": "0.25 0.33 0.28 0.37 0.42",
}
KERNELS = r"""
double sum(int n, const double *x)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += x[i];
    return s;
}
struct link { struct link *next; double value; };
int length(const struct link *at)
{
    int n = 0;
    while (at) {
        at = at->next;
        n++;
    }
    return n;
}
int main(int count, char **words) { (void)words; return (int)sum(count - 1, 0) + length(0); }
"""


def table(shown):
    """The first table of a text: row name to its columns."""
    found = {}
    for line in shown.splitlines():
        words = line.split()
        if words and words[0] in FIGURE and words[0] not in found and len(words) == 6:
            found[words[0]] = " ".join(words[1:])
    return found


def has_libclang(shown):
    if "libclang" in shown and "MA is n/a" in shown:
        raise Lacking("libclang is not installed")


@test
def figure_3():
    shown = text("bounds", LISTING, "--loop", "1", "--measured", "13.5")
    has_libclang(shown)
    assert table(shown) == FIGURE, shown
    for words in ("machine: itanium2", "Gap A", "Gap C", "Gap S", "Gap P", "16 iterations of the source", "3 prefetches",
                  "3 no-ops", "5 integer operations", "1.5 more"):
        assert words in re.sub(r"\s+", " ", shown), (words, shown)


@test
def the_page_shows_what_is_printed():
    with open(os.path.join(ROOT, "docs", "bounds.md")) as page:
        wanted = page.read().split("--measured 13.5\n", 1)[1].split("```")[0]
    shown = text("bounds", LISTING, "--loop", "1", "--measured", "13.5", env=dict(os.environ, LC_ALL="C.UTF-8"))
    has_libclang(shown)
    assert shown == wanted, shown


@test
def figure_3_with_single_bundles():
    shown = text("bounds", LISTING, "--loop", "1", "--measured", "13.5", "--single-bundles")
    has_libclang(shown)
    assert table(shown) == FIGURE, shown
    # 17 bundles, which is the least.
    assert sum(int(n) for n in re.findall(r"(\d+) (?:×|x) \w+", shown.split("; MAC ")[1].split(".")[0])) == 17, shown


@test
def figure_3_from_a_database():
    with Folder() as folder:
        database = os.path.join(folder, "d.db")
        assay("db", LISTING, "-o", database)
        levels = rows(database, "select loop, level, cycles from bounds order by loop, level")
        assert [(r["loop"], r["level"], r["cycles"]) for r in levels] == [
            (1, "M", 1), (1, "MAC", 9), (1, "MACS", 12), (2, "M", 1), (2, "MAC", 1), (2, "MACS", 11)], levels
        shown = text("bounds", database, "--loop", "1", "--measured", "13.5", "--source", SOURCE)
        has_libclang(shown)
        assert table(shown) == FIGURE, shown


@test
def without_the_compilers_cycles_the_schedule_says_the_same():
    with Folder() as folder:
        plain = os.path.join(folder, "plain.s")
        with open(LISTING) as old, open(plain, "w") as new:
            new.write(re.sub(r"//\d+:.*", "", old.read()))
        found = json.loads(text("bounds", plain, "--json"))
        assert [r["cycles"] for r in found if r["level"] == "MACS"] == [12, 11], found
        assert {r["origin"] for r in found if r["level"] == "MACS"} == {"stops, bundles and latencies"}
        assert not [r for r in found if r["level"] == "MA"]
        assert "MA is n/a" in text("bounds", plain)


@test
def raw_numbers():
    found = json.loads(text("bounds", LISTING, "--loop", "1", "--measured", "13.5", "--json"))
    by_level = {r["level"]: r for r in found}
    assert by_level["MACS"]["cpm"] == 0.375 and by_level["measured"]["cpf"] == 0.84375, found
    assert by_level["measured"]["floating"] == 16 and by_level["M"]["cycles"] == 1
    assert abs(by_level["M"]["cpb"] - 1 / 3) < 1e-12
    assert by_level["MACS"]["machine"] == "itanium2" and "12 cycles" in by_level["MACS"]["gap"]
    lines = list(csv.DictReader(io.StringIO(text("bounds", LISTING, "--csv", "--loop", "1"))))
    assert [r["level"] for r in lines][-1] == "MACS" and lines[-1]["cycles"] == "12.0", lines


@test
def sums_and_chains():
    for machine, name, add, load in (("x86_64", "skylake", 4, 4), ("x86_64", "zen2", 3, 4),
                                     ("aarch64", "neoverse-v1", 2, 4)):
        gcc = cross("gcc", machine)
        need(gcc)
        with Folder() as folder:
            source = os.path.join(folder, "k.c")
            with open(source, "w") as file:
                file.write(KERNELS)
            for flags, output in ((["-c"], "k.o"), (["-S"], "k.s")):
                path = build(folder, [gcc], [source], "-O1", "-g", *flags, output=output)
                for asked in (path, os.path.join(folder, "k.db")):
                    if asked.endswith(".db"):
                        assay("db", path, "-o", asked)
                    found = json.loads(text("bounds", asked, "--machine", name, "--json"))
                    cycles = {(r["function"], r["level"]): r["cycles"] for r in found}
                    assert cycles["sum", "MACS"] == add, (name, asked, cycles)
                    assert cycles["length", "MACS"] == load, (name, asked, cycles)
                    assert cycles["sum", "MAC"] == 1, (name, asked, cycles)


@test
def sources_are_counted():
    with Folder() as folder:
        source = os.path.join(folder, "k.c")
        with open(source, "w") as file:
            file.write(KERNELS)
        for compiler in compilers(MACHINE):
            program = build(folder, compiler, [source], "-O1", "-g")
            shown = text("bounds", program, "--function", "sum")
            has_libclang(shown)
            counts = table(shown)
            assert counts["t_f"].split()[1:3] == ["1", "1"], shown
            assert counts["t_m"].split()[1:3] == ["1", "1"], shown
            os.rename(source, source + ".away")
            try:
                shown = text("bounds", program, "--function", "sum")
                assert "MA is n/a" in shown and "--source" in shown, shown
                shown = text("bounds", program, "--function", "sum", "--source", source + ".away")
            finally:
                os.rename(source + ".away", source)


# Two of the source at a time, with loads and stores that do not say what is in the register.
SOURCE_TEXT = """void f(long n, double *a, const double *b, const double *c, double d)
{
    for (long i = 0; i < n; i++)
        a[i] = b[i] * c[i] + d;
}
long least(long n, const double *a)
{
    long at = 0;
    for (long i = 1; i < n; i++)
        if (a[i] < a[at])
            at = i;
    return at;
}
"""
LOOPS = {"x86_64": """	.file 1 "k.c"
	.globl f
	.type f, @function
f:
.Lf:
	.loc 1 4
	movups (%rsi,%rax), %xmm1
	movups (%rdx,%rax), %xmm2
	mulpd %xmm2, %xmm1
	addpd %xmm0, %xmm1
	movups %xmm1, (%rdi,%rax)
	.loc 1 3
	addq $16, %rax
	cmpq %rcx, %rax
	jne .Lf
	ret
	.size f, .-f
	.globl least
	.type least, @function
least:
.Ll:
	.loc 1 10
	movsd (%rsi,%rax,8), %xmm1
	comisd %xmm1, %xmm0
	minsd %xmm1, %xmm0
	cmova %rax, %rdx
	.loc 1 9
	incq %rax
	cmpq %rcx, %rax
	jne .Ll
	ret
	.size least, .-least
""", "aarch64": """	.file 1 "k.c"
	.globl f
	.type f, %function
f:
.Lf:
	.loc 1 4
	ldr q1, [x1, x4]
	ldr q2, [x2, x4]
	fmul v1.2d, v1.2d, v2.2d
	fadd v1.2d, v1.2d, v0.2d
	str q1, [x0, x4]
	.loc 1 3
	add x4, x4, #16
	cmp x4, x3
	b.ne .Lf
	ret
	.size f, .-f
"""}


@test
def how_many_of_the_source():
    for machine, listing in LOOPS.items():
        need(cross("as", machine))
        with Folder() as folder:
            for name, content in (("k.c", SOURCE_TEXT), ("k.s", listing)):
                with open(os.path.join(folder, name), "w") as file:
                    file.write(content)
            ask = lambda *words: re.sub(r"\s+", " ", text("bounds", os.path.join(folder, "k.s"), *words, "--source",
                                                         os.path.join(folder, "k.c")))
            shown = ask("--function", "f")
            has_libclang(shown)
            assert "does 2 iterations of the source (SIMD or unrolled)" in shown, shown
            assert "It loads and stores" not in shown and "CPM" in shown, shown
            if machine == "x86_64":  # compare and minimum are one comparison of the source
                shown = ask("--function", "least")
                assert "computes 2 numbers (source: 1 operation)" in shown, shown
                assert "does 2 iterations of the source" not in shown and "1 access instead of 2" in shown, shown


@test
def selections_and_their_errors():
    with Folder() as folder:
        source = os.path.join(folder, "k.c")
        with open(source, "w") as file:
            file.write(KERNELS)
        program = build(folder, compilers(MACHINE)[0], [source], "-O1", "-g")
        assert "in sum" in text("bounds", program, "--line", "k.c:6")
        assert "in length" not in text("bounds", program, "--line", "k.c:6")
        for words, status, says in (
                (["--function", "nowhere"], 1, "no function"), (["--loop", "999999"], 1, "no loop"),
                (["--line", "k.c:1000"], 1, "no innermost loop"), (["--machine", "vax"], 2, "lists all"),
                (["--machine", "itanium2"], 2, "itanium2 does not run "), (["--measured", "fast"], 2, "--measured"),
                (["--measured", "3"], 2, "with --loop"), (["--machine", "../machines/zen2"], 2, "lists all"),
                (["--line", "k.c:x"], 2, "--line")):
            result = assay("bounds", program, *words, status=status)
            assert says in result.stderr.decode(), (words, result.stderr)


@test
def own_machine_files():
    with Folder() as folder:
        for name, lines in (("slow", "name slow\ntitle Slow\nisa ia64\nfigures invented\nwidth 3\nfloating 1\n"
                                     "memory 1\nbranches 1\n"), ("broken", "name broken\nwidth many\n")):
            with open(os.path.join(folder, name), "w") as file:
                file.write(lines)
        env = dict(os.environ, ASSAY_MACHINES=folder)
        found = json.loads(text("bounds", LISTING, "--loop", "1", "--machine", "slow", "--json", env=env))
        cycles = {r["level"]: r["cycles"] for r in found}
        assert cycles["MAC"] == 32 and cycles["MACS"] == 12, found
        result = assay("bounds", LISTING, "--machine", "broken", status=2, env=env)
        assert b"broken:2:" in result.stderr, result.stderr


@test
def damaged_databases():
    need("sqlite3")
    with Folder() as folder:
        good = os.path.join(folder, "d.db")
        assay("db", LISTING, "-o", good)
        for change in ("update code set encoding = 1000000", "update blocks set instruction_count = 100000",
                       "update loop_blocks set block = 77", "delete from blocks where id = 2",
                       "drop table encodings", "update bundles set instruction_count = 200",
                       "update encodings set class_code = 250",
                       "drop table code; create view code as select 1 as id",
                       "update loops set header = -5"):
            bad = os.path.join(folder, "bad.db")
            shutil.copy(good, bad)
            command(["sqlite3", bad, change])
            result = assay("bounds", bad, status=2)
            assert b"database" in result.stderr and len(result.stderr.splitlines()) == 1, (change, result.stderr)


run()
