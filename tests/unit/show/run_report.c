/* The report on a sampled run (src/show/report/run): rows made by hand, so that every sentence is known
   beforehand. */
#include "run_fixture.h"

static void one_screen(void **state)
{
    (void)state;
    measure(1, 12.34, run_measure_PROBES);
    add_gap(1, gap_rule_CACHE, gap_certainty_SHOWN, 6.3 * 1024 * 1024, 1024 * 1024);
    model_run_gap(&model, 0)->cycles = 3;
    add_usual_savings();
    char *got = printed(100, true);
    assert_string_equal(
        got,
        "./solver grid.dat: 12.4 s, 10.1 s of processor time, 1 thread\n"
        "Processor time: solver 71 %, the kernel 17 %, libm.so.6 12 %. It waited 19 % of the time (2.30 s):\n"
        "for others, for data or for a processor.\n"
        "The advice below would save up to 22 % of the run.\n"
        "\n"
        "Hottest loops and functions by processor time (cycles are for an iteration)\n"
        "      share  measured predicted    loop  place             function\n"
        "       41 %      12.3      4.10       1  solver.c:40-52    solve\n"
        "       20 %         —      2.00       2  solver.c:60       solve\n"
        "       17 %                              the kernel        clear_page\n"
        "       12 %                              libm.so.6         exp\n"
        "   9 ±0.3 %                              solver.c:30       solve, outside its loops\n"
        "   1 ±0.1 %                              solver.c:90       main\n"
        "Some have no source lines: compile with -g, or install the debug information of the library.\n"
        "\n"
        "What to change, the largest saving first\n"
        "1. solver.c:40-52, loop 1 in solve: 41 % of the time; would save 12 % of the whole run\n"
        "   Measured 12.3 cycles an iteration, predicted 4.10: the data does not fit a cache (6.3 MB "
        "touched,\n"
        "   1 MB there).\n"
        "   The loop is not vectorised. Compile with -O3.\n"
        "2. solver.c:60, loop 2 in solve: 20 % of the time; would save 10 % of the whole run\n"
        "   Each iteration waits for the sum of the previous one. Put #pragma omp simd reduction(+:sum) "
        "above\n"
        "   the loop and compile with -fopenmp-simd.\n"
        "\n"
        "How it was measured\n"
        "10,000 samples by the kernel's clock of processor time, 1000 a second of each running thread; core\n"
        "at 2.60 GHz, Arm Neoverse V1. A sample stands at or shortly after the instruction that waited.\n"
        "Of the time, 61 % has a prediction, 41 % a measurement, 24 % an explanation, 61 % advice; 39 % has\n"
        "none of these.\n"
        "1 other innermost loop has no samples (--function or --line shows their report).\n"
        "Next: `assay report run.db --loop 1` shows a loop in full\n");
    free(got);
}

/* No line is wider than the terminal, and a narrow one still names each row. */
static void narrow_terminals(void **state)
{
    (void)state;
    add_usual_savings();
    for (unsigned width = 60; width <= 120; width += 20) {
        char *got = printed(width, false);
        for (char *line = strtok(got, "\n"); line; line = strtok(NULL, "\n"))
            assert_in_range(strlen(line), 1, width);
        free(got);
    }
    char *got = printed(60, false);
    assert_non_null(strstr(got, "       41 %         -      4.10       1  solver.c:40-52\n"));
    assert_non_null(strstr(got, "       17 %                              clear_page\n"));
    assert_non_null(strstr(got, "9 +-0.3 %"));
    free(got);
}

static void cycles_need_a_second_run(void **state)
{
    (void)state;
    expect("Measured cycles need a second run, with probes: `assay run --measure`. ");
    expect("`assay run --measure` counts iterations and measures cycles ");
    expect("Assay has no advice with a known gain for the hot loops. ");
    expect_not("What to change");
    measure(1, 4.2, run_measure_SAMPLES);
    expect_not("--measure");
    expect("41 % 4.20 4.10 1 solver.c:40-52 solve ");
}

static void loops_without_a_prediction_say_why(void **state)
{
    (void)state;
    expect_not("no prediction");
    figures(2)->predicted_cycles = NAN;
    expect("Loop 2 has no prediction: the costs of its instructions are not known. ");
    model_loop(&model, 2)->is_innermost = 0;
    expect("Loop 2 has no prediction: it contains other loops. ");
    figures(1)->predicted_cycles = NAN;
    model_loop(&model, 1)->is_innermost = 0;
    expect("Loops 1 and 2 have no prediction: they contain other loops. ");
}

