"""Files that are read in part: the rows of the chosen functions are those of a whole reading.  compare-parts
(tests/unit/code/compare_parts.c) reads both ways and compares."""
# first build only: it reads whole libraries, and what it reads in part is covered by these
import random
from harness import *

COMPARE = os.path.join(os.environ.get("BUILD", os.path.dirname(ASSAY)), "tests/unit/compare-parts")
SHAPES = os.path.join(PROGRAMS, "parts/shapes.cc")
FIXED = ("-no-pie", "-fno-pie", "-nostdlib", "-Wl,-e,main", "-Wl,--unresolved-symbols=ignore-all")
MACHINES = ("x86_64", "aarch64")


def compare(file, seed=1, count=30, addresses=()):
    """What compare-parts says of a file, when nothing differs."""
    done = command([COMPARE, file, str(seed), str(count), *(f"{address:x}" for address in addresses)], status=None)
    answer = done.stdout.decode(errors="replace")
    assert done.returncode == 0, f"{file}: {answer[-3000:]}{done.stderr.decode()}"
    return answer


def kinds(folder, compiler, sources, *flags):
    """A program with debug information, with symbols alone, and without either."""
    full = build(folder, compiler, sources, "-g", *flags, output="full")
    plain = build(folder, compiler, sources, *flags, output="plain")
    stripped = build(folder, compiler, sources, "-s", *flags, output="stripped")
    return [full, plain, stripped]


def of_all(machine, name, sources, *flags, least=1):
    compared = 0
    tools = {"C++": [[cross("g++", machine)], ["clang++"] + ([] if machine == MACHINE else [f"--target={machine}-linux-gnu"])],
             "C": compilers(machine),
             "Fortran": [[cross("gfortran", machine)]]}[name]
    tools = [tool + ["-freorder-blocks-and-partition"] if "++" in tool[0] and "clang" not in tool[0] else tool for tool in tools]
    for compiler in tools:
        need(compiler[0])
        with Folder() as folder:
            for file in kinds(folder, compiler, sources, *flags):
                for seed, count in ((1, 3), (2, 10), (3, 1000)):
                    compare(file, seed, count)
                    compared += 1
    if compared < least:
        raise Lacking(f"there is no compiler of {name} for {machine}")


def symbols(file):
    lines = command([need("nm"), file]).stdout.decode().splitlines()
    return {words[2]: int(words[0], 16) for words in (line.split() for line in lines) if len(words) == 3}


@test
def parts_of_C_programs_are_those_of_the_whole():
    sources = [os.path.join(PROGRAMS, name) for name in ("loops.c", "families.c", "patterns.c", "pointers.c")]
    for machine in MACHINES:
        for source in sources:
            of_all(machine, "C", [source], "-O3", "-shared", "-fPIC")


@test
def parts_of_Fortran_programs_are_those_of_the_whole():
    for machine in MACHINES:
        of_all(machine, "Fortran", [os.path.join(PROGRAMS, "loops.f90")], "-O3", "-shared", "-fPIC")


@test
def parts_of_CXX_programs_are_those_of_the_whole():
    for machine in MACHINES:
        of_all(machine, "C++", [SHAPES], "-O2", "-shared", "-fPIC", "-nostdlib")


@test
def parts_of_programs_at_fixed_addresses_are_those_of_the_whole():
    for machine in MACHINES:
        of_all(machine, "C++", [SHAPES], "-O2", *FIXED)


@test
def parts_of_static_programs_are_those_of_the_whole():
    """The C library has assembly without sizes, cold parts and functions that jump into each other."""
    for machine in MACHINES:
        compiler = cross("gcc", machine)
        need(compiler)
        with Folder() as folder:
            source = os.path.join(folder, "main.c")
            with open(source, "w") as file:
                file.write('#include <stdio.h>\nint main(void) { puts("here"); return 0; }\n')
            for file in kinds(folder, [compiler], [source], "-O2", "-static"):
                for seed in range(4):
                    compare(file, seed, 40)


@test
def parts_of_this_machines_files_are_those_of_the_whole():
    folders = ["/usr/lib/aarch64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/usr/x86_64-linux-gnu/lib", "/usr/aarch64-linux-gnu/lib",
               "/usr/bin"]
    names = ["libc.so.6", "libstdc++.so.6", "libgomp.so.1", "libm.so.6", "libz.so.1", "libsqlite3.so.0", "bash", "git", "perl"]
    found = sorted({os.path.realpath(path) for folder in folders for name in names
                    for path in [os.path.join(folder, name)] if os.path.isfile(path)})
    assert found, "there are no such files here"
    for file in found:
        compare(file, random.Random(file).randrange(1000), 30)


