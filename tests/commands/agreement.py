"""Instruction boundaries and names against objdump's, on a sample of this machine's files; tests/proof --all takes
all of them."""
import importlib.machinery, importlib.util, json, os, stat
from harness import *

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
    if not files:
        raise Skip("there are no such files here")
    for file in files:
        found = agreement([file])
        assert not found["unexplained"] and not found["broken"], f"{file}: {found['examples']} {found['broken']}"


def sample(*kinds):
    proof = load("proof")
    return [path for path in proof.sample() if proof.kind_of(path) in kinds]


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


run()
