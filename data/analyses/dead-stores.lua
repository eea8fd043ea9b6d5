-- title: Variables that are only written
-- group: memory
-- does: finds variables with a fixed address that some function stores to and no function of the program ever reads
-- from: lines
-- Within one function a compiler removes such stores; across functions it keeps them.  An access counts for a variable if its address is a
-- constant that the code computes (adrp and add, or relative to the instruction pointer).  A variable whose address goes anywhere else, into
-- a call, into memory or into arithmetic with a register, may be read from there and is left out, and so is one that other files see.
if assay.value("select count(*) from programs where format not in ('executable', 'pie')") > 0 then return nil end

local variables = assay.query([[select v.id, v.name, l.value as address, t.bytes, v.file, v.line from variables v
    join locations l on l.variable = v.id and l.kind = 'address' join types t on t.id = v.type where l.value > 0 order by l.value]])
local function variable_at(address)
  local low, high = 1, #variables
  while low < high do
    local middle = (low + high + 1) // 2
    if variables[middle].address <= address then low = middle else high = middle - 1 end
  end
  local found = variables[low]
  return found and address >= found.address and (address < found.address + math.max(found.bytes, 1)) and found or nil
end

-- Constants in registers, block by block: an address, or nil for anything else.
local function follow(instruction, known, operands)
  local set
  for _, operand in ipairs(operands) do
    if operand.kind == "address" and operand.target then set = operand.target end
  end
  if instruction.name == "add" and #operands == 3 and operands[3].kind == "immediate" and known[operands[2].register or ""] then
    set = known[operands[2].register] + operands[3].value
  elseif instruction.name == "mov" and #operands == 2 and operands[2].kind == "register" then
    set = known[operands[2].register]
  end
  return set
end

local function escapes(address)
  local variable = variable_at(address)
  if variable then variable.escapes = true end
end

local function note(variable, operand, instruction)
  if not variable then return end
  if operand.access ~= "write" then variable.is_read = true end
  if operand.access ~= "read" then
    variable.stores = variable.stores or {}
    variable.stores[#variable.stores + 1] = instruction
  end
end

local arguments = {}
for name in ("x0 x1 x2 x3 x4 x5 x6 x7 x8 rdi rsi rdx rcx r8 r9 rax"):gmatch("%w+") do arguments[name] = true end
local kept = {}
for name in ("x19 x20 x21 x22 x23 x24 x25 x26 x27 x28 rbx rbp r12 r13 r14 r15"):gmatch("%w+") do kept[name] = true end

-- Operands and written registers are the same for all instructions of an encoding, but for places relative to the instruction.
local operands_of, writes_of = {}, {}
local function operands_and_writes(instruction)
  local encoding = instruction.encoding
  local operands = operands_of[encoding]
  if not operands then
    operands = instruction:operands()
    local is_relative = false
    for _, operand in ipairs(operands) do is_relative = is_relative or operand.target ~= nil end
    if not is_relative then operands_of[encoding] = operands end
  end
  local writes = writes_of[encoding]
  if not writes then
    writes = instruction:writes()
    writes_of[encoding] = writes
  end
  return operands, writes
end

-- What a block's instructions do with the constants that it starts with; the constants at its end.
local function walk(block, known)
  for _, instruction in ipairs(block:instructions()) do
    local operands, writes = operands_and_writes(instruction)
    local set = follow(instruction, known, operands)
    for _, operand in ipairs(operands) do
      if operand.kind == "memory" then
        local base = operand.target or known[operand.base_register or ""]
        local address = base and base + (operand.target and 0 or operand.displacement)
        if address and not operand.index_register then note(variable_at(address), operand, instruction)
        elseif address then escapes(address) end
      elseif operand.kind == "register" and operand.access ~= "write" and known[operand.register] and not set then
        escapes(known[operand.register])
      end
    end
    for _, written in ipairs(writes) do known[written.full_register] = nil end
    for _, operand in ipairs(operands) do
      if set and operand.kind == "register" and operand.access == "write" then known[operand.register] = set end
    end
    -- A callee may read what its arguments point to, and a caller what the result does.
    if instruction.flow == "call" or instruction.flow == "return" then
      for register, address in pairs(known) do
        local is_seen = instruction.flow == "call" and arguments[register] or register == "x0" or register == "rax"
        if is_seen then escapes(address) end
        if not kept[register] or instruction.flow == "return" then known[register] = nil end
      end
    end
  end
  return known
end

-- A block with one block before it goes on with that one's constants; where ways meet, they are given up.
local before, after = {}, {}
for edge in assay.each("select source, target from edges where source is not null and target is not null") do
  before[edge.target] = before[edge.target] or {}
  table.insert(before[edge.target], edge.source)
  after[edge.source] = after[edge.source] or {}
  table.insert(after[edge.source], edge.target)
end
for _, fn in ipairs(assay.rows("functions")) do
  local ends = {}
  for _, block in ipairs(fn:blocks()) do
    local known, first = {}, before[block.id]
    if first and #first == 1 and ends[first[1]] then
      for register, address in pairs(ends[first[1]]) do known[register] = address end
    end
    ends[block.id] = walk(block, known)
    for _, follower in ipairs(after[block.id] or {}) do
      if #before[follower] > 1 or follower <= block.id then
        for _, address in pairs(ends[block.id]) do escapes(address) end
      end
    end
  end
end

local rows = {columns = {"variable", "file", "line", "function", "instruction_id", "text"}}
for _, variable in ipairs(variables) do
  if variable.stores and not variable.is_read and not variable.escapes then
    for _, store in ipairs(variable.stores) do
      rows[#rows + 1] = {variable = variable.name, file = assay.value("select path from files where id = ?1", variable.file), line = variable.line,
                         ["function"] = store:the("block"):the("function").name, instruction_id = store.id, text = store.text}
    end
  end
end
return rows
