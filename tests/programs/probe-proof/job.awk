# A job for gawk: fields, arrays, patterns, user functions, printf, sorting, getline.
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }
function reverse(s,    i, r) { for (i = length(s); i > 0; i--) r = r substr(s, i, 1); return r }
function walk(tree, depth,    k, sum) {
    for (k in tree)
        if (isarray(tree[k])) sum += walk(tree[k], depth + 1); else sum += tree[k] * depth
    return sum
}
function by_count(i1, v1, i2, v2) { return v1 != v2 ? v2 - v1 : (i1 < i2 ? -1 : i1 > i2) }
BEGIN { PROCINFO["sorted_in"] = "@ind_str_asc"; print fib(18), 2 ^ 40, exp(1), sin(1), int(-7 / 2), 7 % -3 }
/^[0-9]+ (ka|to)+/ { matched++ }
$2 ~ /(mi|re)$/, NF > 6 { ranged++ }
{
    for (i = 2; i <= NF; i++) { count[$i]++; lengths[length($i)][substr($i, 1, 2)] += i }
    total += $1
    line = $0
    hits += gsub(/ka/, "KA", line)
    line = gensub(/([a-z]+) ([a-z]+)$/, "\\2-\\1", 1, line)
    if (match(line, /([a-z])([a-z])-\1?/, part)) seen[part[1] part[2]] = RSTART
    sum += index(line, "-") + length(toupper(line)) + split(line, pieces, /[ -]/)
    if (NR % 500 == 0) { $3 = reverse($3); NF = 4; print }
}
END {
    print matched, ranged, total, hits, sum, walk(lengths, 1), length(seen)
    n = asorti(count, sorted, "by_count")
    for (i = 1; i <= 15 && i <= n; i++) printf "%-8s %5d %6.2f%% %x %o %c\n", sorted[i], count[sorted[i]], count[sorted[i]] / NR, i, i, 64 + i
    while (("echo b a c | tr ' ' '\\n'" | getline word) > 0) joined = joined word
    print joined, strftime("%Y-%m-%d", 86400 * 365, 1), and(12, 10), xor(12, 10), strtonum("0x1F"), substr("hello", 2, 3)
    print sprintf("%5.3e|%G|%i", 12345.678, 0.00001, 3.9) | "cat"
    close("cat")
    exit 0
}
