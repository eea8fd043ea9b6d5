#!/usr/bin/env python3
"""assay denormals as a command: its errors, programs that fail, crash, are interrupted or are scripts, its output
streams, databases, and that nothing is left behind in $TMPDIR."""
# first build only: most of it waits for programs and runtimes, which have no sanitizers; denormals_report runs in both
import json, os, pty, shutil, signal, subprocess, time

from harness import ASSAY, MACHINE, NO_TRAPS, PATIENCE, Folder, Lacking, Skip, assay, assay_for_everybody, build, command, compilers, cross, need, run, test, text

# Multiplies denormals COUNT times; its arguments say what it does then.
PROGRAM = r"""
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile float tiny = 1e-40f, half = 0.5f, product;
static volatile sig_atomic_t caught;
static volatile sig_atomic_t times;
static void hear(int number) { caught = number; times++; }
static void work(void) { for (int i = 0; i < 500; i++) product = tiny * half; }
int main(int count, char **words)
{
    const char *what = count > 1 ? words[1] : "";
    puts("said by the program");
    fflush(stdout);
    if (!strcmp(what, "mark"))
        fclose(fopen(words[2], "w"));
    if (!strcmp(what, "hear"))
        signal(SIGINT, hear);
    work();
    if (!strcmp(what, "fork")) {
        if (!fork()) { work(); return 0; }
        wait(NULL);
    }
    if (!strcmp(what, "fail"))
        return 7;
    if (!strcmp(what, "crash"))
        abort();
    if (!strcmp(what, "suicide"))
        kill(getpid(), SIGKILL);
    if (!strcmp(what, "preload"))
        puts(getenv("LD_PRELOAD") ? getenv("LD_PRELOAD") : "none");
    if (!strcmp(what, "wait") || !strcmp(what, "hear")) {
        puts("ready");
        fflush(stdout);
        for (int i = 0; i < 600 && !caught; i++)
            usleep(100000);
        usleep(300000);
        printf("heard %d, %d times\n", caught, times);
    }
    return 0;
}
"""


class Work(Folder):
    """A folder with the program, and an empty one for temporary files that must be empty again at the end."""

    def __enter__(self):
        super().__enter__()
        found = compilers(MACHINE)
        with open(os.path.join(self.path, "program.c"), "w") as source:
            source.write(PROGRAM)
        self.program = build(self.path, found[0], [os.path.join(self.path, "program.c")], "-g", "-O1")
        self.temporary = os.path.join(self.path, "temporary")
        os.mkdir(self.temporary)
        self.env = dict(os.environ, TMPDIR=self.temporary)
        return self

    def __exit__(self, kind, *rest):
        try:
            if kind is None:
                assert os.listdir(self.temporary) == [], f"left behind: {os.listdir(self.temporary)}"
        finally:
            super().__exit__(kind, *rest)

    def file(self, name, contents=None, executable=False):
        path = os.path.join(self.path, name)
        if contents is not None:
            with open(path, "w") as out:
                out.write(contents)
            if executable:
                os.chmod(path, 0o755)
        return path

    def assay(self, *words, status=0, env=None):
        return assay("denormals", *words, status=status, env=env or self.env)


def need_tracer():
    need("valgrind")


def tools(work):
    """profile where the processor traps, trace where Valgrind is."""
    found = []
    probe = work.assay("profile", "--exact", "--", work.program, status=None)
    if probe.returncode == 0 and b"traps are not available" not in probe.stderr:
        found.append(["profile", "--exact"])
    need("valgrind")
    return [*found, ["trace", "--counts"]]


def complaint(result):
    said = result.stderr.decode()
    assert result.stdout == b"", result.stdout
    assert said.startswith("assay: ") and said.count("\n") == 1, said
    return said


