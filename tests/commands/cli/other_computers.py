# first build only: no program of the build runs
"""Tests in emulated computers: how they know that they are, and what tools/fresh-machine says to wrong calls."""
import os, re

from harness import MACHINE, ROOT, Folder, Skip, build, cross, emulation, need, run, test, watched

TOOLS = os.path.join(ROOT, "tools")


@test
def a_header_names_another_machine():
    with Folder() as folder:
        source = os.path.join(folder, "empty.c")
        with open(source, "w") as file:
            file.write("int main(void) { return 0; }\n")
        for machine in ("x86_64", "aarch64"):
            program = build(folder, [need(cross("gcc", machine))], [source], output=machine)
            found = {other: emulation.is_for_another(other, program) for other in ("x86_64", "aarch64", "riscv64")}
            assert found == {"x86_64": machine != "x86_64", "aarch64": machine != "aarch64", "riscv64": False}, (machine, found)
        assert not emulation.is_for_another("x86_64", source)


@test
def this_process_is_what_it_looks_like():
    # Emulated or not is told by the list of processors, too: x86-64's has flags, AArch64's an implementer.
    with open("/proc/cpuinfo") as file:
        text = file.read()
    listed = {"x86_64": "flags", "aarch64": "CPU implementer"}
    machines = [machine for machine, word in listed.items() if re.search(rf"^{word}\s*:", text, re.M)]
    if len(machines) != 1 or MACHINE not in listed:
        raise Skip("the list of processors does not say which they are")
    assert emulation.is_emulated() == (machines != [MACHINE]), (machines, MACHINE)


@test
def wrong_calls_of_fresh_machine_are_one_line():
    for words, said in ((["--arch", "riscv64"], "arm64 or amd64"), (["--suite", "13"], "a word such as bookworm"),
                        (["--nonsense"], "no option --nonsense"), (["--arch"], "--arch needs a value")):
        result = watched([os.path.join(TOOLS, "fresh-machine"), *words])
        told = result.stderr.decode()
        assert result.returncode == 2 and said in told and told.count("\n") == 1 and not result.stdout, (words, result)


run()
