-- title: Useless spills and fills
-- group: registers
-- does: finds stack accesses that could be left out on every path: values stored back unchanged, loaded while still in the register, or stored and never loaded
-- needs: FUNCTION optional
-- edits: delete
-- parameter: most 200 number of accesses to show, inner loops first
-- partner is the other access: the fill whose value the spill stores back, the store that overwrites, …  Empty if there are
-- several, as where paths join.  A volatile variable of the source looks like any other stack slot.
select n.name as function, b.loop as loop, u.reason as reason, e.text as text, pe.text as partner,
       case when u.partner is null then null when u.is_across_blocks then 'across blocks' else 'in its block' end as reach,
       p.file as file, p.line as line, p.listing_line as listing_line, p.address as address,
       coalesce(qs.line, ql.line) as partner_line, case when qs.line is not null then ql.line end as partner_listing_line,
       case when ql.line is null then pb.address + pi.offset end as partner_address, n.id as function_id,
       b.id as block_id, i.id as instruction_id, u.partner as partner_id
  from useless_accesses u
 cross join code i on i.id = u.instruction
 cross join encodings e on e.id = i.encoding
 cross join blocks b on b.id = i.block
 cross join functions n on n.id = b.function
  left join loops l on l.id = b.loop
 cross join instruction_places p on p.instruction = i.id
  left join code pi on pi.id = u.partner
  left join encodings pe on pe.id = pi.encoding
  left join blocks pb on pb.id = pi.block
  left join source_lines qs on qs.id = pi.source_line
  left join listing_instructions ql on ql.instruction = pi.id
 where FUNCTION is null or b.function = FUNCTION
 order by coalesce(l.depth, 0) desc, i.id
 limit :most;