@test
def what_functions_lead_to_is_that_of_the_whole():
    """Cold parts without names, jump tables into them, stubs of versions: each function alone."""
    source = os.path.join(PROGRAMS, "parts/leaving.c")
    variants = [["-O2"], ["-O2", "-fno-plt"], ["-O1", "-fno-asynchronous-unwind-tables"], ["-O3", "-fno-asynchronous-unwind-tables"]]
    for machine in MACHINES:
        for compiler in compilers(machine):
            for variant in variants:
                with Folder() as folder:
                    script = os.path.join(folder, "versions")
                    with open(script, "w") as file:
                        file.write("OLD { };\nNEW { } OLD;\n")
                    full, plain, stripped = kinds(folder, compiler, [source], *variant, "-shared", "-fPIC", f"-Wl,--version-script={script}")
                    names = symbols(plain)
                    assert "choosing" in names, names
                    own = {name: names[name] for name in names if re.match("stops|fails|choosing|leaving|calling|changing", name)}
                    for file in (full, stripped):
                        for address in own.values():
                            compare(file, addresses=[address])
                        compare(file, addresses=[own["calling_versioned"], names["versioned@OLD"]])


# Two files that a function consists of, as _init does.
HALVES = ("""
    .text
    .globl both
    .type both, %function
both:
    add $1, %edi
    sub $3, %edi
""", """
    .text
    add $7, %edi
    lea 1(%rdi), %eax
    ret
    .globl after
    .type after, %function
after:
    ret
""")
# Calls through slots that are loaded before, of functions in another file.
CALLEES = r"""
int outside(int);
int small(int x) { return x * 3; }
int looping(int x) { int s = 0; for (int i = 0; i < x; i++) s ^= i * x; return s; }
int calling(int x) { return outside(x) + 1; }
"""
CALLERS = r"""
#define CALLS(name, callee)                                                                                            \
    void name(int *p, int n)                                                                                           \
    {                                                                                                                  \
        for (int i = 0; i < n; i++)                                                                                    \
            __asm__("mov " #callee "@GOTPCREL(%%rip), %%rax\n\tcall *%%rax" : : "D"(p[i]) : "rax", "rcx", "rdx", "rsi", \
                    "r8", "r9", "r10", "r11", "memory");                                                               \
    }
CALLS(to_small, small)
CALLS(to_looping, looping)
CALLS(to_calling, calling)
"""


@test
def a_function_may_have_code_of_several_units():
    compiler = need(cross("gcc", "x86_64"))
    with Folder() as folder:
        sources = [os.path.join(folder, name) for name in ("first.s", "second.s")]
        for source, text in zip(sources, HALVES):
            with open(source, "w") as file:
                file.write(text)
        file = build(folder, [compiler], sources, "-g", "-shared", "-nostdlib")
        both = symbols(file)["both"]
        for offset in (0, 3, 6, 12):
            compare(file, addresses=[both + offset])


@test
def callees_in_slots_are_looked_into():
    compiler = need(cross("gcc", "x86_64"))
    with Folder() as folder:
        sources = [os.path.join(folder, name) for name in ("callees.c", "callers.c")]
        for source, text in zip(sources, (CALLEES, CALLERS)):
            with open(source, "w") as file:
                file.write(text)
        for file in kinds(folder, [compiler], sources, "-O2", "-shared", "-fPIC", "-Wl,--no-relax")[:2]:
            names = symbols(file)
            for name in ("to_small", "to_looping", "to_calling"):
                compare(file, addresses=[names[name]])


@test
def debug_information_of_neighbours_does_not_matter():
    """An inlined call in a cold part belongs to the function that is elsewhere; and rows of lines do not go on from the inlined call at
    the end of one function into the next one."""
    inlined = ("__attribute__((noreturn, cold)) void fail(int);\n"
               "static inline __attribute__((always_inline)) void report(int x) { fail(x * 3); }\n"
               "int f(const int *p, int n)\n{\n    int s = 0;\n    for (int i = 0; i < n; i++) {\n        if (p[i] < 0)\n"
               "            report(i);\n        s += p[i];\n    }\n    return s;\n}\n")
    joined = ("void again(volatile int *p);\nvoid before(volatile int *p) { again(p); }\n"
              "void again(volatile int *p) { for (;;) *p = 1; }\n")
    for machine in MACHINES:
        for compiler in compilers(machine):
            with Folder() as folder:
                source = os.path.join(folder, "source.c")
                for text, flags in ((inlined, ["-O2"]), (joined, ["-Os", "-gno-column-info"])):
                    with open(source, "w") as file:
                        file.write(text)
                    file = build(folder, compiler, [source], "-g", *flags, "-shared", "-fPIC")
                    names = symbols(file)
                    for name in set(names) & {"f", "f.cold", "again", "before"}:
                        compare(file, addresses=[names[name]])


