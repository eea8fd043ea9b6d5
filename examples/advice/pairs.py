"""Reads and builds the pairs of examples/advice: for the tests, which check whether the rule fires, and for the bench, which
measures the gain of following the advice.  README describes a pair."""
import glob, os, sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(os.path.dirname(os.path.dirname(HERE)), "tests"))
from compiling import HOST, Lacking, ask, compile_program, is_near, missing_features  # noqa: E402,F401

SIDES = ("before", "after")
MACHINES = {"x86-64": "sapphire-rapids", "aarch64": "neoverse-v1"}
KNOWN = {"faster", "function", "libraries", "same", "with"} | {
    f"{key} {isa}" for key in (*SIDES, "machine", "needs") for isa in MACHINES}


def read_facts(path):
    facts = {}
    with open(path) as lines:
        for number, line in enumerate(lines, 1):
            line = line.split("#")[0].strip()
            if not line:
                continue
            key, colon, value = line.partition(":")
            if not colon or key.strip() not in KNOWN:
                raise ValueError(f"{path}:{number}: not a fact of a case: {line}")
            facts[key.strip()] = value.strip()
    return facts


class Pair:
    def __init__(self, folder):
        self.folder, self.name = folder, os.path.basename(folder)
        self.facts = read_facts(os.path.join(folder, "case"))
        self.isas = [isa for isa in MACHINES if f"before {isa}" in self.facts]

    def source(self, side):
        found = [path for path in glob.glob(os.path.join(self.folder, side + ".*"))]
        if not found and side == "after":
            return self.source("before")
        if len(found) != 1:
            raise ValueError(f"{self.folder}: one file named {side}.* is needed, there are {len(found)}")
        return found[0]

    def machine(self, isa):
        return self.facts.get(f"machine {isa}", MACHINES[isa])

    def build(self, side, isa, output):
        """Compiles one side; for another instruction set with the cross compiler."""
        beside = [os.path.join(self.folder, name) for name in self.facts.get("with", "").split()]
        compile_program(self.facts[f"{side} {isa}"].split(), isa, "-o", output, self.source(side), *beside,
                        *self.facts.get("libraries", "").split())
        return output

    def advice(self, assay, program, isa):
        """What the report says of the loops of the function: dictionaries with rule, level, gain, is_upper, loop."""
        query = ("select r.name as rule, a.level, a.gain, a.is_upper, a.loop, a.text from advice a join rules r on r.id = a.rule "
                 "join loops l on l.id = a.loop where l.function = FUNCTION order by a.id")
        return ask(assay, program, query, self.machine(isa), "--function", self.facts["function"])

    def gain(self, assay, program, isa):
        """The largest gain that the rule promises; None where it speaks without one; False where it is silent."""
        best = self.best(assay, program, isa)
        return best and best["gain"]

    def best(self, assay, program, isa):
        """The advice of the rule with the largest gain; False where the rule is silent."""
        said = [row for row in self.advice(assay, program, isa) if row["rule"] == self.name]
        return max(said, key=lambda row: row["gain"] or 0, default=False)

    def lacks(self):
        """What the programs for this computer's instruction set need and its processor does not have."""
        return missing_features(self.facts.get(f"needs {HOST}", "").split())

    def is_promise(self):
        """Whether the program is to be faster after; the other rules help people, not processors."""
        return self.facts.get("faster", "yes") == "yes"

    def is_same(self, one, other):
        how = self.facts.get("same", "checksum")
        if how == "nothing":
            return True
        return one == other if how == "checksum" else is_near(one, other)


def pairs():
    return [Pair(os.path.dirname(path)) for path in sorted(glob.glob(os.path.join(HERE, "*", "case")))]
