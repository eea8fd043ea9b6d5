"""assay model pepa: equivalent models and states, skeletons, and a published model of half a million states."""
# first build only: the published model is large, and random models of model_pepa run the same code
import json, os

from harness import ROOT, Fail, Folder, assay, run, test

EXAMPLES = os.path.join(ROOT, "examples", "models")
TWO_WAYS = "S = (fast, 1.0).A + (fast, 2.0).B; A = (done, {0}).S; B = (done, 5).S; C = (ask, 3).C1; C1 = (done, T).C;\nS[3] <done> C\n"
ONE_WAY = "S = (fast, 3.0).A; A = (done, 5).S; C = (ask, 3).C1; C1 = (done, T).C;\nS[3] <done> C\n"


def write(folder, name, source):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(source)
    return path


def ask(source, *words, status=0):
    with Folder() as folder:
        return json.loads(assay("model", "pepa", write(folder, "model.pepa", source), "--json", "--quiet", *words, status=status).stdout)


def same(one, other, status=0):
    with Folder() as folder:
        paths = write(folder, "one.pepa", one), write(folder, "other.pepa", other)
        answer = json.loads(assay("model", "pepa", paths[0], "--same-as", paths[1], "--json", "--quiet", status=status).stdout)
        assert answer["is_equivalent"] == (status == 0), answer
        return (answer["reason"] or "").replace(folder + "/", "")


def refused(source, *parts, words=()):
    with Folder() as folder:
        said = assay("model", "pepa", write(folder, "model.pepa", source), "--quiet", *words, status=2).stderr.decode()
    for part in parts:
        assert part in said, f"{part!r} is not in {said!r}"


def near(value, expected, most=1e-9):
    if not abs(value - expected) <= most * max(1, abs(expected)):
        raise Fail(f"{value!r} is not {expected!r}")


def rate(answer, action):
    return next(row["rate"] for row in answer["throughputs"] if row["action"] == action)


def means(answer):
    return {row["state"]: row["mean"] for row in answer["populations"]}


@test
def models_that_nobody_can_tell_apart():
    assert not same(TWO_WAYS.format(5), ONE_WAY) and not same(ONE_WAY, TWO_WAYS.format("2.5*2"))
    # Names of components do not count, nor what is hidden, as long as it takes the same time.
    assert not same("P = (a, 1).Q; Q = (b, 2).P;\nP", "X = (a, 1).(b, 2).X;\nX")
    assert not same("P = (a, 1).(b, 2).P;\nP/{b}", "P = (a, 1).(c, 2).P;\nP/{c}")
    assert not same("P = (a, 1).P;\nP || P", "P = (a, 2).P;\nP")
    reason = same(TWO_WAYS.format(5.5), ONE_WAY, 1)
    assert "done happens at rate" in reason and "5.5" in reason and "after fast" in reason and "one.pepa" in reason, reason
    assert same("P = (a, 1).P;\nP", "P = (a, 1).P + (b, 1).P;\nP", 1) == \
        "b happens never in (P) of one.pepa, and at rate 1 in (P) of other.pepa"
    # The same rates at every step, and another mixture of futures.
    left = "P = (a, 1).X + (a, 3).Y; X = (x, 1).P; Y = (y, 1).P;\nP"
    assert "after a, " in same(left, left.replace("1).X", "2).X").replace("3).Y", "2).Y"), 1)


@test
def equivalent_states_become_one():
    whole, lumped, small = ask(TWO_WAYS.format(5)), ask(TWO_WAYS.format(5), "--lump"), ask(ONE_WAY)
    assert (whole["states"], lumped["states"], lumped["states_before"], small["states"]) == (20, 8, 20, 8)
    for action in ("fast", "done", "ask"):
        near(rate(lumped, action), rate(whole, action))
        near(rate(small, action), rate(whole, action))
    assert means(lumped)["A"] is None and means(lumped)["B"] is None
    near(means(lumped)["S"], means(whole)["S"])
    near(means(lumped)["C1"], means(whole)["C1"])
    # Passages keep their ends apart, and moments what is not lost.
    for words in ("ask -> done", "-> A>=2", "B -> S==3"):
        with_all, with_few = (ask(TWO_WAYS.format(5), "--passage", words, *more)["passage"] for more in ((), ("--lump",)))
        near(with_few["mean"], with_all["mean"], 1e-8)
        near(with_few["deviation"], with_all["deviation"], 1e-8)
    with_all, with_few = (ask(TWO_WAYS.format(5), "--time", "1", *more)["moments"][-1] for more in ((), ("--lump",)))
    near(means(with_few)["S"], means(with_all)["S"])
    # A part that is replicated is made smaller first: 10 of 3 states instead of 4.
    part = "U = (go, 1).V + (go, 1).W; V = (do, 2).X; W = (do, 2).X; X = (end, T).U; L = (end, 4).L;\n((U <end> L)/{do})[10]"
    whole, lumped = ask(part), ask(part, "--lump")
    assert whole["states"] == 286 and lumped["states"] == 66 and lumped["states_before"] == 66, (whole["states"], lumped)
    near(rate(lumped, "end"), rate(whole, "end"))
    assert means(lumped)["V"] is None
    near(means(lumped)["X"], means(whole)["X"])
    # Stations around a ring: none is first.
    ring = "".join(f"P{i} = (come{i}, 1).Q{i}; Q{i} = (serve{i}, T).P{i};\n" for i in range(6))
    ring += "".join(f"T{i} = (serve{i}, 5).T{(i + 1) % 6} + (walk{i}, 9).T{(i + 1) % 6};\n" for i in range(6))
    hidden = ", ".join(f"come{i}, serve{i}, walk{i}" for i in range(6))
    ring += f"(({' || '.join(f'P{i}' for i in range(6))}) <{', '.join(f'serve{i}' for i in range(6))}> T0)/{{{hidden}}}"
    assert ask(ring)["states"] == ask(ring, "--lump")["states"] == 384  # each action is known by its name


