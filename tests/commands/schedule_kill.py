# first build only: mostly other processes, which are killed
"""The scheduler is killed at random moments (tests/killing.py): no task is lost or run twice.  tests/schedule-proof does more."""
import os
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
def kills_with_slurm():
    if Slurm.missing():
        raise Skip(Slurm.missing())
    with Folder() as folder, Slurm({"n1": 4, "n2": 2}) as slurm:
        campaign = Campaign(ASSAY, folder, ["--engine", "slurm"], slurm.environment, least=0.1, most=1.2, batch=25, seed=os.getpid())
        campaign.submit()
        campaign.kill(KILLS or 6)
        campaign.kill(KILLS or 4, aim="sbatch")
        campaign.finish()
        campaign.check()


run()
