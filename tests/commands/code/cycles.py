#!/usr/bin/env python3
"""assay cycles: blocks of bytes and of assembly, batches, and the loops of real programs; what it refuses and how it
says so."""
import csv, io, json, os, re, shutil, subprocess

from harness import ASSAY, MACHINE, PATIENCE, Folder, assay, build, command, cross, need, rows, run, test, text

# add rax, 0x48; cmp rdx, rax
BLOCK = "4883c0484839c2"
# A dot product: movsd, mulsd, addsd, add, cmp, jne to the start.
DOT = "f20f100cc7f20f590cc6f20f58c14883c0014839d075e9"
KERNELS = r"""
double sum(long n, const double *x)
{
    double s = 0;
    for (long i = 0; i < n; i++)
        s += x[i];
    return s;
}
struct link { struct link *next; double value; };
long length(const struct link *at)
{
    long n = 0;
    while (at) {
        at = at->next;
        n++;
    }
    return n;
}
void divide(long n, double *x, double y)
{
    for (long i = 0; i < n; i++)
        x[i] = y / x[i];
}
extern void note(long);
long odd(long n, const long *x)
{
    long s = 0;
    for (long i = 0; i < n; i++) {
        if (x[i] & 1)
            note(x[i] / n); /* the slower way, so that this is the one that is listed */
        else
            s += x[i] * x[i];
    }
    return s;
}
"""


def ask(*words, **options):
    return json.loads(text("cycles", *words, "--json", **options))


def kernels(folder, machine, *flags, output="k.o"):
    gcc = cross("gcc", machine)
    need(gcc)
    source = os.path.join(folder, "k.c")
    with open(source, "w") as file:
        file.write(KERNELS)
    # Aligned, because Skylake's µop cache does not hold jumps across a border of 32 bytes.
    return build(folder, [gcc], [source], *flags, "-falign-loops=32", "-g", "-c" if output.endswith(".o") else "-S", output=output)


def write(folder, name, content):
    path = os.path.join(folder, name)
    with open(path, "w" if isinstance(content, str) else "wb") as file:
        file.write(content)
    return path


@test
def a_block_of_bytes():
    shown = text("cycles", "--hex", BLOCK, "--machine", "haswell")
    for words in ("machine: haswell", "block of 7 bytes, repeated without a branch",
                  "1.00 cycles per iteration, limited by latency", "0.67 cycles (decoders)", "costs for all 2 instructions"):
        assert words in shown, (words, shown)
    assert re.search(r"^> +1 +1 .* add rax, 0x48$", shown, re.M), shown
    assert re.search(r"^  +1 +1? .* cmp rdx, rax$", shown, re.M), shown
    found, = ask("--hex", BLOCK, "--machine", "haswell")
    assert found["cycles"] == 1 and found["limit"] == "latency" and found["mode"] == "unrolled", found
    assert found["loop"] is None and found["machine"] == "haswell" and found["issue"] == 0.5, found
    assert found["cycles"] == max(v for k, v in found.items() if k in ("latency", "issue", "ports", "predecoder")
                                  and v is not None)
    assert found["known_count"] == found["instruction_count"] == 2 and found["divider"] is None
    add, compare = found["instructions"]
    assert add["text"] == "add rax, 0x48" and add["form"].startswith("add r64,") and "latency" in add["limits"], add
    assert abs(sum(add["ports"].values()) - 1) < 1e-9 and "latency" not in compare["limits"], found


@test
def bytes_may_have_blanks_and_a_prefix():
    want, = ask("--hex", BLOCK, "--machine", "skylake")
    for spelled in ("48 83 c0 48 48 39 c2", "0x4883c0484839c2", "4883C0484839C2", " 4883c048\n4839c2 "):
        assert ask("--hex", spelled, "--machine", "skylake") == [want], spelled


@test
def a_block_that_jumps_to_its_start_is_a_loop():
    result = assay("cycles", "--hex", DOT, "--machine", "skylake")
    assert b"--unrolled" in result.stderr and b"as a loop" in result.stdout, result
    found, = ask("--hex", DOT, "--machine", "skylake")
    assert found["mode"] == "loop" and found["cycles"] == 4 and found["limit"] == "latency", found
    assert found["source"] == "µop cache" and found["predecoder"] is None, found
    apart, = ask("--hex", DOT, "--machine", "skylake", "--unrolled")
    assert apart["mode"] == "unrolled" and apart["source"] is None and apart["predecoder"] > 0, apart
    reported, = ask("--hex", BLOCK, "--machine", "skylake", "--loop-mode")
    assert reported["mode"] == "loop" and reported["predecoder"] is None, reported