/* Cycles by samples need samples; those by the clock of probes do not. */
static void few_samples_have_no_cycles(void **state)
{
    (void)state;
    figures(1)->samples = 29;
    figures(1)->error = 1 / sqrt(29);
    measure(1, 12.34, run_measure_SAMPLES);
    expect("41 ±8 % — 4.10 1 ");
    measure(1, 12.34, run_measure_PROBES);
    expect("41 ±8 % 12.3 4.10 1 ");
    measure(1, 12.34, run_measure_SAMPLES);
    figures(1)->samples = 400;
    figures(1)->error = 0.05;
    add_gap(1, gap_rule_UNEXPLAINED, gap_certainty_SHOWN, 12.34, 4.1);
    expect("Measured 12.3 ± 0.62 cycles an iteration, predicted 4.10: nothing that was measured explains the "
           "difference. ");
    expect(
        "Assay has no advice with a known gain for the hot loops; those below take longer than predicted. ");
    expect("Slower than predicted 1. solver.c:40-52, loop 1 in solve: 41 ±2 % of the time ");
}

static void causes_of_gaps(void **state)
{
    (void)state;
    static const struct {
        unsigned rule, certainty;
        double value, reference;
        const char *words;
    } causes[] = {
        {gap_rule_CACHE, gap_certainty_LIKELY, 40960, 32768,
         "probably the data does not fit a cache (40 KB touched, 32 KB there)"},
        {gap_rule_SETS, gap_certainty_SHOWN, 4, 256, "its data falls into 4 of 256 sets of the L1 cache"},
        {gap_rule_ALIASING, gap_certainty_POSSIBLE, 0.5, 0,
         "perhaps 50 % of its loads wait for a store to another address with the same low 12 bits "
         "(4K aliasing)"},
        {gap_rule_DENORMALS, gap_certainty_SHOWN, 0.8, 0,
         "it computes with denormal numbers, 0.80 times an iteration"},
        {gap_rule_BRANCHES, gap_certainty_SHOWN, 0.3, 14,
         "its branches cannot be predicted (0.30 misses an iteration, 14.0 cycles each)"},
        {gap_rule_PAGE_FAULTS, gap_certainty_SHOWN, 0.34, 12345,
         "the kernel brings in pages while it runs (34 % of its time, 12345 page faults)"},
        {gap_rule_DIVISION, gap_certainty_SHOWN, 1, 20,
         "its operands make divisions slow (1.00 an iteration, up to 20.0 cycles each)"},
        {gap_rule_WAITING, gap_certainty_SHOWN, 0.34, 4,
         "its 4 threads wait 34 % of the time for each other or for a processor"},
        {gap_rule_SHORT_TRIPS, gap_certainty_SHOWN, 3.2, 24,
         "only 3.20 iterations an entry (getting in and out takes 24.0 cycles each time)"},
        {gap_rule_CALLS, gap_certainty_SHOWN, 1, 0.34,
         "the prediction leaves out what it calls (1.00 calls an iteration, 34 % of the time in "
         "and below the loop)"},
        {gap_rule_FASTER, gap_certainty_SHOWN, 3, 4,
         "it is faster than predicted, so the model is wrong here"}};
    measure(1, 12.34, run_measure_PROBES);
    add_gap(1, 0, 0, 0, 0);
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        struct run_gap *gap = model_run_gap(&model, 0);
        gap->rule = (uint8_t)causes[i].rule;
        gap->certainty = (uint8_t)causes[i].certainty;
        gap->value = causes[i].value;
        gap->reference = causes[i].reference;
        char *wanted = memory_format("predicted 4.10: %s. ", causes[i].words);
        expect(wanted);
        free(wanted);
    }
    add_gap(1, gap_rule_DENORMALS, gap_certainty_LIKELY, 2, 0);
    expect("the model is wrong here. ");
    model_run_gap(&model, 0)->rule = gap_rule_CALLS;
    expect("below the loop); besides, probably it computes with denormal numbers, 2.00 times an iteration. ");
}

/* The row of solve, of which 9 % are outside its loops. */
static struct run_function *solve_row(void)
{
    return model_run_function(&model, 1);
}

static void functions_have_cycles_of_a_call(void **state)
{
    (void)state;
    solve_row()->predicted_by = run_prediction_ONLY;
    solve_row()->predicted_cycles = 8;
    solve_row()->chain_cycles = 37;
    solve_row()->cycles_per_call = 20.5;
    expect("(cycles are for an iteration or a call) ");
    expect("9 ±0.3 % — 8.00-37.0 solver.c:30 solve, outside its loops ");
    solve_row()->calls = 1000;
    solve_row()->chain_cycles = 9;
    expect("9 ±0.3 % 20.5 8.00 solver.c:30 solve, outside its loops ");
    solve_row()->calls = 0;
    expect_not("no measured cycles"); /* nobody asked */
    model_sampled_run(&model, 1)->has_second_run = true;
    expect(
        "solve has no measured cycles: the calls could not be counted, or there were none in the second run. ");
    solve_row()->predicted_by = run_prediction_NONE;
    solve_row()->silence = run_silence_NO_WAY;
    expect("9 ±0.3 % — — solver.c:30 solve, outside its loops ");
    expect("solve has no prediction: no way through its code was found. ");
}

