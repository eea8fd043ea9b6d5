#!/usr/bin/env python3
"""Trampolines of x86-64 do what their actions say and change nothing else: functions run step by step, where the test itself does
the actions, and patched; registers, flags, memory, events and counters must agree (tests/programs/trial).  Runs under
qemu-x86_64 on other machines."""
# first build only: compiles and runs programs; the code under test runs for milliseconds
import os
from harness import *

TRIAL = os.path.join(PROGRAMS, "trial")
PLAN = os.path.join(os.path.dirname(ASSAY), "tests/unit/trial-plan")
EMULATOR = [] if MACHINE == "x86_64" else ["qemu-x86_64"]
# Registers that the probes use as free ones, and the one that counts.
RESERVED = ["-ffixed-r10", "-ffixed-r11", "-ffixed-r15"]


def program(folder, level):
    if EMULATOR:
        need(EMULATOR[0])
    compiler = need(cross("gcc", "x86_64"))
    cases, path = f"{folder}/cases.o", f"{folder}/trial"
    command([compiler, f"-O{level}", *RESERVED, "-c", "-o", cases, f"{TRIAL}/cases.c"])
    command([compiler, "-D_GNU_SOURCE", "-O1", "-static", "-no-pie", f"-I{ROOT}", f"-I{ROOT}/src", "-o", path,
             f"{TRIAL}/x86.c", f"{TRIAL}/x86_cases.S", cases])
    return path


def agree(level, density, mode, seeds):
    with Folder() as folder:
        path, plan = program(folder, level), f"{folder}/plan"
        for seed in seeds:
            made = command([PLAN, path, plan, str(seed), str(density), mode]).stdout.decode()
            result = command([*EMULATOR, path, plan], status=None)
            said = result.stdout.decode()
            assert result.returncode == 0 and "agree" in said, f"seed {seed} at {density} %, {mode}: {made}{said}"
            assert " 0 not encoded" in made, made


@test
def few_points_promised_nothing():
    agree(2, 5, "strict", range(1, 15))


@test
def many_points_promised_nothing():
    agree(2, 40, "strict", range(1, 10))


@test
def every_place_has_points():
    agree(3, 85, "strict", range(1, 4))


@test
def points_with_free_registers_and_flags():
    agree(2, 20, "free", range(1, 12))


@test
def code_that_was_not_optimised():
    agree(0, 15, "strict", range(1, 6))


run()