@test
def a_way_tells_which_jumps_were_taken():
    # ldr s1,[x0]; fcmpe s1,s0; b.ge +8; add x0,x0,4; cmp x0,x1; b.ne: the branch back tells that b.ge was taken; measured 2.00
    over, straight = (f"010040bd3020201e4a000054001000911f0001eb{back}ff54" for back in ("41ff", "61ff"))
    found, = ask("--hex", over, "--loop-mode", "--machine", "neoverse-v1")
    assert found["cycles"] == 2 and found["limit"] == "branches", found
    found, = ask("--hex", straight, "--loop-mode", "--machine", "neoverse-v1")
    assert found["branches"] == 1, found


@test
def the_same_element_every_time_is_a_figure_of_its_own():
    # ldrsw x0,[x2],#4; lsl x0,x0,#2; ldr w1,[x3,x0]; add w1,w1,#1; str w1,[x3,x0]; cmp; b.ne: measured 1.49 with many elements, 5.0 with one
    counts = "404480b800f47ed3616860b821040011616820b89f0002eb41ffff54"
    found, = ask("--hex", counts, "--machine", "neoverse-v1")
    assert found["cycles"] < 2 and found["repeated_cycles"] == 5, found
    shown = text("cycles", "--hex", counts, "--machine", "neoverse-v1")
    assert "5.00 cycles if iterations in a row update the same element" in shown, shown
    # A list has other elements each time: ldr x0,[x0]; ldr w1,[x0,#8]; add; str; cbnz
    found, = ask("--hex", "000040f9010840b921040011010800b980ffffb5", "--machine", "neoverse-v1")
    assert found["repeated_cycles"] is None, found
    # An index that counts: sxtw x1,w2; ldr d0,[x3,x1,lsl #3]; fadd; str; add w2,w2,#1; cmp; b.ne
    found, = ask("--hex", "417c4093607861fc0028611e607821fc420400115f00046b41ffff54", "--machine", "neoverse-v1")
    assert found["repeated_cycles"] is None, found


@test
def alignment_makes_a_range():
    # vmovups zmm0,[rsi+rax]; vmovups [rdi+rax],zmm0; add rax,64; cmp rax,rdx; jne
    copy = "62f17c4810040662f17c481104074883c0404839d075e9"
    shown = text("cycles", "--hex", copy, "--machine", "sapphire-rapids")
    assert "1.00 cycles per iteration, limited by stores\n3.20 cycles with the worst alignment" in shown, shown
    found, = ask("--hex", copy, "--machine", "sapphire-rapids")
    assert found["cycles"] == 1 and abs(found["unaligned_cycles"] - 3.2) < 1e-6, found
    # vmovaps: the data is aligned
    aligned = "62f17c4828040662f17c482904074883c0404839d075e9"
    found, = ask("--hex", aligned, "--machine", "sapphire-rapids")
    assert found["cycles"] == 1 and found["unaligned_cycles"] is None, found
    # three ldp q,q,[x] of 32 bytes each, their pointers, and subs, b.ne
    sums, = ask("--hex", "200440ad420c40ad641440ad218000914280009163800091a50400f121ffff54", "--machine", "neoverse-v1")
    assert sums["cycles"] == 2 and abs(sums["unaligned_cycles"] - 2.5) < 1e-6, sums
    # Skylake's file does not say what a crossing costs.
    found, = ask("--hex", "c5fc100406c5fc1104074883c0204839d075ed", "--machine", "skylake")
    assert found["unaligned_cycles"] is None, found


@test
def renaming_adds_small_constants():
    # add rax or rbx, constant; and the same register, rcx
    for code, cycles in (("4805800000004821c8", 1), ("4881c3800000004821cb", 1), ("4881c3ff0300004821cb", 1),
                         ("4881c3000400004821cb", 2), ("4881eb000400004821cb", 2), ("81c3800000004821cb", 2)):
        found, = ask("--hex", code, "--machine", "sapphire-rapids", "--loop-mode")
        assert found["cycles"] == cycles, (code, found)
    found, = ask("--hex", "4881c3800000004821cb", "--machine", "skylake", "--loop-mode")
    assert found["cycles"] == 2, found


