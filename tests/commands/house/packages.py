"""tools/deps and tools/npm-deps: which packages they ask for on which Debian, and what they say if one cannot be had."""
# first build only: it looks at tools, not at the program
import os, shutil
from harness import *



def stand_in(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write("#!/bin/sh\n" + text)
    os.chmod(path, 0o755)


def debian(folder, architecture, newest, oldest, installed=()):
    """Stand-ins for the tools of a Debian with GCC from oldest to newest, the usual one."""
    stand_in(folder, "dpkg", f"echo {architecture}\n")
    stand_in(folder, "id", "echo 1000\n")
    stand_in(folder, "apt-cache", f"case $1 in\ndepends) printf 'gcc\\n  Depends: cpp\\n  Depends: gcc-{newest}\\n' ;;\n"
             f"policy) version=${{2#gcc-}}; [ $version -lt {oldest} ] || printf \"$2:\\n  Candidate: $version.2.0-1\\n\" ;;\nesac\n")
    names = " ".join(installed)
    stand_in(folder, "dpkg-query", f"for word; do :; done\n[ $# -gt 5 ] || case \" {names} \" in *\" $word \"*) ;; *) exit 1 ;; esac\n"
             f"[ \"$word\" != gcc ] || echo 'cpp (= 4:{newest}.2.0-3), gcc-{newest} (>= {newest}.2.0-1~)'\n")


def listed(folder, *words, status=0):
    return command([os.path.join(ROOT, "tools", "deps"), *words], status, env=dict(os.environ, PATH=folder + ":" + os.environ["PATH"]))


@test
def the_older_compiler_is_one_that_this_debian_has():
    for architecture, other in (("arm64", "x86-64-linux-gnu"), ("amd64", "aarch64-linux-gnu")):
        for newest, oldest, installed, older in ((12, 11, (), 11), (14, 12, (), 13), (14, 12, ("gcc",), 13), (16, 14, (), 15), (15, 13, (), 14),
                                                 (15, 0, (), 14)):
            with Folder() as folder:
                debian(folder, architecture, newest, oldest, installed)
                names = [line.split()[1].rstrip(":") for line in listed(folder, "--list").stdout.decode().splitlines()]
                assert {f"gcc-{older}", f"gcc-{older}-{other}"} <= set(names), (architecture, newest, names)
                assert (f"gcc-{newest}-multilib" in names) == (architecture == "amd64"), (architecture, newest, names)
    with Folder() as folder:  # one version is left out
        debian(folder, "arm64", 14, 13)
        stand_in(folder, "apt-cache", "[ $1 = depends ] && echo '  Depends: gcc-14'\n[ $2 != gcc-12 ] || echo '  Candidate: 12.4.0-5'\n")
        assert b"check gcc-12:" in listed(folder, "--list").stdout


@test
def who_is_not_root_gets_the_command():
    with Folder() as folder:
        debian(folder, "arm64", 14, 12)
        done = listed(folder, "check", status=1)
        last = done.stderr.decode().splitlines()[-1]
        assert last.startswith("    apt-get update && apt-get install -y --no-install-recommends ") and " gcc-13 " in last, done.stderr
        assert {"patch", "libopenblas0-pthread", "gfortran"} <= set(last.split()), last
        assert b"usage" in listed(folder, "everything", status=2).stderr


@test
def a_package_that_cannot_be_fetched_is_named_with_the_reason():
    with Folder() as folder:
        os.mkdir(os.path.join(folder, "tools"))
        tool = shutil.copy(os.path.join(ROOT, "tools", "npm-deps"), os.path.join(folder, "tools"))
        wanted = command([tool, "--list"]).stdout.splitlines()
        for said in ("npm ERR! code ENOTFOUND\\nnpm ERR! network request to the registry failed\\n",
                     "npm error code ENOTFOUND\\nnpm error network request to the registry failed\\n"):
            stand_in(folder, "npm", f"printf '{said}' >&2\nexit 1\n")
            lines = command([tool], env=dict(os.environ, PATH=folder + ":" + os.environ["PATH"])).stderr.decode().splitlines()
            assert len(lines) == len(wanted) and all(line.startswith("tools/npm-deps: cannot get ") for line in lines), lines
            assert all(line.endswith(", so tests that need it fail: network request to the registry failed") for line in lines), lines
        os.unlink(os.path.join(folder, "npm"))
        bare = os.path.join(folder, "bare")  # no npm at all
        os.mkdir(bare)
        for name in ("sh", "dirname", "sed", "grep", "head", "rm", "mkdir", "mv", "tar"):
            os.symlink(shutil.which(name), os.path.join(bare, name))
        lines = command([tool], env={"PATH": bare}).stderr.decode().splitlines()
        assert len(lines) == len(wanted) and all("npm: not found" in line for line in lines), lines


run()
