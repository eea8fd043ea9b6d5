#!/usr/bin/env python3
"""assay model coupling: chains by a command and by a library, composed predictions, mistakes."""
# first build only: most of it is the children's work
import json, os

from harness import ASSAY, Folder, command, need, run, test, text

TIMES = {"a": 1, "b": 2, "c": 3, "a,b": 6, "b,c": 5, "c,a": 4, "a,b,c": 9}


def program(folder, times):
    path = os.path.join(folder, "program")
    with open(path, "w") as file:
        file.write("#!/bin/sh\ncase $1 in\n" + "".join(f"{names}) echo {seconds} ;;\n" for names, seconds in times.items()) + "*) exit 3 ;;\nesac\n")
    os.chmod(path, 0o755)


def describe(folder, words):
    path = os.path.join(folder, "kernels.txt")
    with open(path, "w") as file:
        file.write(words)
    return path


@test
def a_command_tells_the_times():
    with Folder() as folder:
        program(folder, TIMES)
        path = describe(folder, "command = ./program {kernels}\nkernels = a, b, c\npasses = 1\n")
        rows = json.loads(text("model", "coupling", path, "--json"))
        assert [row["chain"] for row in rows] == ["a", "b", "c", "a b", "b c", "c a", "a b c"], rows
        assert [row["coupling"] for row in rows[3:]] == [2, 1, 1, 1.5], rows
        shown = text("model", "coupling", path)
        # a: (2*6 + 1*4)/10 = 1.6; b: (2*6 + 1*5)/11; c: 1
        pairs = 1 * 1.6 + 2 * 17 / 11 + 3
        assert "3 kernels together: 9.00 s a round" in shown, shown
        assert f"{(6 / 9 - 1) * 100:.1f} %" in shown and f"{pairs:.2f} s" in shown, shown
        assert "they hinder each other" in shown and "no coupling to speak of" in shown, shown


@test
def stored_couplings_are_used_again():
    """Isocoupling: a computer that is twice as fast, with a b that is slower; the couplings are those of before."""
    with Folder() as folder:
        program(folder, TIMES)
        path = describe(folder, "command = ./program {kernels}\nkernels = a, b, c\npasses = 1\n")
        stored = os.path.join(folder, "stored.csv")
        text("model", "coupling", path, "--csv", "--output", stored)
        other = {"a": 0.5, "b": 1.5, "c": 1.5, "a,b,c": 5}  # no pairs: they must not be asked for
        program(folder, other)
        shown = text("model", "coupling", path, "--stored", stored)
        pairs = {("a", "b"): 2, ("b", "c"): 1, ("c", "a"): 1}
        apart = {names: other[names[0]] + other[names[1]] for names in pairs}
        seconds = 0
        for kernel in "abc":
            held = [names for names in pairs if kernel in names]
            weights = [pairs[names] * apart[names] for names in held]
            seconds += other[kernel] * sum(pairs[names] * weight for names, weight in zip(held, weights)) / sum(weights)
        assert f"by stored pairs{seconds:>22.2f} s   {(seconds / 5 - 1) * 100:+6.1f} %" in shown, (shown, seconds)
        assert f"by stored chains of 3{1.5 * 3.5:>16.2f} s   {(1.5 * 3.5 / 5 - 1) * 100:+6.1f} %" in shown, shown
        assert f"by the sum of their own times{3.5:>8.2f} s" in shown and "all kernels together: 1.500 there, 1.429 here" in shown, shown
        rows = json.loads(text("model", "coupling", path, "--stored", stored, "--json"))
        assert [row["chain"] for row in rows] == ["a", "b", "c", "a b c"], rows
        with open(stored) as file:
            lines = file.read().splitlines()
        for changed, reported in [
            (["name,value", *lines[1:]], "stored.csv:1: is no table of couplings"),
            (lines[:1], "has no couplings"),
            (lines[:-2], "has 2 chains of 2 kernels, and there are 3"),
            ([*lines, lines[4]], "stored.csv:9: this chain stands above already"),
            ([*lines[:4], lines[4].replace("a b", "a c"), *lines[5:]], "stored.csv:5: the chain a c has kernels"),
            ([*lines[:4], lines[4].replace("a b", "a x"), *lines[5:]], "stored.csv:5: the chain a x has kernels"),
            ([*lines[:4], lines[4].replace(",2,", ",3,", 1), *lines[5:]], "stored.csv:5: is no row of a chain"),
            ([*lines[:4], lines[4] + ",7", *lines[5:]], "stored.csv:5: is no row of a chain"),
            ([*lines[:4], "a b,2,6,3,nan,0", *lines[5:]], "stored.csv:5: is no row of a chain"),
            ([*lines[:4], "a b,2,6,3,-2,0", *lines[5:]], "stored.csv:5: is no row of a chain"),
        ]:
            with open(stored, "w") as file:
                file.write("\n".join(changed) + "\n")
            said = command([ASSAY, "model", "coupling", path, "--stored", stored], 2).stderr.decode()
            assert reported in said and said.count("\n") == 1, (changed, said)
        assert b"coupling does" in command([ASSAY, "model", "run", path, "--stored", stored], 2).stderr
        for taken in stored, path:
            said = command([ASSAY, "model", "coupling", path, "--stored", stored, "--output", taken], 2).stderr.decode()
            assert "is an input, so it cannot be the output" in said, said


