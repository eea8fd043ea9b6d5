#!/usr/bin/env python3
# first build only: the launcher and the files of packages are the same for both
"""What people install: the bundle's launcher in a small bundle of its own, the archive of the sources, and files that must agree.

Whole packages are tried in fresh Debians by tools/try-deb and tools/try-bundle, which take minutes and root."""
import os
import re
import shutil
import subprocess
import tarfile

from harness import ASSAY, MACHINE, ROOT, Fail, Folder, Skip, assay, command, need, need_real_kernel, run, test

LINKER = {"aarch64": "/lib/ld-linux-aarch64.so.1", "x86_64": "/lib64/ld-linux-x86-64.so.2"}.get(MACHINE, "")


def content(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def libraries(program):
    """name: path of all libraries of a program."""
    return dict(re.findall(r"(\S+) => (/\S+)", subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout))


class Bundle:
    """The launcher, the program and the folders that it wants; `newer` makes the bundle's glibc newer than this computer's."""

    def __init__(self, folder, newer=False):
        self.folder, self.program = folder, os.path.join(folder, "bin", "assay")
        for name in ("bin", "lib/libc", "libexec", "share/assay"):
            os.makedirs(os.path.join(folder, name))
        command(["gcc", "-O1", "-static", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-o", self.program,
                 os.path.join(ROOT, "packaging", "launcher.c")])
        shutil.copy(ASSAY, os.path.join(folder, "libexec", "assay"))
        shutil.copytree(os.path.join(ROOT, "data", "machines"), os.path.join(folder, "share", "assay", "machines"))
        with open(LINKER, "rb") as file:
            linker = file.read()
        if newer:
            linker, changed = re.subn(rb"(stable release version 2\.)\d\d", rb"\g<1>99", linker)
            assert changed, "this dynamic linker does not say its version"
        self.linker = os.path.join(folder, "libexec", os.path.basename(LINKER))
        with open(self.linker, "wb") as file:
            file.write(linker)
        os.chmod(self.linker, 0o755)

    def run(self, *words, status=0, env=None):
        return command([self.program, *words], status, env=dict(os.environ, **(env or {})))


@test
def data_is_found_when_the_dynamic_linker_starts_it():
    """/proc/self/exe is the dynamic linker then."""
    wanted = assay("machines").stdout
    assert command([LINKER, ASSAY, "machines"]).stdout == wanted and b"neoverse-v1" in wanted


@test
def the_launcher_finds_its_bundle():
    with Folder() as folder:
        bundle = Bundle(os.path.join(folder, "some where"))
        assert b"neoverse-v1" in bundle.run("machines").stdout
        os.symlink(bundle.program, os.path.join(folder, "assay"))
        assert b"neoverse-v1" in command([os.path.join(folder, "assay"), "machines"]).stdout
        # Its own libraries come before those of the computer.
        with open(os.path.join(bundle.folder, "lib", "libelf.so.1"), "w") as file:
            file.write("no library")
        assert b"libelf.so.1" in bundle.run("machines", status=127).stderr


@test
def libraries_of_modules_are_not_taken_and_children_keep_them():
    need_real_kernel("perf_event_open")
    with Folder() as folder:
        bundle, broken = Bundle(os.path.join(folder, "bundle")), os.path.join(folder, "broken")
        os.mkdir(broken)
        with open(os.path.join(broken, "libelf.so.1"), "w") as file:
            file.write("no library")
        env = {"LD_LIBRARY_PATH": broken}
        if not command([ASSAY, "machines"], status=None, env=dict(os.environ, **env)).returncode:
            raise Fail("a broken library in LD_LIBRARY_PATH does not matter without the launcher: the test proves nothing")
        assert b"neoverse-v1" in bundle.run("machines", env=env).stdout
        # A program that Assay runs: the shell has no need of libelf.
        shown = bundle.run("run", "--", "/bin/sh", "-c", "echo LD_LIBRARY_PATH=$LD_LIBRARY_PATH", env=env).stdout.decode()
        assert f"LD_LIBRARY_PATH={broken}\n" == shown, shown


@test
def an_older_computer_gets_the_libc_of_the_bundle():
    with Folder() as folder:
        bundle = Bundle(os.path.join(folder, "bundle"), newer=True)
        for name, path in libraries(ASSAY).items():
            place = "lib/libc" if name in ("libc.so.6", "libm.so.6") else "lib"
            shutil.copy(path, os.path.join(bundle.folder, place, name))
        assert b"neoverse-v1" in bundle.run("machines").stdout
        # What ldd shows.
        used = set(re.findall(r"/\S*\.so\S*", bundle.run("version", env={"LD_TRACE_LOADED_OBJECTS": "1"}).stdout.decode()))
        assert os.path.join(bundle.folder, "lib/libc/libc.so.6") in used, used
        strangers = [path for path in used if not path.startswith(bundle.folder) and path != LINKER]
        assert not strangers, strangers


@test
def a_launcher_in_a_wrong_place_says_what_to_do():
    with Folder() as folder:
        bundle = Bundle(os.path.join(folder, "bundle"))
        alone = os.path.join(folder, "assay")
        shutil.copy(bundle.program, alone)
        assert b"unpack the whole archive" in command([alone, "version"], status=2).stderr
        os.rename(bundle.folder, os.path.join(folder, "a:b"))
        assert b"another folder" in command([os.path.join(folder, "a:b", "bin", "assay"), "version"], status=2).stderr


@test
def the_archive_of_the_sources_knows_its_commit():
    need("git")
    if not os.path.exists(os.path.join(ROOT, ".git")):
        raise Skip("this is no clone")
    with Folder() as folder:
        clone = os.path.join(folder, "clone")
        command(["git", "clone", "--quiet", "--shared", "--no-checkout", ROOT, clone])
        command(["git", "-C", clone, "checkout", "--quiet", "HEAD", "--", "."])
        commit = command(["git", "-C", clone, "rev-parse", "HEAD"]).stdout.decode().strip()
        made = command([os.path.join(clone, "tools", "package"), "dist"]).stdout.decode().strip()
        assert os.listdir(os.path.dirname(made)) == [os.path.basename(made)], os.listdir(os.path.dirname(made))
        with tarfile.open(made) as archive:
            top = os.path.basename(made).removesuffix(".tar.xz")
            names = archive.getnames()
            assert all(name == top or name.startswith(top + "/") for name in names), names[:5]
            assert {f"{top}/meson.build", f"{top}/debian/rules", f"{top}/COPYING"} <= set(names)
            said = archive.extractfile(f"{top}/COMMIT").read().decode().strip()
            assert len(said) >= 7 and commit.startswith(said), (said, commit)


@test
def one_version_everywhere():
    version = re.search(r"project\('assay', 'c', version: '([^']+)'", content("meson.build")).group(1)
    assert content("debian", "changelog").startswith(f"assay ({version}) ")
    assert f"## {version}" in content("CHANGELOG.md"), "CHANGELOG.md does not name this version"


@test
def packages_to_build_with_are_the_same_in_both_lists():
    """debian/control builds the package, tools/deps the sources."""
    control = re.search(r"^Build-Depends: (.*?)\n\n", content("debian", "control"), re.S | re.M).group(1)
    architecture = {"aarch64": "arm64", "x86_64": "amd64"}[MACHINE]
    stated = {entry.split()[0] for entry in control.split(",") if "[" not in entry or f"[{architecture}]" in entry}
    listed = command([os.path.join(ROOT, "tools", "deps"), "--list"]).stdout.decode()
    wanted = set(re.findall(r"^(?:build|package) ([^:]+):", listed, re.M))
    # Every build has these; ninja comes with meson, make and gcc with dpkg-dev, tests are not built.
    usual = {"build-essential", "gcc", "make", "ninja-build", "libcmocka-dev", "dpkg-dev", "debhelper", "lintian", "xz-utils", "libc6-dev"}
    assert wanted - usual <= stated, wanted - usual - stated
    assert stated - {"debhelper-compat", "python3"} <= wanted, stated - wanted


@test
def the_documentation_shows_the_workflow_that_is_tried():
    assert f"```yaml\n{content('packaging', 'check.yml')}```" in content("docs", "check.md")


@test
def a_simulator_without_its_library_names_it():
    with Folder() as folder:
        os.makedirs(os.path.join(folder, "runtime", "denormal-trace"))
        simulator = os.path.join(folder, "runtime", "assay-simulator")
        with open(simulator, "w") as file:
            file.write("#!/bin/sh\necho 'assay-simulator: error while loading shared libraries: libsimgrid.so.3: cannot open' >&2\nexit 127\n")
        os.chmod(simulator, 0o755)
        flow, ledger = os.path.join(folder, "flow.txt"), os.path.join(folder, "ledger.db")
        with open(flow, "w") as file:
            file.write("[task one]\ncommand = true    hosts = node1    seconds = 1\n")
        assay("schedule", "submit", flow, "--ledger", ledger)
        said = assay("schedule", "run", "--engine", "simgrid", "--platform", os.path.join(ROOT, "examples", "schedule", "small.xml"), "--ledger",
                     ledger, status=2, env=dict(os.environ, ASSAY_RUNTIME=os.path.join(folder, "runtime"))).stderr.decode()
        assert "libsimgrid.so.3" in said and "apt-get install" in said, said


run()
