"""Compilers of both instruction sets, and what Assay says of their programs: for the pairs of examples/advice and the kernels
of tests/corpus.

A command line such as `gcc -O2` is written once; for the other instruction set the cross compiler takes its place."""
import json, os, shutil, subprocess

TRIPLETS = {"x86-64": "x86_64-linux-gnu", "aarch64": "aarch64-linux-gnu"}
HOST = {"x86_64": "x86-64"}.get(os.uname().machine, os.uname().machine)


class Lacking(Exception):
    """What this computer does not have."""


class NeedsRun(Lacking):
    """A program of the other instruction set would have to run here."""


def compiler(words, isa):
    """The command line of a compiler for an instruction set."""
    words = list(words)
    if isa != HOST:
        words[:1] = [words[0], f"--target={TRIPLETS[isa]}"] if words[0].startswith("clang") else [f"{TRIPLETS[isa]}-{words[0]}"]
    if not shutil.which(words[0]):
        raise Lacking(f"{words[0]} is not installed")
    return words


def compile_program(words, isa, *rest):
    """Runs a compiler; ValueError with what it printed if it fails.  Modules of Fortran go beside the output."""
    modules = ["-J", os.path.dirname(rest[rest.index("-o") + 1]) or "."] if words[0] == "gfortran" else []
    command = [*compiler(words, isa), *modules, *rest]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise ValueError(f"{' '.join(command)}: {done.stderr.strip()}")


def ask(assay, program, query, machine, *options):
    """Rows of a query as dictionaries; without a machine, for this computer's."""
    chosen = ["--machine", machine] if machine else []
    done = subprocess.run([assay, "sql", program, query, *chosen, "--json", "--quiet", *options], capture_output=True, text=True)
    if done.returncode:
        raise ValueError(f"assay sql {program}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def missing_features(needs):
    """Features that /proc/cpuinfo does not list."""
    with open("/proc/cpuinfo") as lines:
        flags = next((line.split(":")[1].split() for line in lines if line.startswith(("flags", "Features"))), [])
    return [need for need in needs if need not in flags]


def is_near(one, other):
    """Whether two outputs have the same numbers, within one part in a thousand."""
    try:
        pairs = [(float(a), float(b)) for a, b in zip(one.split(), other.split(), strict=True)]
    except ValueError:
        return False
    return all(abs(a - b) <= 1e-3 * max(abs(a), abs(b), 1e-30) for a, b in pairs)
