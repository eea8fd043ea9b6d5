#!/usr/bin/env python3
# first build only: most of it is compiling and running other programs; damaged files are read by the unit test, too
"""assay codelet: calls captured from real programs are replayed with the same results, right variants are accepted,
wrong ones refused, and what cannot be replayed is told."""
import json, os, random, struct
from harness import *

SOURCES = os.path.join(PROGRAMS, "codelets")


def compile_object(folder, compiler, source, *flags):
    path = os.path.join(folder, "variant.o")
    command([*compiler, "-c", *flags, os.path.join(SOURCES, source), "-o", path])
    return path


def kernels(folder, *flags):
    return build(folder, ["gcc"], [f"{SOURCES}/kernels.c", "-lm"], "-g", "-O2", "-fwrapv", "-ffp-contract=off", "-pthread",
                 *flags)


def capture(folder, function, words, *options, status=0, file=None):
    need_real_kernel("ptrace")
    path = os.path.join(folder, f"{function}.codelet")
    done = assay("codelet", "capture", function, *([file] if file else []), "-o", path, *options, "--json", "--", *words,
                 status=status)
    return (path, json.loads(done.stdout)[0]) if not status else done.stderr.decode()


def replay(codelet, *words, status=0, budget="0.02s"):
    return json.loads(assay("codelet", "replay", codelet, *words, "--budget", budget, "--json", status=status).stdout)[0]


@test
def a_captured_call_is_replayed_with_right_variants():
    with Folder() as folder:
        for flags in ((), ("-static",), ("-no-pie", "-fno-pie")):
            program = kernels(folder, *flags)
            codelet, facts = capture(folder, "smooth", [program])
            assert facts["calls_seen"] == 10 and facts["is_every_call"] and 1 <= facts["call"] <= 10, facts
            assert facts["seconds"] > 0, facts
            alone = replay(codelet)
            assert alone["original_seconds"] > 0 and alone["verdict"] == "same", alone
            for level in ("-O0", "-O3"):
                position = ("-fno-pie",) if "-no-pie" in flags else ()
                made = compile_object(folder, ["gcc"], "kernels.c", level, "-ffp-contract=off", *position)
                result = replay(codelet, made)
                assert result["verdict"] == "same" and result["has_result"], (flags, level, result)
                assert result["seconds"] > 0 and result["compared"] >= (3000 if facts["call"] > 1 else 16) and not result["differing"], result


@test
def planted_faults_are_refused():
    with Folder() as folder:
        program = kernels(folder)
        codelet, _ = capture(folder, "smooth", [program])
        faults = {1: ("different", "value that it returns"), 2: ("slow", "20 times"), 3: ("crashed", "is not there"),
                  4: ("crashed", "system call")}
        for fault, (verdict, words) in faults.items():
            made = compile_object(folder, ["gcc"], "kernels.c", "-O2", "-ffp-contract=off", f"-DFAULT={fault}")
            result = replay(codelet, made, status=1)
            assert result["verdict"] == verdict and words in result["where"], (fault, result)
        for function, flag in (("count_missing", "-ffinite-math-only"), ("wraps", "-fno-wrapv")):
            codelet, _ = capture(folder, function, [program])
            right = compile_object(folder, ["gcc"], "kernels.c", "-O2", "-fwrapv")
            assert replay(codelet, right)["verdict"] == "same"
            wrong = compile_object(folder, ["gcc"], "kernels.c", "-O2", flag)
            result = replay(codelet, wrong, status=1)
            assert result["verdict"] == "different", (function, result)


