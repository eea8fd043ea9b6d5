# first build only: a script of the sources, which no build is in
"""tools/configure: a build finds what was installed after it was configured, and a damaged one begins anew."""
import os
from harness import *

CONFIGURE = os.path.join(os.environ.get("ROOT", ROOT), "tools", "configure")
OTHER = "aarch64" if MACHINE == "x86_64" else "x86_64"
PROJECT = f"""project('small', 'c')
found = find_program('{OTHER}-linux-gnu-gcc', required: false).found()
configure_file(output: 'answer', configuration: {{'found': found ? 1 : 0, 'strict': get_option('werror') ? 1 : 0}})
executable('small', 'small.c')
"""


class Project:
    """A project of one file; its compilers are links in a folder that is the whole PATH, beside what every system has."""

    def __init__(self, folder):
        self.folder, self.tools = os.path.join(folder, "project"), os.path.join(folder, "tools")
        os.mkdir(self.folder)
        os.mkdir(self.tools)
        for name, text in (("meson.build", PROJECT), ("small.c", "int main(void) { return 0; }\n")):
            with open(os.path.join(self.folder, name), "w") as file:
                file.write(text)
        for folder in ("/usr/bin", "/bin"):
            for name in os.listdir(folder):
                link = os.path.join(self.tools, name)
                if not name.startswith(f"{OTHER}-linux-gnu-") and name != "ccache" and not os.path.lexists(link):
                    os.symlink(os.path.join(folder, name), link)
        self.build = os.path.join(self.folder, "build")

    def configure(self, *options, **environment):
        environment = {**os.environ, "PATH": self.tools, **environment}
        result = watched([CONFIGURE, "build", *options], cwd=self.folder, env=environment)
        assert result.returncode == 0, result.stderr.decode()

    def answers(self):
        with open(os.path.join(self.build, "answer")) as file:
            return dict(re.findall(r"#define (\w+) (\d+)", file.read()))

    def add_tool(self, name, text):
        path = os.path.join(self.tools, name)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, 0o755)

    def changed(self):
        return os.stat(os.path.join(self.build, "build.ninja")).st_mtime_ns


@test
def what_came_later_is_found():
    with Folder() as folder:
        project = Project(folder)
        project.configure()
        assert project.answers()["found"] == "0"
        before = project.changed()
        project.configure()
        assert project.changed() == before, "nothing had changed"
        project.add_tool(f"{OTHER}-linux-gnu-gcc", "#!/bin/sh\necho 12\n")
        project.configure()
        assert project.answers()["found"] == "1"
        os.unlink(os.path.join(project.tools, f"{OTHER}-linux-gnu-gcc"))
        project.configure()
        assert project.answers()["found"] == "0"


@test
def options_count():
    with Folder() as folder:
        project = Project(folder)
        project.configure("-Dwerror=false")
        assert project.answers()["strict"] == "0"
        project.configure("-Dwerror=true")
        assert project.answers()["strict"] == "1"


@test
def another_compiler_and_damage_begin_anew():
    with Folder() as folder:
        project = Project(folder)
        project.configure()
        kept = os.path.join(project.build, "npm")
        os.mkdir(kept)
        left = os.path.join(project.build, "left")
        for damage in (["build.ninja"], ["configured"], ["configured", "meson-private/coredata.dat"]):
            open(left, "w").close()
            for name in damage:
                os.unlink(os.path.join(project.build, name))
            project.configure()
            assert os.path.isdir(kept) and not os.path.exists(left), damage
        open(left, "w").close()
        project.add_tool("other-cc", '#!/bin/sh\n[ "$1" != -dumpfullversion ] || { echo 99.1; exit; }\nexec gcc "$@"\n')
        project.configure(CC="other-cc")
        assert not os.path.exists(left)


@test
def a_missing_compiler_is_a_sentence():
    with Folder() as folder:
        project = Project(folder)
        environment = {**os.environ, "PATH": project.tools, "CC": "no-such-compiler"}
        result = watched([CONFIGURE, "build"], cwd=project.folder, env=environment)
        assert result.returncode == 1 and b"there is no C compiler" in result.stderr, result.stderr


FULL = """mount -t tmpfs -o size=64k none "$1" || exit 77
"$2" "$1"
"""


@test
def a_full_disk_is_one_line():
    if os.geteuid():
        raise Skip("needs root")
    with Folder() as folder:
        project = Project(folder)
        os.mkdir(project.build)
        result = watched(["unshare", "--mount", "sh", "-c", FULL, "sh", project.build, CONFIGURE], cwd=project.folder,
                         env={**os.environ, "PATH": project.tools})
        told = result.stderr.decode()
        if result.returncode == 77 or told.startswith("unshare:"):
            raise Skip("file systems cannot be mounted here")
        assert result.returncode == 1 and told.count("\n") == 1, told
        assert f"The disk of {project.build} is full" in told and "make room there, then run make again" in told, told


@test
def folders_of_others_are_not_touched():
    """A folder that is no build keeps its files."""
    with Folder() as folder:
        project = Project(folder)
        os.mkdir(project.build)
        precious = os.path.join(project.build, "precious")
        open(precious, "w").close()
        project.configure()
        assert os.path.exists(precious)


run()
