-- Words counted, sorted, joined, and a small game of life: what scripts do.
local seed = 7
local function chance(limit)
  seed = (seed * 16807) % 2147483647
  return seed % limit + 1
end

local words, counts = {}, {}
for i = 1, 120000 do
  local word = string.char(96 + chance(26), 96 + chance(26), 96 + chance(6))
  counts[word] = (counts[word] or 0) + 1
  words[#words + 1] = word
end
table.sort(words)
print(#words, words[1], words[#words], #table.concat(words, " "))

local cells, side = {}, 160
for i = 1, side * side do cells[i] = chance(3) == 1 and 1 or 0 end
for _ = 1, 30 do
  local next = {}
  for y = 0, side - 1 do
    for x = 0, side - 1 do
      local sum = 0
      for dy = -1, 1 do
        for dx = -1, 1 do
          if dx ~= 0 or dy ~= 0 then
            sum = sum + cells[(y + dy) % side * side + (x + dx) % side + 1]
          end
        end
      end
      next[y * side + x + 1] = (sum == 3 or sum == 2 and cells[y * side + x + 1] == 1) and 1 or 0
    end
  end
  cells = next
end
local alive = 0
for i = 1, #cells do alive = alive + cells[i] end
print(alive)