@test
def a_tolerance_accepts_rounding_and_nothing_else():
    with Folder() as folder:
        program = kernels(folder)
        for function, tolerance, type_name in (("smooth", "1e-9", "double"), ("single", "1e-4", "float")):
            codelet, _ = capture(folder, function, [program], *(["--call", "5"] if function == "smooth" else []))
            made = compile_object(folder, ["gcc"], "kernels.c", "-O3", "-ffp-contract=off", "-fassociative-math", "-fno-signed-zeros",
                                  "-fno-trapping-math")
            result = replay(codelet, made, status=1)
            assert result["verdict"] == "last digits" and 0 < result["largest_error"] < float(tolerance), (function, result)
            assert result["seconds"] > 0 and 0 < result["largest_ulps"] < 1000, result
            assert replay(codelet, made, "--tolerance", "%.0fulp" % (result["largest_ulps"] + 1))["verdict"] == "within"
            assert replay(codelet, made, "--tolerance", tolerance)["verdict"] == "within"
            too_little = repr(result["largest_error"] / 2)
            assert replay(codelet, made, "--tolerance", too_little, status=1)["verdict"] == "last digits"
            wrong = compile_object(folder, ["gcc"], "kernels.c", "-O2", "-DFAULT=1")
            if function == "smooth":
                assert replay(codelet, wrong, "--tolerance", tolerance, status=1)["verdict"] == "different"


@test
def a_difference_is_named_by_the_source():
    with Folder() as folder:
        program = kernels(folder)
        codelet, _ = capture(folder, "counting", [program], "--call", "3")
        other = os.path.join(folder, "other.c")
        with open(other, "w") as out:
            out.write("long counting(int *v, int n) { long s = 0; for (int i = 0; i < n; i++) s += v[i] += i;"
                      " v[7] ^= 1; return s; }\n")
        made = os.path.join(folder, "other.o")
        command(["gcc", "-O2", "-c", other, "-o", made])
        result = replay(codelet, made, status=1)
        assert "element 7 " in result["where"] and "values" in result["where"] and result["differing"] == 1, result


@test
def cpp_and_fortran():
    with Folder() as folder:
        need("g++")
        program = build(folder, ["g++"], [f"{SOURCES}/sorting.cpp"], "-g", "-O2")
        codelet, _ = capture(folder, "order", [program])
        for level in ("-O1", "-O3"):
            made = compile_object(folder, ["g++"], "sorting.cpp", level)
            name = json.loads(assay("codelet", "show", codelet, "--json").stdout)[0]["function"]
            assert name.startswith("_Z5order"), name
            assert replay(codelet, made)["verdict"] == "same"
        need("gfortran")
        program = build(folder, ["gfortran"], [f"{SOURCES}/stencil.f90", f"{SOURCES}/scale.f90"], "-g", "-O2", f"-J{folder}")
        for function, source in (("relax", "stencil.f90"), ("scale", "scale.f90")):
            codelet, _ = capture(folder, function, [program])
            for level in ("-O1", "-O3"):
                made = compile_object(folder, ["gfortran"], source, level, f"-J{folder}")
                assert replay(codelet, made)["verdict"] == "same", function


@test
def threads_children_and_libraries():
    with Folder() as folder:
        program = kernels(folder)
        codelet, facts = capture(folder, "counting", [program])
        assert facts["calls_seen"] == 80, facts
        made = compile_object(folder, ["gcc"], "kernels.c", "-O3")
        assert replay(codelet, made)["verdict"] == "same"
        capture(folder, "counting", [program, "child"])
        codelet, facts = capture(folder, "counting", ["sh", "-c", f"{program} child; true"], file=program)
        assert facts["calls_seen"] == 1, facts
        source, user = os.path.join(folder, "lib.c"), os.path.join(folder, "user.c")
        with open(source, "w") as out:
            out.write("#include <math.h>\nint seen; double roots(double *v, int n) { double s = 0;"
                      "for (int i = 0; i < n; i++) s += v[i] = sqrt(v[i] + i + pow(i, 0.25)); seen++; return s; }\n")
        with open(user, "w") as out:
            out.write("double roots(double *, int); static double v[500];"
                      "int main(void) { return roots(v, 500) < roots(v, 400); }\n")
        library, made = os.path.join(folder, "libroots.so"), os.path.join(folder, "lib.o")
        command(["gcc", "-g", "-O2", "-fPIC", "-shared", source, "-o", library, "-lm"])
        command(["gcc", "-O2", user, "-o", os.path.join(folder, "user"), library])
        codelet, _ = capture(folder, "roots", [os.path.join(folder, "user")], file=library)
        for position in ("-fPIC", "-fPIE"):
            command(["gcc", "-O1", position, "-c", source, "-o", made])
            assert replay(codelet, made)["verdict"] == "same", position


