"""What the benches judge predictions with: llvm-mca answers for each block of each instruction set, and errors are counted right."""
# first build only: it looks at the benches, not at the program
import math, os, shutil, sys
from harness import ROOT, need, run, test

sys.dont_write_bytecode = True
sys.path.append(os.path.join(ROOT, "bench"))
import judge


@test
def llvm_mca_answers_for_all_instruction_sets():
    if not shutil.which("llvm-mca-19"):
        need("llvm-mca")
    blocks = {("x86_64", "skylake"): ("addq %rax, %rax\n", "imulq %rax, %rax\n"),
              ("aarch64", "neoverse-v1"): ("add x0, x0, x0\n", "madd x0, x0, x0, x0\n")}
    for (triple, processor), texts in blocks.items():
        answers, _ = judge.mca([*texts, "no such instruction\n"], triple, processor)
        assert answers[2] is None and all(answers[:2]), (triple, answers)
        assert 0.9 < answers[0] < 1.2 < answers[1], (triple, answers)


@test
def what_is_not_predicted_counts_as_wrong():
    assert judge.mean_error([None, 2.0], [1.0, 1.0]) == 1.0 and judge.median_error([1.0, 1.5, None], [1.0, 1.0, 1.0]) == 0.5
    assert judge.tau([1.0, 2.0, 3.0], [2.0, 4.0, 9.0]) == 1.0 and judge.tau([3.0, 2.0, None], [1.0, 2.0, 3.0]) == -1.0
    assert math.isnan(judge.tau([1.0, 1.0], [1.0, 2.0]))


run()
