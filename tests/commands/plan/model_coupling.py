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
