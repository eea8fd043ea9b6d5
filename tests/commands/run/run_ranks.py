"""assay run --rank-files and --merge: recordings of ranks become one run.

Ranks are programs whose environment names a rank, as the launchers of MPI and Slurm do; samples are taken by timers, which works
everywhere."""
import os, struct
from harness import MACHINE, Folder, assay, build, command, compilers, need, rows, run, uncertain

SOURCE = r"""
#include <stdlib.h>
#include <time.h>
__attribute__((noinline)) void work(double seconds)
{
    struct timespec now;
    unsigned long value = 1;
    do {
        for (int i = 0; i < 20000; i++) {
            value = value * 6364136223846793005ul + i;
            __asm__ volatile("" ::"r"(value));
        }
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while (now.tv_sec + now.tv_nsec * 1e-9 < seconds);
}
int main(int count, char **words)
{
    work(count > 1 ? atof(words[1]) : 0.2);
    return 0;
}
"""
TIMER = dict(os.environ, ASSAY_SAMPLER="timer")


def make(folder):
    found = compilers(MACHINE)
    path = os.path.join(folder, "solve.c")
    with open(path, "w") as out:
        out.write(SOURCE)
    return build(folder, found[0], [path], "-g", "-O1", output="solve")


def record(folder, program, rank, seconds):
    result = assay("run", "--rank-files", f"{folder}/ranks", "--", program, str(seconds), env=dict(TIMER, SLURM_PROCID=str(rank)))
    assert not result.stdout and not result.stderr, result


def files(folder):
    return sorted(os.path.join(folder, "ranks", name) for name in os.listdir(f"{folder}/ranks"))


def merged(folder):
    assay("run", "--merge", f"{folder}/ranks", "-o", f"{folder}/run.db")
    return rows(f"{folder}/run.db", "select * from runs")[0]


@uncertain
def ranks_become_one_run():
    with Folder() as folder:
        program = make(folder)
        record(folder, program, 0, 0.3)
        record(folder, program, 1, 0.6)
        assert len(files(folder)) == 2, files(folder)
        facts = merged(folder)
        assert facts["ranks"] == 2 and facts["processes"] == 2, facts
        assert 0.8 <= facts["cpu_seconds"] <= 1.2, facts
        by_rank = {row["rank"]: row["cpu_seconds"] for row in rows(f"{folder}/run.db", "select rank, cpu_seconds from run_processes")}
        assert abs(by_rank[0] - 0.3) < 0.08 and abs(by_rank[1] - 0.6) < 0.08, by_rank
        # One function, though its samples come from two files.
        found = rows(f"{folder}/run.db", """select f.name, self_share from run_functions r join functions f on f.id = r.function
                                             where self_share > 0.5""")
        assert len(found) == 1 and found[0]["name"] == "work" and found[0]["self_share"] > 0.9, found


@uncertain
def damaged_recordings_are_left_out():
    with Folder() as folder:
        program = make(folder)
        for rank in range(3):
            record(folder, program, rank, 0.2)
        first, second, _ = files(folder)
        with open(first, "r+b") as file:
            file.truncate(os.path.getsize(first) // 2)
        with open(second, "r+b") as file:
            file.seek(60)
            byte = file.read(1)
            file.seek(60)
            file.write(bytes([byte[0] ^ 1]))
        facts = merged(folder)
        assert facts["ranks"] == 1, facts
        unread = rows(f"{folder}/run.db", "select kind, count from run_limits where kind like '%unread%'")
        assert [row["count"] for row in unread] == [2], rows(f"{folder}/run.db", "select kind, count from run_limits")


@uncertain
def recordings_of_other_versions():
    with Folder() as folder:
        record(folder, make(folder), 0, 0.1)
        path, = files(folder)
        with open(path, "r+b") as file:
            file.seek(8)
            file.write(struct.pack("<I", 99))
        message = assay("run", "--merge", f"{folder}/ranks", status=None)
        assert message.returncode and b"another version of assay (99" in message.stderr, message.stderr


@uncertain
def a_folder_that_cannot_be_written_is_noticed_before_the_run():
    with Folder() as folder:
        with open(f"{folder}/file", "w"):
            pass
        for place in f"{folder}/file", f"{folder}/none/ranks", "/proc/none":
            result = assay("run", "--rank-files", place, "--", "touch", f"{folder}/ran", status=2, env=TIMER)
            assert place.encode() in result.stderr, result.stderr
            assert not os.path.exists(f"{folder}/ran"), place


@uncertain
def ranks_of_open_mpi():
    with Folder() as folder:
        launcher = need("mpirun")
        program = make(folder)
        command([launcher, "--allow-run-as-root", "--oversubscribe", "-n", "2", os.environ.get("ASSAY", "build/assay"), "run",
                 "--rank-files", f"{folder}/ranks", "--", program, "0.2"], env=TIMER)
        assert merged(folder)["ranks"] == 2


run()
