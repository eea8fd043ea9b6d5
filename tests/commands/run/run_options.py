"""assay run: how hot compile units were compiled, judged by the time on the code that options left.  The programs are those of
examples/options, whose first line says how each is compiled slowly and fast."""
# first build only: it runs other programs
import json, os, platform, re

from harness import ROOT, Folder, Skip, assay, command, need, run, test

EXAMPLES = os.path.join(ROOT, "examples", "options")


def options_of(name):
    with open(os.path.join(EXAMPLES, name + ".c")) as file:
        return [words.split() for words in re.match(r"/\* slow: (.*?)   fast: (.*)", file.readline()).groups()]


def judged(folder, name, options, compiler="gcc"):
    """The rows of `options` of a run, and its page as text."""
    program = os.path.join(folder, "program")
    sources = [os.path.join(EXAMPLES, name + ".c"), *(os.path.join(EXAMPLES, word) for word in options if word.endswith(".c"))]
    command([compiler, "-g", *(word for word in options if not word.endswith(".c")), "-o", program, *sources])
    database = os.path.join(folder, "run.db")
    assay("run", "--quiet", "-o", database, program)
    rows = json.loads(assay("sql", database, "--json", "select r.rule, r.option, r.share, r.cost, r.saving, u.name as unit from run_options r "
                            "left join units u on u.id = r.unit order by r.position").stdout)
    return rows, assay("report", database).stdout.decode()


def says(name, rule, unit=True, least=0.02, **known):
    with Folder() as folder:
        slow, fast = options_of(name)
        rows, _ = judged(folder, name, slow)
        found = [row for row in rows if row["rule"] == rule]
        assert len(found) == 1, rows
        row = found[0]
        assert (row["unit"] is not None and row["unit"].endswith(name + ".c")) == unit, row
        assert least <= row["saving"] <= 1 and abs(row["saving"] - row["share"] * row["cost"]) < 1e-9, row
        for key, value in known.items():
            assert row[key] == value, row
        rows, _ = judged(folder, name, fast)
        assert not [row for row in rows if row["rule"] == rule], rows


@test
def float_store():
    says("float-store", "float-store", least=0.3, option="-ffloat-store")


@test
def no_optimisation():
    says("unoptimised", "unoptimised", least=0.3, option="-O0")


@test
def assertions_that_are_tested():
    says("assertions", "assertions", option="-DNDEBUG")


# glibc 2.41 says that __assert_fail is cold, and GCC puts the calls into a part of their own.
HEADS = {"usual": "#include <assert.h>", "cold": """
#ifdef NDEBUG
#define assert(e) ((void)0)
#else
void __attribute__((noreturn, cold)) __assert_fail(const char *, const char *, unsigned, const char *);
#define assert(e) ((e) ? (void)0 : __assert_fail(#e, __FILE__, __LINE__, __func__))
#endif
"""}
CHECKED = r"""
#include <stdio.h>
#include <stdlib.h>
unsigned char data[60000];
__attribute__((noipa)) void same(const unsigned char *d, int distance, int length)
{
    for (int i = 0; i < length; i++)
        if (d[i] != d[i + distance]) { assert(d[i] == d[i + distance]); break; }
}
__attribute__((noipa)) int sum(const unsigned char *d, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) { assert(d[i] < 200); sum += d[i] ^ (sum >> 3); }
    return sum;
}
int main(int argc, char **argv)
{
    int total = argc, rounds = atoi(argv[1]);
    for (int i = 0; i < 60000; i++) data[i] = i % 50;
    for (int r = 0; r < rounds; r++) { same(data, 50, 30000); total += sum(data, 30000); }
    printf("%d\n", total);
}
"""


