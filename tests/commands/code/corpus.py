"""Advice on the kernels of tests/corpus: what must be said is said, what must not be said is not, and nothing that was not
expected is said at level gain.  What the remedies bring is measured by bench/corpus."""
# first build only: it compiles kernels; the tests of advice take the same way through the rules
import atexit, collections, functools, os, shutil, sys, tempfile

from harness import ASSAY, HERE, Fail, Lacking, Skip, run, test

sys.path.insert(0, os.path.join(os.path.dirname(HERE), "corpus"))
sys.dont_write_bytecode = True
import kernels  # noqa: E402

LEAST_RECALL = 0.9
SHOWN = ("gain", "potential")
FOLDER = tempfile.mkdtemp(prefix="assay-test-")
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
Answers = collections.namedtuple("Answers", "missed wrong")


@functools.lru_cache(maxsize=None)
def answers(kernel, isa):
    """The `says:` lines that are not met, and what is said without cause; None where a program would have to run."""
    try:
        program, file = kernel.build(isa, FOLDER)
    except kernels.NeedsRun:
        return None
    except kernels.Lacking as what:
        raise Lacking(what)
    advice = kernel.advice(ASSAY, file, isa)
    shown = [row for row in advice if row["level"] in SHOWN]
    expected, silent = kernel.says(isa), kernel.words("silent", isa)
    wrong = [f"{row['rule']} at level gain is not expected: {row['text']}" for row in shown
             if row["level"] == "gain" and not any(row["rule"] in says.rules for says in expected)]
    wrong += [f"{row['rule']} must be silent: {row['text']}" for row in shown if row["rule"] in silent or "*" in silent]
    for rule, *actions in (value.split() for value in kernel.values("without", isa)):
        offered = {action for row in shown if row["rule"] == rule for action in row["actions"]} & set(actions)
        wrong += [f"{rule} must not offer {action}" for action in sorted(offered)]
    os.unlink(program)
    return Answers([says for says in expected if not kernels.is_said(says, advice)], wrong)


def check(kernel):
    found = {isa: answers(kernel, isa) for isa in kernel.isas}
    if not any(found.values()):
        raise Skip("needs a processor of the kernel's instruction set, to make a profile")
    problems = [f"{isa}: {text}" for isa, answer in found.items() if answer for text in answer.wrong]
    if not kernel.why_not_yet():
        problems += [f"{isa}: does not say {'|'.join(says.rules)} {says.level} {' '.join(says.actions)}"
                     for isa, answer in found.items() if answer for says in answer.missed]
    if problems:
        raise Fail("; ".join(problems))


def add(kernel):
    def check_kernel():
        check(kernel)
    check_kernel.__name__ = kernel.name
    test(check_kernel)


KERNELS = kernels.kernels()
for each in KERNELS:
    add(each)


@test
def recall():
    """Over all lines `says:` of both instruction sets."""
    expected, missed, met = 0, [], []
    for kernel in KERNELS:
        built = [isa for isa in kernel.isas if answers(kernel, isa)]
        expected += sum(len(kernel.says(isa)) for isa in built)
        missed += [f"{kernel.name} ({isa}): {'|'.join(says.rules)}" for isa in built for says in answers(kernel, isa).missed]
        if kernel.why_not_yet() and built and not any(answers(kernel, isa).missed for isa in built):
            met.append(kernel.name)
    share = 1 - len(missed) / max(expected, 1)
    print(f"recall: {expected - len(missed)} of {expected} lines `says:` are met ({share:.1%}); "
          f"missed: {', '.join(missed) or 'none'}; no longer `not yet`: {', '.join(met) or 'none'}")
    assert share >= LEAST_RECALL, f"recall is {share:.1%}; missed: {', '.join(missed)}"


run()
