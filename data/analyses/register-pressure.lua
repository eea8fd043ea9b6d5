-- title: Register pressure along a loop
-- group: registers
-- does: counts the live registers behind every instruction of the loops that need most, and draws the count over the code
-- needs: LOOP optional
-- parameter: most 3 loops shown
-- Data flow is known by block; this walks each block backwards from what is live at its end: what an instruction writes dies there, what it
-- reads is live before it.  Registers that the ABI reserves (stack and frame pointer, flags) are not counted.
local reserved = {sp = true, rsp = true, rip = true, rflags = true, nzcv = true, fpcr = true, fpsr = true, xzr = true, wzr = true}

local function registers_live_behind(block)
  local live, count = {}, {general = 0, vector = 0}
  for row in assay.each([[select r.id, r.name, r.kind from live_out l join registers r on r.id = l.full where l.block = ?1]], block.id) do
    live[row.id] = {name = row.name, kind = row.kind}
  end
  return live
end

local function class_of(kind)
  return (kind == "vector" or kind == "float" or kind == "mmx") and "vector" or kind == "general" and "general" or nil
end

local function count(live)
  local general, vector = 0, 0
  for _, register in pairs(live) do
    local class = not reserved[register.name] and class_of(register.kind)
    if class == "general" then general = general + 1 elseif class == "vector" then vector = vector + 1 end
  end
  return general, vector
end

local function timeline(loop)
  local points = {}
  for _, block in ipairs(loop:blocks()) do
    local live, instructions, behind = registers_live_behind(block), block:instructions(), {}
    for i = #instructions, 1, -1 do
      local instruction = instructions[i]
      local general, vector = count(live)
      behind[i] = {instruction = instruction, block = block.name, general = general, vector = vector}
      for _, written in ipairs(instruction:writes()) do
        if written.keeps_rest == 0 and written.is_conditional == 0 then live[written.full] = nil end
      end
      for _, read in ipairs(instruction:reads()) do live[read.full] = {name = read.full_register, kind = read.kind} end
    end
    table.move(behind, 1, #behind, #points + 1, points)
  end
  return points
end

local loops = assay.selected.loop and {assay.row("loops", assay.selected.loop)} or assay.rows("loops", {is_innermost = 1})
local measured = {}
for _, loop in ipairs(loops) do
  if loop.instruction_count <= 2000 then
    local points, peak = timeline(loop), 0
    for _, point in ipairs(points) do peak = math.max(peak, point.general, point.vector) end
    measured[#measured + 1] = {loop = loop, points = points, peak = peak}
  end
end
table.sort(measured, function(a, b) return a.peak > b.peak or a.peak == b.peak and a.loop.id < b.loop.id end)

local rows = {columns = {"loop_id", "place", "block", "instruction", "general", "vector", "text"}}
for i = 1, math.min(#measured, assay.parameters.most) do
  for _, point in ipairs(measured[i].points) do
    rows[#rows + 1] = {loop_id = measured[i].loop.id, place = assay.place(measured[i].loop), block = point.block, instruction = point.instruction.id,
                       general = point.general, vector = point.vector, text = point.instruction.text}
  end
end
return rows
