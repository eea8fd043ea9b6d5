# first build only: it compiles most of the time
"""A loop's function as a file of its own, variants of it, and patches that give them (src/change/optimise/extract/extract.h), through
tests/unit/change/extract_show.c."""
import collections, os, re, shutil, tempfile
from harness import *

SHOW = os.path.join(os.environ.get("BUILD", os.path.dirname(ASSAY)), "tests", "unit", "extract-show")
OPTIONS = os.path.join(ROOT, "data", "compiler-options")


def extract(folder, source, line, *words, variant="", status=0, env=None):
    """What extract-show says, as a list of values for each key; the object of the variant is FOLDER/extract.o."""
    family = "gfortran" if "gfortran" in words[0] else "clang" if "clang" in words[0] else "gcc"
    options = os.path.join(OPTIONS, family) if variant else ""
    answer = watched([SHOW, folder, str(line), source, options, variant, "--", *words, "-c", source], text=True,
                     env=env)
    if answer.returncode and "libclang took longer" in answer.stderr:
        need_real_kernel("time for that: libclang met its limit")
    if answer.returncode != status:
        raise Fail(f"line {line}: exit {answer.returncode}: {answer.stderr}")
    if status:
        return answer.stderr
    facts = collections.defaultdict(list)
    for row in answer.stdout.splitlines():
        key, value = row.split("\t", 1)
        facts[key].append(value)
    command(facts["word"])
    return facts


def code(path, symbol):
    """Instructions of a function in a section of its own, without addresses."""
    lines, inside = [], False
    for line in command(["objdump", "-dr", "--no-show-raw-insn", "--no-addresses", f"--disassemble={symbol}", path]).stdout.decode().splitlines():
        if line.startswith(f"<{symbol}>:"):
            inside = True
        elif re.match(r"<.*>:|Disassembly", line):
            inside = False
        elif inside and line.strip() and "nop" not in line:
            line = re.sub(r"\s+", " ", line.strip())
            line = re.sub(r"^(callq?) <.*", r"\1", line)  # a relocation says which; objdump names what is near
            lines.append(re.sub(r"\.(LC|rodata)\S*", "constant", line))
    assert lines, f"{path} has no {symbol}"
    return lines


def line_of(source, text, number=0):
    found = [i for i, line in enumerate(open(source).read().splitlines(), 1) if text in line]
    return found[number]


def copied(folder, name):
    return shutil.copy(os.path.join(PROGRAMS, name), folder)


OWN = """#include <stdio.h>
#define LOOP(i, n) for (int i = 0; i < (n); i++)
static int calls = 1; /* of work */
double unneeded(double x) { return x + 1; }
double twice(double x) { return 2 * x; }
static double work(const double *x, int n);
double run(const double *x, int n) { return work(x, n) + unneeded(calls); }

/* Adds up. */
static double work(const double *x, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += twice(x[i]) + calls++;
    return s;
}
int main(void)
{
    double x[50];
    LOOP(i, 50) x[i] = i;
    printf("%g\\n", run(x, 50));
}
"""


@test
def functions_of_c_have_the_code_that_they_have_in_their_file():
    lines = {"knr": "s += x[i] * y[i]", "vla": "memcpy(row", "jumps": "s += x[i++]", "generic": "abs_of(x[i])", "vectors": "external_vec(v[i])",
             "walk": "names[s & 1]", "packed_sum": "int packed_sum", "nested_if": "x[i] = 0", "sum_f32": "BODY(f32)"}
    for compiler in compilers(MACHINE):
        with tempfile.TemporaryDirectory() as folder:
            source, flags = copied(folder, "extract.c"), ["-O2", "-ffunction-sections"]
            command([*compiler, *flags, "-w", "-g", "-c", source, "-o", os.path.join(folder, "whole.o")])
            for function, text in lines.items():
                facts = extract(folder, source, line_of(source, text), *compiler, *flags)
                assert facts["function"] == [function] and facts["whole"] == [""], facts
                if code(os.path.join(folder, "whole.o"), function) != code(os.path.join(folder, "extract.o"), function):
                    raise Fail(f"{compiler[0]}: {function} has other code alone")


