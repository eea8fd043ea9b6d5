#!/usr/bin/env python3
"""The profiler's library by itself: preloaded into programs that know their own number of events."""
# first build only: the profiler is compiled alike in all builds
import os, re, signal, struct
from harness import MACHINE, NO_TRAPS, PROGRAMS, ROOT, Fail, Folder, Lacking, Skip, build, command, run, test, watched

BUILD = os.path.abspath(os.environ.get("BUILD", os.path.dirname(os.environ.get("ASSAY", "build/assay"))))
FLAGS = ["-D_GNU_SOURCE", "-O1", "-I" + os.path.join(ROOT, "include")]
LIBRARIES = ["-lm", "-lpthread", "-ldl"]
NARROW = ["-m32", "-msse2", "-mfpmath=sse", "-idirafter", "/usr/include/x86_64-linux-gnu"]
TOTAL = re.compile(r"assay-denormal-profile: (?:total|about) (\d+) operand events, (\d+) underflow events")
SITE = re.compile(r"assay-denormal-profile: site +(\d+) +(\d+) +(\d+)  0x([0-9a-f]+)(?:  (\S+)\+0x[0-9a-f]+)?(.*)")


def library(bits=64):
    if MACHINE != "x86_64":
        raise Skip(NO_TRAPS)
    path = os.path.join(BUILD, "runtime", "denormal-profile", *([] if bits == 64 else ["i386"]), "libassay-denormal-profile.so")
    if not os.path.exists(path):
        raise Lacking("this build has no profiler for " + ("x86-64" if bits == 64 else "i386"))
    return path


def program(folder, name, *flags, bits=64):
    library(bits)
    source = os.path.join(PROGRAMS, "denormals", name + ".c")
    return build(folder, ["gcc"], [source, *LIBRARIES], *FLAGS, *(NARROW if bits == 32 else []), *flags, output=name)


def watch(words, status=0, bits=64, **settings):
    """Standard error of a program under the profiler.  Emulators that run x86 programs do not trap: no test then."""
    environment = dict(os.environ, LD_PRELOAD=library(bits), **settings)
    if "exact" not in settings:
        environment["ASSAY_DENORMALS_EXACT"] = "1"
    environment.pop("exact", None)
    done = watched(words, env=environment)
    reported = done.stderr.decode(errors="replace")
    if "does not trap denormals" in reported:
        raise Skip(NO_TRAPS)
    if done.returncode != status:
        raise Fail(f"{' '.join(words)}: exit {done.returncode}, expected {status}\n{reported[-2000:]}")
    return reported


def totals(reported):
    """(operands, underflows) of each process that printed a profile, in the order of their ends."""
    return [(int(a), int(b)) for a, b in TOTAL.findall(reported)]


def expect(reported, *wanted):
    assert totals(reported) == list(wanted), f"{totals(reported)}, expected {list(wanted)}\n{reported[-2000:]}"


def both_widths(check):
    for bits in (64, 32):
        library(bits)
        with Folder() as folder:
            check(folder, bits)


@test
def every_event_is_counted_once():
    def check(folder, bits):
        path = program(folder, "events", bits=bits)
        reported = watch([path, "1000", "500", "200"], bits=bits)
        sites = [tuple(map(int, s[:2])) for s in SITE.findall(reported)]
        assert (1000, 0) in sites and (0, 500) in sites and (200, 200) in sites, reported
        expect(watch([path, "0", "0", "0"], bits=bits), totals(watch([path], bits=bits))[0])
    both_widths(check)


@test
def threads_are_counted_together():
    def check(folder, bits):
        reported = watch([program(folder, "threads", bits=bits), "8", "300"], bits=bits)
        expect(reported, (9 * 300, 0))
        assert "10 threads" in reported, reported
    both_widths(check)


@test
def children_have_profiles_of_their_own():
    def check(folder, bits):
        path = program(folder, "processes", bits=bits)
        expect(watch([path, "fork"], bits=bits), (20, 0), (20, 0))
        expect(watch([path, "vfork"], bits=bits), (30, 0), (20, 0))
        expect(watch([path, "spawn"], bits=bits), (30, 0), (20, 0))
        expect(watch([path, "exec"], status=3, bits=bits), (11, 0), (30, 0))
    both_widths(check)


@test
def programs_that_die_print_what_they_met():
    def check(folder, bits):
        path = program(folder, "crash", bits=bits)
        for how, number in (("segv", signal.SIGSEGV), ("abort", signal.SIGABRT), ("divide", signal.SIGFPE),
                            ("trap", signal.SIGTRAP)):
            expect(watch([path, how], status=-number, bits=bits), (50, 0))
        expect(watch([path, "quit"], status=5, bits=bits), (50, 0))
    both_widths(check)