static void a_figure_that_is_missing_has_its_reason(void **state)
{
    (void)state;
    model_sampled_run(&model, 1)->has_second_run = true;
    figures(1)->seen_entries = 1000;
    expect(
        "Loop 1 has no measured cycles: the probe had seen enough and switched itself off, and how often the "
        "loop was entered in all is unknown. Loop 2 has no measured cycles: no probe found a place there, or "
        "the second run did not get there. ");
    figures(2)->predicted_cycles = NAN;
    figures(2)->silence = run_silence_UNKNOWN_WAYS;
    expect("Loop 2 has no prediction: too few samples say which way through its code was taken. ");
    figures(1)->predicted_by = run_prediction_SAMPLES;
    expect("Some predictions are for the ways that the samples suggest; --explain counts branches. ");
}

/* What is left has its size. */
static void unexplained_cycles_are_counted(void **state)
{
    (void)state;
    measure(1, 12.1, run_measure_PROBES);
    add_gap(1, gap_rule_DENORMALS, gap_certainty_SHOWN, 1, 0);
    model_run_gap(&model, 0)->cycles = 6;
    add_gap(1, gap_rule_UNEXPLAINED, gap_certainty_SHOWN, 12.1, 4.1);
    model_run_gap(&model, 1)->cycles = 2;
    expect(
        "nothing that was measured explains the rest (2.00 cycles: 75 % of the difference is explained). ");
}

static void ends_of_loops_inside(void **state)
{
    (void)state;
    measure(1, 20, run_measure_PROBES);
    add_gap(1, gap_rule_INNER_EXITS, gap_certainty_LIKELY, 1, 16.5);
    expect("probably the ends of the loops inside are guessed wrong (1.00 an iteration, 16.5 cycles each). ");
    model_run_gap(&model, 0)->rule = gap_rule_OVERLAP;
    model_run_gap(&model, 0)->value = NAN;
    expect("predicted 4.10: the core probably works on its own code while it works on what is inside. ");
}

static void how_much_is_known(void **state)
{
    (void)state;
    expect(
        "Of the time, 61 % has a prediction, 0 % a measurement, 0 % an explanation, 0 % advice; 39 % has none of "
        "these. ");
    measure(2, 2, run_measure_PROBES);
    solve_row()->predicted_by = run_prediction_ONLY;
    expect(
        "Of the time, 70 % has a prediction, 20 % a measurement, 20 % an explanation, 0 % advice; 30 % has none of "
        "these. ");
}

/* The cause of a gap is what to change where that saves more than the advice. */
static void causes_to_remove(void **state)
{
    (void)state;
    measure(1, 12.34, run_measure_PROBES);
    add_gap(1, gap_rule_CACHE, gap_certainty_SHOWN, 6.3 * 1024 * 1024, 1024 * 1024);
    add_usual_savings();
    expect("The advice below would save up to 37 % of the run. ");
    expect("1. solver.c:40-52, loop 1 in solve: 41 % of the time; would save up to 27 % of the whole run "
           "Measured");
    expect("there). Work on blocks that fit, ");
    expect_not("not vectorised");
    add_gap(1, gap_rule_BRANCHES, gap_certainty_SHOWN, 0.5, 14);
    model_run_gap(&model, 0)->rule = gap_rule_CALLS;
    model_run_gap(&model, 1)->cycles = 7;
    expect("1. solver.c:40-52, loop 1 in solve: 41 % of the time; would save up to 23 % of the whole run "
           "Measured");
    expect("14.0 cycles each). Compute both ways and select ");
    model.run_gaps.count = 1;
    model_run_gap(&model, 0)->rule = gap_rule_UNEXPLAINED;
    expect("The advice below would save up to 22 % of the run. ");
    expect("`assay run --explain` looks at addresses and branches, too, for the cause ");
    model_run_gap(&model, 0)->rule = gap_rule_CALLS;
    expect("The advice below would save up to 22 % of the run. ");
    expect_not("--explain");
}