@test
def what_stands_before_a_loop_leads_into_it():
    need(cross("as", "x86_64"))
    body = "again:\n\tmovq (%rdi), %rax\n\taddq $1, %rax\n\tmovq %rax, (%rsi)\n\tdecq %rcx\n\tjne again\n"
    with Folder() as folder:
        alone, = ask("--asm", write(folder, "alone.s", body), "--machine", "skylake")
        entered, = ask("--asm", write(folder, "entered.s", "\tmovq %rdi, %rsi\n" + body), "--machine", "skylake")
        assert alone["instruction_count"] == entered["instruction_count"] == 5
        assert alone["cycles"] == entered["cycles"] < 2, (alone, entered)
        named, = ask("--asm", write(folder, "named.s", body.replace("(%rdi)", "data_4010(%rip)").replace("(%rsi)", "data_4010(%rip)")),
                     "--machine", "skylake")
        assert named["limit"] == "latency" and named["cycles"] > 2, named  # through memory: both are one place


@test
def a_piece_of_assembly_is_its_bytes():
    need(cross("as", "x86_64"))
    with Folder() as folder:
        plain = write(folder, "a.s", "\taddq $0x48, %rax\n\tcmpq %rax, %rdx\n")
        intel = write(folder, "b.s", "\t.intel_syntax noprefix\n\tadd rax, 0x48\n\tcmp rdx, rax\n")
        loop = write(folder, "c.s", "again:\n\taddsd (%rdi,%rax,8), %xmm0\n\tincq %rax\n\tcmpq %rax, %rdx\n"
                     "\tjne again\n")
        want = ask("--hex", BLOCK, "--machine", "skylake")
        assert ask("--asm", plain, "--machine", "skylake") == want
        assert ask("--asm", intel, "--machine", "skylake") == want
        with open(plain, "rb") as file:
            assert ask("--asm", "-", "--machine", "skylake", stdin=file.read()) == want
        found, = ask("--asm", loop, "--machine", "skylake")
        assert found["mode"] == "loop" and found["cycles"] == 4 and found["instruction_count"] == 4, found
        assert ask("--asm", plain, "--isa", "x86-64")[0]["instruction_count"] == 2
        for content, says in (("\taddq $0x48, %nowhere\n", "1"), ("\t.data\n\t.long 5\n", "no instruction"),
                              ("\taddq $1, %rax\n\t.section .more,\"ax\"\n\taddq $1, %rax\n", "several sections")):
            path = write(folder, "bad.s", content)
            result = assay("cycles", "--asm", path, "--machine", "skylake", status=2)
            assert says in result.stderr.decode() and len(result.stderr.splitlines()) == 1, (content, result.stderr)
        result = assay("cycles", "--asm", "-", "--machine", "skylake", status=2, stdin=b"\taddq $0x48, %nowhere\n")
        assert b"standard input:1" in result.stderr and b"/proc/" not in result.stderr, result.stderr
        assert b"empty" in assay("cycles", "--asm", "-", status=2, stdin=b"").stderr


@test
def a_batch_answers_every_row_in_order():
    lines = ["hex,cycles_per_100_iterations", BLOCK + ",100", DOT, '"' + BLOCK + '",7', "06,bad", "", "48zz", "488",
             "62f1fd485806", BLOCK.upper()]
    with Folder() as folder:
        path = write(folder, "blocks.csv", "\n".join(lines) + "\n")
        result = assay("cycles", "--batch", path, "--machine", "haswell", status=1)
        found = list(csv.reader(io.StringIO(result.stdout.decode())))
        assert [r[0] for r in found] == [BLOCK, DOT, BLOCK, "06", "", "48zz", "488", "62f1fd485806", BLOCK.upper()]
        assert [r[1] for r in found] == ["1.00", found[1][1], "1.00", "", "", "", "", "", "1.00"], found
        assert all(len(r) == (2 if r[1] else 3) for r in found), found
        assert "06" in found[3][2] and "empty" in found[4][2] and "hexadecimal" in found[5][2], found
        assert "two digits" in found[6][2] and "haswell does not have" in found[7][2], found
        assert float(found[1][1]) == ask("--hex", DOT, "--unrolled", "--machine", "haswell")[0]["cycles"]
        reported = result.stderr.decode().splitlines()
        assert [re.search(r"row (\d+): ", line).group(1) for line in reported] == ["5", "6", "7", "8", "9"], reported
        assert all("blocks.csv" in line for line in reported), reported
        with open(path, "rb") as file:
            again = assay("cycles", "--batch", "-", "--machine", "haswell", status=1, stdin=file.read())
        assert again.stdout == result.stdout and b"standard input: row 5" in again.stderr
        good = assay("cycles", "--batch", "-", "--machine", "haswell", stdin=(BLOCK + "\n").encode())
        assert good.stdout == (BLOCK + ",1.00\n").encode() and not good.stderr, good
        loop = assay("cycles", "--batch", "-", "--machine", "haswell", "--loop-mode", stdin=DOT.encode())
        assert float(loop.stdout.decode().split(",")[1]) == ask("--hex", DOT, "--machine", "haswell")[0]["cycles"]
        data = json.loads(assay("cycles", "--batch", path, "--machine", "haswell", "--json", status=1).stdout)
        assert [r["row"] for r in data] == list(range(2, 11)) and data[0]["limit"] == "latency", data
        assert data[0]["cycles"] == 1 and data[3]["cycles"] is None and "06" in data[3]["reason"], data
        assert data[3]["bounds"] is None and all(max(r["bounds"].values()) == r["cycles"] == r["bounds"][r["limit"]]
                                                 for r in data if r["bounds"]), data