@test
def a_killed_program_leaves_its_recording():
    with Folder() as folder:
        path = program(folder, "crash")
        watch([path, "kill"], status=-signal.SIGKILL, ASSAY_DENORMALS_FILE=os.path.join(folder, "record"))
        files = [f for f in os.listdir(folder) if f.startswith("record.")]
        assert len(files) == 1, files
        with open(os.path.join(folder, files[0]), "rb") as file:
            data = file.read()
        assert data[:8] == b"ASSAYDIP" and struct.unpack_from("<I", data, 8)[0] == 1
        # Section of sites: the third of five, after fields of fixed places (profile_file.h).
        offset, size, capacity, used, _ = struct.unpack_from("<QIIQQ", data, 120 + 2 * 32)
        counts = [struct.unpack_from("<QIIQQ", data, offset + i * size) for i in range(capacity)]
        events = [site[3] for site in counts if site[0]]
        assert used == 1 and events == [50], (used, events)


@test
def signals_of_the_program_reach_it():
    def check(folder, bits):
        reported = watch([program(folder, "handlers", bits=bits)], bits=bits)
        expect(reported, (60, 60))
        assert "handlers for SIGFPE or SIGTRAP" in reported and "enabled traps of its own" in reported, reported
    both_widths(check)


@test
def the_environment_is_as_without():
    def check(folder, bits):
        path = program(folder, "environment", bits=bits)
        command([path])
        expect(watch([path], bits=bits), (41, 2))
    both_widths(check)


@test
def masks_that_the_program_loads_are_noticed():
    with Folder() as folder:
        reported = watch([program(folder, "masks")])
        expect(reported, (10, 0))
        assert "switched trapping off" in reported, reported


@test
def flushing_since_the_start_is_reported():
    def check(folder, bits):
        reported = watch([program(folder, "flush", "-ffast-math", bits=bits)], bits=bits)
        expect(reported, (0, 0))
        assert "since start-up" in reported, reported
    both_widths(check)


@test
def x87_results_are_right():
    def check(folder, bits):
        reported = watch([program(folder, "x87", bits=bits)], bits=bits)
        counts = [int(s[0]) for s in SITE.findall(reported) if "x87" in s[5]]
        assert len(counts) >= 8 and set(counts) == {100}, reported
    both_widths(check)


@test
def code_compiled_for_x87_is_counted():
    with Folder() as folder:
        path = program(folder, "events", bits=32)
        path = build(folder, ["gcc"], [os.path.join(PROGRAMS, "denormals", "sums.c")], *FLAGS, "-m32", "-mfpmath=387",
                     "-idirafter", "/usr/include/x86_64-linux-gnu", output="sums")
        command([path])
        reported = watch([path], bits=32)
        assert totals(reported)[0][0] >= 1000, reported


@test
def vectors_of_all_widths():
    for width in ("avx", "avx512"):
        with Folder() as folder:
            path = program(folder, "vectors")
            if command([path, width], status=None).returncode == 77:
                continue
            expect(watch([path, width]), (50, 50))


@test
def phases_by_call_and_by_signal():
    def check(folder, bits):
        reported = watch([program(folder, "phases", bits=bits)], bits=bits)
        found = re.findall(r"phase (\d) (\w+): (\d+) operand", reported)
        assert found == [("1", "start", "3"), ("2", "second", "5"), ("3", "signal", "7")], reported
    both_widths(check)


@test
def libraries_that_come_later():
    with Folder() as folder:
        path = program(folder, "loader")
        plugin = program(folder, "plugin", "-shared", "-fPIC")
        for how, status in (("unload", 0), ("crash", -signal.SIGABRT)):
            reported = watch([path, plugin, how], status=status)
            expect(reported, (40, 0))
            assert [s[4] for s in SITE.findall(reported)] == ["plugin"], reported


@test
def few_events_are_exact_by_default():
    with Folder() as folder:
        reported = watch([program(folder, "events"), "20", "10", "0"], exact="no")
        assert "sampled" in reported and totals(reported)[0] == (22, 11), reported


@test
def many_events_are_estimated_by_default():
    """The interval of 95 % holds the truth, but for bad luck: three runs must not all miss it.  Where the clock sees nothing
    between two events and denormals cost nothing, a guess has to have the right size."""
    with Folder() as folder:
        path = program(folder, "events")
        misses = []
        for _ in range(3):
            reported = watch([path, "1000000000", "0", "0"], exact="no")
            guess, rest = re.search(r"about (\d+) operand events(.*)", reported).groups()
            found = re.search(r"\(95 %: (\d+) to (\d+)\)", rest)
            assert found or "(a rough guess)" in rest, reported
            low, high = map(int, found.groups()) if found else (int(guess) // 10, int(guess) * 10)
            if low <= 1000000003 <= high:
                return
            misses.append((low, high))
        raise Fail(f"1,000,000,003 events, estimates {misses}")


run()