# A loop that leaves for its cold part, which jumps back into it; and two functions beside it.
COLD = """
    .text
    .macro function name
    .type \\name, %function
\\name:
    .cfi_startproc
    .endm
    .macro over name
    .cfi_endproc
    .size \\name, .-\\name
    .endm
    function f.cold
    {rare}
    {jump} .Lback
    over f.cold
    function other
    {ret}
    over other
    function f
.Lloop:
    {count}
    {leave} f.cold
.Lback:
    {again} .Lloop
    {ret}
    over f
    function another
    {ret}
    over another
"""
WORDS = {"x86_64": dict(rare="lea 7(%rdi), %rdi", jump="jmp", ret="ret", count="dec %rdi", leave="js", again="jne"),
         "aarch64": dict(rare="add x0, x0, 7", jump="b", ret="ret", count="subs x0, x0, 1", leave="b.mi", again="b.ne")}


@test
def a_cold_part_belongs_to_its_function():
    for machine in MACHINES:
        need(cross("gcc", machine))
        with Folder() as folder:
            source = os.path.join(folder, "cold.s")
            with open(source, "w") as file:
                file.write(COLD.format(**WORDS[machine]))
            file = build(folder, [cross("gcc", machine)], [source], "-shared", "-nostdlib")
            names = symbols(file)
            decoded = re.findall(r"^decoded (\S+)$", compare(file, addresses=[names["f"] + 4]), re.M)
            assert sorted(decoded) == ["f", "f.cold"], decoded
            nameless = build(folder, [cross("gcc", machine)], [source], "-shared", "-nostdlib", "-s", output="nameless")
            decoded = re.findall(r"^decoded (\S+)$", compare(nameless, addresses=[names["f"] + 4]), re.M)
            assert sorted(decoded) == sorted(f"function_{names[name]:x}" for name in ("f", "f.cold")), decoded


@test
def functions_that_are_not_asked_for_are_not_decoded():
    for compiler in ("g++", "clang++"):
        need(compiler)
        with Folder() as folder:
            file = build(folder, [compiler], [SHAPES], "-O2", "-g")
            names = symbols(file)
            decoded = re.findall(r"^decoded (\S+)$", compare(file, addresses=[names["_Z14sum_of_squaresPKdl"] + 4]), re.M)
            assert "_Z14sum_of_squaresPKdl" in decoded, decoded
            assert "main" not in decoded and "_Z6chooselll" in names and "_Z6chooselll" not in decoded, decoded
            assert "_ZL6squared" in decoded, decoded  # it is small, and the loop calls it


@test
def addresses_outside_of_code_choose_nothing():
    for compiler in compilers(MACHINE):
        with Folder() as folder:
            file = build(folder, compiler, [os.path.join(PROGRAMS, "loops.c")], "-O2", "-g", "-shared", "-fPIC")
            answer = compare(file, addresses=[1, 1 << 40, (1 << 64) - 1])
            assert "decoded" not in answer and "part: " in answer, answer


@test
def debug_information_of_other_units_is_not_read():
    with Folder() as folder:
        sources = []
        for name in "abcd":
            sources.append(os.path.join(folder, f"{name}.c"))
            with open(sources[-1], "w") as file:
                file.write(f"int of_{name};\nint f_{name}(int *x, int n)\n{{\n    int s = 0;\n    for (int i = 0; i < n; i++)\n"
                           f"        s += x[i];\n    return s + of_{name};\n}}\n")
        for compiler in compilers(MACHINE):
            file = build(folder, compiler, sources, "-O1", "-g", "-shared", "-fPIC")
            names = symbols(file)
            answer = compare(file, addresses=[names["f_b"] + 8])
            whole, part = (int(number) for number in re.findall(r"(\d+) source lines", answer))
            assert 0 < part < whole / 2, answer


run()
