#!/usr/bin/env python3
# first build only: the runtimes are compiled the same way in both
"""Libraries that are preloaded into other people's programs ask for nothing newer than glibc 2.17.

One symbol of a later version, and the programs of an older distribution do not start.  The versions are those that the files
name (readelf); for each the library that had it before glibc 2.34 must be among those that are loaded."""
import glob
import os
import re
import subprocess

from harness import ASSAY, Fail, need, run, test

RUNTIME = os.path.join(os.environ.get("BUILD") or os.path.dirname(ASSAY), "runtime")
OLDEST = (2, 17)
# Where functions were before glibc 2.34 took them in.
FORMER_HOMES = {"libdl.so.2": ("dladdr", "dlclose", "dlopen", "dlsym", "dlvsym"),
                "libpthread.so.0": ("pthread_create", "pthread_getspecific", "pthread_join", "pthread_key_create",
                                    "pthread_key_delete", "pthread_setspecific", "sem_init", "sem_post", "sem_wait")}


def preloaded():
    """The libraries of this build, for every instruction set."""
    found = sorted(set(glob.glob(RUNTIME + "/*/*.so") + glob.glob(RUNTIME + "/*/*/*.so")))
    names = {os.path.basename(path).split("-")[1].split(".")[0] for path in found if "libassay-" in path}
    if not {"probe", "sample"} <= names:
        raise Fail(f"the build has no runtimes: {found}")
    return found


def readelf(*words):
    return subprocess.run([need("readelf"), *words], capture_output=True, text=True, check=True).stdout


def imports(path):
    """Undefined functions with the version each asks for."""
    for line in readelf("--wide", "--dyn-syms", path).splitlines():
        match = re.search(r"\bUND (\w+)@(GLIBC_[\w.]+)", line)
        if match:
            yield match.groups()


@test
def no_symbol_is_newer():
    asked = 0
    for path in preloaded():
        needed = re.findall(r"Name: (GLIBC_[\w.]+)", readelf("--wide", "--version-info", path))
        asked += len(needed)
        for version in needed:
            if not re.fullmatch(r"GLIBC_[\d.]+", version) or tuple(map(int, version[6:].split("."))) > OLDEST:
                who = [name for name, its in imports(path) if its == version]
                raise Fail(f"{path} needs {version} for {', '.join(who)} (runtime/common/old_libc.h binds older ones)")
    assert asked, "no library names a version, which cannot be"


@test
def functions_are_found_before_glibc_2_34():
    found = 0
    for path in preloaded():
        libraries = re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("--wide", "--dynamic", path))
        for name, _ in imports(path):
            for home, names in FORMER_HOMES.items():
                if name in names:
                    found += 1
                    if home not in libraries:
                        raise Fail(f"{path} calls {name}, but does not load {home}: {libraries}")
    assert found, "none of the libraries looks up a function, which cannot be"


run()
