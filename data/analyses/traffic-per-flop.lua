-- title: Bytes per operation
-- does: bytes of new cache lines that an iteration touches for each floating-point operation: above the machine's own quotient memory decides, not arithmetic
-- kind: metric
-- where: flop_count > 0 and line_count > 0
return function(loop, path)
  return 64 * path.line_count / path.flop_count
end
