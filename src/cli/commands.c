/* The table of commands. */
#include "cli/commands.h"

#define LIST(...) .least = 1, .most = 1, .arguments = "FILE", .run = command_list, .options = {__VA_ARGS__}

#define FILE_DETAILS                                                                                         \
    "FILE is an executable, a shared object, an object file, an archive or an assembly listing for "         \
    "x86-64, i386, AArch64 or IA-64, or a database written by assay db."

const struct command commands[] = {
    {.name = "run",
     .summary = "Run a program and say which loops take its time, how far they are from the model, and what "
                "to change",
     .arguments = "[--] PROGRAM [ARGUMENT…], or --pid PID, or --merge DIR",
     .details =
         "Runs the program once, with samples of where its threads are (about 1000 a second), and reports "
         "where "
         "the "
         "time went: program, libraries, kernel, waiting; the hottest loops and functions with their share; "
         "for each loop the cycles that an iteration should take, and the advice that would save most of the "
         "whole run. The program needs no preparation; -g adds source lines. It is slowed down by less than "
         "1 %. Threads, child processes and all ranks of mpirun are in one answer.\n\n"
         "--measure runs it a second time with probes on the hot loops, for trip counts and the cycles that "
         "an "
         "iteration really took, and says why they differ from the prediction. --explain adds a third run "
         "for "
         "causes that only addresses and branches show. Output of further runs is dropped; standard input is "
         "read again if it is a file.\n\n"
         "--counters samples further events, by function and loop (assay counters lists them). --pid samples "
         "a "
         "process that already runs. On a cluster, srun assay run --rank-files DIR ./prog "
         "writes a recording for each rank, and assay run --merge DIR reports on all of them.\n\n"
         "The answer goes to standard error, so that the program's output stays what it was; --json and "
         "--csv "
         "print to standard output, and the program's output then goes to standard error. --output writes a "
         "database for assay report, assay sql and every other command. Ctrl-C goes to the program, and the "
         "answer covers what was recorded so far. docs/run.md has a worked example and the limits.",
     .examples = {{"assay run -- ./prog input", "which loops matter, and what to do about them"},
                  {"assay run --measure -- ./prog input", "measured beside predicted cycles"},
                  {"assay run --counters page_faults -- ./prog", "counters by function and loop"},
                  {"assay run -o run.db --html run.html -- ./prog", "keep it for SQL, and a page"},
                  {"assay run -p 1234 --seconds 10", "a program that runs already"},
                  {"assay run -- mpirun -n 4 ./solver", "all ranks, with imbalance"},
                  {"srun assay run --rank-files ranks ./solver", "a recording for each rank of a cluster"},
                  {"assay run --merge ranks", "all of them in one answer"}},
     .options = {OPTION_MEASURE, OPTION_EXPLAIN, OPTION_PROCESS, OPTION_SECONDS, OPTION_FREQUENCY,
                 OPTION_NO_STACKS, OPTION_COUNTERS, OPTION_ALL_CODE, OPTION_RANK_FILES, OPTION_MERGE,
                 OPTION_OUTPUT, OPTION_FORCE, OPTION_HTML_FILE, OPTION_TOP, OPTION_LEVEL, OPTION_PATHS,
                 OPTION_MACHINE},
     .least = 0,
     .most = NO_LIMIT,
     .runs_operands = true,
     .exits = "the program's own (128 + N if signal N ended it); 2 if Assay itself fails",
     .run = command_run},
    {.name = "report",
     .summary = "What is wrong with the innermost loops of a program, and what to do about it",
     .arguments = "FILE",
     .details =
         "For each innermost loop: how many cycles an iteration takes, what limits it, what is wrong with "
         "its code, what to change in the source or in the compiler's options, and how much faster that "
         "makes it. Assay assumes that the data is in the L1 cache, so gains come from the code "
         "alone. The report opens with one screen: what would help many loops at once, and the ten loops "
         "that "
         "matter most. A page for each of these follows; --all shows the rest. A loop without advice at the "
         "chosen level is only counted, unless --loop, --line or --function selected it.\n\n"
         "Levels: gain (acting on it nearly always pays), potential (it may pay), hint (unusual; worth a "
         "look), expert (assembly, every figure, the parts of the core). Each level includes the ones before "
         "it.\n\n"
         "A loop with branches is analysed path by path, up to 8 paths (--paths); paths that leave the loop "
         "do not count. FILE is a binary, an assembly listing or a database; without debug information (-g) "
         "loops are identified by address. A database of assay run is reported by what took time "
         "(docs/run-report.md).\n\n"
         "--csv prints a row for each loop and path and a column for each metric (assay help metrics "
         "explains them), --json an object; both have all loops (docs/report.md).",
     .examples = {{"assay report ./prog", "a summary and the ten loops that matter"},
                  {"assay report ./prog --line solve.c:40", "the loops around source line 40"},
                  {"assay report ./prog --function '^solve' --level hint", "more about some functions"},
                  {"assay report ./prog --top 20 --html -o prog.html", "a page for the browser"},
                  {"assay report ./prog --csv > loops.csv", "all figures of every loop and path"},
                  {"assay report run.db", "the hottest loops of a run (assay run -o run.db -- ./prog)"}},
     .options = {OPTION_FUNCTION, OPTION_LINE, OPTION_LOOP, OPTION_PROGRAM, OPTION_TOP, OPTION_ALL,
                 OPTION_LEVEL, OPTION_PATHS, OPTION_MACHINE, OPTION_HTML, OPTION_OUTPUT, OPTION_NO_PAGER},
     .least = 1,
     .most = 1,
     .exits = "0 done, 1 no loop matches the selection, 2 bad usage or input",
     .run = command_report},
    {.name = "diff",
     .summary = "What a change did to the loops of a program: two builds compared",
     .arguments = "OLD NEW",
     .details = "Matches the functions and loops of two builds and shows which loops got slower and faster, "
                "by how much, and why: "
                "vectors lost, spills gained, unrolled less, another limit. The builds may come from two "
                "versions of the source, two "
                "compilers or two sets of options. Both are modelled on the same machine, unless "
                "--old-machine names "
                "another for OLD.\n\n"
                "Functions are matched by name, else by their code and by who calls them; loops by source "
                "lines, else by their code. "
                "Addresses that the linker chose do not count. A loop is compared for the same work: per "
                "iteration of the source "
                "where both builds show how many of these one iteration does. Loops are sorted by their "
                "effect on the whole "
                "program: by the samples of a run (--run, or OLD is a database of assay run), else by an "
                "estimate.\n\n"
                "OLD and NEW are binaries, listings or databases. --git REV [PROGRAM] -- COMMAND builds both "
                "instead, in "
                "private copies that are removed afterwards: commit REV and the working tree, or two commits "
                "OLD..NEW.",
     .examples = {{"assay diff old/prog new/prog", "what got slower and faster"},
                  {"assay diff --git HEAD~1 prog -- make", "the last commit against the working tree"},
                  {"assay diff old/prog new/prog --run run.db",
                   "sorted by what a run of the old build showed"},
                  {"assay diff old/prog new/prog --threshold 10 --csv",
                   "all loops that differ, for a script"},
                  {"assay diff prog prog --old-machine neoverse-n1 --machine neoverse-v2",
                   "one program on two machines"},
                  {"assay diff old/prog new/prog --html -o diff.html", "a page for the browser"}},
     .options = {OPTION_RUN, OPTION_THRESHOLD, OPTION_ALL, OPTION_FUNCTIONS, OPTION_GIT, OPTION_HTML,
                 OPTION_MACHINE, OPTION_OLD_MACHINE, OPTION_OUTPUT, OPTION_NO_PAGER},
     .least = 0,
     .most = NO_LIMIT,
     .exits = "0 nothing got slower, 1 a loop did by more than --threshold, 2 bad usage or input",
     .run = command_diff},
    {.name = "check",
     .summary = "Whether loops keep what their source asserts: a check that fails a build",
     .arguments = "FILE [RULES…]",
     .details =
         "Assertions stand in the source as comments, each about the loop behind it, such as\n\n"
         "// assay: vectorised >= 256 bits, no spills, no calls\n\n"
         "// assay: cycles <= 2.5 per element on zen4, neoverse-v1\n\n"
         "or in files of rules, one a line, such as\n\n"
         "loop solve.c:40: no conversions\n\n"
         "function dot: unrolled, fma\n\n"
         "file kernels/: no x87\n\n"
         "rule 'no tiny functions': select name from functions where instruction_count < 3\n\n"
         "The SQL of a rule must not return a row. Comments are found through the line table of the program "
         "(compile with -g), so that only code that "
         "was compiled is checked. A comment whose loop is gone fails. Of the loops that a compiler made of "
         "one source loop, the main loop counts; every inlined copy is checked. An assertion has to hold on "
         "every path through the loop. docs/check.md lists the words.\n\n"
         "--baseline compares with an older build, as assay diff does, and fails for loops that got slower "
         "by "
         "more than --allow. Without `on`, cycles are those of --machine.",
     .examples = {{"assay check ./prog", "the comments in its sources"},
                  {"assay check ./prog rules.assay", "and the rules of a file"},
                  {"assay check ./prog --baseline old.db --allow 3%", "and no loop 3 % slower than before"},
                  {"assay check ./prog --sarif assay.sarif --junit assay.xml", "files for a hosting service"},
                  {"assay check ./prog --passed", "also what holds"}},
     .options = {OPTION_BASELINE, OPTION_ALLOW, OPTION_JUNIT, OPTION_SARIF, OPTION_ANNOTATIONS, OPTION_PASSED,
                 OPTION_ROOT, OPTION_MACHINE, OPTION_OUTPUT},
     .least = 1,
     .most = NO_LIMIT,
     .exits = "0 everything holds, 1 something does not, 2 bad usage or input, or an assertion that cannot "
              "be read",
     .run = command_check},
    {.name = "ui",
     .summary = "A page for the browser: source beside assembly, loops, graphs, questions in SQL",
     .arguments = "FILE…",
     .details =
         "Starts a server on this computer and opens the browser: the program on one screen, each loop with "
         "its source, "
         "assembly, cycles and advice, graphs of calls and of control flow, and an editor for SQL. Ctrl-C "
         "ends it.\n\n"
         "FILE is a binary, a listing or a database, also of a run (assay run -o run.db). Only this computer "
         "can open the page, and only with the link that is printed.",
     .examples = {{"assay ui ./prog", "a look at a program"},
                  {"assay ui run.db", "the hot loops of a run"},
                  {"assay ui old/prog new/prog", "two builds"}},
     .options = {OPTION_LISTEN, OPTION_PORT, OPTION_TOKEN, OPTION_NO_BROWSER, OPTION_MACHINE},
     .least = 1,
     .most = NO_LIMIT,
     .run = command_ui},
    {.name = "db",
     .summary = "Write the whole program as one SQLite database",
     .arguments = "FILE…",
     .details = "Several files go into one database: each file and each member of an archive is a row of "
                "programs; assembly listings for one instruction set together make one program. Without "
                "--output the database is named after the first file and written to the working directory. "
                "An existing file is replaced only if it is a database written by Assay.\n\n"
                "The summary shows how much was found and where the model has gaps: bytes that are not "
                "instructions, indirect jumps without known targets, damaged debug information. The table "
                "problems has the details.",
     .examples = {{"assay db ./prog", "writes prog.db"},
                  {"assay db ./prog libm.so.6 -o both.db", "two programs in one database"},
                  {"assay db kernel.s helper.s -o kernel.db", "two assembly listings, one program"},
                  {"assay db ./prog --cycles --machine zen4", "with cycles for its loops"},
                  {"assay db ./prog --report", "with everything that assay report shows"},
                  {"assay db libfoo.a --json", "the summary for a script"}},
     .options = {OPTION_OUTPUT, OPTION_FORCE, OPTION_FLOW, OPTION_CYCLES, OPTION_REPORT, OPTION_MACHINE,
                 OPTION_PATHS},
     .least = 1,
     .most = NO_LIMIT,
     .run = command_db},
    {.name = "sql",
     .summary = "Query the tables in SQL: a query, a script or an interactive shell",
     .arguments = "FILE [QUERY]",
     .details =
         FILE_DETAILS " A binary is first turned into tables in memory; a database is opened read-only.\n\n"
                      "Without a query, SQL is read from standard input; on a terminal that is a shell with "
                      "history and completion. The words FUNCTION, LOOP, BLOCK and PROGRAM in the SQL stand "
                      "for the ids selected with --function, --loop, --block and --program. Ctrl-C stops a "
                      "query. --machine names the processor for the cycles of loops (assay help cycles) and "
                      "for the results of assay report (loop_metrics, advice and related tables).\n\n"
                      "With --json, each statement that returns rows prints one array.",
     .examples = {{"assay sql prog.db 'select name, size from functions order by size desc limit 5'",
                   "a query"},
                  {"assay sql ./prog -F main 'select count(*) from blocks where function = FUNCTION'",
                   "about one function"},
                  {"assay sql prog.db -f script.sql --csv", "a script"},
                  {"assay sql prog.db 'select class, count(*) n from instructions group by 1' --bars n",
                   "draws a histogram"},
                  {"assay sql prog.db", "the shell"}},
     .options = {OPTION_SCRIPT, OPTION_FUNCTION, OPTION_LOOP, OPTION_BLOCK, OPTION_PROGRAM, OPTION_MACHINE,
                 OPTION_BARS, OPTION_OUTPUT},
     .least = 1,
     .most = 2,
     .exits = "0 the SQL ran, 1 --function matches nothing, 2 bad usage, input or SQL",
     .run = command_sql},
    {.name = "lua",
     .summary = "Run a script of your own over the tables: what SQL cannot ask",
     .arguments = "SCRIPT [FILE] [-- WORD…]",
     .details =
         "SCRIPT is a file in Lua 5.4. " FILE_DETAILS
         " The table assay gives the script queries, rows with methods (blocks of a loop, users of an "
         "instruction), cycles on any machine and tables to print; docs/lua.md is the guide, "
         "docs/lua-reference.md lists every call. Rows that the script returns are printed as a table, "
         "with --csv and --json too. The words behind -- are in assay.arguments, the values of --set in "
         "assay.parameters.\n\n"
         "A script cannot reach files, processes or libraries; --trust lets it. --steps and "
         "--memory-limit end one that goes wild; Ctrl-C always does. A script with a header like that of "
         "an analysis in SQL is an analysis: in the folder of analyses, assay analyses lists it and assay "
         "analysis runs it.",
     .examples = {{"assay lua chains.lua ./prog", "a script about a program"},
                  {"assay lua -e 'for l in assay.each(\"select * from loops\") do print(l.id) end' ./prog",
                   "a line of code"},
                  {"assay lua chains.lua prog.db --set most=5 --csv", "with a parameter, as CSV"},
                  {"assay lua machines.lua -- neoverse-v1 zen4", "without a program, with words"}},
     .options = {OPTION_EXECUTE, OPTION_SET, OPTION_FUNCTION, OPTION_LOOP, OPTION_BLOCK, OPTION_PROGRAM,
                 OPTION_MACHINE, OPTION_STEPS, OPTION_MEMORY_LIMIT, OPTION_OUTPUT},
     .least = 0,
     .most = NO_LIMIT,
     .exits = "0 the script ran, 1 --function matches nothing, 2 bad usage, input or an error of the script",
     .run = command_lua},
    {.name = "loops",
     .summary = "List loops: function, source lines, nesting, size",
     .examples = {{"assay loops ./prog", "every loop"},
                  {"assay loops ./prog --innermost --sort -instructions --limit 10",
                   "the ten largest innermost loops"},
                  {"assay loops ./prog --line solve.c:120", "the loops around source line 120"}},
     LIST(OPTION_FUNCTION, OPTION_LINE, OPTION_DEPTH, OPTION_INNERMOST, OPTION_PROGRAM, OPTION_SORT,
          OPTION_LIMIT, OPTION_OUTPUT)},
    {.name = "functions",
     .summary = "List functions: address, size, blocks, loops, how they were found",
     .examples = {{"assay functions ./prog --sort -size --limit 20", "the largest"},
                  {"assay functions ./prog --function '^mpi_'", "by regular expression"}},
     LIST(OPTION_FUNCTION, OPTION_LINE, OPTION_SECTION, OPTION_PROGRAM, OPTION_SORT, OPTION_LIMIT,
          OPTION_OUTPUT)},
    {.name = "calls",
     .summary = "List calls: caller, callee, number of call sites",
     .examples = {{"assay calls ./prog", "who calls whom"},
                  {"assay calls ./prog --function malloc", "the callers of malloc"},
                  {"assay calls ./prog --sort -sites", "the busiest pairs first"}},
     LIST(OPTION_FUNCTION, OPTION_PROGRAM, OPTION_SORT, OPTION_LIMIT, OPTION_OUTPUT)},
    {.name = "blocks",
     .summary = "List basic blocks: address, size, how they end, loop, dominator",
     .examples = {{"assay blocks ./prog --function main", "the blocks of main"},
                  {"assay blocks ./prog --loop 3", "the blocks of loop 3"}},
     LIST(OPTION_FUNCTION, OPTION_LOOP, OPTION_LINE, OPTION_PROGRAM, OPTION_SORT, OPTION_LIMIT,
          OPTION_OUTPUT)},
    {.name = "edges",
     .summary = "List the edges of the control-flow graph",
     .examples = {{"assay edges ./prog --function main", "the edges of main"}},
     LIST(OPTION_FUNCTION, OPTION_LOOP, OPTION_PROGRAM, OPTION_SORT, OPTION_LIMIT, OPTION_OUTPUT)},
    {.name = "variables",
     .summary = "List variables: type, declaration, location (register or memory)",
     .examples = {{"assay variables ./prog --function solve", "parameters and locals of solve"}},
     LIST(OPTION_FUNCTION, OPTION_LINE, OPTION_PROGRAM, OPTION_SORT, OPTION_LIMIT, OPTION_OUTPUT)},
    {.name = "types",
     .summary = "List types of variables: size, dimensions, members",
     .examples = {{"assay types ./prog --sort -bytes", "the largest first"}},
     LIST(OPTION_PROGRAM, OPTION_SORT, OPTION_LIMIT, OPTION_OUTPUT)},
    {.name = "lines",
     .summary = "List the line table: addresses, source position, inlined function",
     .examples = {{"assay lines ./prog --line solve.c:120", "the code of one source line"},
                  {"assay lines ./prog --function solve", "the source lines of solve"}},
     LIST(OPTION_FUNCTION, OPTION_LINE, OPTION_PROGRAM, OPTION_SORT, OPTION_LIMIT, OPTION_OUTPUT)},
    {.name = "sources",
     .summary = "List source files, with the bytes of code compiled from each",
     .examples = {{"assay sources ./prog --sort -bytes", "most code first"}},
     LIST(OPTION_PROGRAM, OPTION_SORT, OPTION_LIMIT, OPTION_OUTPUT)},
    {.name = "programs",
     .summary = "List the programs in the file: instruction set, format, debug information",
     .examples = {{"assay programs libfoo.a", "the members of an archive"}},
     LIST(OPTION_SORT, OPTION_LIMIT, OPTION_OUTPUT)},
    {.name = "sections",
     .summary = "List sections of the file",
     .examples = {{"assay sections ./prog", "every section"}},
     LIST(OPTION_PROGRAM, OPTION_SECTION, OPTION_SORT, OPTION_LIMIT, OPTION_OUTPUT)},
    {.name = "symbols",
     .summary = "List symbols: names and addresses from symbol tables, debug and unwind information",
     .examples = {{"assay symbols ./prog --sort address", "by address"}},
     LIST(OPTION_PROGRAM, OPTION_SORT, OPTION_LIMIT, OPTION_OUTPUT)},
    {.name = "problems",
     .summary = "List gaps in the model, with counts",
     .examples = {{"assay problems ./prog", "what Assay could not find out about prog"}},
     .exits = "0 the model has no gaps, 1 there are some, 2 bad usage or input",
     LIST(OPTION_PROGRAM, OPTION_SORT, OPTION_LIMIT, OPTION_OUTPUT)},
    {.name = "show",
     .summary = "Print any table or view",
     .arguments = "TABLE FILE",
     .details = "docs/tables.md describes every table and view and their columns.",
     .examples = {{"assay show instructions prog.db --limit 20", "the first instructions"},
                  {"assay show units ./prog", "compilers and their options"}},
     .options = {OPTION_SORT, OPTION_LIMIT, OPTION_MACHINE, OPTION_OUTPUT},
     .least = 2,
     .most = 2,
     .run = command_show},
    {.name = "asm",
     .summary = "Print the disassembly, with source lines, loops and names",
     .arguments = "FILE",
     .details = FILE_DETAILS
     " Source text is shown if the source file exists and Assay may read it (--trust).\n\n"
     "Without a selection all code is printed; for an assembly listing that is its text, unchanged. --raw "
     "writes bytes instead: a section exactly as in the file, even when only the database is left.\n\n"
     "--probe puts nodes into a listing: a few instructions that record calls, loops or values when the "
     "program runs (docs/nodes.md has the plan and the runtime; assay cc does the same between compiler and "
     "assembler). Nothing else of the text changes, and --without-probes takes them out again.",
     .examples = {{"assay asm ./prog --loop 12", "one loop"},
                  {"assay asm prog.db --function main", "one function, from the database"},
                  {"assay asm prog.db --section .text --raw -o text.bin", "the bytes of a section"},
                  {"assay asm prog.s --probe plan.txt -o out.s", "a listing with probes"},
                  {"assay asm out.s --without-probes", "the same without them, byte for byte"}},
     .options = {OPTION_FUNCTION, OPTION_LOOP, OPTION_BLOCK, OPTION_SECTION, OPTION_PROGRAM, OPTION_NO_BYTES,
                 OPTION_NO_SOURCE, OPTION_RAW, OPTION_PROBE, OPTION_WITHOUT_PROBES, OPTION_OUTPUT},
     .least = 1,
     .most = 1,
     .exits = "0 done, 1 nothing matches the selection, 2 bad usage or input",
     .run = command_asm},
    {.name = "graph",
     .summary = "Draw the control flow, the dominators or the calls",
     .arguments = "FILE",
     .details =
         "The suffix of the output file sets the format: .svg, .pdf, .png, .dot and others that the "
         "installed Graphviz supports. Without --output the graph is written to standard output in DOT.\n\n"
         "Loops are framed and shaded by depth. Edges: fall grey, taken blue, switch purple, exception "
         "red and dashed, tail call green and dotted; an edge back to a loop's header is bold. Graphviz can "
         "take hours to lay out thousands of nodes, so more than 2000 need --force.",
     .examples = {{"assay graph ./prog --function main -o main.svg", "control flow"},
                  {"assay graph ./prog --function main --dominators --short -o dom.pdf", "dominator tree"},
                  {"assay graph ./prog --calls --function main --depth 2 -o calls.svg", "calls around main"},
                  {"assay graph ./prog --calls | dot -Tsvg > calls.svg", "the whole call graph through dot"}},
     .options = {OPTION_FUNCTION, OPTION_CALLS, OPTION_DOMINATORS, OPTION_DEPTH, OPTION_SHORT, OPTION_OUTPUT,
                 OPTION_FORCE},
     .least = 1,
     .most = 1,
     .is_plain = true,
     .exits = "0 done, 1 --function matches nothing, 2 bad usage or input",
     .run = command_graph},
    {.name = "analyses",
     .summary = "List the available analyses",
     .arguments = "",
     .details = "An analysis is an SQL file that begins with a title, a description and its parameters. "
                "Assay looks for analyses in the directories of ASSAY_ANALYSES (separated by colons), in "
                "~/.config/assay/analyses and where Assay is installed.",
     .examples = {{"assay analyses", "all of them, in groups"},
                  {"assay analyses --group memory", "one group, with its parameters"},
                  {"assay analyses --json", "for scripts"}},
     .options = {OPTION_GROUP},
     .run = command_analyses},
    {.name = "analysis",
     .summary = "Run an analysis",
     .arguments = "NAME FILE",
     .operands = "analyses",
     .details = FILE_DETAILS,
     .examples = {{"assay analysis instruction-mix ./prog", "over the whole program"},
                  {"assay analysis block-sizes ./prog --function main", "over one function"},
                  {"assay analysis waiting-loops ./prog --machine zen4", "cycles on a given processor"},
                  {"assay analysis spill-fill prog.db --keep",
                   "also write the rows into the table findings"}},
     .options = {OPTION_SET, OPTION_KEEP, OPTION_FUNCTION, OPTION_LOOP, OPTION_BLOCK, OPTION_PROGRAM,
                 OPTION_MACHINE, OPTION_OUTPUT},
     .least = 2,
     .most = 2,
     .exits = "0 it ran, 1 --function matches nothing, 2 bad usage, input or analysis",
     .run = command_analysis},
    {.name = "bounds",
     .summary = "MACS bounds of innermost loops: how fast machine, source, code and schedule allow",
     .arguments = "FILE",
     .details = "FILE is a binary, an assembly listing or a database written by assay db. For each innermost "
                "loop the table shows the operations of an iteration (t_f floating-point, t_b branches, t_m "
                "loads and stores), its cycles c, and cycles per floating-point operation, branch and memory "
                "operation (CPF, CPB, CPM): for the machine alone (M), for the operations of the source "
                "(MA), for the operations of the compiled code (MAC), for the compiled code as scheduled "
                "(MACS), and as measured. Figures are cut to two decimals. A sentence explains each gap "
                "between two levels. --csv and --json print a row for each level.\n\n"
                "MA needs the source and its debug lines; libclang reads C and C++, gfortran Fortran. "
                "docs/machines.md describes machine files, docs/bounds.md the figures.",
     .examples = {{"assay bounds daxpy.s --function daxpy", "the loops of one function"},
                  {"assay bounds ./prog --line solve.c:120", "the loops around source line 120"},
                  {"assay bounds ./prog --loop 3 --measured 13.5", "with the cycles measured in a run"},
                  {"assay bounds prog.db --machine zen4 --csv", "on another processor, for a script"}},
     .options = {OPTION_FUNCTION, OPTION_LOOP, OPTION_LINE, OPTION_PROGRAM, OPTION_MACHINE, OPTION_MEASURED,
                 OPTION_SINGLE_BUNDLES, OPTION_SOURCE, OPTION_COMPILE_COMMANDS, OPTION_LIMIT, OPTION_OUTPUT},
     .least = 1,
     .most = 1,
     .exits = "0 done, 1 nothing matches the selection, 2 bad usage or input",
     .run = command_bounds},
    {.name = "bench",
     .summary =
         "Measure this computer: a machine file of its core, latencies and throughput of instructions, or "
         "cycles of a block",
     .arguments = "",
     .details =
         "Alone, bench measures the core of this computer (common forms, or --forms all; width, window, "
         "queues, "
         "caches) and writes a machine file, which cycles, report and bounds take from then on: "
         "~/.config/assay/machines/NAME, or --output FILE. What could not be measured is taken from the "
         "known "
         "core that is nearest, and the file says so of each figure (assay machines show NAME). Results are "
         "kept "
         "in ~/.cache/assay/bench as they come: after Ctrl-C the same command goes on, --again begins "
         "anew.\n\n"
         "With the options below it runs generated machine code and prints the cycles that it takes, beside "
         "what "
         "the machine file of this computer says, or that of --machine. Each test runs in a child process "
         "with a time limit, pinned "
         "to one processor; the clock of the core is measured beside each sample. A spread above 1 % means "
         "that "
         "other programs disturbed the measurement: repeat it on an idle computer.\n\n"
         "--form measures one form (spelled as in machine files), or all known forms that match a regular "
         "expression: the latency from each operand to each result, and the throughput. Operands are named "
         "as in "
         "machine files: 1 to 8, addr and index for registers of an address, f for flags. Divisions are "
         "measured "
         "with easy and with hard operands. 'through memory' is the time from a store to a load of what it "
         "stored and back. Latencies between general registers, vector registers and flags are known only "
         "as round trips; docs/bench.md says how they are divided.\n\n"
         "--kernel and --hex measure a block. A block that ends in a branch to its start is a loop: its "
         "branch, and "
         "the comparison before it, are replaced by a counter. Other blocks are repeated without a branch. "
         "Registers and memory hold addresses of pages that appear when they are touched; all data is in the "
         "L1 "
         "cache.\n\n"
         "--memory measures each level of memory: the latency of a load, and bytes that loads, stores and "
         "copies move, of "
         "one core and of all processors at once, for regions up to --largest. Sizes of caches are those "
         "that the "
         "system reports; where measured times disagree, the output says so. --csv and --json print every "
         "point.\n\n"
         "--compare measures a set of forms (--forms) and lists the figures that differ from a machine file. "
         "--make-runner writes a program with the same tests for a computer that has only gcc and make; it "
         "prints results that --result reads. With --result FILE it writes the tests that are still missing, "
         "until it says that nothing is left; then --result FILE --name NAME writes the machine file. "
         "--resume keeps results in a file as they come: after Ctrl-C the same "
         "command "
         "goes on.\n\n"
         "--csv and --json print a row for each figure: form, kind (latency, throughput, memory), from, to, "
         "operands, status (measured, missing, trapped, slow, failed, untested), cycles (from the quickest "
         "samples), median, "
         "spread (relative), ghz, machine, expected, remark.",
     .examples = {{"assay bench", "a machine file of this computer"},
                  {"assay bench --form 'fmla 4s,4s,4s'", "one form: its latencies and throughput"},
                  {"assay bench --form '^vfmadd231p'", "all forms that match"},
                  {"assay bench --kernel loop.s", "a block, beside its prediction"},
                  {"assay bench --compare neoverse-v1 --forms common",
                   "where this computer differs from a machine file"},
                  {"assay bench --make-runner runner", "for a computer without Assay"},
                  {"assay bench --result results --compare neoverse-v1", "what it printed there"},
                  {"assay bench --result results --name my-server", "a machine file from it"}},
     .options = {OPTION_FORM, OPTION_KERNEL, OPTION_HEX, OPTION_COMPARE, OPTION_FORMS, OPTION_MEMORY,
                 OPTION_LARGEST, OPTION_MAKE_RUNNER, OPTION_RESULT, OPTION_RESUME, OPTION_NAME, OPTION_OUTPUT,
                 OPTION_AGAIN, OPTION_MACHINE, OPTION_LIMIT},
     .run = command_bench},
    {.name = "cycles",
     .summary = "How many cycles an iteration of a loop or block takes on a processor, and why",
     .arguments = "[FILE]",
     .details =
         "The data is in the L1 cache, unless --data names another level. Each part of the core (predecoder, "
         "decoders, µop cache, issue, ports, divider, latency, …) gives a lower bound; the largest is the "
         "prediction, and the instructions that cause it are marked. Parts that do not matter for the block "
         "are left out. The output always names the machine; --machine selects another (assay machines lists "
         "them).\n\n"
         "FILE is a binary, an assembly listing or a database written by assay db. Without a selection each "
         "innermost loop gets a line, the slowest first, with the cycles of its slowest path (and of its "
         "fastest in the column least, where they differ); --loop, --function or --line shows loops in full, "
         "with the four slowest paths of each (--paths for more). Paths that leave the loop do not count. "
         "assay db --cycles writes the same figures into a database; assay sql computes them when a query "
         "reads loop_cycles, core_bounds or loop_levels.\n\n"
         "--data l2, l3 or memory adds the time that lines of data need from there, by the bandwidths of the "
         "machine file (assay bench --memory measures them; docs/levels.md).\n\n"
         "--hex and --asm take a single block. Assay repeats it back to back without a branch, unless it "
         "ends in a branch to its own start or --loop-mode is given: then it is a loop. Assembly text is "
         "what GNU as accepts: AT&T syntax for x86 unless it begins with .intel_syntax noprefix.\n\n"
         "--batch reads one block per row: the first comma-separated field is the block in hexadecimal; a "
         "header row is skipped. It prints one row for each, in order: hex,cycles or hex,,reason; with "
         "--json, objects with row, hex, cycles, limit, instruction_count, known_count and reason. Rows "
         "without an answer are also reported on standard error with their line numbers.\n\n"
         "--csv and --json print a row for each path or block: loop, path, function, file, first_line, "
         "last_line, machine, mode, cycles, limit, next and next_cycles (the limit once the first is "
         "removed), unaligned_cycles (with the worst alignment of the data), source (where a loop's µops "
         "come from), instruction_count, known_count, call_count, "
         "data, data_cycles and data_limit (as --data says), cycles_l2, cycles_l3 and cycles_memory, lines "
         "of "
         "data by kind, stride, remark, and a column for each part of the core. With --loop, --function, "
         "--line, --hex or --asm, --json also lists the instructions. docs/cycles.md explains each part.",
     .examples = {{"assay cycles ./prog", "every innermost loop, the slowest first"},
                  {"assay cycles ./prog --loop 12 --machine skylake", "one loop in full"},
                  {"assay cycles ./prog --line solve.c:40", "the loops around source line 40"},
                  {"assay cycles ./prog --loop 12 --data memory", "its data does not fit any cache"},
                  {"assay cycles --hex 4883c0484839c2 --machine haswell", "a block given as bytes"},
                  {"assay cycles --asm kernel.s --loop-mode", "a piece of assembly as a loop"},
                  {"assay cycles --batch blocks.csv --machine skylake", "many blocks"}},
     .options = {OPTION_FUNCTION, OPTION_LOOP, OPTION_LINE, OPTION_PROGRAM, OPTION_MACHINE, OPTION_PATHS,
                 OPTION_LIMIT, OPTION_DATA, OPTION_HEX, OPTION_ASM, OPTION_BATCH, OPTION_LOOP_MODE,
                 OPTION_UNROLLED, OPTION_OUTPUT},
     .most = 1,
     .exits =
         "0 done, 1 nothing matches the selection, or a row of a batch has no answer, 2 bad usage or input",
     .run = command_cycles},
    {.name = "denormals",
     .summary = "Find denormal numbers in a run of a program: where they arise and what they cost",
     .arguments = "profile|trace [--] PROGRAM [ARGUMENT…], or report FILE",
     .details =
         "Arithmetic on denormal (subnormal) numbers is slow on many processors, so the same code can be "
         "many times slower on other data. profile runs the program with floating-point traps (x86-64 and "
         "i386) at nearly full speed. It counts events for each instruction, and samples the operand, its "
         "value, its address and the call stack. Traps are switched off for a while after an event, so that "
         "the run is at most --budget slower; counts are then estimates with an error. --exact traps every "
         "event. On a processor that cannot trap, profile says so and uses the tracer to count.\n\n"
         "trace runs the program under Valgrind and follows the values. It reports loads, operations and "
         "stores for each instruction, heat maps of arrays, how denormals move from array to array and where "
         "they arise, and sums it up in a few sentences (the story). Arrays have names if there is debug "
         "information (-g).\n\n"
         "A new phase begins where the program marks one (assay/denormals.h), when it receives SIGUSR1, and "
         "every so often with --phase-every. The program's output is not touched, except that --json and "
         "--csv send its standard output to standard error; the report follows it. --output writes a "
         "database with the program, the libraries that met denormals, and everything recorded, for assay "
         "denormals report, assay sql and every other command; --cycles adds the cycles of their loops.\n\n"
         "Options go before --; everything after it belongs to the program. Ctrl-C goes to the program; the "
         "report then covers what was recorded so far.\n\n"
         "If the profiler and the tracer are neither in the build directory nor installed with Assay, "
         "ASSAY_RUNTIME names their folder. docs/denormals.md has worked examples, the options and the "
         "limits of both.",
     .examples = {{"assay denormals profile -- ./prog input", "how many, where, at what cost"},
                  {"assay denormals trace -o prog.db -- ./prog input", "arrays, origins, the story"},
                  {"assay denormals report prog.db", "the report again"},
                  {"assay denormals report prog.db --html -o prog.html",
                   "a page for the browser, with the maps"},
                  {"assay denormals report prog.db --maps maps", "heat maps and films as PNG"},
                  {"assay denormals trace --phase-every 1 -- ./prog", "a phase for each second"}},
     .options = {OPTION_OUTPUT, OPTION_FORCE, OPTION_BUDGET, OPTION_EXACT, OPTION_COUNTS, OPTION_NEAR,
                 OPTION_PHASE_EVERY, OPTION_CHILDREN, OPTION_MAPS, OPTION_TOP, OPTION_RUN, OPTION_HTML,
                 OPTION_CYCLES, OPTION_MACHINE},
     .least = 2,
     .most = NO_LIMIT,
     .exits = "0 done, 1 the program itself failed (the report covers what was recorded), 2 bad usage or "
              "input, or the program could not be run",
     .run = command_denormals},
    {.name = "probe",
     .summary = "Measure what code does when it runs: calls, trip counts, times, values, addresses",
     .arguments = "[NAME…] -- PROGRAM [ARGUMENT…], or report FILE",
     .details =
         "Puts probes into the machine code of a program, runs it, and says what they saw. The program on "
         "disk "
         "is not changed, and neither debug information nor symbols are needed. Without further options "
         "every "
         "function gets probes: calls, and the time of each call (shortest, median, longest, deviation, "
         "distribution), with and without the functions that it calls. NAME before -- selects functions: an "
         "exact "
         "name, a name in the source, or a regular expression.\n\n"
         "--loops probes loops instead: entries, iterations, the distribution of trip counts, cycles of an "
         "entry "
         "and of an iteration; those of the functions named before --, or with --loop or --line, else all "
         "innermost loops. --calls probes calls of functions by their call sites, library functions too. "
         "--values records the parameters of functions, --at any register or variable at any instruction, "
         "--addresses the addresses of all loads and stores of a loop. They can be combined; --plan reads "
         "the "
         "same from a file, --show-plan prints it with the place of every probe and does not run "
         "anything.\n\n"
         "The cost of the probes is measured at the start and subtracted. The report ends with how the "
         "probes "
         "were placed and what could not be measured. --output writes a database with the program and "
         "everything "
         "measured, for assay probe report, assay sql, assay analysis and every other command. --object puts "
         "probes into a library, or into a program that PROGRAM starts. Threads and child processes "
         "are measured, too.\n\n"
         "Options go before --; everything after it belongs to the program. Ctrl-C goes to the program; the "
         "report then covers what was recorded so far. docs/probes.md has worked examples and the limits.",
     .examples = {{"assay probe -- ./prog input", "functions: calls and times"},
                  {"assay probe --loops -- ./prog input", "innermost loops: trip counts and cycles"},
                  {"assay probe --loops --line solve.f90:40 -- ./prog", "one loop"},
                  {"assay probe --calls 'memcpy|dgemm_' -- ./prog", "calls of library functions"},
                  {"assay probe --values solve -- ./prog", "parameters: most frequent values"},
                  {"assay probe --addresses --loop 12 -- ./prog", "strides, alignment, conflicts"},
                  {"assay probe --at solve.c:40:i -- ./prog", "a variable at a line"},
                  {"assay probe -o prog.db -- ./prog", "keep it for SQL and a page"}},
     .options = {OPTION_LOOPS, OPTION_CALLS_TO, OPTION_VALUES_OF, OPTION_ADDRESSES, OPTION_AT, OPTION_LOOP,
                 OPTION_LINE, OPTION_PLAN, OPTION_SHOW_PLAN, OPTION_NO_CLOCK, OPTION_KEEP_ALL, OPTION_OBJECT,
                 OPTION_OUTPUT, OPTION_FORCE, OPTION_TOP, OPTION_RUN, OPTION_HTML, OPTION_MACHINE},
     .least = 1,
     .most = NO_LIMIT,
     .exits = "0 done, 1 the program itself failed (the report covers what was recorded), or a name matches "
              "nothing, 2 bad usage or input, or the program could not be run",
     .run = command_probe},
    {.name = "counters",
     .summary = "List what this computer can count while a program runs, from questions to events",
     .arguments = "",
     .details =
         "A tree: questions such as \"is it waiting for memory?\", and below each the counters that answer "
         "it, "
         "with a sentence. Counters of the processor come through libpfm4; on most virtual machines they are "
         "hidden, and only those of the kernel work (page faults, switches, migrations). assay run "
         "--counters "
         "takes the names; it also takes every event that libpfm4 knows for this processor "
         "(arm_v1::STALL_BACKEND) and raw events (r1b). The trees are files of the folder counters; own ones "
         "go "
         "to ~/.config/assay/counters or ASSAY_COUNTERS. docs/counters.md describes them.",
     .examples = {{"assay counters", "the tree"},
                  {"assay counters --csv", "with events, and why some cannot be used"},
                  {"assay run --counters page_faults,switches -- ./prog", "by function and loop"}},
     .options = {OPTION_OUTPUT},
     .run = command_counters},
    {.name = "cc",
     .summary = "Compile with probes: a compiler wrapper that measures what the program does when it runs",
     .arguments = "[--] COMPILER [ARGUMENT…]",
     .details =
         "Runs the compiler with -S, puts nodes of a few instructions into the assembly, and lets the same "
         "compiler assemble and link. Probes in the source would change what the compiler does; these do "
         "not: "
         "the code is the one that it would have made. Put assay cc in front of gcc, g++, gfortran, clang, "
         "mpicc and the like (make CC='assay cc gcc'), for compiling and for linking. What makes no object "
         "(-E, -S, -M) is left to the compiler; with -flto, --coverage and -gsplit-dwarf it compiles without "
         "probes, and a message says so.\n\n"
         "All functions get probes: calls and the time of each call. --loops probes the innermost loops "
         "instead, --plan FILE what the file says (docs/probes.md), for the files where it matches "
         "something. "
         "Options of assay go before the compiler's name.\n\n"
         "The program writes a recording when it runs: ASSAY_PROBE_FILE names it, else it is "
         "assay.PID.probe in the current directory. assay probe report shows it. docs/nodes.md has more.",
     .examples = {{"assay cc gcc -O2 -c f.c", "an object with probes at all functions"},
                  {"assay cc --loops gfortran -O3 *.f90 -o prog", "loops; compiled and linked in one step"},
                  {"make CC='assay cc --plan plan.txt gcc'", "a whole project"},
                  {"assay probe report assay.1234.probe", "what the run measured"}},
     .options = {OPTION_FUNCTIONS, OPTION_LOOPS, OPTION_PLAN, OPTION_NO_CLOCK},
     .least = 1,
     .most = NO_LIMIT,
     .is_plain = true,
     .runs_operands = true,
     .exits = "those of the compiler; 2 if assay itself fails",
     .run = command_cc},
    {.name = "machines",
     .summary = "List the processors that Assay knows, or show one of them",
     .arguments = "[show NAME]",
     .details =
         "Each processor is described by a text file (docs/machines.md). Assay looks for these files in the "
         "directories of ASSAY_MACHINES (separated by colons), in ~/.config/assay/machines and where Assay "
         "is installed. The list shows the instruction set, where the figures come from and how many "
         "instruction forms the file has; a star marks this computer's processor. NAME+nosve, +noavx512, "
         "+noavx2, +nofma and +noavx name a processor without that extension, here and after --machine; "
         "extensions that this computer's kernel does not report are left out too.\n\n"
         "show prints the widths, buffers and ports of the core, then a line for each instruction form: µops "
         "issued (and executed, if different), ports, latency, and latency exceptions in the syntax of "
         "machine files. --as-file prints all of it as a machine file, to edit and save under another "
         "name.\n\n"
         "With --csv and --json the list has name, title, isa, figures, problem, is_host and forms; show has "
         "a row for each form (form, ports, exceptions, more, uops, executed, latency, divider, throughput), "
         "which --json puts inside an object with name, title, isa, figures, is_host, ports and core.",
     .examples = {{"assay machines", "all of them"},
                  {"assay machines show skylake", "all about one"},
                  {"assay machines show zen4 --form '^vdivp'", "the cost of some instructions"},
                  {"assay machines show zen4 --as-file -o my-zen4", "a file to start from"},
                  {"assay machines show neoverse-v1+nosve", "a processor without SVE"}},
     .options = {OPTION_FORM, OPTION_AS_FILE, OPTION_OUTPUT},
     .most = 2,
     .exits = "0 done, 1 a machine file cannot be read, 2 bad usage or input",
     .run = command_machines},
    {.name = "predict",
     .summary = "How long a program will take whose work depends on its data",
     .arguments = "FILE -- NAME=INPUT…, --from [SIZE=]RUN…, or --history [NAME]",
     .details =
         "FILE describes the program: how it is run, and how its inputs are made smaller. Its probes run it "
         "on "
         "smaller inputs; what they take, and what earlier runs took, becomes an estimate with an interval "
         "that should hold nine truths in ten. There is one after each probe. For example:\n\n"
         "name = register\n\n"
         "command = mrregister {source} {target} -type nonlinear -transformed {out}\n\n"
         "inputs = source, target\n\n"
         "shrink = mrgrid {in} regrid -scale {1/k} {out}\n\n"
         "probes = 6, 5, 4\n\n"
         "identity = source := target\n\n"
         "Probes are kept in the ledger by the contents of the inputs and the build of the program: nothing "
         "is "
         "probed twice. --run and --took record what the whole program took, and later predictions learn "
         "from "
         "it.\n\n"
         "--from runs nothing. It takes databases of assay run (best with --measure): the time of the same "
         "program on the processor of --machine, and with databases of several sizes at the size of --size. "
         "Iterations of loops become powers of the size, and the machine file says what an iteration "
         "costs.\n\n"
         "docs/predict.md lists the settings, and says how far predictions can be trusted.",
     .examples = {{"assay predict register.txt -- source=a.mif target=b.mif", "how long will it take?"},
                  {"assay predict register.txt --budget 60s -- source=a.mif target=b.mif",
                   "the best answer after a minute"},
                  {"assay predict register.txt --run -- source=a.mif target=b.mif out=w.mif",
                   "then run it, and learn from it"},
                  {"assay predict register.txt --took 340s -- source=a.mif target=b.mif",
                   "learn from a run of yesterday"},
                  {"assay predict --history register --plot register.svg", "how good were the predictions?"},
                  {"assay predict solve.txt --scaling 1,2,4 --processors 16 -- mesh=wing.msh",
                   "with more processors"},
                  {"assay predict --from 1000=a.db --from 2000=b.db --size 8000 --machine neoverse-n1",
                   "from recorded runs: a larger size, on another processor"}},
     .options = {OPTION_FROM, OPTION_SIZE, OPTION_MACHINE, OPTION_BUDGET, OPTION_RUN_IT, OPTION_TOOK,
                 OPTION_HISTORY, OPTION_PLOT, OPTION_PROCESSORS, OPTION_SCALING, OPTION_HOST, OPTION_LEDGER,
                 OPTION_OUTPUT},
     .most = NO_LIMIT,
     .exits = "0 done, 1 nothing is known: there is no estimate, or no history, 2 bad usage or input, or the "
              "program of --run failed, 130 after Ctrl-C, with the best answer until then",
     .run = command_predict},
    {.name = "schedule",
     .summary = "Run workflows: pack tasks onto hosts by predicted times, start them, and say why one waits",
     .arguments =
         "submit FLOW…, run, what-if FLOW, cancel WORKFLOW[/TASK], show [WORKFLOW…], why WORKFLOW/TASK, "
         "or users [NAME]",
     .details =
         "A workflow is a text file: tasks with their commands, dependences, processors, files, deadlines "
         "and "
         "estimates or predictors (assay help predict). submit checks it and adds it to the ledger; nothing "
         "is "
         "started yet. run starts tasks on this computer, through Slurm, or on a simulated cluster, and "
         "packs "
         "the plan again whenever something changes: a task ends or takes longer than expected, a host fails "
         "or "
         "comes back, a probe tells more about a task, work is submitted or cancelled. It ends when all is "
         "done. "
         "Ctrl-C stops it; jobs go on, and another run goes on from there. One scheduler at a time runs on a "
         "ledger.\n\n"
         "what-if says when a workflow would end if it were submitted now, and what it would delay; nothing "
         "is "
         "started or stored. cancel ends a workflow or a task. users lists users and their shares.\n\n"
         "show says when all will be done, what is late and what failed; then draws hosts over time: what "
         "ran, "
         "what runs, what is planned. Below are failed tasks with the end of their output, deadlines that "
         "are "
         "missed or in danger, and why hosts are idle. Without names it shows the workflows that are not "
         "done, "
         "or else the one that ended last. --gantt writes the chart as a picture, --html a page with all "
         "tasks "
         "and decisions, --csv a row for each task. why lists everything that was decided about one task, in "
         "order.\n\n"
         "docs/schedule.md has the format of workflows and worked examples, docs/ledger.md the tables of the "
         "ledger and questions for assay sql.",
     .examples = {{"assay schedule submit flow.txt", "adds a workflow"},
                  {"assay schedule run", "runs all that was submitted, on this computer"},
                  {"assay schedule run --engine slurm --hosts node1,node2", "the same on a cluster"},
                  {"assay schedule what-if other.txt", "when would it end, and what would it delay?"},
                  {"assay schedule show --follow", "when will all be done? as it changes"},
                  {"assay schedule show --gantt plan.svg --html plan.html", "a picture, and a page"},
                  {"assay schedule why flow/align", "why did it wait?"},
                  {"assay schedule cancel flow/align", "ends a task"}},
     .options = {OPTION_LEDGER, OPTION_ENGINE, OPTION_HOSTS, OPTION_PLATFORM, OPTION_PACK, OPTION_STAY,
                 OPTION_SHARE, OPTION_ALL, OPTION_FOLLOW, OPTION_GANTT, OPTION_HTML_FILE, OPTION_OUTPUT},
     .least = 1,
     .most = NO_LIMIT,
     .exits =
         "0 done, 1 run: stopped, or tasks failed or cannot be started; show: a task failed or a deadline is "
         "missed or in danger, 2 bad usage or input",
     .run = command_schedule},
    {.name = "recover",
     .summary = "Undo an interrupted write to a database",
     .arguments = "FILE.db",
     .details = "A process that is killed while it writes findings (assay analysis --keep) leaves a "
                "half-written database and, beside it, a rollback journal with the old contents. Assay "
                "refuses to read such a database, because reading never writes. This command rolls the write "
                "back, provided that you own both files and nobody else can have planted the journal. If no "
                "write was interrupted it does nothing.",
     .examples = {{"assay recover prog.db", "restores prog.db to its state before the write"}},
     .least = 1,
     .most = 1,
     .is_plain = true,
     .exits = "0 done, or nothing to do, 2 bad usage or input, or a journal that is not yours",
     .run = command_recover},
    {.name = "help",
     .summary = "List the commands, or show the help of one",
     .arguments = "[COMMAND]",
     .examples = {{"assay help loops", "everything about assay loops"}},
     .most = 1,
     .is_plain = true,
     .run = command_help},
    {.name = "version",
     .summary = "Show the version",
     .arguments = "",
     .is_plain = true,
     .run = command_version},
    {.name = "generate",
     .summary = "Generate the man page, a shell completion or a reference page",
     .arguments = "man|bash|zsh|fish|tables|advice|metrics",
     .least = 1,
     .most = 1,
     .is_hidden = true,
     .is_plain = true,
     .run = command_generate},
};
const unsigned command_count = sizeof commands / sizeof commands[0];
