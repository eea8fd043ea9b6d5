-- What searches ask of the ledger, and leave in it.

--- add_search
insert into searches (digest, source, line, function, compiler, version, options, machine, made)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)

--- search_id
select id
from searches
where digest = ?

--- search_variants
select variant, code, cycles, entry_cycles, iterations, is_rough, problem, loop
from search_variants
where search = ?
order by id

--- add_variant
insert or ignore into search_variants (search, variant, code, cycles, entry_cycles, iterations, is_rough, problem, loop,
    made)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

--- write_measured
update search_variants
set seconds = ?, original_seconds = ?, verdict = ?, largest_error = ?
where search = ? and variant = ?