@test
def calls_of_threads_are_all_seen():
    """Also of a thread that stands in front of the breakpoint while another is led past it."""
    with Folder() as folder:
        source = os.path.join(folder, "many.c")
        with open(source, "w") as out:
            out.write("#include <pthread.h>\n__attribute__((noinline, noclone)) int twig(int n) {"
                      " for (int i = 0; i < 1000; i++) __asm__ volatile(\"\" : \"+r\"(n)); return n; }\n"
                      "static void *some(void *p) { for (int i = 0; i < 120; i++) *(volatile int *)p += twig(i); return p; }\n"
                      "int main(void) { pthread_t t[8]; int n[8] = {0}; for (int i = 0; i < 8; i++) pthread_create(&t[i], 0, some, &n[i]);"
                      " for (int i = 0; i < 8; i++) pthread_join(t[i], 0); return 0; }\n")
        program = build(folder, ["gcc"], [source], "-g", "-O1", "-pthread", output="many")
        for _ in range(5):
            path, facts = capture(folder, "twig", [program])
            assert facts["calls_seen"] == 960, facts
            os.unlink(path)


ROOM = """#include <stdio.h>
#include <string.h>
#ifndef ROOM
#define ROOM 0
#endif
__attribute__((noinline, noclone)) double total(const double *values, int count)
{
    double sum = 0;
    volatile char room[ROOM + 1];
    if (ROOM)
        for (int i = 0; i < ROOM; i += 500)
            room[i] = 1;
    for (int i = 0; i < count; i++)
        sum += values[i];
    return sum;
}
#if !ROOM
static double values[1000];
__attribute__((noinline, noclone)) static int deep(int byte)
{
    volatile char room[100000];
    memset((char *)room, byte, sizeof room);
    return room[byte];
}
int main(int count, char **words)
{
    (void)words;
    for (int i = 0; i < 1000; i++)
        values[i] = i;
    printf("%d %g\\n", deep(count), total(values, 1000));
    return 0;
}
#endif
"""


@test
def a_variant_may_need_more_of_the_stack():
    """Wherever in a page the stack pointer is, and also where earlier calls have used those pages."""
    with Folder() as folder:
        source, made = os.path.join(folder, "room.c"), os.path.join(folder, "variant.o")
        with open(source, "w") as out:
            out.write(ROOM)
        program = build(folder, ["gcc"], [source], "-g", "-O1", "-fno-stack-protector", output="room")
        command(["gcc", "-O1", "-DROOM=9000", "-c", source, "-o", made])
        for pad in range(0, 4096, 512):
            path = os.path.join(folder, f"{pad}.codelet")
            assay("codelet", "capture", "total", "-o", path, "--", program, env=dict(os.environ, PAD="x" * pad))
            result = replay(path, made)
            assert result["verdict"] == "same", (pad, result)


@test
def memory_from_the_kernel():
    with Folder() as folder:
        for flags in ((), ("-static",)):
            program = build(folder, ["gcc"], [f"{SOURCES}/memory.c"], "-g", "-O1", "-ffp-contract=off", "-DFACTOR=1", *flags)
            codelet, _ = capture(folder, "sums", [program], "--call", "2")
            right = replay(codelet, compile_object(folder, ["gcc"], "memory.c", "-O2", "-ffp-contract=off", "-DFACTOR=1"))
            assert right["verdict"] == "same" and right["compared"] > 100000, right
            # What it leaves in memory that it got during the call counts, too.
            wrong = replay(codelet, compile_object(folder, ["gcc"], "memory.c", "-O2", "-ffp-contract=off", "-DFACTOR=2"), status=1)
            assert wrong["verdict"] == "different" and wrong["differing"] >= 99999, wrong