@test
def static_data_is_the_programs_and_constants_come_along():
    with tempfile.TemporaryDirectory() as folder:
        source = copied(folder, "extract.c")
        facts = extract(folder, source, line_of(source, "c += is_big"), "gcc", "-O2")
        # calls, table: of the function; chosen is never written, so it stays
        assert sorted(facts["static"]) == ["calls..count_bits", "table..count_bits"], facts["static"]
        unknown = command(["nm", "-u", os.path.join(folder, "extract.o")]).stdout.decode().split()
        assert "calls..count_bits" in unknown and "table..count_bits" in unknown and "chosen" not in unknown, unknown
        facts = extract(folder, source, line_of(source, "recur(double x"), "gcc", "-O2")
        assert facts["static"] == ["state"], facts["static"]
        assert extract(folder, source, line_of(source, "names[s & 1]"), "gcc", "-O2")["static"] == []


@test
def without_libclang_the_whole_file_is_compiled():
    with tempfile.TemporaryDirectory() as folder:
        library = os.path.join(folder, "nothing.so")
        command(["gcc", "-shared", "-fPIC", "-w", "-x", "c", "-", "-o", library], stdin=b"void *dlopen(const char *p, int f) { return 0; }")
        env = {**os.environ, "LD_PRELOAD": library}
        source = copied(folder, "extract.c")
        for function, text in {"vla": "memcpy(row", "jumps": "s += x[i++]", "nested_if": "x[i] = 0", "sum_f32": "BODY(f32)"}.items():
            parsed = extract(folder, source, line_of(source, text), "gcc", "-O2")
            facts = extract(folder, source, line_of(source, text), "gcc", "-O2", variant="unroll: GCC unroll 4", env=env)
            assert facts["function"] == facts["symbol"] == [function] and "libclang" in facts["whole"][0], facts
            assert facts["lines"] == parsed["lines"], (function, facts, parsed)
            assert "#pragma GCC unroll 4" in open(os.path.join(folder, "extract.i")).read()
            assert code(os.path.join(folder, "extract.o"), function)
        said = extract(folder, source, 1, "gcc", "-O2", env=env, status=2)
        assert "extract.c:1: no function" in said and said.count("\n") == 1, said
        need("g++")
        source = copied(folder, "extract.cpp")
        for function, text in {"total": "T total(", "inside": "double inside()"}.items():
            facts = extract(folder, source, line_of(source, text), "g++", "-O2", env=env)
            assert facts["function"] == [function] and "libclang" in facts["whole"][0] and facts["own_symbol"] == ["0"], facts


@test
def sources_from_windows_and_with_odd_names():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(PROGRAMS, "extract.c"), "rb") as file:
            text = file.read().replace(b"\n", b"\r\n")
        source = os.path.join(folder, "a \"b\\'c.c")
        with open(source, "wb") as file:
            file.write(text)
        facts = extract(folder, source, line_of(source, "c += is_big"), "gcc", "-O2", variant="unroll: GCC unroll 4")
        assert facts["whole"] == [""], facts["whole"]
        with open(os.path.join(folder, "patch"), "rb") as file:
            added = [line for line in file.read().split(b"\n") if line.startswith(b"+ ")]
        assert len(added) == 1 and added[0].endswith(b"#pragma GCC unroll 4\r"), added


@test
def text_that_depends_on_options_needs_its_whole_file():
    with tempfile.TemporaryDirectory() as folder:
        source = copied(folder, "extract.c")
        facts = extract(folder, source, line_of(source, "double s = 1"), "gcc", "-O2")
        assert "options" in facts["whole"][0], facts["whole"]


@test
def functions_of_cplusplus():
    need("g++")
    with tempfile.TemporaryDirectory() as folder:
        source, flags = copied(folder, "extract.cpp"), ["-O2", "-ffunction-sections"]
        command(["g++", *flags, "-w", "-g", "-c", source, "-o", os.path.join(folder, "whole.o")])
        for text in ("for (double x : v)", "out[i] = max", "int one_c"):
            facts = extract(folder, source, line_of(source, text), "g++", *flags)
            assert facts["whole"] == [""], facts
            symbol = facts["symbol"][0]
            assert code(os.path.join(folder, "whole.o"), symbol) == code(os.path.join(folder, "extract.o"), symbol), symbol
        facts = extract(folder, source, line_of(source, "std::sqrt(x[i]) * factor +"), "g++", *flags)
        assert facts["static"] == ["_ZN3libL6factorE", "_ZN3libL5storeE"] and facts["symbol"] == ["_ZN3lib6scaledEPKdi"], facts
        assert code(os.path.join(folder, "extract.o"), "_ZN3lib6scaledEPKdi")
        facts = extract(folder, source, line_of(source, "s += half(x[i])"), "g++", *flags)
        assert facts["whole"] == [""] and code(os.path.join(folder, "extract.o"), facts["symbol"][0])
        assert "template" in extract(folder, source, line_of(source, "T total("), "g++", *flags)["whole"][0]
        assert "inside of a class" in extract(folder, source, line_of(source, "double inside()"), "g++", *flags)["whole"][0]


