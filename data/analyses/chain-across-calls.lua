-- title: Longest chains across calls
-- group: patterns
-- does: finds the dependences in loops that go through a called function, where inlining would let the processor overlap iterations
-- parameter: most 20 chains shown
-- A chain in a loop that enters a call as an argument and leaves it as the result is as long as the callee's own longest way from an
-- argument register to the result register.  Latencies are those of the machine; memory and deeper calls are not followed.
local first_argument = {["x86-64"] = {"rdi", "rsi", "rdx", "rcx", "r8", "r9", "zmm0", "zmm1", "zmm2", "zmm3"},
                        aarch64 = {"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "z0", "z1", "z2", "z3"}}
local results = {["x86-64"] = {rax = true, zmm0 = true}, aarch64 = {x0 = true, z0 = true}}
local isa = assay.value("select isa from programs limit 1")
if not first_argument[isa] then return nil end
local arguments = {}
for _, name in ipairs(first_argument[isa]) do arguments[name] = true end

-- The longest way through a function without loops: from its arguments, by the latest definition of each register, along the code.
local lengths = {}
local function through(callee)
  if lengths[callee.id] ~= nil then return lengths[callee.id] end
  lengths[callee.id] = false
  local ready, best = {}, 0
  for name in pairs(arguments) do ready[name] = 0 end
  if #callee:loops() > 0 then return false end
  for _, instruction in ipairs(callee:instructions()) do
    local start
    for _, read in ipairs(instruction:reads()) do
      local at = ready[read.full_register]
      if at and (not start or at > start) then start = at end
    end
    local latency = assay.latency(instruction) or 1
    for _, written in ipairs(instruction:writes()) do
      if start then ready[written.full_register] = start + latency
      elseif written.keeps_rest == 0 then ready[written.full_register] = nil end
    end
  end
  for name in pairs(results[isa]) do best = math.max(best, ready[name] or 0) end
  lengths[callee.id] = best
  return best
end

-- Whether the result of the call comes back to its arguments, through instructions of the loop; the latency on the way.
local function way_back(call, loop, inside)
  local function returns_to(instruction, seen, length)
    for _, user in ipairs(instruction:users()) do
      if inside[user.id] and not seen[user.id] then
        if user.id == call.id then return length end
        seen[user.id] = true
        local found = returns_to(user, seen, length + (assay.latency(user) or 1))
        if found then return found end
      end
    end
  end
  return returns_to(call, {}, 0)
end

local rows = {columns = {"loop_id", "place", "callee", "cycles", "inside_call", "in_loop"}}
for _, loop in ipairs(assay.rows("loops", {is_innermost = 1})) do
  local inside = {}
  for _, instruction in ipairs(loop:instructions()) do inside[instruction.id] = instruction end
  for _, site in ipairs(assay.query([[select c.instruction, c.callee from loop_blocks l join blocks b on b.id = l.block
      join calls c on c.instruction between b.first_instruction and b.last_instruction and c.caller = b.function
      where l.loop = ?1 and c.callee is not null]], loop.id)) do
    local callee, call = assay.row("functions", site.callee), inside[site.instruction]
    local length = call and callee.block_count > 0 and callee.instruction_count <= 2000 and through(callee)
    local back = length and way_back(call, loop, inside)
    if back then
      rows[#rows + 1] = {loop_id = loop.id, place = assay.place(loop), callee = callee.name, cycles = length + back, inside_call = length, in_loop = back}
    end
  end
end
table.sort(rows, function(a, b) return a.cycles > b.cycles or a.cycles == b.cycles and a.loop_id < b.loop_id end)
for i = #rows, assay.parameters.most + 1, -1 do rows[i] = nil end
return rows
