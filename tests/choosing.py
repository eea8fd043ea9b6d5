"""Which tests to run: by words on the command line, or by what has changed (tests/touched has the table for that).

A job is the name of a test program and the kind of it: "check" (tests/check-*), "command" (tests/commands/*/*.py) or "unit"."""
import fnmatch, os, pathlib, subprocess

HERE = pathlib.Path(__file__).resolve().parent
ALL = ()  # the words of a program all of whose tests run


def by_words(words, programs, text_of):
    """{program: words for its tests} (ALL: all of them) that these words choose; ValueError names a word that chooses nothing.

    A word is the name of a program; a part of names of programs; a part of the name of a test in some program; or `PROGRAM: TEST`
    with parts of the test's name.  The first of these that fits is taken.  text_of gives the source of a program, where the names
    of its tests are; it may be that a program turns out to have none."""
    chosen = {}
    for word in words:
        program, colon, test = word.partition(":")
        program, test = program.strip(), test.strip()
        if colon:
            found = {name: (test,) if test else ALL for name in programs if name == program}
        elif program in programs:
            found = {program: ALL}
        else:
            found = {name: ALL for name in programs if program in name} or \
                    {name: (program,) for name in programs if as_function(program) in text_of(name)}
        if not found:
            raise ValueError(f"no test has {word!r} in its name")
        for name, tests in found.items():
            whole = tests == ALL or chosen.get(name) == ALL
            chosen[name] = ALL if whole else chosen.get(name, ()) + tests
    return chosen


def as_function(words):
    """A part of a test's name as the source has it."""
    return words.replace(" ", "_")


def read_table(text):
    """[(prefixes of paths, patterns of names of command tests)] of tests/touched."""
    table = []
    for line in text.splitlines():
        line = line.partition("#")[0].strip()
        if line:
            paths, _, tests = line.partition(":")
            table.append((paths.split(), tests.split()))
    return table


def by_changes(changed, programs, table, text_of):
    """Names of command tests that these changed files touch, the nearest first: tests that changed themselves; tests that name a
    changed file of tests/ or examples/; then those of the table's rows, the longest prefix first."""
    near, rows = [], []
    for path in changed:
        name = os.path.basename(path)
        if path.startswith("tests/commands/"):
            near += [name[:-3]] if name[:-3] in programs else []
        elif path.startswith(("tests/", "examples/")):
            stem = name.rpartition(".")[0] or name
            near += [test for test in programs if name in text_of(test) or f'"{stem}"' in text_of(test) or f"import {stem}" in text_of(test)]
        for prefixes, patterns in table:
            longest = max((len(prefix) for prefix in prefixes if is_under(path, prefix)), default=0)
            if longest:
                rows.append((longest, patterns))
    rows.sort(key=lambda row: -row[0])
    listed = [test for _, patterns in rows for pattern in patterns for test in sorted(fnmatch.filter(programs, pattern))]
    return list(dict.fromkeys(near + listed))


def is_under(path, prefix):
    return path == prefix or path.startswith(prefix.rstrip("/") + "/")


def changed_files(root):
    """What differs from the last commit; nothing does: what the last commit changed."""
    def ask(*words):
        done = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True)
        if done.returncode:
            raise ValueError(f"git does not tell what changed: {done.stderr.strip()[:300]}")
        return done.stdout.splitlines()
    return (ask("diff", "--name-only", "HEAD") + ask("ls-files", "--others", "--exclude-standard") or
            ask("show", "-m", "--first-parent", "--name-only", "--format=", "HEAD"))
