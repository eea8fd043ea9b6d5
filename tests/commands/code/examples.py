"""Advice on the pairs of examples/advice: the rule speaks before its advice was followed, and is silent after; both
programs compute the same.  What following it brings is measured by bench/examples."""
# first build only: it compiles and runs pairs of programs; the tests of advice take the same way through the rules
import os, subprocess, sys

from harness import ASSAY, ROOT, Fail, Folder, Lacking, rows, run, test

sys.path.insert(0, os.path.join(ROOT, "examples", "advice"))
sys.dont_write_bytecode = True
import pairs  # noqa: E402


def check_isa(pair, isa, folder):
    programs = {}
    for side in pairs.SIDES:
        programs[side] = pair.build(side, isa, os.path.join(folder, f"{pair.name}-{side}-{isa}"))
    if pair.gain(ASSAY, programs["before"], isa) is False:
        reported = [row["rule"] for row in pair.advice(ASSAY, programs["before"], isa)]
        raise Fail(f"{isa}: silent before its advice was followed; there is {reported}")
    after = [row for row in pair.advice(ASSAY, programs["after"], isa) if row["rule"] == pair.name]
    if after:
        raise Fail(f"{isa}: still speaks after its advice was followed: {after[0]['text']}")
    if isa == pairs.HOST and not pair.lacks():
        printed = [subprocess.run([programs[side]], capture_output=True, text=True, check=True).stdout
                   for side in pairs.SIDES]
        assert pair.is_same(*printed), f"{isa}: the programs print different results: {printed}"


def check(pair):
    lacking = []
    for isa in pair.isas:
        with Folder() as folder:
            try:
                check_isa(pair, isa, folder)
            except pairs.Lacking as reason:
                lacking.append(str(reason))
    if lacking:
        raise Lacking("; ".join(lacking))


def add(pair):
    def check_pair():
        check(pair)
    check_pair.__name__ = pair.name
    test(check_pair)


for each in pairs.pairs():
    add(each)


@test
def every_rule_has_a_pair():
    with Folder() as folder:
        source = os.path.join(folder, "loop.c")
        with open(source, "w") as out:
            out.write("int main(int n, char **v) { int s = 0; while (n--) s += v[n][0]; return s; }\n")
        subprocess.run(["gcc", "-O1", "-o", source[:-2], source], check=True)
        rules = {row["name"] for row in rows(source[:-2], "select name from rules where file is null")}  # scripts have tests of their own
    listings = os.listdir(os.path.join(ROOT, "examples", "advice-ia64"))  # tests/commands/code/advice_ia64.py
    names = {pair.name for pair in pairs.pairs()} | {name for name in listings if name != "README"}
    assert rules, "there are no rules"
    assert rules == names, f"rules without a pair: {sorted(rules - names)}; pairs without a rule: {sorted(names - rules)}"


run()
