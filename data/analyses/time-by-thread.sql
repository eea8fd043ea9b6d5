-- title: Time by thread
-- group: runs
-- does: lists the threads of a sampled run: how long each ran, computed, and waited
-- parameter: run 0 the run (0: all)
-- parameter: most 100 number of threads to show
-- from: samples
-- A thread is computing outside MPI calls and the runtime of OpenMP, spinning while it waits there for other threads, and
-- off while it exists without running.
select p.rank as rank, p.process as process, t.thread as thread, t.name as name, round(t.seconds, 3) as seconds,
       round(t.cpu_seconds, 3) as cpu, round(t.cpu_seconds - t.mpi_seconds - t.parallel_wait_seconds, 3) as computing,
       round(t.mpi_seconds, 3) as mpi, round(t.parallel_wait_seconds, 3) as spinning, round(t.waiting_seconds, 3) as off,
       p.run as run
  from run_threads t
  join run_processes p on p.id = t.process
 where :run in (0, p.run)
 order by p.run, p.rank, t.cpu_seconds desc, t.id
 limit :most;