static void the_cache_has_a_name(void **state)
{
    (void)state;
    static struct machine machine = {.isa = isa_AARCH64,
                                     .caches = {{.level = 1, .bytes = 65536}, {.level = 2, .bytes = 1048576}},
                                     .cache_count = 2};
    model_program(&model, 1)->isa = isa_AARCH64;
    view.quality.machines[isa_AARCH64] = &machine;
    measure(1, 12.34, run_measure_PROBES);
    add_gap(1, gap_rule_CACHE, gap_certainty_SHOWN, 6.3 * 1024 * 1024, 1024 * 1024);
    expect("the data does not fit the L2 cache (6.3 MB touched, 1 MB there). ");
}

static void nothing_hot(void **state)
{
    (void)state;
    run()->samples = 0;
    run()->seconds = 0.01;
    run()->cpu_seconds = 0.004;
    run()->sampled_seconds = 0;
    run()->waiting_seconds = NAN;
    model.run_files.count = model.run_functions.count = 1;
    model.run_loops.count = 0;
    add_limit(run_limit_kind_FEW, 0);
    expect(
        "./solver grid.dat: 10 ms, 4 ms of processor time, 1 thread No sample was taken: it hardly used the "
        "processor. Give it more work to see which loops matter. How it was measured");
    run()->seconds = 5;
    expect("it hardly used the processor. It waited nearly all of the time. ");
    run()->samples = 1;
    run()->sampled_seconds = 0.001;
    expect("1 sample is too few to say which loops matter: give it more work.");
}

static void all_in_the_kernel(void **state)
{
    (void)state;
    model.run_files.count = model.run_functions.count = 1;
    model.run_loops.count = 0;
    add_function(0, NULL, add_file(NULL, run_file_state_KERNEL, 0, 1), run_activity_COMPUTE, 1, 1);
    run()->voluntary_switches = 1;
    expect("Processor time: the kernel 100 %. ");
    expect("Most of it is the kernel's work for the program (1,234 page faults, 1 switch of threads): advice "
           "on loops "
           "cannot save that. ");
    expect("Hottest functions by processor time share place function 100 % the kernel How it was measured");
}

static void all_in_a_library_without_symbols(void **state)
{
    (void)state;
    model.run_files.count = model.run_functions.count = 1;
    model.run_loops.count = 0;
    uint32_t file = add_file("/opt/libblas.so.3", run_file_state_READ, 2, 1);
    model_function(&model, 3)->name = text("function_11a0");
    add_function(3, NULL, file, run_activity_COMPUTE, 1, 1);
    add_loop(3, 0.98, 8);
    expect("98 % — 8.00 3 libm.so.6 0x11a0 function_11a0 ");
    expect("2 ±0.1 % libblas.so.3 function_11a0, outside its loops ");
    expect("There are no source lines: compile with -g, or install the debug information of the library. ");
    model_run_file(&model, 1)->state = run_file_state_REPLACED;
    expect("libblas.so.3 was deleted or replaced while it ran, so its loops are unknown. ");
    model_run_file(&model, 1)->state = run_file_state_UNREADABLE;
    expect("libblas.so.3 cannot be read, so its loops are unknown. ");
    model_run_file(&model, 1)->state = run_file_state_GENERATED;
    model_run_file(&model, 1)->program = 0; /* nobody told of it */
    expect("Processor time: generated code 100 %. ");
    expect(
        "Most of it is code that was made while the program ran: its compiler has to tell Assay of it, by a jitdump file (docs/run.md). ");
}

static void programs_that_fail(void **state)
{
    (void)state;
    run()->exit_status = 3;
    expect("1 thread; it failed with exit status 3 Processor");
    run()->exit_status = NO_NUMBER;
    run()->end_signal = 11;
    expect("1 thread; ended by signal 11 (Segmentation fault) Processor");
}

static void who_took_the_samples(void **state)
{
    (void)state;
    expect_not("The kernel did not");
    run()->sampler = run_sampler_CYCLES;
    run()->fastest_clock = 3.1e9;
    expect("10,000 samples by the processor's counter of cycles, 1000 a second of each running thread; core "
           "at 2.60 "
           "GHz (2.59 to 3.10), Arm");
    run()->sampler = run_sampler_TIMER;
    run()->without_kernel_sampling = text("perf_event_paranoid is 3");
    run()->cycles_per_second = NAN;
    expect(
        "10,000 samples by a timer in the program, 1000 a second of each running thread; the core's clock is "
        "unknown, Arm Neoverse V1. The kernel did not take them: perf_event_paranoid is 3. ");
}