@test
def procedures_of_fortran():
    need("gfortran")
    with tempfile.TemporaryDirectory() as folder:
        source, flags = copied(folder, "extract.f90"), ["-O2", "-ffunction-sections"]
        command(["gfortran", *flags, "-g", "-c", source, "-o", os.path.join(folder, "whole.o"), "-J", folder])
        facts = extract(folder, source, line_of(source, "square(v(i))"), "gfortran", *flags)
        assert facts["symbol"] == ["__physics_MOD_fall"] and facts["whole"] == [""], facts
        text = open(os.path.join(folder, "extract.f90")).read()
        assert "subroutine other" in text, "it is named by PUBLIC"
        assert code(os.path.join(folder, "extract.o"), "__physics_MOD_fall") == code(os.path.join(folder, "whole.o"), "__physics_MOD_fall")
        source = copied(folder, "extract.f90")
        facts = extract(folder, source, line_of(source, "a(i, j) = helper"), "gfortran", *flags, variant="unroll: GCC$ unroll 4")
        assert facts["function"] == ["outside"] and facts["whole"] == [""] and "no_patch" not in facts, facts
        text = open(os.path.join(folder, "extract.f90")).read()
        assert re.search(r"!GCC\$ unroll 4\n# \d+ .*\n\s*do 10 i", text), text
        source = shutil.copy(os.path.join(PROGRAMS, "extract.f90"), os.path.join(folder, 'a "b.f90'))
        facts = extract(folder, source, line_of(source, "a(i, j) = helper"), "gfortran", *flags)
        assert facts["function"] == ["outside"], facts
        source = copied(folder, "extract.f90")
        assert "main program" in extract(folder, source, line_of(source, "print *, i"), "gfortran", *flags)["whole"][0]


@test
def debug_lines_are_those_of_the_source():
    with tempfile.TemporaryDirectory() as folder:
        source = copied(folder, "extract.c")
        wanted = line_of(source, "s += x[i] * y[i]")
        extract(folder, source, wanted, "gcc", "-O2", variant="unroll: GCC unroll 4, aligned: 32")
        found = command(["objdump", "-dl", "--disassemble=knr", os.path.join(folder, "extract.o")]).stdout.decode()
        assert f"extract.c:{wanted}" in found, found
        assert not re.search(r"extract\.i:\d+", found), found


@test
def patches_give_the_variant():
    variants = {"gcc": ["unroll: GCC unroll 4", "ivdep: GCC ivdep, restrict: all, function: hot", "aligned: 32, vectorise: -ftree-vectorize, vector-cost: -fvect-cost-model=unlimited"],
                "clang": ["loop-unroll: clang loop unroll_count(4), restrict: all", "loop-interleave: clang loop interleave_count(2), errno: -fno-math-errno"]}
    places = ["s += x[i] * y[i]", "a[i][j] += row[j]", "x[i] = 0"]
    for compiler in compilers(MACHINE):
        for number, variant in enumerate(variants[compiler[0]]):
            for text in places[number % 3:number % 3 + 1]:
                with tempfile.TemporaryDirectory() as folder:
                    source, flags = copied(folder, "extract.c"), ["-O2", "-ffunction-sections"]
                    before = open(source).read()
                    facts = extract(folder, source, line_of(source, text), *compiler, *flags, variant=variant)
                    assert "no_patch" not in facts, facts["no_patch"]
                    patch = open(os.path.join(folder, "patch")).read()
                    more = re.search(r"options more:(.*)", patch)
                    command([need("patch"), "-s", "-p1", "-d", folder, "-i", os.path.join(folder, "patch")])
                    assert open(source).read() != before
                    moved = re.search(r"moves to (\S+), a file of its own.*\n    (.*) -c \S+\n", patch)
                    words, place = [*compiler, *flags, *(more.group(1).split() if more else [])], source
                    if moved:
                        words, place = moved.group(2).split(), os.path.join(folder, moved.group(1))
                    command([*words, "-w", "-g", "-c", place, "-o", os.path.join(folder, "whole.o")])
                    symbol = facts["symbol"][0]
                    if code(os.path.join(folder, "whole.o"), symbol) != code(os.path.join(folder, "extract.o"), symbol):
                        raise Fail(f"{compiler[0]}, {variant}: the patched source has other code for {symbol}\n{patch}")


