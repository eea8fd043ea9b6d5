-- What forecasts ask of the ledger, and leave in it.

--- write_host
insert into directory (name, source, processor, machine, processors, cores, memory, free_memory, load, state, seen,
    expires)
values (?, ?, ?, ?, nullif(?, 0), nullif(?, 0), ?, ?, ?, ?, ?, ?)
on conflict (name, source) do update set processor = excluded.processor, machine = excluded.machine,
        processors = excluded.processors, cores = excluded.cores, memory = excluded.memory,
        free_memory = excluded.free_memory, load = excluded.load, state = excluded.state, seen = excluded.seen,
        expires = excluded.expires

--- forget_hosts
delete from directory where expires < ?

--- waits
select started, started - asked
from (select started, asked from attempts where started >= asked and (?1 is null or engine = ?1)
        order by started desc limit ?2)
order by started