def check_assertions(head):
    """zopfli was promised 2 %, and 7 % were saved: a loop that does nothing but look for a fault goes, too."""
    with Folder() as folder:
        source, program, database = (os.path.join(folder, name) for name in ("checked.c", "checked", "run.db"))
        with open(source, "w") as file:
            file.write(head + CHECKED)
        command(["gcc", "-O2", "-g", "-o", program, source])
        assay("run", "--quiet", "-o", database, program, "12000")
        row, = json.loads(assay("sql", database, "--json", """
            select u.assertion_share as share, sum(s.seconds) filter (where f.name = 'same') / sum(s.seconds) as same,
                   sum(s.seconds) filter (where f.name = 'sum') / sum(s.seconds) as sum
            from run_units u, samples s join functions f on f.id = s.function""").stdout)
        # All of `same` but for its start and end, and a comparison and a branch of `sum`, whose loop remains.
        assert row["same"] > 0.1 and row["sum"] > 0.1, row
        assert 0.9 * row["same"] < row["share"] < row["same"] + 0.9 * row["sum"], row
        command(["gcc", "-O2", "-g", "-DNDEBUG", "-o", program, source])
        assay("run", "--quiet", "-o", database, program, "12000")
        assert json.loads(assay("sql", database, "--json", "select count(*) as units, max(assertion_share) as share from run_units").stdout) == [{"units": 1, "share": 0}]


@test
def what_only_assertions_need():
    check_assertions(HEADS["usual"])


@test
def what_only_assertions_in_a_part_of_their_own_need():
    check_assertions(HEADS["cold"])


@test
def a_later_level_counts():
    """What it costs comes from advice on the loops, here that the loop is not vectorised."""
    says("overridden", "overridden", least=0.2, option="-O1")


@test
def functions_that_are_not_inlined():
    says("not-inlined", "not-inlined", option="-fno-inline")


@test
def arithmetic_that_calls():
    says("trapping", "trapping", unit=False, option="-ftrapv")


@test
def functions_of_other_units():
    """-flto sees both files at once and inlines them."""
    says("separate", "separate", unit=False, least=0.2, option="-flto")


@test
def calls_that_are_counted():
    says("profiled", "profiled", unit=False, least=0.1, option="-pg")


def need_newer_x86():
    if platform.machine() != "x86_64" or not {"avx2", "fma", "popcnt"} <= set(open("/proc/cpuinfo").read().split()):
        raise Skip("the processor is no x86-64 with AVX2")


@test
def functions_that_pointers_call():
    """poa was promised 10 %, and -flto saved nothing of it: no compiler inlines what is called through a pointer."""
    head = "typedef int function(const char *, const char *, int, int);\nint score(const char *, const char *, int, int);\nlong sum(const char *, const char *, int, function *);\n"
    score = "int score(const char *a, const char *b, int i, int j) { return a[i] * 3 + b[j]; }\n"
    total = """__attribute__((noipa)) long sum(const char *a, const char *b, int n, function *call)
{
    long sum = 0;
    for (int i = 0; i < n; i++) sum += CALL(a, b, i, n - i);
    return sum;
}
"""
    main = """#include <stdio.h>
char a[2001], b[2001];
int main(void)
{
    long all = 0;
    for (int i = 0; i < 60000; i++) all += sum(a, b, 2000, score);
    return all == 1;
}
"""
    for call, expected in (("call", False), ("score", True)):
        with Folder() as folder:
            paths = [os.path.join(folder, name) for name in ("score.c", "sum.c", "main.c")]
            for path, content in zip(paths, (score, total.replace("CALL", call), main)):
                with open(path, "w") as file:
                    file.write(head + content)
            program, database = os.path.join(folder, "program"), os.path.join(folder, "run.db")
            command(["gcc", "-g", "-O2", "-o", program, *paths])
            assay("run", "--quiet", "-o", database, program)
            rows = json.loads(assay("sql", database, "--json", "select rule from run_options").stdout)
            assert ({"rule": "separate"} in rows) == expected, (call, rows)


@test
def bits_that_a_function_counts():
    need_newer_x86()
    says("bit-counts", "emulated", unit=False, least=0.2, option="-mpopcnt")