@test
def a_batch_of_any_size_and_shape():
    many = [f"4883c0{i % 128:02x}4839c2" for i in range(30000)]
    want = "".join(f"{block},1.00\n" for block in many).encode()
    for end in ("\n", "\r\n"):
        for threads in ("1", "3"):
            result = assay("cycles", "--batch", "-", "--machine", "skylake", "-j", threads,
                           stdin=(end.join(many) + end).encode())
            assert result.stdout == want and not result.stderr, (end, threads)
    assert assay("cycles", "--batch", "-", "--machine", "skylake", stdin=b"").stdout == b""
    empty = assay("cycles", "--batch", "-", "--machine", "skylake", status=1, stdin=b"\n\n90\n").stdout
    assert empty == b",,the block is empty\n" * 2 + b"90,0.25\n", empty
    # A row that is longer than any block may be, between good ones; more broken rows than are reported.
    long_row = BLOCK + "\n" + "90" * 3_000_000 + "\n" + BLOCK + "\n"
    result = assay("cycles", "--batch", "-", "--machine", "skylake", status=1, stdin=long_row.encode())
    lines = result.stdout.decode().splitlines()
    assert lines[0] == lines[2] == BLOCK + ",1.00" and len(lines) == 3 and "longer" in lines[1], lines[1][-80:]
    result = assay("cycles", "--batch", "-", "--machine", "skylake", status=1, stdin=b"06\n" * 100)
    reported = result.stderr.decode().splitlines()
    assert len(reported) == 11 and "90 more rows" in reported[-1] and result.stdout.count(b"\n") == 100, reported
    result = assay("cycles", "--batch", "-", "--machine", "skylake", status=1, stdin=b"\0\x1b[2J\n\"a\"b,1\n")
    assert b"\x1b" not in result.stdout + result.stderr, result
    assert len(list(csv.reader(io.StringIO(result.stdout.decode())))) == 2, result


@test
def very_long_blocks_of_very_long_instructions():
    # wbinvd has hundreds of thousands of µops; moves that may be eliminated, and an address that is split, beside it.
    for machine in ("skylake", "sandy-bridge"):
        block = "0f09" * 60000 + "4889d84889d9" + "4803044b"
        result = assay("cycles", "--batch", "-", "--machine", machine, stdin=block.encode())
        assert float(result.stdout.decode().split(",")[1]) > 60000 * 1000, result.stdout[-40:]


