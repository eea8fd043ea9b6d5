"""Code that a program made while it ran: jitdump files give it names, bytes and lines, so that it has loops and cycles; perf-PID.map files
give it names.  tests/programs/jit.c copies a function into memory and tells of it as just-in-time compilers do."""
# first build only: it runs other programs; unit tests cover the same code with the sanitizers
import json, os, re, shutil, subprocess

from harness import MACHINE, ROOT, Folder, Lacking, Skip, assay, build, compilers, rows, run, test, uncertain

PROGRAM = os.path.join(ROOT, "tests", "programs", "jit.c")
ROUNDS = "300000000"


def made(folder, how, *options):
    """The database, what was said, and the number of the process."""
    program = build(folder, compilers(MACHINE)[0], [PROGRAM], "-O2", "-g")
    path = os.path.join(folder, "run.db")
    result = assay("run", "--force", "-o", path, *options, "--", program, how, folder, ROUNDS)
    if rows(path, "select samples from runs")[0]["samples"] < 60:
        raise Skip("too few samples")
    return path, " ".join(result.stderr.decode().split()), int(result.stdout.split()[0])


def check_code(path):
    """The hot function of the dump, with its loop."""
    function = rows(path, "select f.name as name, r.self_share as share, f.id as id from run_functions r join functions f on f.id = r.function")[0]
    assert function["name"] == "Script.turn" and function["share"] > 0.7, function
    loop = rows(path, "select r.self_share as share, r.predicted_cycles as cycles, l.function as function, f.path as path, l.first_line as line "
                      "from run_loops r join loops l on l.id = r.loop left join files f on f.id = l.file")[0]
    assert loop["function"] == function["id"] and loop["share"] > 0.7 and loop["cycles"] >= 1, loop
    assert loop["path"] == "/nowhere/script.lang" and loop["line"] in (7, 9), loop
    file = rows(path, "select * from run_files")[0]
    assert file["state"] == "generated" and re.search(r"/jit-\d+\.dump$", file["path"]) and file["program"], file
    assert re.search(r"/jit-\d+\.dump$", rows(path, "select path from programs where id = ?".replace("?", str(file["program"])))[0]["path"])


@uncertain
def a_jitdump_gives_loops_and_cycles():
    with Folder() as folder:
        path, said, _ = made(folder, "dump")
        check_code(path)
        assert "Script.turn" in said and "generated code" in said, said
        found = json.loads(assay("asm", path, "--heat", "-F", "Script.turn", "--json", "--quiet").stdout)
        assert found[0]["function"] == "Script.turn" and any(row["kind"] == "instruction" and row["samples"] for row in found)


@uncertain
def memory_that_may_execute_later_is_found():
    with Folder() as folder:
        path, _, _ = made(folder, "flip")
        check_code(path)


@uncertain
def a_map_gives_names():
    with Folder() as folder:
        path, said, process = made(folder, "map")
        try:
            names = {row["name"]: row["share"] for row in rows(path, "select name, self_share as share from run_functions")}
            assert names.get("Script.turn", 0) > 0.7 and "Script seldom" in names, names
            assert "Script.turn" in said, said
        finally:
            os.unlink(f"/tmp/perf-{process}.map")


@uncertain
def without_either_it_has_no_name():
    with Folder() as folder:
        path, said, _ = made(folder, "none")
        assert rows(path, "select name from run_functions")[0]["name"] == "[generated code]", said


@uncertain
def measuring_again_leaves_it_out():
    with Folder() as folder:
        path, said, _ = made(folder, "dump", "--measure")
        check_code(path)


@uncertain
def damaged_dumps_cost_nothing_else():
    with Folder() as folder:
        program = build(folder, compilers(MACHINE)[0], [PROGRAM], "-O2")
        path = os.path.join(folder, "run.db")
        for change in ("cut", "empty", "garbage"):
            # The program writes into a folder where a link leads its dump to what we damage before anybody reads it.
            script = os.path.join(folder, "script")
            with open(script, "w") as file:
                file.write(f"""#!/bin/sh
{program} dump {folder} {ROUNDS}
for dump in {folder}/jit-*.dump; do
    case {change} in
    cut) head -c 300 "$dump" > {folder}/part; cat {folder}/part > "$dump" ;;
    empty) : > "$dump" ;;
    garbage) head -c 4000 /dev/urandom > "$dump" ;;
    esac
done
""")
            os.chmod(script, 0o755)
            said = " ".join(assay("run", "--force", "-o", path, "--", script).stderr.decode().split())
            if rows(path, "select samples from runs")[0]["samples"] < 60:
                raise Skip("too few samples")
            assert "about code made at run time (jitdump, perf-PID.map) could not be read whole" in said, (change, said)
            assert rows(path, "select count(*) as n from run_limits where kind = 'undumped'") == [{"n": 1}], change
            for dump in os.listdir(folder):
                if dump.startswith("jit-"):
                    os.unlink(os.path.join(folder, dump))


@uncertain
def recordings_of_perf_have_it_too():
    if not shutil.which("perf"):
        raise Lacking("perf is not installed")
    with Folder() as folder:
        program, data = build(folder, compilers(MACHINE)[0], [PROGRAM], "-O2"), os.path.join(folder, "perf.data")
        environment = dict(os.environ, HOME=folder)
        recorded = subprocess.run(["perf", "record", "-k", "1", "-F", "997", "-e", "cpu-clock", "-o", data, program, "dump", folder, ROUNDS],
                                  capture_output=True, env=environment)
        if recorded.returncode or not os.path.exists(data):
            raise Skip("perf may not record here")
        path = os.path.join(folder, "run.db")
        assay("run", "--from", data, "-o", path)
        if rows(path, "select samples from runs")[0]["samples"] < 60:
            raise Skip("too few samples")
        check_code(path)
        # In another folder it is found by its name; without it the code has no name.
        other, dump = os.path.join(folder, "other"), next(name for name in os.listdir(folder) if name.startswith("jit-"))
        os.mkdir(other)
        shutil.move(os.path.join(folder, dump), other)
        assay("run", "--force", "--from", data, "--debug-dir", other, "-o", path)
        check_code(path)
        assay("run", "--force", "--from", data, "-o", path)
        assert rows(path, "select name from run_functions")[0]["name"] == "[generated code]"
        shutil.move(os.path.join(other, dump), folder)
        # perf inject makes ELF files of the dump: the same functions, by another way.
        injected = os.path.join(folder, "injected.data")
        made = subprocess.run(["perf", "inject", "--jit", "-i", data, "-o", injected], capture_output=True, env=environment, cwd=folder)
        if made.returncode:
            return
        assay("run", "--force", "--from", injected, "-o", path)
        function = rows(path, "select f.name as name, r.self_share as share from run_functions r join functions f on f.id = r.function")[0]
        assert function["name"] == "Script.turn" and function["share"] > 0.7, function


run()