static void limits_are_said(void **state)
{
    (void)state;
    add_limit(run_limit_kind_LOST, 1);
    add_limit(run_limit_kind_NO_KERNEL, 1);
    add_limit(run_limit_kind_CUT, 2000);
    add_limit(run_limit_kind_SUMMARISED, 7);
    add_limit(run_limit_kind_UNREAD, 2);
    add_limit(run_limit_kind_CLOCK, 12);
    add_limit(run_limit_kind_UNPROBED, 1);
    add_limit(run_limit_kind_DIFFERS, 2);
    add_limit(run_limit_kind_NOT_MEASURED, 1);
    add_limit(run_limit_kind_ENDED, 1);
    add_limit(run_limit_kind_PARTIAL, 1);
    expect(
        "that waited. 1 sample was lost because the computer was too busy. The system does not let this user "
        "sample the kernel: its time is counted where it was called, or is missing. The callers of 20 % of "
        "the "
        "samples are not fully known. 7 samples were kept without callers: the run had too many different "
        "ones. 2 "
        "recordings of ranks could not be read. The core's clock changed by 12 % during the run: measured "
        "cycles "
        "are approximate. 1 hot loop could not get probes: unknown iterations. The second run did not reach "
        "2 hot "
        "loops: it did something else. The second run failed: unknown iterations. The second run ended "
        "differently: its figures may be of other work. The probes of 1 hot loop had seen enough and switched "
        "themselves off: how often it was entered in all is unknown. Of the time, ");
}

static void waiting_is_told_apart(void **state)
{
    (void)state;
    expect("It waited 19 % of the time (2.30 s): for others, for data or for a processor. ");
    run()->queued_seconds = 0.8;
    expect(
        "It waited 19 % of the time (2.30 s): 800 ms for a free processor, 1.50 s for others or for data. ");
    run()->queued_seconds = 0.01;
    expect("It waited 19 % of the time (2.30 s): for others or for data. ");
    run()->queued_seconds = 2.3;
    expect("It waited 19 % of the time (2.30 s): for a free processor. ");
    add_limit(run_limit_kind_BUSY, 67);
    expect("Other programs had 67 % of the processors' time meanwhile: measured cycles may be too high, ");
}

static void threads(void **state)
{
    (void)state;
    expect_not(" Threads ");
    run()->threads = 4;
    add_thread(1, 4712, 10, 0, 0, 0);
    add_thread(1, 4713, 10, 0, 0, 0);
    add_thread(1, 4714, 0.1, 9, 0, 0);
    expect("4 threads Processor time: solver 71 %, the kernel 17 %, libm.so.6 12 %. Threads waited 19 % of "
           "their time: for others");
    expect("Threads 3 threads compute equally long (the longest 1.00 times the mean). How");
    model_run_thread(&model, 2)->cpu_seconds = 20;
    model_run_thread(&model, 3)->parallel_wait_seconds = 8;
    expect("Threads 3 threads compute: thread 4712 1.88 times as long as the mean. OpenMP: 20 % of the "
           "processor time "
           "is spent waiting in its runtime (barriers, ends of loops, the next parallel region). How");
    for (uint32_t id = 2; id <= 4; id++)
        model_run_thread(&model, id)->cpu_seconds = 0;
    expect("One of the 4 threads does nearly all of the work. ");
}

static void ranks(void **state)
{
    (void)state;
    model.run_threads.count = model.run_processes.count = 1;
    run()->ranks = run()->threads = run()->processes = 4;
    for (uint32_t i = 0; i < 4; i++) {
        add_process(100 + i, (int32_t)i);
        add_thread(i + 1, 100 + i, 10, 0, 0, i == 3 ? 0.8 : 5.4);
    }
    add_function(0, "PMPI_Allreduce", 2, run_activity_MPI, 0, 0.3);
    add_function(0, "MPI_Send", 2, run_activity_MPI, 0, 0.1);
    expect("./solver grid.dat: 12.4 s, 10.1 s of processor time, 4 ranks, 4 threads ");
    expect("Ranks and threads Rank 3 computes 1.60 times as long as the mean of 4 ranks; the others spend 54 "
           "% of "
           "their processor time in MPI calls: MPI_Allreduce. How");
    model_run_thread(&model, 4)->mpi_seconds = 5.4;
    expect("The 4 ranks compute equally long (the longest 1.00 times the mean), and spend 54 % of their "
           "processor "
           "time in MPI calls: MPI_Allreduce. How");
}

static void counters(void **state)
{
    (void)state;
    expect_not("Counters");
    *(struct run_counter *)model_add(&model.run_counters) =
        (struct run_counter){.run = 1, .name = text("page-faults"), .count = 12345, .running_share = 0.5};
    static const struct counter_value values[] = {{.counter = 1, .function = 1, .count = 2000},
                                                  {.counter = 1, .function = 1, .loop = 1, .count = 7000},
                                                  {.counter = 1, .count = 1000}};
    for (size_t i = 0; i < 3; i++)
        *(struct counter_value *)model_add(&model.counter_values) = values[i];
    model_counter_value(&model, 3)->name = text("clear_page");
    expect("Counters page-faults: 12,345, counted 50 % of the time and scaled up; 70 % in solver.c:40-52 "
           "(solve), 20 % "
           "in solve, 10 % in clear_page How");
}

