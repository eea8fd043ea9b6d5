-- What a recorded run knows, of which `assay model from` makes a model.

--- last_run
select id, command, processor, host, seconds,
    coalesce((select sum(p.cpu_seconds - coalesce(p.mpi_seconds, 0)) from run_processes p where p.run = r.id
        and p.rank is not null), sampled_seconds), ranks
from runs r
order by id desc
limit 1

--- run_loops
select f.path, l.first_line, fu.name, r.self_seconds, r.iterations, p.path, r.loop
from run_loops r
join loops l on l.id = r.loop
join functions fu on fu.id = l.function
left join files f on f.id = l.file
left join programs p on p.id = fu.program
where r.run = ?1 and r.self_share >= 0.02 and not exists (select 1 from run_functions rf where rf.run = r.run
        and rf.function = l.function and rf.activity = 'mpi')
order by r.self_seconds desc
limit ?2

--- loop_by_rank
select p.rank, coalesce(sum(s.seconds), 0), coalesce(sum(s.count), 0)
from run_processes p
left join run_threads t on t.process = p.id
left join samples s on s.thread = t.id and s.loop = ?2
where p.run = ?1 and p.rank is not null
group by p.rank
order by 2

--- loop_by_process
select sum(l.iterations), max(l.is_partial or l.abandoned > 0)
from probe_loops l
where l.loop = ?2 and ?1 is not null
group by l.run
order by 1

--- mpi_functions
select coalesce(rf.name, fu.name) as called, rf.total_seconds
from run_functions rf
left join functions fu on fu.id = rf.function
where rf.run = ?1 and called like 'MPI\_%' escape '\' and called not like '%\_init%' escape '\'
        and called not like '%finalize%' and called not like '%\_comm\_%' escape '\'
order by rf.total_seconds desc
limit ?2
