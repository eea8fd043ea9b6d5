-- title: Optimistic time of loops
-- group: statistics
-- does: lists loops by their total cycles without stalls: cycles of each block × its frequency
-- needs: FUNCTION optional
-- needs: LOOP optional
-- parameter: most 30 number of loops to show
-- isa: ia64
-- Cycles of a block are the compiler's, from the first to the last; for a pipelined kernel the initiation interval; if the
-- listing has no cycles, one per issue group.  Without frequencies, only the cycles of one pass are known.
with frequencies as materialized (
    select block, max(frequency) as frequency from compiler_blocks where frequency is not null group by block),
groups as materialized (
    select block, count(*) as cycles from issue_groups group by block),
kernels as materialized (
    select i.block as block, p.initiation_interval as cycles
      from pipelined_loops p
     cross join code i on i.id = p.branch
     where p.initiation_interval is not null),
timed as materialized (
    select b.id as block, q.frequency as frequency,
           coalesce(k.cycles,
                    (select max(t.cycle) - min(t.cycle) + 1
                       from listing_instructions t
                      where t.instruction between b.first_instruction and b.first_instruction + b.instruction_count - 1),
                    g.cycles) as cycles,
           case when k.cycles is not null then 'initiation interval'
                when exists (select 1
                               from listing_instructions t
                              where t.cycle is not null and t.instruction between b.first_instruction
                                and b.first_instruction + b.instruction_count - 1) then 'compiler''s cycles'
                when g.cycles is not null then 'issue groups' end as origin
      from blocks b
      left join frequencies q on q.block = b.id
      left join kernels k on k.block = b.id
      left join groups g on g.block = b.id
     where b.loop is not null and (FUNCTION is null or b.function = FUNCTION))
select n.name as function, l.id as loop, l.depth as depth, sum(t.cycles * t.frequency) as time,
       h.frequency as iterations,
       round(coalesce(sum(t.cycles * t.frequency) / nullif(h.frequency, 0), sum(t.cycles)), 1) as cycles_per_iteration,
       group_concat(distinct t.origin) as cycles_from, n.file as file, n.line as line,
       n.listing_line as listing_line, n.address as address, l.function as function_id
  from loops l
 cross join loop_blocks m on m.loop = l.id
 cross join timed t on t.block = m.block
  left join timed h on h.block = l.header
 cross join loop_places n on n.loop = l.id
 where t.cycles is not null and (LOOP is null or l.id = LOOP)
 group by l.id
 order by time desc nulls last, cycles_per_iteration desc, l.id
 limit :most;
