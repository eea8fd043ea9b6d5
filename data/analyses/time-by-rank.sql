-- title: Time by rank
-- group: runs
-- does: lists the ranks of a sampled run of MPI: how long each computed, and how long it was in MPI calls
-- parameter: run 0 the run (0: all)
-- from: samples
-- The column over_mean is the rank's computing time over the mean of all ranks.  The rank that computes longest is the one
-- that the others wait for.
with ranks as materialized (
    select run, rank, min(host) as host, count(*) as processes, max(seconds) as seconds, sum(cpu_seconds) as cpu,
           sum(mpi_seconds) as mpi
      from run_processes
     where rank is not null and :run in (0, run)
     group by run, rank)
select r.rank as rank, r.host as host, r.processes as processes, round(r.seconds, 3) as seconds, round(r.cpu, 3) as cpu,
       round(r.cpu - r.mpi, 3) as computing, round(r.mpi, 3) as mpi,
       round((r.cpu - r.mpi) / nullif(avg(r.cpu - r.mpi) over (partition by r.run), 0), 2) as over_mean, r.run as run
  from ranks r
 order by r.run, r.rank;