@test
def a_library_is_measured():
    need("gcc")
    with Folder() as folder:
        source = os.path.join(folder, "k.c")
        with open(source, "w") as file:
            file.write("static volatile int made; void make(void) { made = 1; }\n"
                       "static void spin(int n) { if (!made) __builtin_trap(); for (volatile int i = 0; i < n; i++); }\n"
                       "void small(void) { spin(100); }\nvoid large(void) { spin(10000); }\n")
        command(["gcc", "-O1", "-shared", "-fPIC", "-o", os.path.join(folder, "k.so"), source])
        path = describe(folder, "library = ./k.so\nprepare = make\nkernels = small, large\npasses = 1\n")
        rows = json.loads(text("model", "coupling", path, "--json"))
        assert [row["chain"] for row in rows] == ["small", "large", "small large"], rows
        assert 10 * rows[0]["seconds"] < rows[1]["seconds"] < 1, rows
        path = describe(folder, "library = ./k.so\nkernels = small, large\n")
        assert b"kernels small: ended by signal" in command([ASSAY, "model", "coupling", path], 2).stderr
        path = describe(folder, "library = ./k.so\nprepare = make\nkernels = small, larger\n")
        assert b"it has no function larger" in command([ASSAY, "model", "coupling", path], 2).stderr


@test
def mistakes_are_told():
    with Folder() as folder:
        program(folder, {"a": 1, "b": "words"})
        for words, message in (("kernels = a, b\n", "give either a `library` or a `command`"),
                               ("library = x\ncommand = y {kernels}\nkernels = a, b\n", "not both"),
                               ("command = y\nkernels = a, b\n", "kernels.txt:1:11: the command has no {kernels}"),
                               ("command = y {kernels}\nkernels = a\n", "kernels.txt:2:11: coupling needs 2 to 32 kernels"),
                               ("command = y {kernels}\nkernels = a, b, a\n", "the kernel a is there twice"),
                               ("command = y {kernels}\nkernel = a, b\n", "did you mean `kernels`?"),
                               ("command = ./missing {kernels}\nkernels = a, b\n", "is not there"),
                               ("library = ./missing.so\nkernels = a, b\n", "missing.so"),
                               ("command = ./program {kernels}\nkernels = a, b\n", "it should print the seconds of a round, but printed 'words"),
                               ("command = ./program {kernels}\nkernels = a, c\n", "kernels c: failed with status 3")):
            answer = command([ASSAY, "model", "coupling", describe(folder, words)], 2).stderr.decode()
            assert message in answer and answer.count("\n") == 1, (words, answer)


run()
