"""assay diff --git: two states of a repository, built in private folders."""
import json, os, signal, subprocess, time

from harness import ASSAY, MACHINE, PATIENCE, Folder, need, run, test, watched

# first build only: the commands run compilers and git most of the time
MODEL = {"x86_64": "sapphire-rapids", "aarch64": "neoverse-v1"}[MACHINE]
SOURCE = """#include <stdio.h>
const char *where(void) { return __FILE__; }
void scale(double *restrict y, const double *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = 3 * x[i];
}
int main(int c, char **v) { double a[9] = {c}, b[9]; scale(b, a, 9); return puts(where()) + b[3] > 5; }
"""
MAKEFILE = "prog: main.c\n\tcc -O2 -g -fno-inline -o $@ $(CURDIR)/main.c\n"


def write(folder, name, text):
    os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
    with open(os.path.join(folder, name), "w") as file:
        file.write(text)


def git(folder, *words):
    settings = ("-c", "user.name=Tester", "-c", "user.email=tester@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run([need("git"), *settings, *words], cwd=folder, capture_output=True, timeout=PATIENCE)
    assert not done.returncode, done.stderr


def repository(folder, **files):
    """A repository with a commit, and a folder for temporary files, which must be empty at the end."""
    tree = os.path.join(folder, "work tree; $(touch x)")
    os.makedirs(os.path.join(folder, "tmp"))
    os.makedirs(tree)
    git(tree, "init", "-q")
    for name, text in {"main.c": SOURCE, "Makefile": MAKEFILE, ".gitignore": "prog\nignored\n", **files}.items():
        write(tree, name, text)
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", "one")
    return tree


def diff(folder, tree, *words, status=0, where=""):
    done = watched([ASSAY, "diff", *words], cwd=os.path.join(tree, where), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                   env={**os.environ, "TMPDIR": os.path.join(folder, "tmp")})
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    assert os.listdir(os.path.join(folder, "tmp")) == [], os.listdir(os.path.join(folder, "tmp"))
    return done


def loops(done):
    return json.loads(done.stdout)["loops"]


@test
def the_working_tree_against_a_commit():
    with Folder() as folder:
        tree = repository(folder)
        done = diff(folder, tree, "--git", "HEAD", "--json", "--machine", MODEL, "--", "make")
        assert json.loads(done.stdout)["functions"] == [] and loops(done) == [], done.stdout
        write(tree, "main.c", "/* moves everything */\n" + SOURCE.replace("3 *", "3 /"))
        done = diff(folder, tree, "--git", "HEAD", "--json", "--machine", MODEL, "--", "make", status=1)
        assert [(loop["new_function"], loop["old_place"], loop["new_place"]) for loop in loops(done)] == \
            [("scale", "main.c:5-6", "main.c:6-7")], done.stdout
        assert not os.path.exists(os.path.join(tree, "prog")), "the user's own folder was built in"
        shown = diff(folder, tree, "--git", "HEAD", "--machine", MODEL, "--", "make", status=1).stdout.decode()
        assert "main.c:6-7 (was main.c:5-6) in scale" in shown, shown


@test
def two_commits_from_a_folder_of_the_tree():
    with Folder() as folder:
        tree = repository(folder, **{"src/part.c": "void nothing(void) {}\n"})
        write(tree, "main.c", SOURCE.replace("3 *", "3 /"))
        git(tree, "commit", "-qam", "two")
        write(tree, "main.c", "not C")
        words = ("--git", "HEAD~1..HEAD", "../prog", "--json", "--machine", MODEL, "--", "make", "-C", "..")
        done = diff(folder, tree, *words, status=1, where="src")
        assert [loop["new_function"] for loop in loops(done)] == ["scale"], done.stdout
        done = diff(folder, tree, "--git", "HEAD..HEAD~1", "--json", "--machine", MODEL, "--", "make")
        assert [loop["verdict"] for loop in loops(done)] == ["faster"], done.stdout


@test
def files_of_the_working_tree():
    """Untracked files are built, ignored ones are not there, deleted ones are gone."""
    with Folder() as folder:
        tree = repository(folder, gone="x\n")
        write(tree, "fresh.h", "#define FACTOR 3 /\n")
        write(tree, "ignored", "secret\n")
        os.remove(os.path.join(tree, "gone"))
        os.symlink("fresh.h", os.path.join(tree, "link.h"))
        write(tree, "main.c", '#include "link.h"\n' + SOURCE.replace("3 *", "FACTOR"))
        write(tree, "Makefile", "prog: main.c\n\ttest ! -e ignored -a ! -e gone\n" + MAKEFILE.split("\n", 1)[1])
        done = diff(folder, tree, "--git", "HEAD", "--json", "--machine", MODEL, "--", "make", status=1)
        assert [loop["new_function"] for loop in loops(done)] == ["scale"], done.stdout


@test
def failures_say_what_is_wrong():
    with Folder() as folder:
        tree = repository(folder)
        for words, says in ((("HEAD", "--", "make", "nonsense"), ("No rule to make target", "build of HEAD failed with status 2")),
                            (("HEAD", "--", "./no-such-command"), ("./no-such-command: not found",)),
                            (("no-such-commit", "--", "make"), ("--git no-such-commit: the repository has no such commit",)),
                            (("--output=x", "--", "make"), ("the repository has no such commit",)),
                            (("HEAD", "other", "--", "make"), ("other: the build of HEAD did not make it",)),
                            (("HEAD", "/bin/true", "--", "make"), ("not an absolute one",)),
                            (("HEAD", "--", "true"), ("made no program",)),
                            (("HEAD",), ("takes a command after --",)),
                            (("HEAD", "--", "make; touch x"), ("not found",)),
                            (("HEAD", "--", "sh", "-c", "cp /bin/true a; cp /bin/true b; touch a b"), ("made 2 programs: a, b",))):
            message = diff(folder, tree, "--git", *words, status=2).stderr.decode()
            assert all(part in message for part in says), (words, message)
        assert os.listdir(os.path.dirname(tree)) in (["tmp", os.path.basename(tree)], [os.path.basename(tree), "tmp"])
        outside = os.path.join(folder, "tmp2")
        os.makedirs(outside)
        assert "not in a working tree" in diff(folder, outside, "--git", "HEAD", "--", "make", status=2).stderr.decode()


@test
def programs_that_the_repository_names_do_not_run():
    """Its settings and hooks may be a stranger's: an archive that was unpacked has them, too."""
    with Folder() as folder:
        tree, mark = repository(folder), os.path.join(folder, "mark")
        script = os.path.join(folder, "script")
        write(folder, "script", f"#!/bin/sh\ntouch {mark}\n")
        os.chmod(script, 0o755)
        for name in ("post-checkout", "post-index-change", "reference-transaction", "pre-auto-gc"):
            os.symlink(script, os.path.join(tree, ".git", "hooks", name))
        for setting in ("core.fsmonitor", "core.pager", "core.alternateRefsCommand", "uploadpack.packObjectsHook", "filter.x.smudge",
                        "filter.x.clean", "filter.x.process", "core.sshCommand", "core.editor"):
            git(tree, "-c", "core.hooksPath=/dev/null", "config", setting, script)
        write(tree, ".gitattributes", "* filter=x\n")
        write(tree, "other.c", "int other;\n")
        diff(folder, tree, "--git", "HEAD", "--machine", MODEL, "--", "make")
        assert not os.path.exists(mark), "it was run"
        subprocess.run(["git", "ls-files", "--others"], cwd=tree, check=True, capture_output=True)
        assert os.path.exists(mark), "git itself runs it"


@test
def submodules_and_worktrees_run_nothing():
    """Submodules with commands, a working tree whose repository lies elsewhere, and a folder that became a link."""
    with Folder() as folder:
        mark, script, home = (os.path.join(folder, name) for name in ("mark", "script", "home"))
        write(folder, "script", f"#!/bin/sh\ntouch {mark}\n")
        os.chmod(script, 0o755)
        os.mkdir(home)
        write(home, ".gitconfig", "[submodule]\n\trecurse = true\n[user]\n\tname = x\n\temail = x@example.com\n")
        env = dict(os.environ, HOME=home)
        tree = repository(folder)
        inner = os.path.join(tree, "inner")
        git(folder, "init", "-q", inner)
        git(inner, "commit", "-q", "--allow-empty", "-m", "one")
        write(tree, ".gitmodules", f'[submodule "inner"]\n\tpath = inner\n\turl = ext::{script}\n\tupdate = !{script}\n')
        os.makedirs(os.path.join(tree, "folder"))
        write(tree, "folder/kept", "x")
        git(tree, "add", "inner", ".gitmodules", "folder")
        git(tree, "commit", "-q", "-m", "a submodule")
        for name in ("post-checkout", "post-index-change"):
            os.symlink(script, os.path.join(inner, ".git", "hooks", name))
        for setting in ("submodule.inner.update", "submodule.inner.url", "protocol.ext.allow"):
            value = "always" if "allow" in setting else f"ext::{script}" if "url" in setting else f"!{script}"
            git(tree, "config", setting, value)
        # The folder is a link now, to where a file of that name is.
        os.remove(os.path.join(tree, "folder", "kept"))
        os.rmdir(os.path.join(tree, "folder"))
        os.mkdir(os.path.join(folder, "secret"))
        write(folder, "secret/kept", "secret")
        os.symlink(os.path.join(folder, "secret"), os.path.join(tree, "folder"))
        # The repository lies elsewhere, and the file .git says where.
        elsewhere = os.path.join(folder, "elsewhere")
        os.rename(os.path.join(tree, ".git"), elsewhere)
        write(tree, ".git", f"gitdir: {elsewhere}\n")
        built = ["sh", "-c", f"cat folder/kept > {folder}/seen 2>/dev/null; test -L folder || touch {folder}/seen; make"]
        done = subprocess.run([ASSAY, "diff", "--git", "HEAD", "--machine", MODEL, "--", *built], cwd=tree, env=env, capture_output=True)
        assert done.returncode == 0, done.stderr
        assert not os.path.exists(mark), "it was run"
        assert sorted(os.listdir(os.path.join(folder, "secret"))) == ["kept"]


@test
def an_interrupted_build_leaves_nothing():
    with Folder() as folder:
        tree = repository(folder)
        script = "mkdir -p a/b/c/d/e/f/g; touch ../../started; while :; do date > a/b/c/d/e/f/g/$$; sleep 0.05; done"
        for number in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen([ASSAY, "diff", "--git", "HEAD", "--", "sh", "-c", script], cwd=tree,
                                       env={**os.environ, "TMPDIR": os.path.join(folder, "tmp")}, stderr=subprocess.DEVNULL)
            started = os.path.join(folder, "tmp", "started")
            until = time.monotonic() + PATIENCE
            while not os.path.exists(started):
                assert time.monotonic() < until and process.poll() is None
                time.sleep(0.02)
            os.remove(started)
            process.send_signal(number)
            assert process.wait(PATIENCE) == -number, process.returncode
            assert os.listdir(os.path.join(folder, "tmp")) == [], os.listdir(os.path.join(folder, "tmp"))


run()
