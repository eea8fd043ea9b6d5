-- title: A square root is taken only to be compared
-- does: square roots are slow, and whoever wants to know which of two is larger can compare the squares: sqrt(x) < r where x < r * r, for r that is not negative
-- kind: rule
-- level: potential
-- where: sqrt_count > 0
return function(loop, path)
  local roots, level = {}, nil
  for _, instruction in ipairs(path:instructions()) do
    local compared = false
    for _, user in ipairs(instruction.class == "sqrt" and instruction:users() or {}) do
      if user.class == "return" then level = "hint" -- it is in the register of results: perhaps the function returns it
      elseif user.class == "compare" then compared = true
      else compared = false break end
    end
    if compared then roots[#roots + 1] = instruction end
  end
  local less = #roots > 0 and assay.without(path, roots)
  if not less or path.cycles < 1.05 * less.cycles then return nil end
  return {text = "Nothing but a comparison uses the result of the square root.", evidence = roots, cycles = less.cycles,
          is_upper = true, level = level,
          remedies = {"Compare the squares: x < r * r instead of sqrt(x) < r, where r is not negative."}}
end