@test
def options_become_an_attribute_where_that_is_the_same():
    with tempfile.TemporaryDirectory() as folder:
        source, flags = copied(folder, "extract.c"), ["-O2", "-ffunction-sections"]
        extract(folder, source, line_of(source, "s += x[i] * y[i]"), "gcc", *flags,
                variant="unroll-loops: -funroll-loops, associative: -fassociative-math -fno-signed-zeros -fno-trapping-math")
        patch = open(os.path.join(folder, "patch")).read()
        assert "options more" not in patch and 'optimize("unroll-loops"' in patch, patch
        command([need("patch"), "-s", "-p1", "-d", folder, "-i", os.path.join(folder, "patch")])
        command(["gcc", *flags, "-w", "-c", source, "-o", os.path.join(folder, "whole.o")])
        assert code(os.path.join(folder, "whole.o"), "knr") == code(os.path.join(folder, "extract.o"), "knr")
        # another function is inlined into it: not the same
        source = copied(folder, "extract.c")
        extract(folder, source, line_of(source, "c += is_big"), "gcc", *flags, variant="unroll-loops: -funroll-loops")
        assert "options more: -funroll-loops" in open(os.path.join(folder, "patch")).read()


@test
def a_file_of_its_own_has_the_options():
    with tempfile.TemporaryDirectory() as folder:
        source, own, path = (os.path.join(folder, name) for name in ("own.c", "own_work.c", "patch"))
        before, after = os.path.join(folder, "before"), os.path.join(folder, "after")
        with open(source, "w") as file:
            file.write(OWN)
        command(["gcc", "-O2", "-o", before, source])
        extract(folder, source, line_of(source, "s += twice"), "gcc", "-O2", '-DTEXT="a b"', variant="fast-math: -ffast-math, unroll: GCC unroll 4")
        patch = open(path).read()
        assert "    gcc '-DTEXT=\"a b\"' -O2 -ffast-math -c own_work.c\n" in patch and "#pragma GCC unroll 4" in patch, patch
        assert "work is not static any more" in patch, patch
        command([need("patch"), "-s", "-p1", "-d", folder, "-i", path])
        changed, moved = open(source).read(), open(own).read()
        assert "s += twice" not in changed and "static int calls" not in changed and "int calls = 1" in changed, changed
        assert "/* Adds up. */" in moved and "unneeded" not in moved and "#include <stdio.h>" in moved, moved
        command(["gcc", "-O2", "-Wall", "-Werror", "-c", source, "-o", source + ".o"])
        command(["gcc", "-O2", "-ffast-math", "-c", own, "-o", own + ".o"])
        command(["gcc", "-o", after, source + ".o", own + ".o"])
        assert command([after]).stdout == command([before]).stdout
        os.remove(own)
        with open(source, "w") as file:
            file.write(OWN.replace("double s = 0;", "static double kept; double s = kept++;"))
        extract(folder, source, line_of(source, "s += twice"), "gcc", "-O2", variant="fast-math: -ffast-math")
        patch = open(path).read()
        assert "options more: -ffast-math" in patch and "(work in a file of its own is not possible: it has static variables" in patch, patch


@test
def git_takes_the_patches():
    need("git")
    with tempfile.TemporaryDirectory() as folder:
        source = copied(folder, "extract.c")
        command(["git", "init", "-q", folder])
        extract(folder, source, line_of(source, "s += x[i] * y[i]"), "gcc", "-O2", variant="unroll: GCC unroll 4, restrict: all")
        command(["git", "-C", folder, "apply", "--check", os.path.join(folder, "patch")])


@test
def what_a_macro_makes_is_not_patched():
    with tempfile.TemporaryDirectory() as folder:
        source = copied(folder, "extract.c")
        facts = extract(folder, source, line_of(source, "BODY(f32)"), "gcc", "-O2", variant="unroll: GCC unroll 4")
        assert "macro" in facts["no_patch"][0], facts


@test
def wrong_lines_and_sources_are_told():
    with tempfile.TemporaryDirectory() as folder:
        source = copied(folder, "extract.c")
        told = extract(folder, source, line_of(source, "/* K&R */"), "gcc", status=2)
        assert "extract.c:" in told and "no function" in told and told.count("\n") == 1, told
        told = extract(folder, source, line_of(source, "double row[m]"), "gcc", status=2)
        assert "loops of vla begin at" in told, told
        with open(source, "a") as file:
            file.write('#include "nowhere.h"\n')
        told = extract(folder, source, 5, "gcc", status=2)
        assert "nowhere.h" in told and told.count("\n") == 1, told


run()
