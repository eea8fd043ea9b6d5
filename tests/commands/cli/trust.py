"""Attacks: files whose text, debug information or folder try to run programs or to reveal private files.  Each attack
leaves a mark, a file or a word, if it succeeds."""
import os, shutil, subprocess
from harness import ASSAY, MACHINE, Folder, Lacking, build, command, cross, need, run, test, watched

SECRET = "confidential"
ISA = {"aarch64": "aarch64", "x86_64": "x86-64"}[MACHINE]
MACHINES = {"aarch64": "neoverse-v1", "x86_64": "skylake"}
DAXPY = """void daxpy(long n, double a, const double *x, double *y)
{
    for (long i = 0; i < n; i++)
        y[i] += a * x[i];
}
"""
FORTRAN = """subroutine daxpy(n, a, x, y)
  integer n, i
  double precision a, x(n), y(n)
  do i = 1, n
    y(i) = y(i) + a * x(i)
  end do
end subroutine
"""


class Attack(Folder):
    """A stranger's folder, where the user is, and beside it a private one."""

    def __enter__(self):
        self.top = super().__enter__()
        self.here, self.private = os.path.join(self.top, "stranger"), os.path.join(self.top, "private")
        os.mkdir(self.here)
        os.mkdir(self.private)
        self.secret = os.path.join(self.private, "secret.c")
        self.mark = os.path.join(self.top, "mark")
        self.write(self.secret, f"{SECRET} 1\n{SECRET} 2\n{SECRET} 3\n")
        return self

    def write(self, name, text, mode=0o644):
        path = os.path.join(self.here, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def program_that_marks(self, name):
        """A program of this name that leaves the mark, then does what the real one does."""
        real = shutil.which(name) or "/bin/true"
        return self.write(name, f"#!/bin/sh\ntouch {self.mark}\nexec {real} \"$@\"\n", 0o755)

    def assay(self, *words, status=0, env=None):
        result = watched([ASSAY, *words], cwd=self.here, env=dict(os.environ, HOME=self.top, **(env or {})))
        assert status is None or result.returncode == status, (words, result.returncode, result.stderr)
        assert not os.path.exists(self.mark), f"{words}: the attack ran a program"
        return result

    def refuses(self, *words, status=2):
        """The command says how to allow it, and shows nothing private."""
        result = self.assay(*words, status=status)
        assert SECRET.encode() not in result.stdout + result.stderr, (words, result.stdout, result.stderr)
        assert b"--trust" in result.stderr, (words, result.stderr)
        return result

    def shows(self, *words):
        result = self.assay(*words)
        assert SECRET.encode() in result.stdout, (words, result.stdout, result.stderr)


def options_that_run(attack):
    """A file of options for gcc's drivers that leaves the mark: the first is the value of -D or -I."""
    return attack.write("options", f"X -wrapper sh,-c,touch\\ {attack.mark}\n")


def bounds(attack, program, *words, **options):
    return attack.assay("bounds", program, "--machine", MACHINES[MACHINE], *words, **options)


def compile_commands(attack, file, *flags):
    words = ", ".join('"%s"' % flag for flag in ("cc", *flags, "-c", file))
    attack.write("compile_commands.json", f'[{{"directory": "{attack.here}", "file": "{file}", "arguments": [{words}]}}]\n')


@test
def the_file_of_options_runs_programs_by_itself():
    """Or the tests below would prove nothing."""
    need("gfortran")
    with Attack() as attack:
        source, options = attack.write("d.f90", FORTRAN), options_that_run(attack)
        command(["gfortran", "-D", f"@{options}", "-fsyntax-only", source], status=None)
        assert os.path.exists(attack.mark)


@test
def compile_commands_that_name_files_of_options():
    need("gfortran")
    with Attack() as attack:
        source, options = attack.write("d.f90", FORTRAN), options_that_run(attack)
        build(attack.here, ["gfortran"], [source], "-O1", "-g", "-c", output="d.o")
        plain = bounds(attack, "d.o").stdout
        assert b"MA is n/a" not in plain
        # tests/unit/code/source.c has more of them
        for flags in [(f"-D@{options}",), ("-U", f"@{options}", "-I", f"@{options}", f"@{options}", "-J", "@options"),
                      ("-D", "-wrapper", "-D", f"sh,-c,touch {attack.mark}"),
                      ("-wrapper", f"sh,-c,touch {attack.mark}", "-B", attack.here, "-specs=options")]:
            compile_commands(attack, "d.f90", *flags)
            attack.program_that_marks("f951")
            assert bounds(attack, "d.o").stdout == plain, flags


@test
def producers_that_name_files_of_options():
    need("gfortran")
    with Attack() as attack:
        source, options = attack.write("d.f90", FORTRAN), options_that_run(attack)
        for flag in [f"-D@{options}", f"-I @{options} -wrapper sh,-c,touch\\\\ {attack.mark}"]:
            listing = build(attack.here, ["gfortran"], [source], "-O1", "-g", "-S", output="d.s")
            with open(listing) as file:
                text = file.read()
            assert '"GNU Fortran' in text
            attack.write("d.s", text.replace('"GNU Fortran', f'"GNU Fortran {flag} '))
            command(["gcc", "-c", listing, "-o", os.path.join(attack.here, "d.o")])
            for file in ["d.o", "d.s"]:
                assert b"MA is n/a" not in bounds(attack, file).stdout


@test
def options_that_load_libraries_into_libclang():
    with Attack() as attack:
        source = attack.write("c.c", DAXPY)
        build(attack.here, ["gcc"], [source], "-O1", "-g", "-c", output="c.o")
        evil = attack.write("evil.c", f'#include <stdio.h>\n__attribute__((constructor)) static void run(void)\n{{\n'
                                      f'    fclose(fopen("{attack.mark}", "w"));\n}}\n')
        library = build(attack.here, ["gcc"], [evil], "-shared", "-fPIC", output="evil.so")
        options = attack.write("options", f"-Xclang -load -Xclang {library}\n")
        for name in ["clang.cfg", f"{MACHINE}-unknown-linux-gnu-clang.cfg", f"{MACHINE}-pc-linux-gnu.cfg"]:
            shutil.copy(options, os.path.join(attack.here, name))
        for flags in [(), (f"@{options}", f"-D@{options}", "--config", options, f"--config={options}"),
                      ("-Xclang", "-load", "-Xclang", library, f"-fplugin={library}", "-mllvm", f"-load={library}")]:
            compile_commands(attack, "c.c", *flags)
            bounds(attack, "c.o")


@test
def a_precompiled_header_beside_a_header():
    """The driver would take it in place of the header; reading one that a stranger made is as good as running it."""
    need("clang")
    with Attack() as attack:
        source = attack.write("c.c", DAXPY.replace("+= a", "+= EXTRA a"))
        build(attack.here, ["gcc"], [source], "-O1", "-g", "-c", "-DEXTRA=", output="c.o")
        attack.write("pre.h", "#define EXTRA\n")
        other = attack.write("other.h", "#define EXTRA 2.0 * 3.0 *\n")
        command(["clang", "-x", "c-header", other, "-o", os.path.join(attack.here, "pre.h.pch")])
        compile_commands(attack, "c.c", "-include", "pre.h")
        rows = bounds(attack, "c.o", "--csv").stdout.decode().splitlines()
        columns = rows[0].split(",")
        counts = {row.split(",")[columns.index("level")]: row.split(",")[columns.index("floating")] for row in rows[1:]}
        if "MA" not in counts:
            raise Lacking("libclang is not installed")
        assert float(counts["MA"]) == 2, counts


@test
def a_folder_whose_name_is_a_file_of_options():
    with Attack() as attack:
        listing = attack.write("@d/p.S", '#include "own.h"\nf:\n\tNOTHING\n\tret\n')
        attack.write("@d/own.h", "#define NOTHING nop\n")
        attack.write("@d/q.s", '.include "own.inc"\nf:\n\tnop\n\tret\n')
        attack.write("@d/own.inc", "\tnop\n")
        attack.write("d", f". -wrapper sh,-c,touch\\ {attack.mark}\n")
        assert os.path.exists(listing)
        for words in [("@d/p.S",), ("@d/q.s",), ("-I", "@d", "@d/p.S"), ("-I@d", "@d/q.s")]:
            assert b"f" in attack.assay("functions", "--isa", ISA, *words).stdout


@test
def listings_that_take_in_private_files():
    with Attack() as attack:
        os.symlink(attack.secret, os.path.join(attack.here, "link.c"))
        code = "f:\n\tnop\n\tret\n\t.data\n"
        for text in [f'.incbin "{attack.secret}"', '.incbin "../private/secret.c"', '.incbin "link.c"',
                     f'.macro m a\n\t.\\a "{attack.secret}"\n.endm\n\tm incbin',
                     f'.irp a,incbin\n\t.\\a "{attack.secret}"\n.endr',
                     f'.include "{attack.secret}"', f'.include "{attack.secret[1:]}"', '.incbin "/proc/self/environ"',
                     f'.include "more.inc"']:
            attack.write("more.inc", f'\t.incbin "{attack.secret}"\n')
            attack.write("a.s", f"{code}\t{text}\n")
            attack.refuses("db", "a.s", "--isa", ISA, "-o", "a.db")
            assert not os.path.exists(os.path.join(attack.here, "a.db"))
        for text in [f'#include "{attack.secret}"', '#include "../private/secret.c"', '#include "link.c"', '#include "more.h"',
                     "#include __FILE__", '#include "../environ"', f"#define NAME \"{attack.secret}\"\n#include NAME"]:
            attack.write("more.h", f'#include "{attack.secret}"\n')
            attack.write("a.S", f"{text}\nf:\n\tnop\n\tret\n")
            result = attack.assay("asm", "a.S", "--isa", ISA, "--section", ".text", status=None)
            assert SECRET.encode() not in result.stdout + result.stderr, (text, result)
            if "__FILE__" not in text:
                assert result.returncode == 2 and b"--trust" in result.stderr, (text, result)


@test
def files_of_listings_that_may_be_read():
    with Attack() as attack:
        attack.write("project/Makefile", "")
        attack.write("project/include/all.h", "#define TWICE nop ; nop\n")
        attack.write("project/include/all.inc", ".macro twice\n\tnop\n\tnop\n.endm\n")
        attack.write("project/src/a.S", '#include "../include/all.h"\nf:\n\tTWICE\n\tret\n')
        attack.write("project/src/a.s", '.include "project/include/all.inc"\nf:\n\ttwice\n\tret\n')
        attack.write("project/src/b.S", '#include "all.h"\nf:\n\tTWICE\n\tret\n')
        attack.write("c.S", "f:\n\tTWICE\n\tret\n#if LEVEL != 3\n#error no level\n#endif\n")
        query = "select count(*) from code"

        def instructions(*words):
            return attack.assay("sql", *words, query, "--isa", ISA, "--csv", "--quiet").stdout.split()[-1]
        assert instructions("project/src/a.S") == b"3"
        assert instructions("project/src/a.s") == b"3"
        assert instructions("project/src/b.S", "-I", "project/include") == b"3"
        assert instructions("c.S", "-D", "TWICE=nop ; nop", "--define", "LEVEL=3") == b"3"
        assert b"--define takes" in attack.assay("loops", "c.S", "-D@x", status=2).stderr
        # with a word of the user
        attack.write(os.path.join(attack.private, "all.inc"), ".macro twice\n\tnop\n\tnop\n.endm\n")
        attack.write("d.s", f'.include "{attack.private}/all.inc"\nf:\n\ttwice\n\tret\n')
        attack.refuses("loops", "d.s", "--isa", ISA)
        assert instructions("d.s", "--trust") == b"3"
        assert instructions("d.s", "-I", attack.private) == b"3"


@test
def sources_that_debug_information_names():
    with Attack() as attack:
        for name, other in [("c.c", "secret.c"), ("link", "link.c")]:
            os.symlink(attack.secret, os.path.join(attack.here, "link.c")) if name == "link" else None
            path = attack.secret if name == "c.c" else os.path.join(attack.here, other)
            source = attack.write("c.c", f'#line 1 "{path}"\nvoid f(long n, double *x) {{\nfor (long i = 0; i < n; i++)\nx[i] += 1; }}\n')
            build(attack.here, ["gcc"], [source], "-O1", "-g", "-c", output="c.o")
            machine = ("--machine", MACHINES[MACHINE])
            attack.assay("db", "c.o", "-o", "c.db", "--force")
            for file in ["c.o", "c.db"]:
                views = [("asm", file), ("report", file, "--loop", "1", *machine), ("report", file, "--html", *machine)]
                for words in views[:3 if (name, file) == ("c.c", "c.o") else 1]:
                    said = attack.refuses(*words, status=0).stderr
                    assert b"1 file was not read" in said, said
                    attack.shows(*words, "--trust")
            assert b"outside" in attack.refuses("bounds", "c.o", *machine, status=0).stdout
            assert b"--trust" not in bounds(attack, "c.o", "--trust").stdout


@test
def errors_that_quote_private_files():
    need("gfortran")
    with Attack() as attack:
        for text in [f"include '{attack.secret}'", f'#include "{attack.secret}"']:
            source = attack.write("d.F90", FORTRAN)
            build(attack.here, ["gfortran"], [source], "-O1", "-g", "-c", output="d.o")
            attack.write("d.F90", FORTRAN + f"subroutine more\n{text}\nend subroutine\n")
            result = bounds(attack, "d.o")
            assert SECRET.encode() not in result.stdout + result.stderr, result
        source = attack.write("c.c", DAXPY)
        build(attack.here, ["gcc"], [source], "-O1", "-g", "-c", output="c.o")
        attack.write("c.c", DAXPY.replace("y[i] +=", f'y[i] +=\n#include "{attack.secret}"\n'))
        result = bounds(attack, "c.o")
        assert SECRET.encode() not in result.stdout + result.stderr, result


@test
def members_outside_of_a_thin_archive():
    with Attack() as attack:
        source = attack.write("c.c", DAXPY)
        inside = build(attack.here, ["gcc"], [source], "-c", output="inside.o")
        outside = build(attack.private, ["gcc"], [source], "-c", output="outside.o")
        subprocess.run(["ar", "rcT", "thin.a", inside, outside], cwd=attack.here, check=True)
        query = "select count(*) from programs"
        result = attack.assay("sql", "thin.a", query, "--csv")
        assert result.stdout.split()[-1] == b"1" and b"--trust" in result.stderr, result
        assert attack.assay("sql", "thin.a", query, "--csv", "--trust").stdout.split()[-1] == b"2"


@test
def programs_in_the_current_directory():
    with Attack() as attack:
        attack.write("a.S", "#include <features.h>\n#ifdef __GNUC__\n#endif\nf:\n\tnop\n\tret\n")
        attack.write("b.s", "g:\n\tnop\n\tret\n")
        fortran = attack.write("d.f90", FORTRAN)
        build(attack.here, [need("gfortran")], [fortran], "-O1", "-g", "-c", output="d.o")
        for name in ["as", "ld", "cc", "cc1", "gcc", "clang", "gfortran", "f951", "collect2", "sh", "dot"]:
            attack.program_that_marks(name)
        attack.write("specs", f"*cc1:\n%x{{-wrapper}}\n\n")
        path = os.environ["PATH"]
        for front in ["", ".:", ":../stranger:"]:  # tests/unit/base/child.c has more
            env = {"PATH": front + path}
            attack.assay("db", "a.S", "b.s", "--isa", ISA, "-o", "x.db", "--force", env=env)
            if os.path.exists(os.path.join(attack.here, "d.o")):
                bounds(attack, "d.o", env=env)


@test
def the_tracer_in_the_current_directory():
    need("valgrind")
    with Attack() as attack:
        source = attack.write("v.c", "int main(void) { return 0; }\n")
        build(attack.here, ["gcc"], [source], "-g", output="v")
        attack.program_that_marks("valgrind")
        attack.write(".valgrindrc", f"--log-file={attack.mark}\n")
        result = attack.assay("denormals", "trace", "--", "./v", status=None,
                              env={"PATH": ".:" + os.environ["PATH"], "VALGRIND_OPTS": f"--log-file={attack.mark}"})
        if b"tracer (denormal-trace) is missing" in result.stderr:
            raise Lacking("this build has no tracer")
        assert result.returncode == 0, result.stderr


@test
def analyses_machines_and_scripts_of_a_stranger():
    with Attack() as attack:
        source = attack.write("c.c", DAXPY)
        build(attack.here, ["gcc"], [source], "-c", output="c.o")
        for folder in ("", "data/", ".config/assay/", "share/assay/"):
            attack.write(folder + "analyses/stranger.sql", "-- title: t\n-- does: d\nselect 1;\n")
            attack.write(folder + "machines/stranger", "")
        attack.write("runtime/libassay-denormal-profile.so", "")
        assert b"stranger" not in attack.assay("analyses").stdout + attack.assay("machines").stdout
        library = os.path.join(attack.here, "evil.so")
        for line in [f".shell touch {attack.mark}", f".system touch {attack.mark}", f".output {attack.mark}", f".once {attack.mark}",
                     f".read |touch {attack.mark}", f".save {attack.mark}", f"select load_extension('{library}');",
                     f"select writefile('{attack.mark}', 'x');", f"select edit('x', 'touch {attack.mark}');",
                     f"attach '{attack.mark}' as x;", f"vacuum into '{attack.mark}';", f"select readfile('{attack.secret}');"]:
            attack.write("script.sql", line + "\n")
            result = attack.assay("sql", "c.o", "-f", "script.sql", status=None)
            assert SECRET.encode() not in result.stdout + result.stderr
            if not line.startswith("vacuum"):  # SQLite passes over it
                assert result.returncode == 2 or b"error" in result.stdout + result.stderr, (line, result)


@test
def the_assembler_has_one_deadline_for_all_its_runs():
    """A listing is assembled again where the first text is refused; that must not begin a new minute."""
    with Attack() as attack:
        tools, log = os.path.join(attack.top, "tools"), os.path.join(attack.top, "log")
        attack.write(os.path.join(tools, "as"), f'#!/bin/sh\nulimit -t >> {log}\nsleep 3\necho "x:1: Error: no" >&2\nexit 1\n', 0o755)
        attack.write("b.s", "g:\n\tnop\n\tret\n")
        attack.assay("loops", "b.s", "--isa", ISA, status=2, env={"PATH": f"{tools}:{os.environ['PATH']}"})
        with open(log) as file:
            first, second = [int(line) for line in file]
        assert first <= 62 and second <= first - 2, (first, second)


@test
def a_file_named_as_a_listing_is_one():
    with Attack() as attack:
        attack.write("a.S", "ENTRY(foo)\nLOOP(x, y)\n\tbr.ret.sptk.many b0\nEND(foo)\nTHING(a)\nTHING(b)\n")
        assert b"ia64" in attack.assay("programs", "a.S").stdout
        shutil.copy(os.path.join(attack.here, "a.S"), os.path.join(attack.here, "a.txt"))
        assert b"this is a text file" in attack.assay("programs", "a.txt", status=2).stderr
        for name in ["b.s", "b.asm"]:
            attack.write(name, "f:\n\tnop\n")
            said = attack.assay("programs", name, status=2).stderr
            assert b"--isa" in said and b"x86-64, i386, k1om, aarch64 or ia64" in said, said
            assert ISA.encode() in attack.assay("programs", name, "--isa", ISA).stdout
        attack.write("c.s", "some words about\nthings of the world\n\tadd r1 = r2, r3\n\tmovq %rax, %rbx\nmore words about them\n" +
                     "and so on and on\n" * 9)
        said = attack.assay("programs", "c.s", status=2).stderr
        assert b"it could be x86-64 or ia64" in said, said


run()