@test
def what_a_variant_needs_and_no_program_has():
    with Folder() as folder:
        codelet, _ = capture(folder, "smooth", [kernels(folder)], "--call", "2")
        other = os.path.join(folder, "other.c")
        for body, words in (("if (n < 0) return nobody(n);", None), ("if (n > 0) return nobody(n);", "it calls nobody, which"),
                            ("if (n > 0) return nothing[n & 1];", "it uses nothing, which")):
            with open(f"{SOURCES}/kernels.c") as source, open(other, "w") as out:
                text = source.read().replace("double smooth(", "extern int nobody(int), nothing[];\ndouble smooth(", 1)
                at = text.index("{", text.index("double smooth("))
                out.write(text[:at + 1] + body + text[at + 1:])
            made = os.path.join(folder, "other.o")
            command(["gcc", "-O1", "-ffp-contract=off", "-fwrapv", "-c", other, "-o", made])
            result = replay(codelet, made, status=1 if words else 0)
            assert result["verdict"] == ("crashed" if words else "same") and (not words or words in result["where"]), (body, result)


@test
def what_cannot_be_replayed_is_told():
    with Folder() as folder:
        program = kernels(folder)
        said = {"printing": "file", "telling_time": "reads the time", "nowhere": "has no function",
                "main": "system call"}
        for function, words in said.items():
            message = capture(folder, function, [program], status=2)
            assert words in message and message.count("\n") == 1, (function, message)
            assert not os.path.exists(os.path.join(folder, f"{function}.codelet"))
        if MACHINE == "aarch64":
            source = os.path.join(folder, "vectors.c")
            with open(source, "w") as out:
                out.write("__attribute__((noipa, aarch64_vector_pcs)) double f(double x) { return x; }\nint main(void) { return f(1) > 2; }\n")
            command(["gcc", "-O1", source, "-o", os.path.join(folder, "vectors")])
            message = capture(folder, "f", [os.path.join(folder, "vectors")], status=2)
            assert "vector calling convention" in message, message
        message = capture(folder, "smooth", [program], "--call", "11", status=2)
        assert "ended after 10 calls" in message, message
        message = capture(folder, "smooth", [program, "child"], status=2)
        assert "without a call" in message, message
        message = capture(folder, "smooth", [program], "--memory-limit", "1", status=2)
        assert "--memory-limit" in message, message
        codelet, _ = capture(folder, "smooth", [program])
        other = os.path.join(folder, "other.c")
        for text, words in (("double smooth(double *a, double *b, int n) { return not_there(a, b, n); }", "not_there"),
                            ("double smoother(void) { return 1; }", "has no function smooth"),
                            ("_Thread_local int t; double smooth(void) { return t++; }", "thread-local")):
            with open(other, "w") as out:
                out.write("double not_there();\n" + text + "\n")
            made = os.path.join(folder, "other.o")
            command(["gcc", "-O1", "-c", other, "-o", made])
            done = assay("codelet", "replay", codelet, made, status=2 if "has no" in words else 1)
            said = (done.stdout + done.stderr).decode()
            assert words in said, (text, said)