static void names_from_files_are_made_safe(void **state)
{
    (void)state;
    run()->command = text("./a\x1b[2J");
    model_function(&model, 1)->name = text("so\x1blve");
    expect("./a\\x1b[2J: 12.4 s");
    expect("so\\x1blve");
    char *got = joined();
    assert_null(strchr(got, '\x1b'));
    free(got);
}

static void top_limits_rows(void **state)
{
    (void)state;
    add_usual_savings();
    view.top = 1;
    expect("The advice below would save up to 12 % of the run. ");
    expect("41 % — 4.10 1 solver.c:40-52 solve Measured cycles");
    expect("and 1 more (--top 11) ");
    expect("`--top 6` shows more ");
    view.database = NULL;
    expect("Next: `assay run -o run.db` keeps all of it for `assay report run.db` ");
}

static void inlined_loops(void **state)
{
    (void)state;
    *(struct inlined_call *)model_add(&model.inlined_calls) =
        (struct inlined_call){.function = 1, .name = text("norm")};
    model_loop(&model, 1)->inlined_call = 1;
    expect("41 % — 4.10 1 solver.c:40-52 norm, inlined in solve 20 %");
    expect_in(report_run_json, "\"function\":\"solve\",\"inlined\":\"norm\"");
}

static void long_names(void **state)
{
    (void)state;
    static const char name[] = "a_rather_long_name_of_a_function_that_does_not_fit_into_the_column_of_names";
    model_function(&model, 1)->name = text(name);
    *(struct inlined_call *)model_add(&model.inlined_calls) =
        (struct inlined_call){.function = 1, .name = text("norm")};
    model_loop(&model, 1)->inlined_call = 1;
    expect("1 solver.c:40-52 norm 20 %");
    expect("2 solver.c:60 a_rather_long_name_of_a_function_that_do… 17 %");
    expect("solver.c:30 a_rather_long_name_of…, outside its loops 1 ");
}

static void what_code_does(void **state)
{
    (void)state;
    model_run_function(&model, 3)->activity = run_activity_MPI;
    expect("libm.so.6 exp, MPI 9 ");
    model_run_function(&model, 3)->activity = run_activity_PARALLEL_WAIT;
    expect("libm.so.6 exp, waits in OpenMP 9 ");
}

static void code_that_was_not_read(void **state)
{
    (void)state;
    model_run_function(&model, 2)->name = text("[kernel]");
    expect("17 % the kernel 12 %");
    model_run_function(&model, 3)->function = 0;
    model_run_function(&model, 3)->name = text("exp (libm.so.6)");
    expect("12 % libm.so.6 exp 9 ");
    model_run_function(&model, 3)->name = text("_ZN4grid4stepEv (libm.so.6)");
    expect("12 % libm.so.6 grid::step() 9 ");
    model_run_function(&model, 3)->name = text("[libm.so.6]");
    expect("12 % libm.so.6 9 ");
}

static void negligible_rows(void **state)
{
    (void)state;
    add_function(0, "one_sample", 3, run_activity_COMPUTE, 0.0009, 0.0009);
    expect_not("one_sample");
    view.top = 6;
    expect_not("shows more");
    expect_in(report_run_csv, "one_sample");
    run()->processes = run()->threads = 41;
    expect("10.1 s of processor time, 41 processes Processor");
    run()->threads = 42;
    expect("10.1 s of processor time, 41 processes, 42 threads Processor");
}

/* Advice above the level of the view is not there. */
static void levels(void **state)
{
    (void)state;
    add_usual_savings();
    model_advice(&model, 1)->level = advice_level_HINT;
    expect("The advice below would save up to 10 % of the run. ");
    view.quality.level = advice_level_HINT;
    expect("The advice below would save up to 22 % of the run. ");
}

