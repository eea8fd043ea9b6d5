"""Instruction boundaries and names against objdump's, on a sample of this machine's files; tests/proof --all takes
all of them."""
# first build only: it decodes whole libraries; the readers of instructions have unit tests and replays of fuzzers
import importlib.machinery, importlib.util, json, os, stat
from harness import *
from elf_reader import kind_of, machine_of

TESTS = os.path.dirname(HERE)


def load(name):
    loader = importlib.machinery.SourceFileLoader(name, os.path.join(TESTS, name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def agreement(files, program=ASSAY):
    need("objdump")
    done = command([os.path.join(TESTS, "agreement"), "--json", "--list", "5", *files], status=None,
                   env=dict(os.environ, ASSAY=program))
    if not done.stdout:
        raise Fail(done.stderr.decode(errors="replace")[-500:])
    return json.loads(done.stdout)


def check(files):
    assert files, "there are no such files here, not even those of the compilers"
    for file in files:
        found = agreement([file])
        assert not found["unexplained"] and not found["broken"], f"{file}: {found['examples']} {found['broken']}"


def sample(*kinds):
    proof = load("proof")
    return [path for path in proof.sample() if kind_of(path) in kinds]


@test
def boundaries_and_names_of_x86_are_those_of_objdump():
    check(sample("x86-64", "i386"))


@test
def boundaries_and_names_of_AArch64_are_those_of_objdump():
    check(sample("aarch64"))


@test
def boundaries_and_names_in_archives_are_those_of_objdump():
    check(sample("archive"))


@test
def the_comparison_sees_a_wrong_name_a_lost_boundary_and_a_lost_section():
    """An assay whose answer is changed on the way is found out."""
    file = "/usr/bin/env" if os.path.exists("/usr/bin/env") else "/bin/ls"
    honest = agreement([file])
    assert honest["instructions"] > 1000 and not honest["unexplained"], honest
    changes = {"s/ ret\\b/ leave/": "ret", "/ (call|bl)\\b/d": "boundaries", "/^section .* \\.text\\b/,$d": "sections"}
    with Folder() as folder:
        liar = os.path.join(folder, "assay")
        for change, kind in changes.items():
            open(liar, "w").write(f"#!/bin/sh\n'{ASSAY}' \"$@\" | sed -E '{change}'\n")
            os.chmod(liar, stat.S_IRWXU)
            found = agreement([file], liar)
            assert any(kind in name for name in found["unexplained"]), (change, found["unexplained"])


def object_file(folder, machine, text="int twice(int x) { return 2 * x; }"):
    source, output = os.path.join(folder, machine + ".c"), os.path.join(folder, machine + ".o")
    with open(source, "w") as file:
        file.write(text + "\n")
    command([need(cross("gcc", machine)), "-g", "-c", source, "-o", output])
    return output


@test
def the_tool_is_chosen_by_the_machine_of_the_file():
    words = load("agreement").objdump_words
    with Folder() as folder:
        for machine, name in (("x86_64", "x86-64"), ("aarch64", "aarch64")):
            file, archive = object_file(folder, machine), os.path.join(folder, machine + ".a")
            command([need(cross("ar", machine)), "rc", archive, file])
            for path in (file, archive):
                assert machine_of(path) == name, (path, machine_of(path))
                assert os.path.basename(words(path)[0]) in (f"{machine}-linux-gnu-objdump", "objdump"), words(path)
                assert ("intel" in words(path)) == (machine == "x86_64"), words(path)
                command(words(path))
            assert kind_of(file) == name and kind_of(archive) == "archive"


@test
def files_without_code_are_no_candidates():
    with Folder() as folder:
        for machine in ("x86_64", "aarch64"):
            file = object_file(folder, machine)
            debug, part = file + ".debug", file + ".part"
            command([cross("objcopy", machine), "--only-keep-debug", file, debug])
            assert kind_of(file) and machine_of(debug) == kind_of(file) and kind_of(debug) is None
            with open(file, "rb") as whole:
                content = whole.read()
            for size in (0, 20, 63, 100):  # the table of sections is after that
                with open(part, "wb") as output:
                    output.write(content[:size])
                assert kind_of(part) is None, size
            assert kind_of(object_file(folder, machine, "int x = 1;")) is None


run()