@test
def static_variables_of_functions_are_the_programs():
    show = os.path.join(os.environ.get("BUILD", os.path.dirname(ASSAY)), "tests", "unit", "extract-show")
    with Folder() as folder:
        program = os.path.join(folder, "statics")
        for compiler in compilers(MACHINE)[:2]:
            command([*compiler, "-O2", "-g", os.path.join(SOURCES, "statics.c"), "-o", program])
            codelet, _ = capture(folder, "smooth", [program], "--call", "3")
            shown = watched([show, folder, "16", os.path.join(SOURCES, "statics.c"), "", "", "--", *compiler, "-O1", "-c",
                             os.path.join(SOURCES, "statics.c")], text=True).stdout
            rows = [row.split("\t", 1) for row in shown.splitlines()]
            assert ["whole", ""] in rows and ["static", "count..smooth"] in rows and ["static", "seen..weight"] in rows, shown
            command([value for key, value in rows if key == "word"])
            result = replay(codelet, os.path.join(folder, "extract.o"))
            assert result["verdict"] == "same" and result["compared"] > 100, (compiler, result)
        # Numbers alone do not say which one is whose.
        command(["gcc", "-O2", os.path.join(SOURCES, "statics.c"), "-o", program])
        codelet, _ = capture(folder, "smooth", [program], "--call", "3")
        result = replay(codelet, os.path.join(folder, "extract.o"), status=1)
        assert result["verdict"] == "unlinked" and "several of that name" in result["where"], result
        environment = {**os.environ, "XDG_DATA_HOME": folder}
        words = [ASSAY, "optimise", "--line", "statics.c:16", "--budget", "2s", "--capture", program, "--", "gcc", "-O1", "-c",
                 os.path.join(SOURCES, "statics.c")]
        said = " ".join(command(words, env=environment).stdout.decode().split())
        assert "nan" not in said and "several of that name" in said, said


@uncertain
def short_calls_are_timed_in_rows_where_that_is_sound():
    with Folder() as folder:
        program = build(folder, ["gcc"], [f"{SOURCES}/short.c"], "-g", "-O1")
        in_a_row = {}
        for function in ("again", "grow", "crash", "hang"):
            codelet, _ = capture(folder, function, [program])
            result = replay(codelet, compile_object(folder, ["gcc"], "short.c", "-O2"), function, budget="0.2s")
            assert result["verdict"] == "same" and result["calls"] >= result["in_a_row"] and (result["seconds"] or 0) > 0, (function, result)
            in_a_row[function] = result["in_a_row"]
        assert in_a_row.pop("again") > 1 and set(in_a_row.values()) == {1}, in_a_row


@test
def runs_with_other_numbers_of_calls_are_captured():
    with Folder() as folder:
        program = build(folder, ["gcc"], [f"{SOURCES}/short.c"], "-g", "-O1")
        _, facts = capture(folder, "again", [program, os.path.join(folder, "ran")])
        assert facts["calls_seen"] == 60 and facts["call"] <= 5, facts
        said = capture(folder, "again", [program, os.path.join(folder, "ran")], "--call", "30", status=2)
        assert "ended after 5 calls of again: there is no call 30" in said, said


@test
def damaged_codelets_give_one_error():
    with Folder() as folder:
        program = kernels(folder, "-static")
        codelet, _ = capture(folder, "count_missing", [program])
        with open(codelet, "rb") as file:
            sound = file.read()
        chance = random.Random(7)
        damaged = os.path.join(folder, "damaged.codelet")
        tables = struct.unpack_from("<14Q", sound, 200)
        refused = 0
        for i in range(24):
            bytes_now = bytearray(sound)
            if i < 6:
                del bytes_now[len(sound) * i // 6:]
            elif i < 16:
                place = chance.randrange(0, 320)
                bytes_now[place] ^= 1 << chance.randrange(8)
            else:
                place = tables[chance.choice((2, 4, 6, 8))] + chance.randrange(0, 64)
                place = place if place < len(sound) else 100
                struct.pack_into("<Q", bytes_now, place // 8 * 8, chance.choice((0, 1, 2**63, 2**64 - 1, 4097)))
            with open(damaged, "wb") as out:
                out.write(bytes_now)
            done = watched([ASSAY, "codelet", "show", damaged])
            assert done.returncode in (0, 2), (i, done)
            refused += done.returncode == 2
            if done.returncode == 2:
                assert done.stderr.count(b"\n") == 1 and b"damaged.codelet" in done.stderr, (i, done.stderr)
        assert refused >= 6, refused


run()