static void chosen_loops(void **state)
{
    (void)state;
    add_usual_savings();
    measure(1, 12.34, run_measure_PROBES);
    view.quality.is_chosen = true;
    view.quality.loop_count = view.quality.analysed_count = 1;
    expect("./solver grid.dat: 12.4 s, 10.1 s of processor time, 1 thread Loop 1 in solve, solver.c:40-52: "
           "41 % of the "
           "processor time (41 % with what it calls). Measured 12.3 cycles an iteration, predicted 4.10. "
           "1,000,000 "
           "iterations in 10 entries. The advice with the largest gain would save 12 % of the whole run. "
           "file run.db ");
    static const struct run_path paths[] = {{.run = 1, .loop = 1, .path = 1, .count = 620, .share = 0.62},
                                            {.run = 1, .loop = 1, .path = 3, .count = 380, .share = 0.38}};
    for (size_t i = 0; i < 2; i++)
        *(struct run_path *)model_add(&model.run_paths) = paths[i];
    *(struct loop_cycle *)model_add(&model.loop_cycles) =
        (struct loop_cycle){.loop = 1, .path = 1, .cycles = 4.1, .next_cycles = NAN};
    expect("10 entries. 62 % of the iterations took path 1 (4.10 cycles predicted), 38 % path 3. The advice");
    loops[0] = 3;
    expect("Loop 3 in exp, libm.so.6 0x11a0: no sample. ");
    loops[0] = 1;
}

static void programs_get_raw_numbers(void **state)
{
    (void)state;
    add_usual_savings();
    measure(1, 12.34, run_measure_PROBES);
    add_gap(1, gap_rule_CACHE, gap_certainty_SHOWN, 6606029, 1048576);
    expect_in(report_run_json, "{\"schema\":1,\"run\":{\"command\":\"./solver grid.dat\",");
    expect_in(report_run_json, "\"where\":{\"program\":7.1,\"library\":1.2,\"kernel\":1.7");
    expect_in(report_run_json,
              "\"gaps\":[\n {\"rule\":\"cache\",\"certainty\":\"shown\",\"cycles\":null,\"value\":"
              "6606029,\"reference\":1048576,\"address\":null,\"text\":\"the data");
    expect_in(report_run_json,
              "\"savings\":[\n "
              "{\"rule\":\"a-rule\",\"level\":\"potential\",\"gain\":4,\"is_upper\":false,\"saving\":0.12,");
    expect_in(report_run_json, "\"end_signal\":null");
    expect_in(report_run_csv,
              "kind,loop,function,file,source,first_line,last_line,activity,samples,self_seconds,");
    expect_in(report_run_csv, "\r\nfunction,,exp,libm.so.6,,,,mathematics,1200,1.2,0.12,1.2,0.12,");
    expect_in(report_run_csv, "\r\nloop,1,solve,solver,/src/solver.c,40,52,,4100,4.1,0.41,4.1,0.41,");
    expect_in(report_run_csv, ",10,1000000,,,12.34,probes,4.1,cache,4,0,0.12,a-rule,,\r\n");
}

/* Of the function solve; outside its loops if loop is 0. */
static struct run_point *add_point(unsigned kind, unsigned certainty, uint32_t loop, double share)
{
    struct run_point *point = model_add(&model.run_points);
    *point = (struct run_point){.run = 1,
                                .position = (uint32_t)model.run_points.count,
                                .kind = (uint8_t)kind,
                                .certainty = (uint8_t)certainty,
                                .function = 1,
                                .loop = loop,
                                .source = 1,
                                .line = 44,
                                .address = 0x11a0,
                                .samples = (uint64_t)(share * 10000),
                                .seconds = share * 10,
                                .share = share,
                                .part = 0.5,
                                .cycles = NAN,
                                .cost = NAN,
                                .misses = NAN,
                                .saving = NAN};
    return point;
}

static void slow_instructions_are_named(void **state)
{
    (void)state;
    view.quality.analysed_count = view.quality.loop_count = 0;
    expect_not("Instructions that take much of the time");
    struct run_point *load = add_point(point_kind_LOAD, gap_certainty_LIKELY, 1, 0.2);
    load->data = text("node->next");
    load->type = text("struct <node>");
    load->cycles = 37.9;
    load->is_least = 1;
    expect("Instructions that take much of the time");
    expect("solver.c:44 in solve: 20 % of the time, 50 % of loop 1's");
    expect(
        "At or just after a load of node->next (struct <node>), at least 37 cycles each time. Its data is not in "
        "the nearest cache.");
    expect_in(report_run_html, "a load of node-&gt;next (struct &lt;node&gt;)");
    expect_in(report_run_json,
              "\"points\":[\n {\"kind\":\"load\",\"certainty\":\"likely\",\"function\":\"solve\","
              "\"loop\":1,\"source\":\"/src/solver.c\",\"line\":44,\"source_text\":null,"
              "\"address\":4512,\"data\":\"node->next\",\"type\":\"struct <node>\","
              "\"samples\":2000,");
    expect_in(report_run_csv, "\r\npoint,1,solve,,/src/solver.c,44,44,,2000,2,0.2,,,,,,,,,,,,,0,,load,,\r\n");
    /* A lower limit that says nothing is not shown; a saving is. */
    struct run_point *division = add_point(point_kind_DIVISION, gap_certainty_LIKELY, 0, 0.3);
    division->cycles = 2;
    division->is_least = 1;
    division->cost = 35;
    division->saving = 0.26;
    division->source = division->line = 0;
    expect("solver 0x11a0 in solve: 30 % of the time, 50 % of the function's");
    expect("At or just after a division of whole numbers, 35.0 cycles by the model.");
    expect("A multiplication in its place would save up to 26 % of the whole run.");
    add_point(point_kind_CHAIN, gap_certainty_POSSIBLE, 2, 0.1);
    expect("Whether its data is far away is not known: --measure counts cycles.");
    add_point(point_kind_BRANCH, gap_certainty_SHOWN, 2, 0.1)->misses = 0.4;
    expect("At or just after a branch, guessed wrong 40 % of the time.");
}