@test
def arithmetic_of_old_processors():
    """No figure: what newer instructions bring is not known without a try, and the page says how to try."""
    need_newer_x86()
    with Folder() as folder:
        rows, text = judged(folder, "polynomials", ["-O2"])
        found = [row for row in rows if row["rule"] == "old target"]
        assert len(found) == 1 and found[0]["saving"] is None and found[0]["unit"].endswith("polynomials.c") and found[0]["share"] > 0.5, rows
        words = " ".join(text.split())
        assert "polynomials.c, compiled without -march=native" in words and "not known without a try" in words, text
        assert f"`assay run --try -- {os.path.join(folder, 'program')}` builds it with -O3" in words, text
        share = json.loads(assay("sql", os.path.join(folder, "run.db"), "--json", "select old_share from run_units").stdout)[0]["old_share"]
        assert 0.3 < share <= 1, share
        rows, _ = judged(folder, "polynomials", ["-O2", "-march=native"])
        assert not [row for row in rows if row["rule"] == "old target"], rows
        rows, _ = judged(folder, "polynomials", ["-O0"])
        assert [row["rule"] for row in rows] == ["unoptimised"], rows


@test
def unrecorded_options():
    """Clang records none: the code shows it."""
    need("clang")
    with Folder() as folder:
        rows, _ = judged(folder, "unoptimised", ["-O0"], "clang")
        assert [row["rule"] for row in rows] == ["unoptimised"] and rows[0]["option"] is None, rows
        rows, _ = judged(folder, "unoptimised", ["-O2"], "clang")
        assert not rows, rows


@test
def the_last_word_counts():
    with Folder() as folder:
        rows, _ = judged(folder, "float-store", ["-O2", "-ffloat-store", "-fno-float-store"])
        assert not [row for row in rows if row["rule"] == "float-store"], rows


@test
def units_that_were_compiled_alike_are_one_line():
    with Folder() as folder:
        objects = [os.path.join(folder, name) for name in ("one.c", "two.c", "main.c")]
        for path, text in zip(objects, ("float one(float x) { return x * 0.5f + 1; }\n", "float two(float x) { return x * 0.25f + 2; }\n",
                                        "float one(float), two(float);\nint main() { float x = 0; for (long i = 0; i < 60000000; i++) x = two(one(x)); return x > 9; }\n")):
            with open(path, "w") as file:
                file.write(text)
        program = os.path.join(folder, "program")
        command(["gcc", "-g", "-O0", "-o", program, *objects])
        result = assay("run", "--quiet", program, status=None)
        text = " ".join((result.stdout + result.stderr).decode().split())
        assert len(re.findall(r"compiled with -O0", text)) == 1 and re.search(r"(\w+\.c, \w+\.c and \w+\.c), compiled with -O0", text), text


@test
def the_page_says_it_first():
    """Before loops, with the unit, the option and what it saves; in JSON the same figures; loops of the unit say nothing of their own."""
    with Folder() as folder:
        program = os.path.join(folder, "program")
        command(["gcc", "-g", "-O0", "-o", program, os.path.join(EXAMPLES, "overridden.c")])
        result = assay("run", "--quiet", program, "30000")
        text = " ".join((result.stdout + result.stderr).decode().split())
        found = re.search(r"How it was compiled costs time - (\S+), compiled with -O0: ([\d.]+) % of the time; without it about (\d+) % of the whole run", text)
        assert found and found.group(1) == "overridden.c", text
        assert 0 < int(found.group(3)) <= float(found.group(2)) <= 100, text
        assert "What to change" not in text and f"would save up to {found.group(3)} % of the run" in text, text
        result = assay("run", "--quiet", "--json", program, "30000")
        said = (result.stdout + result.stderr).decode()
        rows = json.JSONDecoder().raw_decode(said[said.index('{"schema'):])[0]["options"]
        assert [row["rule"] for row in rows] == ["unoptimised"] and "-O0" in rows[0]["title"] and "-O2" in rows[0]["text"], rows


run()
