"""Reads and builds the kernels of the corpus: for the tests, which check what Assay says about them, and for the bench, which
measures the remedies.  README describes a kernel."""
import collections, glob, os, re, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.dirname(HERE))
from compiling import HOST, TRIPLETS, Lacking, NeedsRun, ask, compile_program, is_near, missing_features  # noqa: E402,F401

MACHINES = {"x86-64": "sapphire-rapids", "aarch64": "neoverse-v1+nosve"}
COMPILERS = ("gcc", "g++", "gfortran", "clang", "clang++")
PROFILE = "-fprofile-use"
LEVELS = ("gain", "potential", "hint", "expert")
KEYS = ("build", "says", "silent", "without", "remedy", "measured", "not yet", "machine", "libraries", "with", "link", "needs")
LINE = re.compile(r"^[\s*!/]*([a-z][a-z ]*?)(?: (%s))?\s*:\s(.*?)(?:\s*\*/)?\s*$" % "|".join(TRIPLETS))
COMMENT = {".c": re.compile(r"\s*/\*(.*?)\*/", re.S), ".cpp": re.compile(r"\s*/\*(.*?)\*/", re.S),
           ".f90": re.compile(r"((?:\s*![^\n]*\n)+)")}
OF_KERNEL = re.compile(r"(^|\d|_MOD_)kernel")  # C; C++, behind the length of the name; Fortran
QUERY = """select f.name as function, r.name as rule, a.level, a.gain, a.is_upper, a.loop, a.text,
  (select group_concat(distinct m.action) from remedies m where m.advice = a.id) as actions
  from advice a join rules r on r.id = a.rule join loops l on l.id = a.loop join functions f on f.id = l.function
 order by a.id"""

Says = collections.namedtuple("Says", "rules level actions")
Remedy = collections.namedtuple("Remedy", "rule action options")
Measured = collections.namedtuple("Measured", "rule action machine ratio")


class Kernel:
    def __init__(self, path):
        self.path = path
        self.name, self.language = os.path.splitext(os.path.basename(path))
        self.facts = collections.defaultdict(list)  # key: (instruction set or None, value)
        with open(path) as file:
            comment = COMMENT[self.language].match(file.read())
        for line in comment.group(1).splitlines() if comment else ():
            found = LINE.match(line)
            if found:
                key, isa, value = found.groups()
                if key not in KEYS:
                    raise ValueError(f"{path}: not a fact of a kernel: {line.strip()}")
                self.facts[key].append((isa, value))
        self.isas = [isa for isa in TRIPLETS if self.values("build", isa)]
        if not self.isas:
            raise ValueError(f"{path}: no line `build:`")

    def values(self, key, isa):
        """The values of a key for an instruction set, in order; the lines for it alone last."""
        return [value for place, value in self.facts[key] if place is None] + \
               [value for place, value in self.facts[key] if place == isa]

    def words(self, key, isa):
        """The words of all lines of a key; those that state one thing have it in the last line."""
        return " ".join(self.values(key, isa)).split()

    def says(self, isa):
        split = [value.split() for value in self.values("says", isa)]
        bad = [words for words in split if len(words) < 2 or words[1] not in LEVELS]
        if bad:
            raise ValueError(f"{self.path}: not RULE LEVEL ACTION…: {' '.join(bad[0])}")
        return [Says(words[0].split("|"), words[1], words[2:]) for words in split]

    def remedies(self, isa):
        return [Remedy(*value.split(None, 2)) for value in self.values("remedy", isa)]

    def measured(self):
        return [Measured(*value.split()) for _, value in self.facts["measured"]]

    def why_not_yet(self):
        return "; ".join(value for _, value in self.facts["not yet"])

    def machine(self, isa):
        return (self.values("machine", isa) or [MACHINES[isa]])[-1]

    def build(self, isa, folder, options="", name=None, more=""):
        """Builds the kernel with its main program; returns the program and the file that Assay reads."""
        if PROFILE in options.split():
            self.train(isa, folder, options, name or self.name, more)
            options += f"={folder}"
        name = f"{name or self.name}-{isa}"
        words, options = self.values("build", isa)[-1].split(), options.split()
        words = (options if options and options[0] in COMPILERS else words + options) + ["-g", "-I", HERE, *more.split()]
        if self.language == ".f90":
            words += ["-cpp"]
        sources = [self.path, *(os.path.join(HERE, "with", file) for file in self.words("with", isa))]
        libraries, output, main = self.words("libraries", isa), os.path.join(folder, name), main_object(isa, folder)
        if self.words("link", isa) != ["library"]:
            compile_program(words, isa, "-o", output, *sources, main, *libraries)
            return output, output
        library = os.path.join(folder, f"lib{name}.so")
        compile_program(words, isa, "-shared", "-o", library, *sources, *libraries)
        compile_program(words, isa, "-o", output, main, library, "-Wl,-rpath,$ORIGIN")
        return output, library

    def train(self, isa, folder, options, name, more):
        """Runs the kernel once so that there is a profile for a program of this name."""
        if isa != HOST:
            raise NeedsRun(f"{PROFILE} needs a run")
        program, _ = self.build(isa, folder, options.replace(PROFILE, f"-fprofile-generate={folder}"), name, more)
        subprocess.run([program], check=True, stdout=subprocess.DEVNULL)

    def advice(self, assay, file, isa, machine=None):
        """What Assay says of the kernel: rows with rule, level, gain, is_upper, loop, text and a list of actions."""
        rows = ask(assay, file, QUERY, machine or self.machine(isa))
        for row in rows:
            row["actions"] = (row["actions"] or "").split(",")
        return [row for row in rows if OF_KERNEL.search(row["function"])]


def main_object(isa, folder):
    path = os.path.join(folder, f"main-{isa}.o")
    if not os.path.exists(path):
        compile_program(["gcc", "-O2", "-c", "-I", HERE], isa, "-o", path, os.path.join(HERE, "main.c"))
    return path


def is_said(says, advice):
    """Whether one piece of advice meets a `says:` line."""
    allowed = LEVELS[:LEVELS.index(says.level) + 1]
    return any(row["rule"] in says.rules and row["level"] in allowed and set(says.actions) <= set(row["actions"])
               for row in advice)


def kernels():
    paths = [path for path in glob.glob(os.path.join(HERE, "*")) if os.path.splitext(path)[1] in COMMENT]
    return [Kernel(path) for path in sorted(paths) if os.path.basename(path) != "main.c"]
