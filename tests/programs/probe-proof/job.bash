# A job for bash: functions, recursion, arrays, patterns, arithmetic, subshells, pipes, traps.  Its argument is a text.
set -u
shopt -s extglob nullglob
declare -A counts
fib() { if (($1 < 2)); then echo "$1"; else echo $(($(fib $(($1 - 1))) + $(fib $(($1 - 2))))); fi; }
hanoi() {
    local n=$1 from=$2 to=$3 by=$4
    ((n == 0)) && return
    hanoi $((n - 1)) "$from" "$by" "$to"
    ((moves += n * (from * 3 + to)))
    hanoi $((n - 1)) "$by" "$to" "$from"
}
quicksort() {
    local -n list=$1
    local -a small=() large=()
    local pivot item
    ((${#list[@]} < 2)) && return
    pivot=${list[0]}
    for item in "${list[@]:1}"; do
        if [[ $item < $pivot ]]; then small+=("$item"); else large+=("$item"); fi
    done
    local -a left=("${small[@]}") right=("${large[@]}")
    sort_part left
    sort_part right
    list=("${left[@]}" "$pivot" "${right[@]}")
}
sort_part() {
    local -a items
    eval "items=(\"\${$1[@]}\")"
    local i j t
    for ((i = 1; i < ${#items[@]}; i++)); do
        t=${items[i]}
        for ((j = i; j > 0 && items[j - 1] > t; j--)); do items[j]=${items[j - 1]}; done
        items[j]=$t
    done
    eval "$1=(\"\${items[@]}\")"
}
moves=0
hanoi 9 1 3 2
echo "fib $(fib 9) hanoi $moves"
lines=0
while read -r number first rest; do
    counts[$first]=$((${counts[$first]:-0} + 1))
    case $first in
    ka*) ((lines += 1)) ;;
    *mi | *re) ((lines += 2)) ;;
    esac
    if [[ $rest =~ (to)+([a-z]*)\ (su|no) ]]; then
        counts[${BASH_REMATCH[1]}${BASH_REMATCH[3]}]=$((number % 97))
    fi
    rest=${rest//+(ka)/KA}
    : "${rest^^}" "${rest%% *}" "${rest##* }" "${#rest}"
    ((number > 1500)) && break
done < "$1"
echo "lines $lines, words ${#counts[@]}"
for word in "${!counts[@]}"; do printf '%s %5d %x\n' "$word" "${counts[$word]}" "${counts[$word]}"; done | sort | sed -n '1,20p'
numbers=(42 7 99 1 64 38 5 27 81 16 3)
sort_part numbers
echo "${numbers[*]}"
(
    trap 'echo "left with $?"' EXIT
    trap 'echo "got USR1"' USR1
    kill -USR1 $BASHPID
    exit 7
)
echo "status $?"
echo {a..e}{1..3} | tr ' ' '\n' | while read -r x; do printf '%s:' "$x"; done
echo
cat <<END | tr a-z A-Z
a document here: $((16#ff ** 2)) ${moves:1:2}
END
printf '%s\n' "$(printf '%08.3f|%-10s|%+d' 3.14159 left 5)" "$(type -t fib)" "${BASH_VERSINFO[0]}"
coproc { while read -r l; do echo "<$l>"; done; }
echo hello >&"${COPROC[1]}"
read -r answer <&"${COPROC[0]}"
echo "$answer"
exec {COPROC[1]}>&-
wait
declare -f hanoi | head -3
let 'x = 5, y = x << 3' && echo "$x $y"