@test
def bad_usage_is_reported_in_a_line():
    with Work() as work:
        for words, reported in [
            ([], "usage"),
            (["profile"], "usage"),
            (["watch", work.program], "profile, trace, report, log or graph"),
            (["--", work.program, "x"], "profile, trace, report, log or graph"),
            (["profile", "--exact", "--budget", "3", "--", work.program], "--exact and --budget"),
            (["profile", "--budget", "0", "--", work.program], "--budget takes"),
            (["profile", "--budget", "101", "--", work.program], "--budget takes"),
            (["profile", "--budget", "nan", "--", work.program], "--budget takes"),
            (["profile", "--budget", "0x5", "--", work.program], "--budget takes"),
            (["profile", "--phase-every", "-1", "--", work.program], "--phase-every takes"),
            (["profile", "--counts", "--", work.program], "--counts"),
            (["profile", "--near", "3", "--", work.program], "--near"),
            (["profile", "--children", "--", work.program], "--children"),
            (["profile", "--maps", work.path, "--", work.program], "--maps"),
            (["profile", "--html", "--", work.program], "assay denormals report"),
            (["trace", "--exact", "--", work.program], "--exact"),
            (["trace", "--budget", "5", "--", work.program], "--budget"),
            (["trace", "--near", "0", "--", work.program], "--near takes"),
            (["trace", "--near", "1000", "--", work.program], "--near takes"),
            (["trace", "--run", "1", "--", work.program], "--run"),
            (["trace", "--top", "0", "--", work.program], "--top takes"),
            (["trace", "--cycles", "--", work.program], "--output"),
            (["trace", "--json", "--csv", "--", work.program], "--json and --csv"),
            (["trace", "--output", "-", "--", work.program], "standard output"),
            (["trace", "--maps", work.program, "--", work.program], "folder"),
            (["report", "a.db", "b.db"], "one database"),
            (["report", work.program], "is not a database"),
            (["report", work.file("none.db")], "cannot be read"),
            (["report", "--near", "3", "a.db"], "--near"),
            (["report", "--html", "--json", "a.db"], "--html, --json"),
        ]:
            said = complaint(work.assay(*words, status=2))
            assert reported in said, (words, said)


@test
def programs_that_cannot_run():
    with Work() as work:
        plain = work.file("plain", "text")
        foreign = work.file("foreign", "\x7fELF", executable=True)
        for program, reported in [
            ("no-such-program-anywhere", "no such program"),
            ("./no/such/program", "No such file"),
            (work.path, "not a file"),
            (plain, "not executable"),
            (foreign, "cut short"),
        ]:
            for word in ("profile", "trace"):
                said = complaint(work.assay(word, "--", program, status=2))
                assert reported in said and os.path.basename(program) in said, said


@test
def programs_for_other_processors_are_refused():
    with Work() as work:
        other = "aarch64" if MACHINE == "x86_64" else "x86_64"
        program = build(work.path, [need(cross("gcc", other))], [work.file("program.c")], output="foreign")
        for word in ("profile", "trace"):
            assert "another kind of processor" in complaint(work.assay(word, "--", program, status=2))


@test
def programs_that_valgrind_refuses():
    """The reason is the program's or $TMPDIR's, not the disk."""
    need_tracer()
    with Work() as work:
        marked = os.path.join(work.path, "marked")
        shutil.copy(work.program, marked)
        os.chmod(marked, 0o4755)
        assert "setuid" in complaint(work.assay("trace", "--", marked, status=2))
        for folder in ("nowhere", "/nowhere", work.program):
            said = complaint(work.assay("trace", "--", work.program, status=2, env=dict(os.environ, TMPDIR=folder)))
            assert folder in said and ("TMPDIR" in said or "folder" in said), said


@test
def programs_that_may_not_be_read():
    need_tracer()
    if os.getuid() != 0:
        raise Skip("needs root")
    with Work() as work:
        hidden = os.path.join(work.path, "hidden")
        shutil.copy(work.program, hidden)
        os.chmod(hidden, 0o711)
        os.chmod(work.path, 0o755)
        if "SCRATCH" in os.environ:
            os.chmod(os.environ["SCRATCH"], 0o755)
        other = {"user": 65534, "group": 65534, "extra_groups": [], "env": dict(os.environ, TMPDIR="/tmp"), "cwd": "/"}
        subprocess.run(["test", "-x", hidden], check=True, **other)
        result = subprocess.run([assay_for_everybody(), "denormals", "trace", "--", hidden], capture_output=True, **other)
        assert result.returncode == 2 and b"may be run but not read" in result.stderr, result


@test
def a_killed_program_leaves_what_was_recorded():
    """SIGKILL by itself, and by others while it waits."""
    with Work() as work:
        for words in tools(work):
            result = work.assay(*words, "--", work.program, "suicide", status=1)
            assert b"signal 9" in result.stderr and b"500" in result.stderr, result