@test
def what_cannot_be_lumped_or_compared_is_told():
    refused(ONE_WAY, "--fluid has no states", words=("--fluid", "--lump"))
    refused(ONE_WAY, "--same-as only compares", words=("--same-as", "x.pepa", "--time", "3"))
    refused(ONE_WAY, "x.pepa", words=("--same-as", "x.pepa"))


@test
def skeletons_are_what_they_stand_for():
    line = "pipeline((read, 5), (filter, 2)[3], (write, 4)) by (move, 20)\n"
    written = ("R = (read, 5).(move_1, 20).R; F = (move_1, T).(filter, 2).(move_2, 20).F; W = (move_2, T).(write, 4).W;\n"
               "R <move_1> F[3] <move_2> W\n")
    assert not same(line, written) and not same("L = " + line.strip() + ";\nL", written)
    assert {"read", "filter", "write", "move_1", "move_2"} == {row["action"] for row in ask(line)["throughputs"]}
    farm = "farm((work, 1), 4) by (give, 20), (take, 30)\n"
    assert not same(farm, "G = (give, 20).G; T1 = (take, 30).T1; W = (give, T).(work, 1).(take, T).W;\nG <give> W[4] <take> T1\n")
    deal = "deal((work, 1), 3) by (give, 20), (take, 30)\n"
    workers = "".join(f"W{i} = (give_{i}, T).(work, 1).(take_{i}, T).W{i};\n" for i in (1, 2, 3))
    assert not same(deal, workers + "G = (give_1, 20).(give_2, 20).(give_3, 20).G; C = (take_1, 30).(take_2, 30).(take_3, 30).C;\n"
                    "G <give_1, give_2, give_3> (W1 || W2 || W3) <take_1, take_2, take_3> C\n")
    # Work of any length goes faster where nobody waits for the turn of another.
    assert rate(ask(farm.replace("4)", "3)")), "work") > 1.2 * rate(ask(deal), "work")
    # Two lines in one model, one of which waits for processors.
    both = "A = pipeline((x, T), (y, T)) by (m, 9); B = farm((x, T), n) by (g, 9), (t, 9); Cpu = (x, 2).Cpu + (y, 3).Cpu; n = 2;\n"
    near(rate(ask(both + "A <x, y> Cpu"), "x"), rate(ask(both + "A <x, y> Cpu"), "y"))
    assert rate(ask(both + "(A || B) <x, y> Cpu"), "x") > rate(ask(both + "A <x, y> Cpu"), "x")


@test
def wrong_skeletons_are_told_with_their_place():
    refused("pipeline((a, 1)) by (m, 1)\n", "1:16: expected ',' and the next stage")
    refused("pipeline((a, 1), (b, 1))\n", "2:1: expected 'by'")
    refused("pipeline((a, 1), P) by (m, 1)\n", "1:18: expected (action, rate), not 'P'")
    refused("farm((a, 1)) by (g, 1), (t, 1)\n", "the number of workers")
    refused("farm((a, 1), 2.5) by (g, 1), (t, 1)\n", "1:14: how many do it must be a whole number")
    refused("farm((a, 1), 2) by (g, 1)\n", "how results are taken")
    refused("farm((tau, 1), 2) by (g, 1), (t, 1)\n", "tau cannot stand here")
    refused("deal((a, 1), 5000) by (g, 1), (t, 1)\n", "from 1 to 1000, not 5000")
    refused("P = (a, 1).pipeline((a, 1), (b, 1)) by (m, 1);\nP\n", "a cooperation cannot stand after an activity")
    refused("pipeline(" + ", ".join(["(a, 1)"] * 600) + ") by (m, 1)\n", "more than 500 stages")


@test
def a_published_model_of_half_a_million_states():
    """Kanban: states and transitions as Storm counts them (Quantitative Verification Benchmark Set), its exact throughput for one
    ticket, and PRISM's figures for four, as the tests of ePMC have them (iteration stops at changes of 1e-6 there)."""
    path = os.path.join(EXAMPLES, "kanban.pepa")
    for tickets, states, transitions in ((1, 160, 616), (2, 4600, 28120), (3, 58400, 446400), (4, 454475, 3979850)):
        answer = json.loads(assay("model", "pepa", path, "--set", f"tickets={tickets}", "--json", "--quiet").stdout)
        assert (answer["states"], answer["transitions"]) == (states, transitions), answer
        if tickets == 1:
            near(rate(answer, "in"), 0.0925846346333826, 1e-12)
    for action in ("in", "out"):
        near(rate(answer, action), 0.2758897217959078, 1e-6)
    for cell, held in ((1, 3.6464073760255790), (2, 2.5129835893535350), (3, 2.5129835893535350), (4, 1.5032531696976295)):
        near(4 - means(answer)[f"Free{cell}"], held, 5e-6)


run()