static void functions_stand_with_their_hot_line(void **state)
{
    (void)state;
    for (uint32_t id = 1; id < model.run_functions.count; id++) {
        struct run_function *row = model_run_function(&model, id);
        row->hot_source = row->function == 1 ? 1 : 0;
        row->hot_line = row->function == 1 ? 38 : 0;
    }
    expect("solver.c:38");
    expect_in(report_run_json, "\"hot_source\":\"/src/solver.c\",\"hot_line\":38");
}

static void the_page_is_escaped(void **state)
{
    (void)state;
    add_usual_savings();
    run()->command = text("./<b>");
    *(struct run_call *)model_add(&model.run_calls) =
        (struct run_call){.run = 1, .name = text("<i>"), .depth = 1, .self_seconds = 2, .total_seconds = 10};
    *(struct run_call *)model_add(&model.run_calls) = (struct run_call){
        .run = 1, .caller = 1, .function = 1, .depth = 2, .self_seconds = 8, .total_seconds = 8};
    view.quality.analysed_count = view.quality.loop_count = 0;
    expect_in(report_run_html, "<h1>./&lt;b&gt;</h1>");
    expect_in(report_run_html, "<title>&lt;i&gt;: 100 % (10.0 s), 20 % of it in its own code</title>");
    expect_in(report_run_html,
              "x=\"0.000%\" y=\"18\" width=\"80.000%\" height=\"17\"><title>solve: 80 % (8.00 s)");
}

/* A call tree that leads to itself (a damaged database) is not drawn. */
static void damaged_call_trees(void **state)
{
    (void)state;
    for (uint32_t id = 1; id <= 2; id++)
        *(struct run_call *)model_add(&model.run_calls) =
            (struct run_call){.run = 1, .caller = 3 - id, .name = text("to_itself"), .total_seconds = 5};
    view.quality.analysed_count = view.quality.loop_count = 0;
    char *got = written(report_run_html);
    assert_null(strstr(got, "to_itself"));
    free(got);
}

static void without_a_run(void **state)
{
    (void)state;
    struct error error = {0};
    assert_true(report_run_has(&model));
    model.runs.count = 1;
    assert_false(report_run_has(&model));
    assert_false(report_run_json(&view, stderr, &error));
    assert_string_equal(error.text, "run.db: contains no sampled run");
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(one_screen),
        TEST(narrow_terminals),
        TEST(cycles_need_a_second_run),
        TEST(loops_without_a_prediction_say_why),
        TEST(few_samples_have_no_cycles),
        TEST(causes_of_gaps),
        TEST(functions_have_cycles_of_a_call),
        TEST(a_figure_that_is_missing_has_its_reason),
        TEST(unexplained_cycles_are_counted),
        TEST(ends_of_loops_inside),
        TEST(how_much_is_known),
        TEST(causes_to_remove),
        TEST(the_cache_has_a_name),
        TEST(nothing_hot),
        TEST(all_in_the_kernel),
        TEST(all_in_a_library_without_symbols),
        TEST(programs_that_fail),
        TEST(who_took_the_samples),
        TEST(limits_are_said),
        TEST(waiting_is_told_apart),
        TEST(threads),
        TEST(ranks),
        TEST(counters),
        TEST(names_from_files_are_made_safe),
        TEST(top_limits_rows),
        TEST(inlined_loops),
        TEST(long_names),
        TEST(what_code_does),
        TEST(code_that_was_not_read),
        TEST(negligible_rows),
        TEST(levels),
        TEST(chosen_loops),
        TEST(programs_get_raw_numbers),
        TEST(slow_instructions_are_named),
        TEST(functions_stand_with_their_hot_line),
        TEST(the_page_is_escaped),
        TEST(damaged_call_trees),
        TEST(without_a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