@test
def rows_are_answered_as_they_come():
    with subprocess.Popen([ASSAY, "cycles", "--batch", "-", "--machine", "skylake"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as process:
        for _ in range(3):
            process.stdin.write((BLOCK + "\n").encode())
            process.stdin.flush()
            assert process.stdout.readline() == (BLOCK + ",1.00\n").encode()
        process.stdin.close()
        assert process.wait(PATIENCE) == 0


@test
def loops_of_programs_listings_and_databases():
    for machine, name, sums, walks in (("x86_64", "skylake", 4, 4), ("aarch64", "neoverse-v1", 2, 4)):
        with Folder() as folder:
            program = kernels(folder, machine, "-O1")
            listing = kernels(folder, machine, "-O1", output="k.s")
            database = os.path.join(folder, "k.db")
            assay("db", program, "-o", database)
            for path in (program, listing, database):
                found = {(r["function"], r["path"]): r for r in ask(path, "--machine", name)}
                cycles = {k: r["cycles"] for k, r in found.items()}
                assert cycles["sum", 1] == sums and found["sum", 1]["limit"] == "latency", (path, cycles)
                assert cycles["length", 1] == walks and found["length", 1]["limit"] == "latency", (path, cycles)
                assert found["divide", 1]["limit"] == "divider" and found["divide", 1]["cycles"] > 2, (path, found)
                assert found["sum", 1]["mode"] == "loop", found
                assert all(r["remark"] is None or r["call_count"] or r["known_count"] < r["instruction_count"]
                           for r in found.values()), found
                both = [r for (f, _), r in found.items() if f == "odd"]
                assert len(both) == 2 and sorted(r["call_count"] for r in both) == [0, 1], both
                assert any(r["remark"] and "calls not counted" in r["remark"] for r in both), both
                if path != listing:
                    assert found["sum", 1]["file"].endswith("k.c") and found["sum", 1]["first_line"] in (5, 6), found
            assert all("instructions" not in r for r in ask(program, "--machine", name))


@test
def one_line_for_each_loop_and_one_loop_in_full():
    with Folder() as folder:
        program = kernels(folder, "x86_64", "-O1")
        shown = text("cycles", program, "--machine", "skylake")
        lines = [line for line in shown.splitlines() if re.match(r" +\d+\.\d\d ", line)]
        figures = [float(line.split()[0]) for line in lines]
        assert len(lines) == 4 and figures == sorted(figures, reverse=True), shown
        assert any("sum" in line and "latency" in line and "k.c:" in line for line in lines), shown
        assert any("odd" in line and "calls not counted" in line for line in lines), shown
        assert len([l for l in text("cycles", program, "--machine", "skylake", "-n", "2").splitlines()
                    if re.match(r" +\d+\.\d\d ", l)]) == 2
        loop = next(r["loop"] for r in ask(program, "--machine", "skylake") if r["function"] == "sum")
        full = text("cycles", program, "--machine", "skylake", "--loop", loop)
        for words in (f"loop {loop} in sum, ", "4.00 cycles per iteration, limited by latency", "µop cache (DSB)",
                      "fused with the previous"):
            assert words in full, (words, full)
        assert re.search(r"^> .* addsd xmm0, ", full, re.M), full
        by_function = text("cycles", program, "--machine", "skylake", "--function", "sum")
        by_line = text("cycles", program, "--machine", "skylake", "--line", "k.c:6")
        assert by_function == full and by_line == full, (by_function, by_line)
        both = text("cycles", program, "--machine", "skylake", "--function", "odd")
        assert both.count("cycles per iteration") == 2 and "calls functions" in both, both
        assert ask(program, "--machine", "skylake", "--loop", loop)[0]["instructions"], full
        one = text("cycles", program, "--machine", "skylake", "--csv", "--loop", loop)
        header, line = list(csv.reader(io.StringIO(one)))
        assert dict(zip(header, line))["cycles"] == "4" and "uop_cache" in header, one


@test
def the_number_of_threads_cannot_be_seen():
    with Folder() as folder:
        program = kernels(folder, "x86_64", "-O2")
        copies = os.path.join(folder, "many.a")
        names = []
        for i in range(40):
            names.append(os.path.join(folder, f"k{i}.o"))
            shutil.copy(program, names[-1])
        command([cross("ar", "x86_64") if shutil.which(cross("ar", "x86_64")) else "ar", "rc", copies, *names])
        one = text("cycles", copies, "--machine", "skylake", "--csv", "-j", "1")
        assert one.count("\n") > 150 and one == text("cycles", copies, "--machine", "skylake", "--csv", "-j", "7")


@test
def cycles_go_into_a_database():
    with Folder() as folder:
        program = kernels(folder, "x86_64", "-O1")
        plain, full = os.path.join(folder, "p.db"), os.path.join(folder, "f.db")
        assay("db", program, "-o", plain)
        assert rows(plain, "select count(*) n from loop_cycles") == [{"n": 0}]
        shown = text("db", program, "-o", full, "--cycles", "--machine", "skylake")
        assert "skylake" in shown, shown
        found = rows(full, "select f.name, c.path, c.cycles, c.\"limit\", p.name machine, c.instruction_count n, "
                           "c.known_count k, (select max(b.cycles) from core_bounds b where b.loop = c.loop and "
                           "b.path = c.path) most from loop_cycles c join loops l on l.id = c.loop join functions f "
                           "on f.id = l.function join processors p on p.id = c.processor order by c.loop, c.path")
        wanted = {(r["function"], r["path"]): r for r in ask(program, "--machine", "skylake")}
        assert len(found) == len(wanted) == 5, found
        for r in found:
            want = wanted[r["name"], r["path"]]
            assert r["cycles"] == want["cycles"] == r["most"] and r["limit"] == want["limit"], (r, want)
            assert r["machine"] == "skylake" and r["n"] == want["instruction_count"] and r["k"] == r["n"], (r, want)
        result = assay("db", program, "-o", full, "--cycles", "--machine", "neoverse-v1", status=2)
        assert b"does not run x86-64 code" in result.stderr, result.stderr


@test
def instructions_that_a_machine_lacks_have_no_number():
    # vaddpd zmm0, zmm0, [rsi]
    result = assay("cycles", "--hex", "62f1fd485806", "--machine", "haswell", status=2)
    assert b"haswell does not have the instruction vaddpd zmm0, zmm0" in result.stderr and not result.stdout, result
    gcc = cross("gcc", "x86_64")
    need(gcc)
    with Folder() as folder:
        source = write(folder, "w.c", "void f(long n, double *restrict x, const double *restrict y)\n"
                       "{\n    for (long i = 0; i < n; i++)\n        x[i] += y[i];\n}\n"
                       "long g(long n, const long *x)\n{\n    long s = 0;\n"
                       "    while (n--)\n        s = s * 3 + x[n];\n    return s;\n}\n")
        program = build(folder, [gcc], [source], "-O3", "-g", "-c", "-mavx512f", "-mprefer-vector-width=512",
                        output="w.o")
        shown = text("cycles", program, "--machine", "haswell")
        assert "haswell does not have the instruction" in shown and re.search(r"^ +\d+\.\d\d .* g ", shown, re.M), shown
        found = ask(program, "--machine", "haswell")
        lacking = [r for r in found if r["cycles"] is None]
        assert lacking and all(r["limit"] is None and "does not have" in r["remark"] for r in lacking), found
        loop = str(lacking[0]["loop"])
        result = assay("cycles", program, "--machine", "haswell", "--loop", loop, status=2)
        assert b"does not have the instruction" in result.stderr and b"cycles per iteration" not in result.stdout
        database = os.path.join(folder, "w.db")
        assay("db", program, "-o", database, "--cycles", "--machine", "haswell")
        kept = rows(database, "select cycles, \"limit\" from loop_cycles where cycles is null")
        assert kept and all(r["limit"] == "none" for r in kept), kept


@test
def what_had_to_be_assumed_is_said():
    with Folder() as folder:
        write(folder, "thin", "name thin\ntitle Thin\nisa x86-64\nfigures invented\nwidth 4\nfloating 1\nmemory 1\n"
              "branches 1\nports 0 1\nissue 4\nform add r64,i8 : uops 1 ports p01 latency 1\n")
        env = dict(os.environ, ASSAY_MACHINES=folder)
        shown = text("cycles", "--hex", BLOCK, "--machine", "thin", env=env)
        assert "1 of 2 instructions" in shown and "cmp r64,r64" in shown and "(assumed)" in shown, shown
        found, = ask("--hex", BLOCK, "--machine", "thin", env=env)
        assert found["known_count"] == 1 and "1 of 2 assumed" in found["remark"], found
        assert [i["is_known"] for i in found["instructions"]] == [True, False], found
        write(folder, "bent", "name bent\nissue many\n")
        result = assay("cycles", "--hex", BLOCK, "--machine", "bent", status=2, env=env)
        assert b"bent:2:" in result.stderr and len(result.stderr.splitlines()) == 1, result.stderr


@test
def the_machine_is_always_named():
    for words in (["--hex", BLOCK], ["--hex", BLOCK, "--isa", "x86-64"]):
        shown = assay("cycles", *words, "--isa", "x86-64").stdout.decode()
        assert re.match(r"machine: \S+( with(out)? [^(]*)? \(.*\), (this computer's( by its instructions: [^;:]*)?(: [^;]*)?|"
                        r"the nearest to this computer's, which no file describes [^;]*|assumed); [^;]*--machine\n", shown), shown
    result = assay("cycles", "--batch", "-", "--isa", "x86-64", stdin=BLOCK.encode())
    assert result.stderr.startswith(b"assay: machine: "), result.stderr


@test
def other_instruction_sets():
    # add x0, x0, x1; mul x0, x0, x1
    found, = ask("--hex", "0000018b007c019b", "--machine", "neoverse-v1")
    assert found["instructions"][0]["text"].startswith("add") and found["cycles"] >= 2, found
    # 32-bit code on an x86-64 machine: inc eax has one byte.
    found, = ask("--hex", "40", "--machine", "skylake", "--isa", "i386")
    assert found["instruction_count"] == 1 and found["cycles"] == 1, found


@test
def mistakes_are_one_line():
    with Folder() as folder:
        program = kernels(folder, "x86_64", "-O1")
        for words, status, says in (
                ([], 2, "one of FILE, --hex, --asm and --batch"), (["--hex", BLOCK, program], 2, "only one of"),
                (["--hex", "", "--machine", "skylake"], 2, "empty"),
                (["--hex", "4883c0064883", "--machine", "skylake"], 2, "at byte 4: 48 83"),
                (["--hex", "06", "--machine", "skylake"], 2, "no x86-64 instruction at byte 0: 06"),
                (["--hex", "9006", "--machine", "skylake"], 2, "at byte 1: 06"),
                (["--hex", "48g3"], 2, "not hexadecimal at character 3"), (["--hex", "483"], 2, "two digits"),
                (["--hex", BLOCK, "--machine", "skylakes"], 2, "did you mean skylake"),
                (["--hex", BLOCK, "--machine", "neoverse-v1"], 2, "aarch64"),
                (["--hex", BLOCK, "--machine", "neoverse-v1", "--isa", "x86-64"], 2, "does not run x86-64 code"),
                (["--hex", BLOCK, "--isa", "vax"], 2, "--isa takes"), (["--hex", BLOCK, "--loop", "1"], 2, "FILE"),
                (["--hex", BLOCK, "--loop-mode", "--unrolled"], 2, "choose one"),
                ([program, "--unrolled"], 2, "--unrolled"), (["--batch", os.path.join(folder, "none")], 2, "none"),
                (["--batch", folder], 2, "read"), (["--asm", os.path.join(folder, "none.s")], 2, "none.s"),
                ([program, "--loop", "999999"], 1, "no loop"), ([program, "--function", "nowhere"], 1, "no function"),
                ([program, "--machine", "neoverse-v1"], 2, "neoverse-v1 does not run x86-64 code"),
                ([program, "--paths", "0", "--machine", "skylake"], 2, "--paths")):
            result = assay("cycles", *words, status=status)
            reported = result.stderr.decode()
            assert says in reported and reported.splitlines()[-1].startswith("assay: "), (words, reported)
            assert "cycles per iteration" not in result.stdout.decode(), (words, result.stdout)


@test
def all_paths_count():
    """The slowest of many paths is found, and where some are left out, that is said."""
    source = """
        long f(long n, const long *x)
        {
            long s = 1;
            for (long i = 0; i < n; i++) {
                if (x[i] & 1)
                    s += x[i];
                else if (x[i] & 2)
                    s ^= x[i] >> 3;
                else if (x[i] & 4)
                    s -= 7 * x[i];
                else
                    s = x[i] / (s | 1);
            }
            return s;
        }"""
    with Folder() as folder:
        with open(os.path.join(folder, "f.c"), "w") as file:
            file.write(source)
        gcc = cross("gcc", "x86_64")
        need(gcc)
        command([gcc, "-O1", "-c", "-o", os.path.join(folder, "f.o"), os.path.join(folder, "f.c")])
        program = os.path.join(folder, "f.o")
        found = ask(program, "--machine", "skylake")
        assert len(found) >= 4 and max(row["cycles"] for row in found) > 20, found
        assert all(row["remark"] is None for row in found), found
        shown = text("cycles", program, "--function", "f", "--machine", "skylake")
        reported = [float(cycles) for cycles in re.findall(r"([\d.]+) cycles per iteration", shown)]
        assert reported == sorted((round(row["cycles"], 2) for row in found), reverse=True)[:4], (reported, found)
        several = text("cycles", program, "--function", "f", "--machine", "skylake", "--paths", "64")
        assert several.count("cycles per iteration") == len(found), several
        few = ask(program, "--machine", "skylake", "--paths", "2")
        assert few and all(re.fullmatch(rf"{len(few)} of \d+ paths", row["remark"]) for row in few), few
        kept = os.path.join(folder, "f.db")
        assay("db", program, "--cycles", "--machine", "skylake", "-o", kept)
        asked = "select loop, path, cycles, \"limit\" from loop_cycles order by loop, path"
        expected = [{name: row[name] for name in ("loop", "path", "cycles", "limit")} for row in found]
        assert rows(kept, asked) == sorted(expected, key=lambda row: row["path"]), (rows(kept, asked), expected)


@test
def cycles_are_made_when_sql_asks():
    with Folder() as folder:
        program = kernels(folder, "x86_64", "-O1")
        asked = "select count(*) as n, min(p.name) as name from loop_cycles c join processors p on p.id = c.processor"
        result = assay("sql", program, asked, "--machine", "haswell", "--json")
        found, = json.loads(result.stdout)
        assert found["n"] >= 4 and found["name"] == "haswell" and not result.stderr, (found, result.stderr)
        result = assay("sql", program, asked, "--json")
        assert json.loads(result.stdout)[0]["n"] >= 4, result
        # The machine in the same words as elsewhere, once.
        sentence = assay("cycles", program).stdout.splitlines()[0]
        assert sentence.endswith(b"; choose another with --machine"), sentence
        assert result.stderr.splitlines() == [b"assay: " + sentence], (result.stderr, sentence)
        both = assay("sql", program, "select count(*) from advice; select count(*) from loop_cycles", "--json")
        assert both.stderr.count(sentence) == 1, both.stderr
        kept = os.path.join(folder, "k.db")
        assay("db", program, "-o", kept)
        result = assay("sql", kept, asked, "--json")
        assert b"assay db --cycles" in result.stderr and json.loads(result.stdout)[0]["n"] == 0, result


@test
def loops_that_wait():
    """The analysis finds the sum, the list and the division, and not a loop that its ports limit."""
    with Folder() as folder:
        program = kernels(folder, "x86_64", "-O1")
        found = {row["function"]: row for row in
                 json.loads(text("analysis", "waiting-loops", program, "--set", "times=1.2", "--machine",
                                 "skylake", "--json"))}
        assert {"sum", "length", "divide"} <= set(found), found
        assert found["divide"]["held_by"] == "divider" and found["length"]["held_by"] == "latency", found
        assert found["sum"]["cycles"] == 4 and found["sum"]["otherwise"] <= 1.25, found
        kept = os.path.join(folder, "k.db")
        assay("db", program, "-o", kept)
        result = assay("analysis", "waiting-loops", kept, status=2)
        assert not result.stdout and b"assay db --cycles" in result.stderr, result
        assay("db", program, "--cycles", "--machine", "skylake", "-o", kept)
        again = json.loads(text("analysis", "waiting-loops", kept, "--set", "times=1.2", "--json"))
        assert {row["function"]: row["cycles"] for row in again} == {
            name: row["cycles"] for name, row in found.items()}, (again, found)


@test
def damaged_databases():
    need("sqlite3")
    with Folder() as folder:
        program = kernels(folder, "x86_64", "-O1")
        good = os.path.join(folder, "good.db")
        assay("db", program, "-o", good)
        for change, status, says in (
                ("update code set encoding = 1000000", 2, "database"), ("delete from paths", 2, "no path"),
                ("update blocks set instruction_count = 100000", 2, "database"),
                ("delete from path_blocks", 2, "no path"), ("update path_blocks set block = 3", 0, ""),
                ("update encodings set form = 'no such thing'", 2, "does not have"),
                ("update encodings set size = 255", 0, ""),
                ("update registers set full = 2", 0, ""), ("delete from register_uses", 0, ""),
                ("update operands set scale = 255, displacement = 9223372036854775807", 0, "")):
            bad = os.path.join(folder, "bad.db")
            shutil.copy(good, bad)
            command(["sqlite3", bad, change])
            result = assay("cycles", bad, "--machine", "skylake", "--quiet", status=status)
            assert says in result.stderr.decode() and len(result.stderr.splitlines()) == (status > 0), (change, result)


@test
def registers_of_a_harness_are_alike():
    """mov rax,[rsi+0x18]; mov [rdi+0x18],rax was measured at 5 cycles on Haswell, because rsi and rdi hold one address there
    (BHive).  A pointer that moves is another one, the stack is apart, and a chain through memory may be broken."""
    blocks = {"488b461848894718": ("1.00", "5.00"), # mov rax,[rsi+24]; mov [rdi+24],rax
              "488b4618488947184883c708": ("1.00", "1.00"), # and add rdi,8
              "488b442418488947184883c708": ("1.00", "1.00"), # mov rax,[rsp+24]
              "48c7060000000048832f01": ("6.00", "2.00")} # mov qword [rsi],0; sub qword [rdi],1
    with Folder() as folder:
        path = os.path.join(folder, "blocks")
        with open(path, "w") as file:
            file.write("\n".join(blocks))
        for column, flags in enumerate(([], ["--alike"])):
            said = dict(row.split(",") for row in text("cycles", "--batch", path, "--machine", "haswell", *flags).split())
            assert said == {block: cycles[column] for block, cycles in blocks.items()}, (flags, said)
        assert b"--alike is for --batch" in assay("cycles", "--hex", "90", "--alike", status=2).stderr


run()