@test
def a_killed_assay_leaves_nothing_behind():
    with Work() as work:
        for words in tools(work):
            child = subprocess.Popen([ASSAY, "denormals", *words, "--", work.program, "wait"], env=work.env,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
            lines = [child.stdout.readline(), child.stdout.readline()]
            assert lines[1] == b"ready\n", lines
            os.kill(child.pid, signal.SIGKILL)
            child.stdout.read()  # ends when the program has: it has the other end
            child.wait()
            child.stdout.close()
            child.stderr.close()
            for _ in range(600):
                if not os.listdir(work.temporary):
                    break
                time.sleep(0.1)
            assert os.listdir(work.temporary) == [], os.listdir(work.temporary)


@test
def static_programs_are_for_the_tracer():
    with Work() as work:
        if "profile" not in [words[0] for words in tools(work)]:
            raise Skip(NO_TRAPS)
        program = build(work.path, compilers(MACHINE)[0], [work.file("program.c")], "-static", output="static")
        said = complaint(work.assay("profile", "--", program, status=2))
        assert "statically" in said and "assay denormals trace" in said, said


@test
def programs_that_fail_are_reported():
    with Work() as work:
        for words in tools(work):
            result = work.assay(*words, "--", work.program, "fail", status=1)
            assert b"failed with exit status 7" in result.stderr, result.stderr
            assert result.stdout == b"said by the program\n" and b"500" in result.stderr, result
            result = work.assay(*words, "--", work.program, "crash", status=1)
            assert b"signal 6" in result.stderr and b"500" in result.stderr, result


@test
def instructions_that_valgrind_does_not_know_are_reported():
    need_tracer()
    with Work() as work:
        if MACHINE not in ("x86_64", "aarch64"):
            raise Skip("needs an x86-64 or AArch64 processor")
        bytes_of = {"x86_64": ".byte 0x62, 0xf1, 0x7c, 0x48, 0x58, 0xc0",  # vaddps zmm0, zmm0, zmm0
                    "aarch64": ".inst 0x65800000"}[MACHINE]  # fadd z0.s, z0.s, z0.s
        source = work.file("new.c", f'int main(void) {{ __asm__ volatile("{bytes_of}"); return 0; }}\n')
        program = build(work.path, compilers(MACHINE)[0], [source], output="new")
        said = work.assay("trace", "--", program, status=1).stderr.decode()
        assert "Valgrind stopped" in said, said


@test
def interrupts_go_to_the_program_and_lose_nothing():
    with Work() as work:
        for words in tools(work):
            for what, number, status in [("wait", signal.SIGINT, 1), ("wait", signal.SIGTERM, 1), ("wait", signal.SIGHUP, 1),
                                         ("hear", signal.SIGINT, 0)]:
                child = subprocess.Popen([ASSAY, "denormals", *words, "--", work.program, what], env=work.env,
                                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
                lines = [child.stdout.readline(), child.stdout.readline()]
                assert lines[1] == b"ready\n", lines
                os.kill(child.pid, number)
                out, said = child.communicate(timeout=PATIENCE)
                assert child.returncode == status, (child.returncode, said)
                assert b"500" in said, said
                if what == "hear":
                    assert out == b"heard 2, 1 times\n", out
                else:
                    assert f"signal {int(number)} ".encode() in said and b"heard" not in out, (said, out)


@test
def a_terminal_interrupts_once():
    with Work() as work:
        for words in tools(work):
            child, terminal = pty.fork()
            if child == 0:
                os.execve(ASSAY, [ASSAY, "denormals", *words, "--", work.program, "hear"], work.env)
            reported = b""
            while b"ready" not in reported:
                reported += os.read(terminal, 1000)
            os.write(terminal, b"\x03")
            try:
                while part := os.read(terminal, 1000):
                    reported += part
            except OSError:  # the end of a terminal
                pass
            os.close(terminal)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, reported
            assert b"heard 2, 1 times" in reported and b"500" in reported, reported


@test
def a_reader_that_stops_leaves_nothing_behind():
    with Work() as work:
        for words in tools(work):
            child = subprocess.Popen([ASSAY, "denormals", *words, "--", work.program], env=work.env,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            child.stderr.readline()
            child.stderr.close()
            child.wait(timeout=PATIENCE)


@test
def json_and_csv_have_standard_output_alone():
    with Work() as work:
        for words in tools(work):
            result = work.assay(*words, "--json", "--", work.program)
            json.loads(result.stdout)
            assert b"said by the program" in result.stderr and b"said by" not in result.stdout
            result = work.assay(*words, "--csv", "--", work.program)
            assert b"said by the program" in result.stderr and b"said by" not in result.stdout
            assert result.stdout.count(b"\r\n") > 1


@test
def the_report_leaves_standard_output_to_the_program():
    """As `assay run` and `assay probe` do."""
    with Work() as work:
        alone = command([work.program]).stdout
        for words in tools(work):
            result = work.assay(*words, "--", work.program)
            assert result.stdout == alone and b"Denormals: " in result.stderr and b"said by" in alone, result


@test
def databases_are_replaced_only_if_they_are_ours():
    with Work() as work:
        words = tools(work)[0]
        mark = work.file("mark")
        wanted = work.file("notes.db", "my notes\n")
        said = complaint(work.assay(*words, "--output", wanted, "--", work.program, "mark", mark, status=2))
        assert "--force" in said and not os.path.exists(mark), said  # reported before the program runs
        said = complaint(work.assay(*words, "--output", work.file("no/such/x.db"), "--", work.program, "mark", mark, status=2))
        assert not os.path.exists(mark), said
        with open(wanted) as kept:
            assert kept.read() == "my notes\n"
        work.assay(*words, "--force", "--output", wanted, "--", work.program)
        work.assay(*words, "--output", wanted, "--", work.program, "mark", mark)
        assert os.path.exists(mark)
        assert json.loads(text("sql", wanted, "select count(*) as runs from denormal_runs", "--json", "--quiet")) == [{"runs": 1}]
        assert json.loads(text("sql", wanted, "select sum(operand_events) as events from denormal_sites join functions f "
                               "on f.id = function where f.name = 'work'", "--json", "--quiet")) == [{"events": 500}]


@test
def a_database_is_shown_like_the_run():
    with Work() as work:
        database = work.file("run.db")
        for words in tools(work):
            reported = work.assay(*words, "--json", "--output", database, "--", work.program).stdout
            again = work.assay("report", database, "--json").stdout
            first, second = json.loads(reported), json.loads(again)
            for both in (first, second):
                both.pop("path", None), both.pop("file", None)
            assert first.keys() == second.keys() and first.get("runs") == second.get("runs"), (first, second)
            assert b"work" in work.assay("report", database).stdout
            said = work.assay("report", database, "--run", "99", status=1).stderr.decode()
            assert "no run 99" in said, said
        plain = work.file("plain.db")
        command([ASSAY, "db", work.program, "-o", plain])
        assert "contains no run" in complaint(work.assay("report", plain, status=2))


@test
def pages_and_pictures_come_from_a_database():
    need_tracer()
    with Work() as work:
        database, page, maps = work.file("run.db"), work.file("run.html"), work.file("maps")
        work.assay("trace", "--output", database, "--", work.program)
        work.assay("report", database, "--html", "--output", page)
        with open(page) as html:
            assert html.read(200).lower().lstrip().startswith("<!doctype html")
        work.assay("report", database, "--maps", maps)
        assert os.path.isdir(maps)


@test
def scripts_and_programs_of_path_run():
    with Work() as work:
        direct = work.file("direct", f"#!/bin/sh\n{work.program}\nexit 5\n", executable=True)
        by_env = work.file("by-env", f"#!/usr/bin/env -S sh -e\n{work.program}\n", executable=True)
        bare = work.file("bare", f"{work.program} fail\n", executable=True)
        env = dict(work.env, PATH=work.path + ":" + os.environ["PATH"])
        for words in tools(work):
            children = ["--children"] if words[0] == "trace" else []
            result = work.assay(*words, *children, "--", "direct", status=1, env=env)
            assert b"exit status 5" in result.stderr and b"work" in result.stderr, result
            result = work.assay(*words, *children, "--", by_env)
            assert b"work" in result.stderr, result
            result = work.assay(*words, *children, "--", bare, status=1)
            assert b"exit status 7" in result.stderr and b"work" in result.stderr, result
        if need("valgrind"):
            said = work.assay("trace", "--counts", "--", direct, status=1).stderr.decode()
            assert "is a script" in said and "--children" in said, said


@test
def processes_are_all_found():
    with Work() as work:
        for words in tools(work):
            database = work.file("fork.db")
            work.assay(*words, "--output", database, "--", work.program, "fork")
            found = json.loads(text("sql", database, "select run, sum(operand_events) as events from denormal_sites where "
                                    "function in (select id from functions where name = 'work') group by run order by run",
                                    "--json", "--quiet"))
            assert [row["run"] for row in found] == [1, 2], found
            assert found[0]["events"] in (500, 1000) and found[1]["events"] >= 500, found


@test
def processes_that_are_not_traced_are_listed():
    need_tracer()
    with Work() as work:
        for words, wanted in ((["env", work.program], "called exec"), (["sh", "-c", f"{work.program}; true"], "child processes")):
            said = " ".join(work.assay("trace", "--counts", "--", *words).stderr.decode().split())
            assert wanted in said and "--children" in said and "So in what was seen denormals cost nothing" in said, said
            said = work.assay("trace", "--counts", "--children", "--", *words).stderr.decode()
            assert wanted not in said and "had a denormal operand" in said, said


@test
def processes_without_denormals_are_listed_once():
    with Work() as work:
        if tools(work)[0][0] != "profile":
            raise Skip(NO_TRAPS)
        script = work.file("many", f"#!/bin/sh\nfor i in 1 2 3 4 5 6 7 8 9; do {shutil.which('true')}; done\n{work.program}\n",
                           executable=True)
        reported = json.loads(work.assay("profile", "--exact", "--json", "--", script).stdout)["runs"]
        commands = [os.path.basename(run["command"].split()[0]) for run in reported]
        assert commands.count("true") == 1 and commands[-1] == "program" and len(reported) <= 4, commands
        assert any(limit["count"] == 8 and "left out" in limit["text"] for limit in reported[0]["limits"]), reported[0]["limits"]
        assert reported[-1]["totals"]["operand_events"] == 500 and reported[-1]["penalties"] and not reported[0]["penalties"]


@test
def other_preloaded_libraries_stay():
    with Work() as work:
        if tools(work)[0][0] != "profile":
            raise Skip(NO_TRAPS)
        source = work.file("other.c", "int other_library;\n")
        other = build(work.path, compilers(MACHINE)[0], [source], "-shared", "-fPIC", output="other.so")
        env = dict(work.env, LD_PRELOAD=other, ASAN_OPTIONS="verify_asan_link_order=0")  # of an assay with sanitizers
        result = work.assay("profile", "--json", "--", work.program, "preload", env=env)
        named = result.stderr.decode().splitlines()[1]
        assert named.endswith(":" + other) and "libassay-denormal-profile.so" in named, named
        assert "ld.so" not in result.stderr.decode(), result.stderr


@test
def arrays_of_the_programs_own_libraries_have_names():
    need_tracer()
    with Work() as work:
        library = work.file("library.c", """
static float field[64][32];
void fill(float edge) { for (int i = 0; i < 64; i++) for (int j = 0; j < 32; j++) field[i][j] = edge * 0.001f; }
float sum(void) { float all = 0; for (int i = 0; i < 64; i++) for (int j = 0; j < 32; j++) all += field[i][j]; return all; }
""")
        main = work.file("main.c", """
void fill(float); float sum(void);
int main(int count, char **words) { (void)words; fill(1e-37f * (float)count); return sum() < 0; }
""")
        shared = build(work.path, compilers(MACHINE)[0], [library], "-g", "-O1", "-shared", "-fPIC", "-Wl,-soname,libfield.so",
                       output="libfield.so")
        program = build(work.path, compilers(MACHINE)[0], [main, shared], "-g", "-O1", "-Wl,-rpath,$ORIGIN", output="user")
        database = work.file("user.db")
        work.assay("trace", "--output", database, "--", program)
        found = json.loads(text("sql", database, "select a.name, a.dimensions, a.stores, v.name as variable, p.path from "
                                "denormal_arrays a join variables v on v.id = a.variable join programs p on p.id = v.program",
                                "--json", "--quiet"))
        assert len(found) == 1 and found[0].pop("path").endswith("libfield.so"), found
        assert found == [{"name": "field", "dimensions": "32:64", "stores": 2048, "variable": "field"}], found


@test
def processors_without_traps_have_the_tracer():
    need_tracer()
    with Work() as work:
        # On x86-64 an emulator stands in for such a processor; what it starts runs by itself.
        emulator = [] if MACHINE == "aarch64" else [need(f"qemu-{MACHINE}")]
        if command([*emulator, ASSAY, "--version"], status=None).returncode:
            raise Skip("the emulator does not run this assay")
        result = command([*emulator, ASSAY, "denormals", "profile", "--json", "--", work.program], env=work.env)
        assert b"traps are not available" in result.stderr, result.stderr
        reported = json.loads(result.stdout)["runs"][0]
        assert (reported["tool"], reported["mode"]) == ("tracer", "counts") and reported["totals"]["operand_events"] == 500, reported["totals"]


@test
def what_is_missing_is_named():
    with Work() as work:
        empty = work.file("empty")
        os.mkdir(empty)
        said = complaint(work.assay("trace", "--", work.program, status=2, env=dict(work.env, ASSAY_RUNTIME=empty)))
        assert "ASSAY_RUNTIME" in said and empty in said and "folder with Assay's runtimes" in said, said
        with open(os.path.join(os.path.dirname(ASSAY), "meson-info", "intro-buildoptions.json")) as file:
            libraries, = [row["value"] for row in json.load(file) if row["name"] == "libdir"]  # lib/x86_64-linux-gnu on Debian
        assert f", {libraries}/assay in an installation" in said, said
        folder = os.path.join(os.environ.get("BUILD", os.path.dirname(ASSAY)), "runtime")
        if os.path.isdir(folder + "/denormal-trace"):
            shutil.copytree(folder + "/denormal-trace", work.file("half/denormal-trace"))
            os.remove(work.file("half/denormal-trace/denormal-trace-launcher"))
            said = complaint(work.assay("trace", "--", work.program, status=2, env=dict(work.env, ASSAY_RUNTIME=work.file("half"))))
            assert "denormal-trace-launcher" in said and "ASSAY_RUNTIME" in said, said


@test
def tracing_needs_no_valgrind_of_the_computer():
    """Nor does it change the environment of the program, or of children that are followed."""
    need_tracer()
    with Work() as work:
        empty = work.file("empty")
        os.mkdir(empty)
        environment = dict(work.env, PATH=empty)
        environment.pop("LD_LIBRARY_PATH", None)
        reported = json.loads(work.assay("trace", "--json", "--", work.program, env=environment).stdout)["runs"][0]
        assert reported["totals"]["operand_events"] == 500, reported["totals"]
        result = work.assay("trace", "--children", "--", "/bin/sh", "-c", "/usr/bin/env; :", env=environment)
        seen = dict(line.split("=", 1) for line in result.stdout.decode().splitlines() if "=" in line)
        assert seen["PATH"] == empty and not {"LD_LIBRARY_PATH", "GLIBCXX_FORCE_NEW", "VALGRIND_LAUNCHER"} & seen.keys(), seen


@test
def programs_of_32_bits_get_their_own_library():
    with Work() as work:
        if tools(work)[0][0] != "profile" or MACHINE != "x86_64":
            raise Skip(NO_TRAPS)
        result = command([*compilers(MACHINE)[0], "-m32", "-O1", "-g", "-o", work.file("narrow"), work.file("program.c")],
                         status=None)
        if result.returncode:
            raise Lacking("the compiler makes no 32-bit programs: the package gcc-…-multilib is not installed")
        result = work.assay("profile", "--exact", "--", work.file("narrow"), status=None)
        if b"built without" in result.stderr:
            raise Lacking("this build has no profiler for i386")
        assert result.returncode == 0 and b"work" in result.stderr and b"ld.so" not in result.stderr, result
        # A script of 64 bits that starts it: nobody complains of a library of the wrong kind.
        script = work.file("both", f"#!/bin/sh\n{work.file('narrow')} && {work.program}\n", executable=True)
        result = work.assay("profile", "--exact", "--", script)
        assert b"ld.so" not in result.stderr and result.stderr.count(b"Denormals: ") >= 1, result


run()
