-- title: Roofline
-- group: statistics
-- does: sets each floating-point loop against the roof that its arithmetic intensity allows on the machine, the lowest first
-- parameter: most 30 loops shown
-- The roof is min(peak arithmetic, intensity × peak bandwidth): with the data in the L1 cache, and with the data in memory where the machine
-- file has its bandwidth.  Peaks and figures of the loops are those of assay report (loop_metrics); cycles are modelled, not measured.
local memory = assay.query([[select l.loop as loop, min(l.cycles) as cycles from loop_levels l where l.level = 'memory' group by l.loop]])
local from_memory = {}
for _, row in ipairs(memory) do from_memory[row.loop] = row.cycles end

local function roof(intensity, arithmetic, bandwidth)
  return math.min(arithmetic, intensity * bandwidth)
end

local rows = {columns = {"loop_id", "place", "intensity", "flop_per_cycle", "roof", "share", "limit", "from_memory"}}
for metrics in assay.each([[select m.* from loop_metrics m where m.flop_count > 0 and m.cycles is not null
                             and m.cycles = (select max(cycles) from loop_metrics o where o.loop = m.loop)]]) do
  local bytes = metrics.loaded_bytes + metrics.stored_bytes
  if bytes > 0 and metrics.peak_flop_per_cycle then
    local intensity = metrics.flop_count / bytes
    local loads = metrics.loaded_bytes / bytes
    local bandwidth = math.min(loads > 0 and metrics.peak_loaded_bytes_per_cycle / loads or math.huge,
                               loads < 1 and metrics.peak_stored_bytes_per_cycle / (1 - loads) or math.huge)
    local top = roof(intensity, metrics.peak_flop_per_cycle, bandwidth)
    local reached = metrics.flop_count / metrics.cycles
    local far = from_memory[metrics.loop]
    rows[#rows + 1] = {loop_id = metrics.loop, place = assay.place(assay.row("loops", metrics.loop)), intensity = intensity,
                       flop_per_cycle = reached, roof = top, share = reached / top,
                       limit = top < metrics.peak_flop_per_cycle and "bandwidth" or "arithmetic",
                       from_memory = far and far > 0 and metrics.flop_count / far or nil}
  end
end
table.sort(rows, function(a, b) return a.share < b.share or a.share == b.share and a.loop_id < b.loop_id end)
for i = #rows, assay.parameters.most + 1, -1 do rows[i] = nil end
return rows
