"""Memory leaks: a command of each kind under LeakSanitizer, with good input and with bad.  On x86-64, where LeakSanitizer is fast,
tests/run uses it for all other tests as well."""
import os
from harness import ASSAY, ROOT, Fail, Folder, Skip, build, need, run, test, watched

EXAMPLES = os.path.join(ROOT, "examples")
LISTING = os.path.join(EXAMPLES, "daxpy.s")
LOST = 98  # an exit status of its own
COMMANDS = [
    ["report", "PROGRAM", "--html", "-o", "FOLDER/page"], ["db", "PROGRAM", LISTING, "--report", "-o", "FOLDER/x.db"],
    ["sql", "FOLDER/x.db", "select * from advice", "--csv"], ["sql", "PROGRAM", "select nothing"], ["asm", LISTING],
    ["graph", "PROGRAM", "--function", "main", "-o", "FOLDER/main.svg"], ["analysis", "dead-stores", "PROGRAM"],
    ["bounds", LISTING], ["cycles", "PROGRAM", "--machine", "MACHINE"],
    ["lua", "-e", "print(assay.cycles(assay.rows('loops', {is_innermost = 1})[1]).cycles)", "PROGRAM"], ["loops", "DAMAGED"],
]
# Mostly the code of the commands above, by other ways.  With tests/run --leaks, so with `make proof`, and on x86-64.
MORE_COMMANDS = [
    ["calls", "PROGRAM", "--function", "main", "--json"], ["show", "PROGRAM", "--loop", "1"],
    ["report", "PROGRAM"], ["report", "PROGRAM", "--level", "expert", "--json"], ["sql", "PROGRAM", "select * from def_use"],
    ["loops", "PROGRAM"], ["variables", "PROGRAM"], ["lines", "PROGRAM", "--line", "heat.c:30"], ["asm", "PROGRAM", "--function", "main"],
    ["analyses"], ["analysis", "no-ops", "PROGRAM"], ["cycles", "--hex", "4883c0484839c2", "--machine", "skylake"],
    ["lua", "-e", "return assay.rows('loops')", "PROGRAM"], ["lua", "-e", "assay.query('select ?1', {})", "PROGRAM"],
    ["machines"], ["help", "loops"], ["loops", "PROGRAM", "--function", "no_such_name"], ["loops", "/nowhere"],
]


def is_sanitized():
    with open(ASSAY, "rb") as program:
        return b"__asan_init" in program.read()


@test
def no_command_loses_memory():
    if not is_sanitized():
        raise Skip("this build has no LeakSanitizer")
    options = os.environ.get("ASAN_OPTIONS", "")
    environment = dict(os.environ, ASAN_OPTIONS=options + ":detect_leaks=1")
    environment["LSAN_OPTIONS"] = os.environ.get("LSAN_OPTIONS", "") + f":exitcode={LOST}"
    with Folder() as folder:
        program = build(folder, [need("gcc")], [os.path.join(EXAMPLES, "heat.c"), "-lm"], "-O2", "-g", output="heat")
        damaged = os.path.join(folder, "damaged")
        with open(program, "rb") as whole, open(damaged, "wb") as part:
            part.write(whole.read()[:5000])
        machine = "neoverse-v1" if os.uname().machine == "aarch64" else "skylake"
        for words in COMMANDS + (MORE_COMMANDS if os.environ.get("EVERY_LEAK") else []):
            for name, value in (("PROGRAM", program), ("DAMAGED", damaged), ("MACHINE", machine), ("FOLDER", folder)):
                words = [word.replace(name, value) for word in words]
            done = watched([ASSAY, *words], env=environment)
            if done.returncode not in (0, 1, 2):
                raise Fail(f"{' '.join(words)}: exit {done.returncode}\n{done.stderr.decode(errors='replace')[:2000]}")


run()
