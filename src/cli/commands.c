/* The table of commands. */
#include "cli/commands.h"

#define LIST(...) .least = 1, .most = 1, .arguments = "FILE", .run = command_list, .options = {__VA_ARGS__}

#define FILE_DETAILS                                                                                         \
    "FILE is an executable, a shared object, an object file or an archive, an assembly listing, for "        \
    "x86-64, "                                                                                               \
    "i386, AArch64 or IA-64, or a database that assay db wrote."

const struct command commands[] = {
    {.name = "report",
     .summary = "What is wrong with the innermost loops of a program, and what to do about it",
     .arguments = "FILE",
     .details =
         "For each innermost loop: how many cycles an iteration takes, what limits it, what is wrong with "
         "its code, what to change in the source or in the compiler's options, and how much faster that "
         "makes it. The data is taken to be in the first-level cache, so gains are those of the code alone. "
         "A summary opens the report: loops analysed, what limits them, the ten with the most to gain. Loops "
         "without advice of the chosen level are counted there and have no page, unless --loop, --line or "
         "--function chose them.\n\n"
         "Levels: gain (acting on it nearly always pays), potential (it may pay), hint (unusual; worth a "
         "look), expert (assembly, every figure, the parts of the core). Each takes those before it "
         "along.\n\n"
         "Every page names the machine, the compiler and its options as far as the file tells them, and how "
         "much of the loop the model covers. A loop with branches is looked at path by path, at most 8 of "
         "them (--paths); paths that leave the loop do not count. FILE is a binary, an assembly listing or a "
         "database that assay db wrote; without debug information (-g) loops are told by address.\n\n"
         "--csv has a row for each loop and path and a column for each metric (assay help metrics says what "
         "they are), --json an object with everything; both have all loops, with or without advice. "
         "docs/report.md describes them.",
     .examples = {{"assay report ./prog", "every innermost loop, the most to gain first"},
                  {"assay report ./prog --line solve.c:40", "the loops that source line 40 is in"},
                  {"assay report ./prog --function '^solve' --level hint", "more of some functions"},
                  {"assay report ./prog --top 20 --html -o prog.html", "a page for the browser"},
                  {"assay report ./prog --csv > loops.csv", "every figure of every loop and path"}},
     .options = {OPTION_FUNCTION, OPTION_LINE, OPTION_LOOP, OPTION_PROGRAM, OPTION_TOP, OPTION_LEVEL,
                 OPTION_PATHS, OPTION_MACHINE, OPTION_HTML, OPTION_OUTPUT},
     .least = 1,
     .most = 1,
     .exits = "0 done, 1 nothing matches the selection, or there is no loop, 2 bad usage or input",
     .run = command_report},
    {.name = "db",
     .summary = "Write the whole program as one SQLite database",
     .arguments = "FILE…",
     .details =
         "Several files make one database; each file and each member of an archive is a row of programs; "
         "assembly listings for one instruction set are one program together. "
         "Without --output the database is named after the first file and lies in the working directory. An "
         "existing file is replaced only if it is a database that Assay wrote.\n\n"
         "The summary says how much was found and what is not known: bytes that are no instruction, "
         "indirect jumps without targets, damaged debug information. The table problems has the details.",
     .examples = {{"assay db ./prog", "writes prog.db"},
                  {"assay db ./prog libm.so.6 -o both.db", "two programs in one database"},
                  {"assay db kernel.s helper.s -o kernel.db", "two assembly listings, one program"},
                  {"assay db ./prog --cycles --machine zen4", "with the cycles of its loops"},
                  {"assay db ./prog --report", "with everything that assay report tells"},
                  {"assay db libfoo.a --json", "the summary for a script"}},
     .options = {OPTION_OUTPUT, OPTION_FORCE, OPTION_FLOW, OPTION_CYCLES, OPTION_REPORT, OPTION_MACHINE,
                 OPTION_PATHS},
     .least = 1,
     .most = NO_LIMIT,
     .run = command_db},
    {.name = "sql",
     .summary = "Ask the tables in SQL: a query, a script or an interactive shell",
     .arguments = "FILE [QUERY]",
     .details = FILE_DETAILS
     " A binary is turned into tables in memory first; a database is opened read-only.\n\n"
     "Without a query the SQL is read from standard input; on a terminal that is a shell with history "
     "and completion. The words FUNCTION, LOOP, BLOCK and PROGRAM in the SQL stand for the ids that "
     "--function, --loop, --block and --program choose. Ctrl-C stops a query. Cycles of loops are those "
     "of the processor that --machine names (assay help cycles), and so is what assay report finds "
     "(loop_metrics, advice and the tables around them).\n\n"
     "With --json every statement that returns rows prints one array.",
     .examples = {{"assay sql prog.db 'select name, size from functions order by size desc limit 5'",
                   "a query"},
                  {"assay sql ./prog -F main 'select count(*) from blocks where function = FUNCTION'",
                   "about one function"},
                  {"assay sql prog.db -f script.sql --csv", "a script"},
                  {"assay sql prog.db 'select class, count(*) n from instructions group by 1' --bars n",
                   "a histogram"},
                  {"assay sql prog.db", "the shell"}},
     .options = {OPTION_SCRIPT, OPTION_FUNCTION, OPTION_LOOP, OPTION_BLOCK, OPTION_PROGRAM, OPTION_MACHINE,
                 OPTION_BARS, OPTION_OUTPUT},
     .least = 1,
     .most = 2,
     .exits = "0 the SQL ran, 1 --function matches nothing, 2 bad usage, input or SQL",
     .run = command_sql},
    {.name = "loops",
     .summary = "List loops: function, source lines, nesting, size",
     .examples = {{"assay loops ./prog", "every loop"},
                  {"assay loops ./prog --innermost --sort -instructions --limit 10",
                   "the ten largest innermost"},
                  {"assay loops ./prog --line solve.c:120", "the loops that source line 120 is in"}},
     LIST(OPTION_FUNCTION, OPTION_LINE, OPTION_DEPTH, OPTION_INNERMOST, OPTION_PROGRAM, OPTION_SORT,
          OPTION_LIMIT, OPTION_OUTPUT)},
    {.name = "functions",
     .summary = "List functions: address, size, blocks, loops, how they are known",
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
     .summary = "List variables: type, where they are declared and where they live",
     .examples = {{"assay variables ./prog --function solve", "parameters and locals of solve"}},
     LIST(OPTION_FUNCTION, OPTION_LINE, OPTION_PROGRAM, OPTION_SORT, OPTION_LIMIT, OPTION_OUTPUT)},
    {.name = "types",
     .summary = "List types of variables: size, dimensions, members",
     .examples = {{"assay types ./prog --sort -bytes", "the largest first"}},
     LIST(OPTION_PROGRAM, OPTION_SORT, OPTION_LIMIT, OPTION_OUTPUT)},
    {.name = "lines",
     .summary = "List the line table: addresses, source position, inlined function",
     .examples = {{"assay lines ./prog --line solve.c:120", "the code of one source line"},
                  {"assay lines ./prog --function solve", "the lines that solve is made of"}},
     LIST(OPTION_FUNCTION, OPTION_LINE, OPTION_PROGRAM, OPTION_SORT, OPTION_LIMIT, OPTION_OUTPUT)},
    {.name = "sources",
     .summary = "List source files that code comes from, with the bytes of code from each",
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
     .summary = "List names and bounds of code from every source",
     .examples = {{"assay symbols ./prog --sort address", "by address"}},
     LIST(OPTION_PROGRAM, OPTION_SORT, OPTION_LIMIT, OPTION_OUTPUT)},
    {.name = "problems",
     .summary = "List what the model does not know, counted",
     .examples = {{"assay problems ./prog", "gaps in the model of prog"}},
     .exits = "0 the model has no gaps, 1 there are some, 2 bad usage or input",
     LIST(OPTION_PROGRAM, OPTION_SORT, OPTION_LIMIT, OPTION_OUTPUT)},
    {.name = "show",
     .summary = "Print any table or view as it is",
     .arguments = "TABLE FILE",
     .details = "docs/tables.md describes every table and view and their columns.",
     .examples = {{"assay show instructions prog.db --limit 20", "the first instructions"},
                  {"assay show units ./prog", "compilers and their options"}},
     .options = {OPTION_SORT, OPTION_LIMIT, OPTION_MACHINE, OPTION_OUTPUT},
     .least = 2,
     .most = 2,
     .run = command_show},
    {.name = "asm",
     .summary = "Print the instructions again, with source lines, loops and names",
     .arguments = "FILE",
     .details = FILE_DETAILS
     " The source text is shown where the source file can be read, and may be (--trust).\n\n"
     "Without a selection all code is printed; of an assembly listing that is its text, exactly as it was. "
     "--raw writes bytes instead: for a section, exactly those of the file, also from a database alone.",
     .examples = {{"assay asm ./prog --loop 12", "one loop"},
                  {"assay asm prog.db --function main", "one function, from the database alone"},
                  {"assay asm prog.db --section .text --raw -o text.bin", "the bytes of a section"}},
     .options = {OPTION_FUNCTION, OPTION_LOOP, OPTION_BLOCK, OPTION_SECTION, OPTION_PROGRAM, OPTION_NO_BYTES,
                 OPTION_NO_SOURCE, OPTION_RAW, OPTION_OUTPUT},
     .least = 1,
     .most = 1,
     .exits = "0 done, 1 nothing matches the selection, 2 bad usage or input",
     .run = command_asm},
    {.name = "graph",
     .summary = "Draw the control flow, the dominators or the calls",
     .arguments = "FILE",
     .details =
         "The suffix of the output file chooses the format: .svg, .pdf, .png, .dot and what else Graphviz "
         "knows here. Without --output the graph is written to standard output in the language of dot.\n\n"
         "Loops are framed and shaded by depth. Edges: fall grey, taken blue, switch purple, exception "
         "red and dashed, tail call green and dotted; an edge back to a loop's header is bold. Laying out "
         "thousands of nodes can take Graphviz hours, so beyond 2000 it is done only with --force.",
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
     .summary = "List the analyses that can be run",
     .arguments = "",
     .details =
         "Analyses are files of SQL with a title, a sentence and parameters at their head. They are looked "
         "for "
         "in the directories of ASSAY_ANALYSES (separated by colons), in ~/.config/assay/analyses and where "
         "Assay is installed.",
     .examples = {{"assay analyses", "all of them, in groups"},
                  {"assay analyses --group memory", "one group, with its parameters"},
                  {"assay analyses --json", "for programs"}},
     .options = {OPTION_GROUP},
     .run = command_analyses},
    {.name = "analysis",
     .summary = "Run an analysis",
     .arguments = "NAME FILE",
     .operands = "analyses",
     .details = FILE_DETAILS,
     .examples = {{"assay analysis instruction-mix ./prog", "over the whole program"},
                  {"assay analysis block-sizes ./prog --function main", "over one function"},
                  {"assay analysis waiting-loops ./prog --machine zen4", "cycles of a processor"},
                  {"assay analysis spill-fill prog.db --keep", "and into the table findings"}},
     .options = {OPTION_SET, OPTION_KEEP, OPTION_FUNCTION, OPTION_LOOP, OPTION_BLOCK, OPTION_PROGRAM,
                 OPTION_MACHINE, OPTION_OUTPUT},
     .least = 2,
     .most = 2,
     .exits = "0 it ran, 1 --function matches nothing, 2 bad usage, input or analysis",
     .run = command_analysis},
    {.name = "bounds",
     .summary = "MACS bounds of innermost loops: how fast machine, source, code and schedule could be",
     .arguments = "FILE",
     .details =
         "FILE is a binary, an assembly listing or a database that assay db wrote. For each innermost "
         "loop the table has the operations of an iteration (t_f floating-point, t_b branches, t_m loads "
         "and stores), its cycles c, and cycles per floating-point operation, branch and memory operation "
         "(CPF, CPB, CPM): of the machine alone (M), with the operations of the source (MA), of the code "
         "that the compiler made of it (MAC), of that code in its order (MACS), and as measured. Figures "
         "are cut to two decimals. The gaps between the levels are told in words. --csv and --json have a "
         "row for each level.\n\n"
         "MA needs the source and its debug lines; libclang reads C and C++, gfortran Fortran. The "
         "machines are files; docs/machines.md describes them, and docs/bounds.md the figures.",
     .examples = {{"assay bounds daxpy.s --function daxpy", "the loops of one function"},
                  {"assay bounds ./prog --line solve.c:120", "the loops that source line 120 is in"},
                  {"assay bounds ./prog --loop 3 --measured 13.5", "with what a run took"},
                  {"assay bounds prog.db --machine zen4 --csv", "on another processor, for a script"}},
     .options = {OPTION_FUNCTION, OPTION_LOOP, OPTION_LINE, OPTION_PROGRAM, OPTION_MACHINE, OPTION_MEASURED,
                 OPTION_SINGLE_BUNDLES, OPTION_SOURCE, OPTION_COMPILE_COMMANDS, OPTION_LIMIT, OPTION_OUTPUT},
     .least = 1,
     .most = 1,
     .exits = "0 done, 1 nothing matches the selection, 2 bad usage or input",
     .run = command_bounds},
    {.name = "cycles",
     .summary = "How many cycles an iteration of a loop or block takes on a processor, and why",
     .arguments = "[FILE]",
     .details =
         "The data is taken to be in the first-level cache. Each part of the core (predecoder, decoders, "
         "µop cache, issue, ports, divider, latency, …) gives a bound; the largest is the answer, and the "
         "instructions that make it are marked. A part that does not matter for the block is left out. "
         "The machine is always named; --machine takes another (assay machines lists them).\n\n"
         "FILE is a binary, an assembly listing or a database that assay db wrote. Without a choice there is "
         "a line for each innermost loop, the slowest first, with the cycles of its slowest path (and of "
         "its fastest under least, where they differ); --loop, --function or --line tells loops in full, "
         "the four slowest paths of each (all that --paths lists). Paths that leave the loop do not count. "
         "assay db --cycles writes the same into a "
         "database; SQL on a program makes it when a query reads loop_cycles or core_bounds.\n\n"
         "--hex and --asm take a block without a program around it. It is repeated without a branch, unless "
         "it ends in a branch to its own start or --loop-mode says that it is a loop. Assembly text is what "
         "GNU as takes: AT&T syntax for x86 unless .intel_syntax noprefix stands at its top.\n\n"
         "--batch takes a row for each block: its first comma-separated field is the block in hexadecimal, a "
         "header row is passed over. It prints a row for each, in order: hex,cycles or hex,,reason; with "
         "--json objects with row, hex, cycles, limit, instruction_count, known_count and reason. Rows "
         "without an answer are told on standard error with the numbers of their lines.\n\n"
         "--csv and --json have a row for each path or block: loop, path, function, file, first_line, "
         "last_line, machine, mode, cycles, limit, next and next_cycles (what would limit if the first were "
         "gone), source (where a loop's µops come from), instruction_count, known_count, call_count, remark, "
         "and a column for each part of the core. What is told in full has the instructions in json, too. "
         "docs/cycles.md says what each part means.",
     .examples = {{"assay cycles ./prog", "every innermost loop, the slowest first"},
                  {"assay cycles ./prog --loop 12 --machine skylake", "one loop in full"},
                  {"assay cycles ./prog --line solve.c:40", "the loops that source line 40 is in"},
                  {"assay cycles --hex 4883c0484839c2 --machine haswell", "a block of bytes"},
                  {"assay cycles --asm kernel.s --loop-mode", "a piece of assembly as a loop"},
                  {"assay cycles --batch blocks.csv --machine skylake", "many blocks"}},
     .options = {OPTION_FUNCTION, OPTION_LOOP, OPTION_LINE, OPTION_PROGRAM, OPTION_MACHINE, OPTION_PATHS,
                 OPTION_LIMIT, OPTION_HEX, OPTION_ASM, OPTION_BATCH, OPTION_LOOP_MODE, OPTION_UNROLLED,
                 OPTION_OUTPUT},
     .most = 1,
     .exits =
         "0 done, 1 nothing matches the selection, or rows of a batch have no answer, 2 bad usage or input",
     .run = command_cycles},
    {.name = "denormals",
     .summary = "Denormal numbers in a run of a program: who makes them, who pays for them",
     .arguments = "profile|trace [--] PROGRAM [ARGUMENT…], or report FILE",
     .details =
         "Numbers too small to be normal are slow on many processors, so the same code can be many times "
         "slower "
         "on other data. profile runs the program with traps for them (x86-64 and i386): nearly at full "
         "speed, "
         "with counts for each instruction, and for a sample of events the operand, its value, its address "
         "and "
         "the call stack. Trapping sleeps after an event so that the run is at most --budget slower, and "
         "the "
         "counts come with their uncertainty; --exact traps every event. On a processor that cannot trap, "
         "profile says so and counts with the tracer.\n\n"
         "trace runs it under Valgrind and follows the values: loads, operations and stores for each "
         "instruction, arrays with heat maps, from which array to which they went, where they are born, and "
         "the story told in sentences. Arrays are known by name where there is debug information (-g).\n\n"
         "Phases are told apart where the program marks them (assay/denormals.h), where it gets SIGUSR1, and "
         "with "
         "--phase-every. The program's own output is left alone, except that with --json and --csv its "
         "standard "
         "output goes to standard error; the report follows it. --output writes a database with the program, "
         "the libraries that met "
         "denormals, and all that was seen, for report, for assay sql and for every other command; with "
         "--cycles it has the cycles of their loops, too.\n\n"
         "Options stand before --; what follows it is the program's. Ctrl-C goes to the program, and what "
         "was "
         "recorded until then is told.\n\n"
         "ASSAY_RUNTIME names the folder of the profiler and the tracer where they are neither beside a "
         "build "
         "of Assay nor installed with it. docs/denormals.md has worked examples, the options and the limits "
         "of "
         "both.",
     .examples = {{"assay denormals profile -- ./prog input", "how many, where, what they cost"},
                  {"assay denormals trace -o prog.db -- ./prog input", "arrays, origins, the story"},
                  {"assay denormals report prog.db", "once more"},
                  {"assay denormals report prog.db --html -o prog.html", "a page with the maps"},
                  {"assay denormals report prog.db --maps maps", "heat maps and films as PNG"},
                  {"assay denormals trace --phase-every 1 -- ./prog", "a phase for each second"}},
     .options = {OPTION_OUTPUT, OPTION_FORCE, OPTION_BUDGET, OPTION_EXACT, OPTION_COUNTS, OPTION_NEAR,
                 OPTION_PHASE_EVERY, OPTION_CHILDREN, OPTION_MAPS, OPTION_TOP, OPTION_RUN, OPTION_HTML,
                 OPTION_CYCLES, OPTION_MACHINE},
     .least = 2,
     .most = NO_LIMIT,
     .exits = "0 done, 1 the program itself failed (what was recorded is told all the same), 2 bad usage or "
              "input, "
              "or the program could not be run",
     .run = command_denormals},
    {.name = "machines",
     .summary = "List the processors that Assay knows, or show one of them",
     .arguments = "[show NAME]",
     .details =
         "Processors are text files; docs/machines.md describes them. They are looked for in the directories "
         "of ASSAY_MACHINES (separated by colons), in ~/.config/assay/machines and where Assay is installed. "
         "The list says what each runs, where its figures come from and how many forms of instructions its "
         "file has; a star marks this computer's. NAME+nosve, +noavx512, +noavx2, +nofma and +noavx are a "
         "processor without that extension, here and behind --machine; this computer is without what its "
         "kernel does not report.\n\n"
         "show prints the widths, buffers and ports of the core, then a line for each form: µops issued (and "
         "executed, where that differs), ports, latency and its exceptions in the words of machine files. "
         "With "
         "--as-file all of it is a machine file, to be changed and kept under another name.\n\n"
         "--csv and --json: the list has name, title, isa, figures, problem, is_host and forms; show has a "
         "row "
         "for each form (form, ports, exceptions, more, uops, executed, latency, divider, throughput), in "
         "json "
         "inside an object with name, title, isa, figures, is_host, ports and core.",
     .examples = {{"assay machines", "all of them"},
                  {"assay machines show skylake", "one in full"},
                  {"assay machines show zen4 --form '^vdivp'", "what some instructions cost there"},
                  {"assay machines show zen4 --as-file -o my-zen4", "a file to start from"},
                  {"assay machines show neoverse-v1+nosve", "a processor whose kernel runs without SVE"}},
     .options = {OPTION_FORM, OPTION_AS_FILE, OPTION_OUTPUT},
     .most = 2,
     .exits = "0 done, 1 a machine file cannot be read, 2 bad usage or input",
     .run = command_machines},
    {.name = "recover",
     .summary = "Undo a write into a database that was cut short",
     .arguments = "FILE.db",
     .details =
         "A process that is killed while it writes findings (assay analysis --keep) leaves half of its work "
         "in "
         "the database, and a journal beside it that says how it was. Reading such a database is refused, "
         "because reading never writes. This command undoes the half, where you own both files and nobody "
         "else "
         "can have put the journal there. Where nothing was cut short it does nothing.",
     .examples = {{"assay recover prog.db", "prog.db is as it was before"}},
     .least = 1,
     .most = 1,
     .is_plain = true,
     .exits = "0 done, or nothing was to be done, 2 bad usage or input, or a journal that is not yours",
     .run = command_recover},
    {.name = "help",
     .summary = "Show the commands, or one of them in full",
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
     .summary = "Make the man page, a completion or the reference of the tables from their sources",
     .arguments = "man|bash|zsh|fish|tables|advice|metrics",
     .least = 1,
     .most = 1,
     .is_hidden = true,
     .is_plain = true,
     .run = command_generate},
};
const unsigned command_count = sizeof commands / sizeof commands[0];
