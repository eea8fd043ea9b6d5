#!/usr/bin/env python3
# first build only: compiles and runs programs; the sanitizers see the same code on listings in nodes_listings.py
"""assay cc on programs that count themselves: the code that the compiler made, with nodes in it, says the same to the
last digit."""
import glob, os, sqlite3
from harness import *

SOURCES = os.path.join(PROGRAMS, "probes")
LEVELS = ["-O0", "-O1", "-O2", "-O3"]
OTHER = {"aarch64": "x86_64", "x86_64": "aarch64"}.get(MACHINE)

FORTRAN = """program counts
  implicit none
  integer :: i, calls
  integer, parameter :: n = 400
  real(8) :: a(n), total
  calls = 0
  total = 0
  do i = 1, 37
    call fill(a, mod(i, 7) + 1)
    calls = calls + 1
    total = total + a(1)
  end do
  print '(a,i0)', 'fill ', calls
  print '(a,f0.3)', 'total ', total
contains
  subroutine fill(a, m)
    real(8), intent(inout) :: a(:)
    integer, intent(in) :: m
    integer :: k
    do k = 1, m
      a(k) = a(k) * 0.5d0 + k
    end do
  end subroutine
end program
"""


def emulator(machine):
    """Words before a program of this machine."""
    if machine == MACHINE:
        return []
    name = shutil.which(f"qemu-{machine}") or shutil.which(f"qemu-{machine}-static")
    if not name:
        raise Skip(f"no qemu-{machine}")
    if not os.path.exists(os.path.join(os.path.dirname(ASSAY), "runtime", "probe", f"libassay-probe-{machine}.so")):
        raise Skip(f"this build has no runtime for {machine}")
    return [name, "-L", f"/usr/{machine}-linux-gnu"]


def counted(output, width):
    """Lines "name number…" that the program printed."""
    found = {}
    for line in output.decode().splitlines():
        words = line.split()
        if len(words) == width + 1 and all(word.isdigit() for word in words[1:]):
            found[words[0]] = tuple(map(int, words[1:]))
    return found


def run_recorded(folder, machine, program, status=0):
    """Runs a program with nodes; its result and the rows of its recording by table."""
    for old in glob.glob(os.path.join(folder, "record.*")):
        os.unlink(old)
    done = command([*emulator(machine), program], status=status,
                   env=dict(os.environ, ASSAY_PROBE_FILE=os.path.join(folder, "record")))
    (recording,) = glob.glob(os.path.join(folder, "record.*"))
    (report,) = json.loads(text("probe", "report", recording, "--json"))["runs"]
    return done, report


def compile_both(folder, compiler, sources, *options, flags=()):
    """The same program, plain and with nodes."""
    plain, noded = os.path.join(folder, "plain"), os.path.join(folder, "noded")
    command([*compiler, *flags, *sources, "-o", plain])
    assay("cc", *options, *compiler, *flags, *sources, "-o", noded)
    return plain, noded


def check_functions(machine):
    with Folder() as folder:
        for compiler in compilers(machine):
            for level in LEVELS:
                plain, noded = compile_both(folder, compiler, [os.path.join(SOURCES, "functions.c")],
                                            flags=["-g", "-fno-inline", level])
                wanted = counted(command([*emulator(machine), plain]).stdout, 1)
                assert len(wanted) == 11, wanted
                done, report = run_recorded(folder, machine, noded)
                assert counted(done.stdout, 1).items() >= wanted.items(), "the program's own output changed"
                seen = {row["name"]: row for row in report["functions"]}
                for name, (calls,) in wanted.items():
                    got = seen[name]["calls"] if name in seen else 0
                    assert got == calls, f"{compiler[0]} {level} {machine}: {name}: {got} calls, not {calls}"
                assert seen["jumps"]["abandoned"] == 334, seen["jumps"]
                assert seen["main"]["calls"] == 1


def check_loops(machine, *options):
    with Folder() as folder:
        for compiler in compilers(machine):
            for level in LEVELS:
                plain, noded = compile_both(folder, compiler, [os.path.join(SOURCES, "loops.c")], "--loops", *options,
                                            flags=["-g", level])
                wanted = counted(command([*emulator(machine), plain]).stdout, 2)
                assert len(wanted) == 15, wanted
                done, report = run_recorded(folder, machine, noded)
                assert counted(done.stdout, 2).items() >= wanted.items(), "the program's own output changed"
                seen = {}
                for row in report["loops"]:
                    entries, turns = seen.get(row["name"], (0, 0))
                    seen[row["name"]] = entries + row["entries"], turns + row["iterations"]
                for name, pair in wanted.items():
                    assert seen.get(name) == pair, \
                        f"{compiler[0]} {level} {machine} {options}: {name}: {seen.get(name)}, not {pair}"


@test
def calls_of_functions():
    check_functions(MACHINE)


@test
def calls_of_functions_on_the_other_machine():
    emulator(OTHER)
    check_functions(OTHER)


@test
def trip_counts():
    check_loops(MACHINE)


@test
def trip_counts_without_the_clock():
    check_loops(MACHINE, "--no-clock")


@test
def trip_counts_on_the_other_machine():
    emulator(OTHER)
    check_loops(OTHER)
    check_loops(OTHER, "--no-clock")


run()
