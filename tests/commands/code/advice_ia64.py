#!/usr/bin/env python3
"""Advice for Itanium from listings: each rule speaks in one of its pair and is silent in the other, and its figures are those of
the bounds, counted by hand."""
import glob, os, re

from harness import ROOT, Folder, rows, run, test, text

PAIRS = os.path.join(ROOT, "examples", "advice-ia64")
LISTINGS = os.path.join(ROOT, "tests", "listings")
QUERY = ("select r.name as rule, a.level, a.cycles, a.gain, a.is_upper, a.text, a.loop, (select group_concat(e.name, ' ') from "
         "advice_evidence v join code c on c.id = v.instruction join encodings e on e.id = c.encoding where v.advice = a.id) as "
         "evidence from advice a join rules r on r.id = a.rule order by a.id")
# Cycles of an iteration without the mistake; None: the model has no figure.
WITHOUT = {"ia64-not-pipelined": 1, "ia64-interval": 1, "ia64-deep-pipeline": None, "ia64-missed-fma": 11, "ia64-float-addresses": 8,
           "ia64-useless-spills": 3, "ia64-spills": 2, "ia64-register-stack": 2, "ia64-no-ops": 2, "ia64-no-prefetch": None,
           "ia64-narrow-accesses": None, "ia64-not-optimised": 22}


def advice(path):
    found = {}
    for row in rows(path, QUERY):
        found.setdefault(row["rule"], row)
    return found


def pair(name):
    return [advice(os.path.join(PAIRS, name, side + ".s")) for side in ("before", "after")]


@test
def each_rule_speaks_and_is_silent():
    assert {os.path.basename(os.path.dirname(path)) for path in glob.glob(os.path.join(PAIRS, "*", "before.s"))} == set(WITHOUT)
    for name, cycles in WITHOUT.items():
        before, after = pair(name)
        assert name in before and name not in after, (name, sorted(before), sorted(after))
        said = before[name]
        assert said["cycles"] == cycles and said["evidence"], said
        assert (said["level"] == "hint") == (name == "ia64-narrow-accesses"), said
        assert cycles is None or said["gain"] >= 1.05, said


@test
def without_the_mistake_it_is_the_other_listing():
    """What the model says of the first listing without the mistake is what it says of the second."""
    for name in ("ia64-not-pipelined", "ia64-interval", "ia64-missed-fma", "ia64-no-ops", "ia64-spills"):
        after = rows(os.path.join(PAIRS, name, "after.s"), "select cycles from loop_cycles")
        assert [row["cycles"] for row in after] == [WITHOUT[name]], (name, after)


@test
def a_mistake_that_costs_nothing_is_a_hint():
    """In a pipeline that waits for the sum of the iteration before, the product is ready in time, and has its slot."""
    loop = (".L1:\n{ .mmf\n(p16) ldfd f32=[r18],8\n(p16) ldfd f40=[r19],8\n(p22) fmpy.d f50=f38,f46 ;;\n}\n"
            "{ .mfb\nnop.m 0\n(p26) fadd.d f9=f9,f54\nbr.ctop.sptk .L1 ;;\n}\n")
    with Folder() as folder:
        path = os.path.join(folder, "sum.s")
        with open(path, "w") as file:
            file.write("\t.text\n\t.proc kernel#\nkernel:\n{ .mii\nalloc r14=ar.pfs,4,0,0,0\nmov pr.rot=0x10000\nmov ar.ec=11 ;;\n}\n" +
                       loop + "{ .mib\nnop.m 0\nnop.i 0\nbr.ret.sptk.many b0 ;;\n}\n\t.endp kernel#\n")
        said = advice(path)["ia64-missed-fma"]
        assert said["level"] == "hint" and said["gain"] is None and "costs nothing" in said["text"], said
        assert said["evidence"] == "fmpy fadd", said


@test
def products_with_other_readers_and_sums_with_themselves():
    for last in ("fadd.d f9=f9,f9", "fadd.d f12=f9,f10 ;;\n}\n{ .mfi\nnop.m 0\nfadd.d f9=f9,f12"):
        with open(os.path.join(PAIRS, "ia64-missed-fma", "before.s")) as file:
            changed = file.read().replace("fadd.d\tf9=f9,f10", last)
        with Folder() as folder:
            path = os.path.join(folder, "a.s")
            with open(path, "w") as file:
                file.write(changed)
            assert "ia64-missed-fma" not in advice(path), last


@test
def streams_are_told_apart_by_where_they_begin():
    with open(os.path.join(PAIRS, "ia64-no-prefetch", "after.s")) as file:
        changed = file.read().replace("(p16)\tlfetch.nt1\t[r22],8", "nop.m\t0")
    with Folder() as folder:
        path = os.path.join(folder, "a.s")
        with open(path, "w") as file:
            file.write(changed)
        said = advice(path)["ia64-no-prefetch"]
        assert said["text"] == "Of 2 streams of loads, 1 is not prefetched." and said["evidence"] == "ldfd", said
    # Unrolled: sixteen loads by pointers that are made of two in the loop.
    said = rows(os.path.join(LISTINGS, "kernels-O3.s"), QUERY)
    assert {row["text"][:18] for row in said if row["rule"] == "ia64-no-prefetch" and row["loop"] == 2} == {"2 streams of loads"}, said


@test
def the_compilers_listings():
    # 57 instructions fit into 10 cycles: 19 loads and prefetches for M0 and M1; the compiler has 12.
    said = advice(os.path.join(ROOT, "examples", "daxpy.s"))
    assert set(said) == {"ia64-interval"} and said["ia64-interval"]["cycles"] == 10, said
    assert not advice(os.path.join(LISTINGS, "icc10.s")).keys() - {"ia64-no-prefetch"}
    # Fused by gcc: products are no mistake of it; nothing is pipelined, as rotating registers are not for gcc.
    said = rows(os.path.join(LISTINGS, "kernels-g.s"), QUERY)
    assert {row["rule"] for row in said} >= {"ia64-not-pipelined", "ia64-no-prefetch"}, said
    assert "ia64-missed-fma" not in {row["rule"] for row in said}, said
    # Code that was not optimised keeps everything in memory: that is what is wrong with it, nothing else.
    assert set(advice(os.path.join(LISTINGS, "kernels-O0.s"))) == {"ia64-not-optimised"}


@test
def the_page_shows_what_is_printed():
    with open(os.path.join(ROOT, "docs", "listings.md")) as page:
        wanted = page.read().split("ia64-missed-fma/before.s\n    …\n", 1)[1].split("    …\n", 1)[0]
    shown = text("report", os.path.join(PAIRS, "ia64-missed-fma", "before.s"), env=dict(os.environ, LC_ALL="C.UTF-8"))
    assert "\n".join(line[4:] for line in wanted.splitlines()) in shown, shown


@test
def the_report_says_it_to_people():
    said = re.sub(r"\s+", " ", text("report", os.path.join(PAIRS, "ia64-missed-fma", "before.s")))
    assert "multiplications and additions are not fused" in said and "15.00 → 11.00 cycles per iteration, 1.4 × faster" in said, said


run()
