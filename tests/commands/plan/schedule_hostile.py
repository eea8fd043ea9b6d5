"""assay schedule while the ground moves: its ledger or its folder of jobs goes away, and commands misbehave. Nothing is lost in silence."""
# first build only: it mostly waits
from harness import *

FLOW = "[task a]\ncommand = echo > began; while [ ! -e go ]; do sleep 0.05; done; echo a\n[task b]\ncommand = echo b\nafter = a\n"


class Running(Folder):
    """A scheduler whose task a has begun: with Running() as (folder, ledger, process)."""

    def __enter__(self):
        folder = super().__enter__()
        ledger = os.path.join(folder, "l.db")
        with open(os.path.join(folder, "flow.txt"), "w") as file:
            file.write(FLOW)
        assay("schedule", "submit", os.path.join(folder, "flow.txt"), "--ledger", ledger, "-q")
        self.process = subprocess.Popen([ASSAY, "schedule", "run", "--ledger", ledger, "--pack", "0"], stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT)
        wait_for(lambda: os.path.exists(os.path.join(folder, "began")))
        return folder, ledger, self.process

    def __exit__(self, *what):
        open(os.path.join(self.path, "go"), "w").close()
        self.process.communicate(timeout=PATIENCE)
        super().__exit__(*what)


def wait_for(holds):
    end = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > end:
            raise Fail("it did not happen")
        time.sleep(0.05)


@test
def a_ledger_that_is_deleted_is_told():
    with Running() as (folder, ledger, process):
        for name in (ledger, ledger + "-wal", ledger + "-shm"):
            os.remove(name)
        open(os.path.join(folder, "go"), "w").close()
        said = process.communicate(timeout=PATIENCE)[0].decode()
        assert process.returncode == 2 and "was deleted or replaced while it was in use" in said, said
        assert not os.path.exists(ledger), "it is not made anew after the user's back"


@test
def a_folder_of_jobs_that_is_away_is_told_and_nothing_is_lost():
    with Running() as (folder, ledger, process):
        os.rename(ledger + ".spool", ledger + ".away")
        said = next(line for line in process.stdout if b"cannot be told without this folder" in line)
        assert said.count(b".spool"), said
        os.rename(ledger + ".away", ledger + ".spool")
        open(os.path.join(folder, "go"), "w").close()
        rest = process.communicate(timeout=PATIENCE)[0].decode()
        assert process.returncode == 0 and "answers again" in rest and "flow/b: done" in rest, rest
        counts = rows(ledger, "select count(*) as n from attempts group by task")
        assert [row["n"] for row in counts] == [1, 1], counts


run()
