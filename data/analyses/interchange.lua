-- title: Loops to interchange
-- group: memory
-- does: finds inner loops that stride through memory where the loop around them would go from element to element
-- parameter: most 20 loops shown
-- needs: FUNCTION optional
-- The stride of an access in the inner loop is known (access_patterns).  How its address moves from one iteration of the outer loop to the
-- next is not in a table: this follows the registers of the address backwards (def_use) out of the inner loop to additions of a constant in
-- the outer one.
local steps = {}
for row in assay.each("select encoding, register, source, constant from constant_additions") do
  if row.register == row.source and row.constant ~= 0 then steps[row.encoding] = row end
end

-- Constants that are added to these registers in the outer loop but not in the inner one, looking through copies and sums.
local function outer_step(instruction, outer, inner, seen, depth)
  local found
  for _, definition in ipairs(instruction:definitions()) do
    if not seen[definition.id] and depth < 12 and outer[definition.block] then
      seen[definition.id] = true
      local step = steps[definition.encoding]
      if step and not inner[definition.block] then
        if not found or math.abs(step.constant) < math.abs(found) then found = step.constant end
      end
      if not (step and inner[definition.block]) or depth < 3 then
        local further = outer_step(definition, outer, inner, seen, depth + 1)
        if further and (not found or math.abs(further) < math.abs(found)) then found = further end
      end
    end
  end
  return found
end

local function blocks_of(loop)
  local set = {}
  for _, block in ipairs(loop:blocks()) do set[block.id] = true end
  return set
end

local rows = {columns = {"loop_id", "function", "place", "strided", "of", "stride", "outer_stride", "bytes"}}
for candidate in assay.each([[select a.loop, count(distinct a.instruction) as accesses, max(abs(a.stride)) as stride
    from access_patterns a join loops l on l.id = a.loop
    where l.parent is not null and a.is_stack = 0 and (?1 is null or l.function = ?1)
    group by a.loop having max(abs(a.stride)) >= 64]], assay.selected.function_) do
  local loop = assay.row("loops", candidate.loop)
  local inner, outer = blocks_of(loop), blocks_of(loop:the("parent"))
  local better, least, bytes = 0, nil, 0
  for access in assay.each([[select distinct instruction, stride, bytes from access_patterns
      where loop = ?1 and is_stack = 0 and abs(stride) >= 64]], loop.id) do
    local step = outer_step(assay.row("instructions", access.instruction), outer, inner, {}, 0)
    if step and math.abs(step) <= math.max(access.bytes, 16) then
      better, least, bytes = better + 1, least and math.min(least, math.abs(step)) or math.abs(step), access.bytes
    end
  end
  if better > 0 then
    rows[#rows + 1] = {loop_id = loop.id, ["function"] = loop:the("function").name, place = assay.place(loop), strided = better,
                       of = candidate.accesses, stride = candidate.stride, outer_stride = least, bytes = bytes}
  end
end
table.sort(rows, function(a, b) return a.strided * a.stride > b.strided * b.stride or a.strided * a.stride == b.strided * b.stride and a.loop_id < b.loop_id end)
for i = #rows, assay.parameters.most + 1, -1 do rows[i] = nil end
return rows
