# first build only: scripts of the sources, which no build is in
"""tools/deps: what a build needs is looked for itself, on any system and without root; what it lacks is told in a line each."""
import os, re
from harness import *

DEPS = os.path.join(ROOT, "tools", "deps")


class System:
    """A PATH of links to what is here, without some programs, with others in their place."""

    def __init__(self, folder, without=(), **others):
        self.tools = os.path.join(folder, "tools")
        os.mkdir(self.tools)
        for place in ("/usr/bin", "/bin"):
            for name in os.listdir(place):
                link = os.path.join(self.tools, name)
                if not re.match(r"(dpkg|apt)", name) and name not in without and not os.path.lexists(link):
                    os.symlink(os.path.join(place, name), link)
        for name, text in others.items():
            path = os.path.join(self.tools, name.replace("_", "-"))
            if os.path.lexists(path):
                os.unlink(path)
            with open(path, "w") as file:
                file.write("#!/bin/sh\n" + text)
            os.chmod(path, 0o755)

    def deps(self, *words, status=0):
        result = watched([DEPS, *words], env={**os.environ, "PATH": self.tools})
        told = result.stderr.decode()
        assert result.returncode == status, (result.returncode, told)
        return told


def lacking(*names):
    """A pkg-config that does not know these."""
    return f"for word; do case $word in {'|'.join(names)}) exit 1 ;; esac; done\nexec /usr/bin/pkg-config \"$@\"\n"


@test
def a_system_without_dpkg():
    with Folder() as folder:
        told = System(folder).deps("build")
        assert "needed" not in told, told


@test
def required_and_optional_things():
    with Folder() as folder:
        told = System(folder, pkg_config=lacking("libdw", "libgvc")).deps("build", status=1)
        assert re.search(r"^needed: libdw \(.*\): apt-get install libdw-dev  or  dnf install elfutils-devel$", told, re.M), told
        assert told.count("needed:") == 1 and re.search(r"^    apt-get install.* libgraphviz-dev", told, re.M), told
        assert re.search(r"^    dnf install.* graphviz-devel", told, re.M), told


@test
def only_optional_things():
    with Folder() as folder:
        told = System(folder, pkg_config=lacking("libgvc", "libmicrohttpd")).deps("build")
        assert "needed" not in told and "libmicrohttpd-dev" in told and "assay version --features" in told, told


@test
def no_pkg_config_and_no_meson():
    with Folder() as folder:
        told = System(folder, without=("pkg-config", "pkgconf", "meson")).deps("build", status=1)
        needed = re.findall(r"^needed: (\S+)", told, re.M)
        assert needed == ["meson", "pkg-config"], told


@test
def an_ordinary_user_of_debian():
    """Nothing is installed as a package, but everything is there: a build goes on.  Tests need the packages."""
    with Folder() as folder:
        system = System(folder, dpkg_query="exit 1\n", apt_get="echo as root >&2; exit 3\n", id="echo 1000\n")
        assert "needed" not in system.deps("build")
        told = system.deps("check", status=1)
        assert "apt-get install" in told and "as root\n" not in told, told


@test
def root_without_a_network():
    """apt-get fails: what is here is enough for a build, with a line that says so, and not for the tests."""
    with Folder() as folder:
        system = System(folder, dpkg_query="exit 1\n", apt_get="echo no network >&2; exit 100\n", id="echo 0\n")
        assert "apt-get could not install them" in system.deps("build")
        system.deps("build", "check", status=1)


@test
def features_name_packages_of_the_list():
    """What assay version tells a user to install is what tools/deps installs, but for i386, which has another name on each architecture."""
    known = set(re.findall(r"^\w+ (\S+):", command([DEPS, "--list"]).stdout.decode(), re.M))
    with open(os.path.join(ROOT, "tools", "build-needs")) as file:
        table = file.read()
    features = json.loads(text("version", "--features", "--json"))
    assert {"ui", "lua", "aarch64"} <= {row["name"] for row in features}, features
    for row in features:
        if row["name"].startswith("runtime-"):
            continue
        for package in row["debian_packages"].split():
            assert package in known, (row["name"], package)
        for package in row["fedora_packages"].split():
            assert package in table or row["name"] in ("simgrid", "sources"), (row["name"], package)


run()
