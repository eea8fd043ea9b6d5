# first build only: mostly other processes, which are killed
"""The scheduler is killed at random moments (tests/killing.py): no task is lost or run twice.  tests/schedule-proof does more."""
import os, shutil, time
from harness import *
from killing import Campaign
from slurm import Slurm

KILLS = int(os.environ.get("KILLS", 0))  # more of them than usual


@test
def fifty_kills_on_this_computer():
    with Folder() as folder:
        campaign = Campaign(ASSAY, folder, ["--engine", "local", "--hosts", "a:2,b:3"], least=0.01, most=0.3, seed=os.getpid())
        campaign.submit()
        campaign.kill(KILLS or 50)
        campaign.finish()
        campaign.check()


@test
def jobs_that_are_started_twice_run_once():
    """Jobs take a while until they claim their tag. Who looks in between finds no trace of them, and takes them back or starts them again."""
    with Folder() as folder:
        slow = os.path.join(folder, "slow")
        os.mkdir(slow)
        with open(os.path.join(slow, "mkdir"), "w") as file:
            file.write(f"#!/bin/sh\nsleep 0.3\nexec {shutil.which('mkdir')} \"$@\"\n")
        os.chmod(file.name, 0o755)
        environment = dict(os.environ, PATH=f"{slow}:{os.environ['PATH']}")
        campaign = Campaign(ASSAY, folder, ["--engine", "local", "--hosts", "a:2,b:2"], environment, least=0.1, most=0.3, batch=8, seed=1)
        campaign.submit()
        again = 0
        for _ in range(12):  # on a busy machine it takes longer until there is something to kill
            campaign.kill(6)
            again = rows(campaign.ledger, "select count(*) as n from decisions where kind in ('recover', 'resubmit')")[0]["n"]
            if again:
                break
            campaign.most *= 1.5
        campaign.finish()
        assert again, "no job was started twice: this test has shown nothing"
        time.sleep(0.5)  # what was started twice may be late
        campaign.check()


@test
def kills_with_slurm():
    need_slurm(Slurm)
    with Folder() as folder, Slurm({"n1": 4, "n2": 2}) as slurm:
        campaign = Campaign(ASSAY, folder, ["--engine", "slurm"], slurm.environment, least=0.1, most=1.2, batch=25, seed=os.getpid())
        campaign.submit()
        campaign.kill(KILLS or 6)
        campaign.kill(KILLS or 4, aim="sbatch")
        campaign.finish()
        campaign.check()


run(side_by_side=3)
