/* A recording becomes rows (src/run/sample/rows*.c): every figure here is added up by hand. */
#include "sample_fixture.h"

static uint32_t one_thread(struct sampled *sampled)
{
    return add_thread(sampled, add_process(sampled, 100, NO_NUMBER, 0, 4), 100, 0, 4);
}

static void check_loop(const struct sampled *sampled, uint32_t loop, uint64_t samples, double self,
                       double total, double calls, double kernel)
{
    const struct run_loop *row = loop_row(sampled, loop);
    assert_non_null(row);
    assert_int_equal(row->samples, samples);
    check_near(row->self_seconds, self);
    check_near(row->total_seconds, total);
    check_near(row->call_seconds, calls);
    check_near(row->kernel_seconds, kernel);
}

static void check_function(const struct sampled *sampled, uint32_t function, const char *name, double self,
                           double total)
{
    const struct run_function *row = function_row(sampled, function, name);
    if (!row)
        fail_msg("no row of %s", name ? name : "a function");
    check_near(row->self_seconds, self);
    check_near(row->total_seconds, total);
}

/* main spends 0.2 s in its inner loop, 0.1 s in the outer one's own code, and calls work from the inner one
   and from outside; the kernel brings pages for both. */
static void loops_count_what_ran_while_they_waited(void **state)
{
    struct sampled *sampled = *state;
    uint32_t thread = one_thread(sampled), prog = sampled->prog, kernel = sampled->kernel;
    count(sampled, thread, 0, 20, STACK({prog, 0x1024}));
    count(sampled, thread, 0, 10, STACK({prog, 0x1010}));
    count(sampled, thread, 0, 30, STACK({prog, 0x1028}, {prog, 0x1104}));
    count(sampled, thread, 0, 4, STACK({prog, 0x1028}, {prog, 0x1104}, {kernel, 0}));
    count(sampled, thread, 0, 1, STACK({prog, 0x1020}, {kernel, 0}));
    count(sampled, thread, 0, 35, STACK({prog, 0x1000}, {prog, 0x1104}));
    sample_rows_add(&sampled->model, &sampled->recording);
    check_loop(sampled, INNER, 20, 0.2, 0.55, 0.34, 0.01);
    check_loop(sampled, OUTER, 10, 0.1, 0.65, 0, 0);
    check_loop(sampled, WORKING, 65, 0.65, 0.69, 0, 0.04);
    check_near(loop_row(sampled, WORKING)->self_share, 0.65);
    check_near(loop_row(sampled, WORKING)->error, sqrt(0.35 / 65));
    assert_true(isnan(loop_row(sampled, WORKING)->predicted_cycles));
    check_function(sampled, MAIN, NULL, 0.3, 1);
    check_function(sampled, WORK, NULL, 0.65, 0.69);
    check_function(sampled, 0, "[kernel]", 0.05, 0.05);
    /* The most time first. */
    assert_int_equal(model_run_function(&sampled->model, 1)->function, WORK);
    assert_int_equal(model_run_function(&sampled->model, 2)->function, MAIN);
    assert_int_equal(sampled->model.run_functions.count, 4);
    const struct sampled_run *run = model_sampled_run(&sampled->model, 1);
    assert_int_equal(run->samples, 100);
    check_near(run->sampled_seconds, 1);
    check_near(run->cpu_seconds, 1); /* not known otherwise */
    check_near(run->waiting_seconds, 3);
}

/* again calls itself and, from inside, work; work calls again. */
static void recursion_counts_once(void **state)
{
    struct sampled *sampled = *state;
    uint32_t thread = one_thread(sampled), prog = sampled->prog;
    count(sampled, thread, 0, 50, STACK({prog, 0x1000}, {prog, 0x1204}, {prog, 0x1204}, {prog, 0x1200}));
    count(sampled, thread, 0, 30,
          STACK({prog, 0x1000}, {prog, 0x1204}, {prog, 0x1104}, {prog, 0x1204}, {prog, 0x1104}));
    count(sampled, thread, 0, 20, STACK({prog, 0x1000}, {prog, 0x1208}));
    sample_rows_add(&sampled->model, &sampled->recording);
    check_function(sampled, AGAIN, NULL, 0.7, 1);
    check_function(sampled, WORK, NULL, 0.3, 0.3);
    check_function(sampled, MAIN, NULL, 0, 1);
    check_loop(sampled, WORKING, 30, 0.3, 0.3, 0.3, 0);
    /* main, again (with itself), work, again, work */
    const struct model *model = &sampled->model;
    static const uint32_t functions[] = {MAIN, AGAIN, WORK, AGAIN, WORK};
    static const double selves[] = {0, 0.7, 0, 0, 0.3}, totals[] = {1, 1, 0.3, 0.3, 0.3};
    assert_int_equal(model->run_calls.count, 6);
    for (uint32_t i = 0; i < 5; i++) {
        const struct run_call *call = model_run_call(model, i + 1);
        assert_int_equal(call->function, functions[i]);
        assert_int_equal(call->caller, i);
        assert_int_equal(call->depth, i + 1);
        check_near(call->self_seconds, selves[i]);
        check_near(call->total_seconds, totals[i]);
    }
}

static void small_branches_are_left_out_of_the_call_tree(void **state)
{
    struct sampled *sampled = *state;
    uint32_t thread = one_thread(sampled), other = one_thread(sampled), prog = sampled->prog;
    count(sampled, thread, 0, 9990, STACK({prog, 0x1000}));
    count(sampled, thread, 0, 9, STACK({prog, 0x1000}, {prog, 0x1200}));
    count(sampled, thread, 0, 11, STACK({prog, 0x1004}, {prog, 0x1100}));
    count(sampled, other, 0, 20, STACK({prog, 0x1008}, {prog, 0x1104}));
    sample_rows_add(&sampled->model, &sampled->recording);
    assert_int_equal(sampled->model.run_calls.count, 3);
    assert_int_equal(model_run_call(&sampled->model, 2)->function, WORK);
    check_near(model_run_call(&sampled->model, 2)->total_seconds, 0.31); /* both threads, both call sites */
    check_near(model_run_call(&sampled->model, 1)->total_seconds, 100.3);
    check_function(sampled, AGAIN, NULL, 0.09, 0.09);
}

static void samples_are_added_up_by_instruction_and_thread(void **state)
{
    struct sampled *sampled = *state;
    uint32_t process = add_process(sampled, 100, NO_NUMBER, 0, 4), prog = sampled->prog;
    uint32_t second = add_thread(sampled, process, 101, 1, 3),
             first = add_thread(sampled, process, 100, 0, 4);
    count(sampled, first, 0, 2, STACK({prog, 0x1104}));
    count(sampled, first, 0, 3, STACK({prog, 0x1000}, {prog, 0x1104}));
    count(sampled, first, 0, 1, STACK({prog, 0x1000}));
    count(sampled, second, 0, 7, STACK({prog, 0x1104}));
    count(sampled, second, 0, 5, STACK({prog, 0x1104}, {sampled->kernel, 0}));
    sample_rows_add(&sampled->model, &sampled->recording);
    const struct model *model = &sampled->model;
    assert_int_equal(model->samples.count, 4);
    static const struct {
        uint32_t thread, function, loop, instruction, line;
        uint64_t address, count;
    } expected[] = {{1, WORK, WORKING, 11, 20, 0x1104, 7},
                    {1, 0, 0, 0, 0, 0, 5},
                    {2, MAIN, 0, 1, 10, 0x1000, 1},
                    {2, WORK, WORKING, 11, 20, 0x1104, 5}};
    for (uint32_t i = 0; i < 4; i++) {
        const struct sample_row *row = model_sample_row(model, i);
        assert_int_equal(row->thread, expected[i].thread);
        assert_int_equal(row->function, expected[i].function);
        assert_int_equal(row->loop, expected[i].loop);
        assert_int_equal(row->instruction, expected[i].instruction);
        assert_int_equal(row->line, expected[i].line);
        assert_int_equal(row->address, expected[i].address);
        assert_int_equal(row->count, expected[i].count);
        check_near(row->seconds, (double)expected[i].count / 100);
    }
    assert_string_equal(model_text(model, model_sample_row(model, 1)->name), "[kernel]");
    assert_int_equal(model_sample_row(model, 0)->name, 0);
    /* Rows of threads are those of the recording. */
    assert_int_equal(model_run_thread(model, 1)->thread, 101);
    check_near(model_run_thread(model, 1)->cpu_seconds, 0.12);
    check_near(model_run_thread(model, 1)->waiting_seconds, 2 - 0.12);
    check_near(model_run_thread(model, 2)->waiting_seconds, 4 - 0.06);
    check_near(model_run_process(model, 1)->cpu_seconds, 0.18);
}

static void files_say_whether_they_were_read(void **state)
{
    struct sampled *sampled = *state;
    uint32_t thread = one_thread(sampled);
    uint32_t copy_of_it = add_file(sampled, SAMPLE_FILE_CODE, "/elsewhere/prog", "aabb");
    uint32_t replaced = add_file(sampled, SAMPLE_FILE_CODE, "/opt/run/prog", "");
    uint32_t rebuilt = add_file(sampled, SAMPLE_FILE_CODE, "/opt/run/prog", "ccdd");
    uint32_t small = add_file(sampled, SAMPLE_FILE_CODE, "/opt/run/libsmall.so", "ee");
    uint32_t large = add_file(sampled, SAMPLE_FILE_CODE, "/opt/run/liblarge.so", "ff");
    uint32_t vdso = add_file(sampled, SAMPLE_FILE_VDSO, "[vdso]", "");
    uint32_t made = add_file(sampled, SAMPLE_FILE_GENERATED, NULL, "");
    add_file(sampled, SAMPLE_FILE_CODE, "/opt/run/libsilent.so", "aa");
    ARRAY_AT(struct sample_file, &sampled->recording.files, replaced)->is_deleted = true;
    ARRAY_AT(struct sample_file, &sampled->recording.files, rebuilt)->has_other_code = true;
    count(sampled, thread, 0, 9, STACK({0, 0x7777}));
    const uint32_t files[] = {sampled->prog, copy_of_it, replaced, rebuilt, small, large, vdso, made};
    static const uint64_t samples[] = {300, 200, 100, 80, 1, 70, 60, 50};
    for (size_t i = 0; i < 8; i++)
        count(sampled, thread, 0, samples[i], STACK({files[i], 0x1100}));
    sample_rows_add(&sampled->model, &sampled->recording);
    static const struct {
        const char *path;
        enum run_file_state state;
        uint64_t samples;
    } expected[] = {{"/opt/run/prog", run_file_state_READ, 300},
                    {"/elsewhere/prog", run_file_state_READ, 200},
                    {"/opt/run/prog", run_file_state_REPLACED, 100},
                    {"/opt/run/prog", run_file_state_REPLACED, 80},
                    {"/opt/run/liblarge.so", run_file_state_UNREADABLE, 70},
                    {"[vdso]", run_file_state_VDSO, 60},
                    {NULL, run_file_state_GENERATED, 50},
                    {NULL, run_file_state_UNKNOWN, 9},
                    {"/opt/run/libsmall.so", run_file_state_SMALL, 1}};
    const struct model *model = &sampled->model;
    assert_int_equal(model->run_files.count, 10);
    double shares = 0;
    for (uint32_t i = 0; i < 9; i++) {
        const struct run_file *row = model_run_file(model, i + 1);
        const char *path = model_text(model, row->path);
        if (expected[i].path)
            assert_string_equal(path, expected[i].path);
        else
            assert_null(path);
        assert_int_equal(row->state, expected[i].state);
        assert_int_equal(row->samples, expected[i].samples);
        shares += row->share;
    }
    check_near(shares, 1);
    check_function(sampled, WORK, NULL, 5, 5); /* both copies */
    check_function(sampled, 0, "[prog]", 1, 1);
    check_function(sampled, 0, "[liblarge.so]", 0.7, 0.7);
    check_function(sampled, 0, "[generated code]", 0.5, 0.5);
    check_function(sampled, 0, "[unknown code]", 0.09, 0.09);
}

/* Code of a runtime without a name waits; what it calls in the C library and the kernel waits for it; the
   body of the parallel loop that it calls does not. */
static void waiting_is_told_from_computing(void **state)
{
    struct sampled *sampled = *state;
    uint32_t thread = one_thread(sampled), prog = sampled->prog;
    uint32_t gomp = add_file(sampled, SAMPLE_FILE_CODE, "/nowhere/libgomp.so.1", "1");
    uint32_t libc = add_file(sampled, SAMPLE_FILE_CODE, "/nowhere/libc.so.6", "2");
    uint32_t mpi = add_file(sampled, SAMPLE_FILE_CODE, "/nowhere/libmpi.so.40", "3");
    count(sampled, thread, 0, 10, STACK({gomp, 0x10}));
    count(sampled, thread, 0, 5, STACK({gomp, 0x10}, {libc, 0x50}, {sampled->kernel, 0}));
    count(sampled, thread, 0, 40, STACK({gomp, 0x10}, {prog, 0x1100}));
    count(sampled, thread, 0, 3, STACK({gomp, 0x10}, {prog, 0x1100}, {libc, 0x50}));
    count(sampled, thread, 0, 7, STACK({prog, 0x1000}, {mpi, 0x20}, {libc, 0x60}));
    count(sampled, thread, 0, 2, STACK({prog, 0x1000}, {mpi, 0x20}, {gomp, 0x10}));
    sample_rows_add(&sampled->model, &sampled->recording);
    const struct run_thread *row = model_run_thread(&sampled->model, 1);
    check_near(row->cpu_seconds, 0.67);
    check_near(row->parallel_wait_seconds, 0.15);
    check_near(row->mpi_seconds, 0.09);
    check_near(model_run_process(&sampled->model, 1)->mpi_seconds, 0.09);
    assert_int_equal(function_row(sampled, 0, "[libgomp.so.1]")->activity, run_activity_PARALLEL_WAIT);
    assert_int_equal(function_row(sampled, 0, "[libmpi.so.40]")->activity, run_activity_MPI);
    assert_int_equal(function_row(sampled, WORK, NULL)->activity, run_activity_COMPUTE);
}

/* The program calls memcpy in a stripped library that was not read, and one that was: "again" plays a
   function of it that is known from unwind tables alone. */
static void code_without_a_name_is_named_by_its_callers(void **state)
{
    struct sampled *sampled = *state;
    struct model *model = &sampled->model;
    uint32_t thread = one_thread(sampled), prog = sampled->prog;
    uint32_t libc = add_file(sampled, SAMPLE_FILE_CODE, "/nowhere/libc.so.6", "1");
    string_id stub = model_string(model, "memcpy@plt"), made_up = model_string(model, "function_1200");
    *(struct function *)model_add(&model->functions) =
        (struct function){.program = 1, .name = stub, .address = 0x2000, .origin = origin_PLT};
    uint32_t callee = model_last(&model->functions);
    *(struct call *)model_add(&model->calls) =
        (struct call){.caller = MAIN, .instruction = 2, .kind = call_kind_IMPORT, .callee = callee};
    *(struct call *)model_add(&model->calls) =
        (struct call){.caller = MAIN, .instruction = 3, .kind = call_kind_DIRECT, .callee = WORK};
    model_function(model, AGAIN)->name = made_up;
    model_function(model, AGAIN)->origin = origin_UNWIND;
    count(sampled, thread, 0, 10, STACK({prog, 0x1004}, {libc, 0x500}));
    count(sampled, thread, 0, 5,
          STACK({prog, 0x1004}, {libc, 0x500}, {libc, 0x700}));         /* what it calls inside */
    count(sampled, thread, 0, 3, STACK({prog, 0x1008}, {libc, 0x900})); /* not called there */
    count(sampled, thread, 0, 4, STACK({libc, 0x500}, {prog, 0x1200}));
    sample_rows_add(model, &sampled->recording);
    check_function(sampled, 0, "memcpy (libc.so.6)", 0.1, 0.19);
    check_function(sampled, 0, "[libc.so.6]", 0.08, 0.08);
    assert_int_equal(function_row(sampled, 0, "memcpy (libc.so.6)")->activity, run_activity_COPY);
    assert_string_equal(model_text(model, model_function(model, AGAIN)->name), "function_1200");
    /* The same function, called from another file. */
    uint32_t other = add_file(sampled, SAMPLE_FILE_CODE, "/elsewhere/prog", "aabb");
    count(sampled, thread, 0, 6, STACK({other, 0x1004}, {prog, 0x1200}));
    sample_rows_add(model, &sampled->recording);
    assert_string_equal(model_text(model, model_function(model, AGAIN)->name), "memcpy");
    assert_int_equal(function_row(sampled, AGAIN, NULL)->activity, run_activity_COPY);
}

static void counters_are_by_function_and_loop(void **state)
{
    struct sampled *sampled = *state;
    uint32_t thread = one_thread(sampled), prog = sampled->prog;
    uint16_t misses = add_event(sampled, "l1d_miss", 30000), faults = add_event(sampled, "page_faults", NAN);
    ARRAY_AT(struct sample_event, &sampled->recording.events, misses)->running = 0.5;
    ARRAY_AT(struct sample_event, &sampled->recording.events, faults)->is_exact = true;
    count(sampled, thread, 0, 10, STACK({prog, 0x1000}));
    count(sampled, thread, misses, 3, STACK({prog, 0x1020}));
    count(sampled, thread, misses, 4, STACK({prog, 0x1024}));
    count(sampled, thread, misses, 8, STACK({prog, 0x1010}));
    count(sampled, thread, misses, 1, STACK({sampled->kernel, 0}));
    count(sampled, thread, faults, 2, STACK({prog, 0x1100}));
    sample_rows_add(&sampled->model, &sampled->recording);
    const struct model *model = &sampled->model;
    assert_int_equal(model->run_counters.count, 3);
    assert_string_equal(model_text(model, model_run_counter(model, 1)->name), "l1d_miss");
    check_near(model_run_counter(model, 1)->running_share, 0.5);
    assert_true(isnan(model_run_counter(model, 2)->count));
    assert_int_equal(model_run_counter(model, 2)->is_exact, 1);
    static const struct {
        uint32_t counter, function, loop;
        uint64_t samples;
    } expected[] = {{1, MAIN, OUTER, 8}, {1, MAIN, INNER, 7}, {1, 0, 0, 1}, {2, WORK, WORKING, 2}};
    assert_int_equal(model->counter_values.count, 5);
    for (uint32_t i = 0; i < 4; i++) {
        const struct counter_value *row = model_counter_value(model, i + 1);
        assert_int_equal(row->counter, expected[i].counter);
        assert_int_equal(row->function, expected[i].function);
        assert_int_equal(row->loop, expected[i].loop);
        assert_int_equal(row->samples, expected[i].samples);
        check_near(row->count, (double)expected[i].samples * 1000);
    }
    check_near(model_sampled_run(model, 1)->sampled_seconds, 0.1); /* of event 0 alone */
}

static void limits_are_told(void **state)
{
    struct sampled *sampled = *state;
    struct sample_recording *recording = &sampled->recording;
    uint32_t thread = one_thread(sampled), prog = sampled->prog;
    recording->has_kernel = false;
    recording->lost = 5;
    recording->summarised = 6;
    recording->cpu_seconds = 1;
    recording->cycles_per_second = 2e9;
    recording->slowest_clock = 1.9e9;
    recording->fastest_clock = 2.1e9;
    recording->end_signal = 11;
    count(sampled, thread, 0, 30, STACK({prog, 0x1000}, {prog, 0x1100}));
    count(sampled, thread, 0, 20, STACK({prog, 0x1004}));
    ARRAY_AT(struct sample_node, &recording->nodes, 1)->is_cut = true;
    sample_rows_add(&sampled->model, recording);
    static const struct {
        enum run_limit_kind kind;
        uint64_t count;
    } expected[] = {{run_limit_kind_LOST, 5}, {run_limit_kind_NO_KERNEL, 1},
                    {run_limit_kind_CUT, 30}, {run_limit_kind_SUMMARISED, 6},
                    {run_limit_kind_FEW, 50}, {run_limit_kind_CLOCK, 10}};
    const struct model *model = &sampled->model;
    assert_int_equal(model->run_limits.count, 6);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(model_run_limit(model, i)->position, i + 1);
        assert_int_equal(model_run_limit(model, i)->kind, expected[i].kind);
        assert_int_equal(model_run_limit(model, i)->count, expected[i].count);
    }
    const struct sampled_run *run = model_sampled_run(model, 1);
    assert_int_equal(run->exit_status, NO_NUMBER);
    assert_int_equal(run->end_signal, 11);
    /* The kernel's time is missing from the samples, not from the time that the thread ran. */
    check_near(run->waiting_seconds, 3);
}

static void ranks_are_counted_and_threads_without_an_end_last(void **state)
{
    struct sampled *sampled = *state;
    uint32_t second = add_process(sampled, 101, 1, 0.5, NAN), first = add_process(sampled, 100, 0, 0, 4);
    add_process(sampled, 99, NO_NUMBER, 0, 4);
    add_process(sampled, 102, 1, 0, 4); /* a child of rank 1 */
    uint32_t late = add_thread(sampled, first, 100, 0, 4), early = add_thread(sampled, second, 101, 0.5, NAN);
    count(sampled, late, 0, 10, STACK({sampled->prog, 0x1000}));
    count(sampled, early, 0, 20, STACK({sampled->prog, 0x1000}));
    sample_rows_add(&sampled->model, &sampled->recording);
    const struct model *model = &sampled->model;
    assert_int_equal(model_sampled_run(model, 1)->ranks, 2);
    assert_int_equal(model_sampled_run(model, 1)->processes, 4);
    assert_int_equal(model_run_process(model, 1)->rank, 1);
    assert_int_equal(model_run_process(model, 3)->rank, NO_NUMBER);
    check_near(model_run_process(model, 1)->seconds, 3.5);
    assert_int_equal(model_run_thread(model, 1)->process, 1); /* in order of their processes */
    assert_int_equal(model_run_thread(model, 1)->thread, 101);
    check_near(model_run_thread(model, 1)->cpu_seconds, 0.2);
    check_near(model_run_thread(model, 1)->waiting_seconds, 3.3);
}

static void threads_that_are_there_to_wait_do_not_count(void **state)
{
    struct sampled *sampled = *state;
    uint32_t process = add_process(sampled, 100, NO_NUMBER, 0, 4);
    uint32_t busy = add_thread(sampled, process, 100, 0, 4), idle = add_thread(sampled, process, 101, 0, 4);
    add_thread(sampled, process, 102, 0, 4);
    count(sampled, busy, 0, 100, STACK({sampled->prog, 0x1000}));
    count(sampled, idle, 0, 4, STACK({sampled->prog, 0x1000}));
    sample_rows_add(&sampled->model, &sampled->recording);
    check_near(model_sampled_run(&sampled->model, 1)->waiting_seconds, 3);
    check_near(model_run_thread(&sampled->model, 2)->waiting_seconds, 3.96);
    count(sampled, idle, 0, 1, STACK({sampled->prog, 0x1000}));
    sample_rows_add(&sampled->model, &sampled->recording);
    check_near(model_sampled_run(&sampled->model, 1)->waiting_seconds, 3 + 3.95);
}

static void rows_of_an_earlier_run_are_replaced(void **state)
{
    struct sampled *sampled = *state;
    uint32_t thread = one_thread(sampled);
    add_event(sampled, "x", 1);
    count(sampled, thread, 0, 10, STACK({sampled->prog, 0x1000}, {sampled->prog, 0x1100}));
    count(sampled, thread, 1, 10, STACK({sampled->prog, 0x1100}));
    sample_rows_add(&sampled->model, &sampled->recording);
    const struct model *model = &sampled->model;
    const struct array *tables[] = {&model->runs,          &model->run_limits,    &model->run_processes,
                                    &model->run_threads,   &model->run_files,     &model->samples,
                                    &model->run_functions, &model->run_loops,     &model->run_calls,
                                    &model->run_counters,  &model->counter_values};
    size_t counts[11];
    for (size_t i = 0; i < 11; i++)
        counts[i] = tables[i]->count;
    sample_rows_add(&sampled->model, &sampled->recording);
    for (size_t i = 0; i < 11; i++)
        assert_int_equal(tables[i]->count, counts[i]);
    assert_int_equal(model_run_process(model, 1)->run, 1);
}

static void a_run_without_samples_has_rows(void **state)
{
    struct sampled *sampled = *state;
    one_thread(sampled);
    sample_rows_add(&sampled->model, &sampled->recording);
    assert_int_equal(model_sampled_run(&sampled->model, 1)->samples, 0);
    check_near(model_sampled_run(&sampled->model, 1)->waiting_seconds, 4);
    assert_int_equal(sampled->model.run_functions.count, 1); /* no row but "none" */
    assert_int_equal(sampled->model.run_loops.count, 0);
    struct array loops = ARRAY_OF(uint32_t);
    sample_hot_loops(&sampled->model, SAMPLE_INNERMOST, 0, 10, &loops);
    assert_int_equal(loops.count, 0);
}

static void loops_around_others_are_hot_where_they_are_asked_for(void **state)
{
    struct sampled *sampled = *state;
    uint32_t thread = one_thread(sampled);
    count(sampled, thread, 0, 50, STACK({sampled->prog, 0x1010}));
    count(sampled, thread, 0, 10, STACK({sampled->prog, 0x1020}));
    sample_rows_add(&sampled->model, &sampled->recording);
    struct array loops = ARRAY_OF(uint32_t);
    sample_hot_loops(&sampled->model, SAMPLE_ANY_DEPTH, 0.01, 10, &loops);
    assert_int_equal(loops.count, 2);
    assert_int_equal(*ARRAY_AT(uint32_t, &loops, 0), OUTER);
    assert_int_equal(*ARRAY_AT(uint32_t, &loops, 1), INNER);
    array_free(&loops);
}

static void hot_loops_are_innermost_ones(void **state)
{
    struct sampled *sampled = *state;
    uint32_t thread = one_thread(sampled);
    count(sampled, thread, 0, 50, STACK({sampled->prog, 0x1010}));
    count(sampled, thread, 0, 10, STACK({sampled->prog, 0x1020}));
    count(sampled, thread, 0, 40, STACK({sampled->prog, 0x1100}));
    sample_rows_add(&sampled->model, &sampled->recording);
    struct array loops = ARRAY_OF(uint32_t);
    sample_hot_loops(&sampled->model, SAMPLE_INNERMOST, 0.01, 10, &loops);
    assert_int_equal(loops.count, 2);
    assert_int_equal(*ARRAY_AT(uint32_t, &loops, 0), WORKING);
    assert_int_equal(*ARRAY_AT(uint32_t, &loops, 1), INNER);
    loops.count = 0;
    sample_hot_loops(&sampled->model, SAMPLE_INNERMOST, 0.2, 10, &loops);
    assert_int_equal(loops.count, 1);
    loops.count = 0;
    sample_hot_loops(&sampled->model, SAMPLE_INNERMOST, 0.01, 1, &loops);
    assert_int_equal(loops.count, 1);
    loops.count = 0;
    model_function(&sampled->model, WORK)->name = model_string(&sampled->model, "GOMP_barrier");
    sample_rows_add(&sampled->model, &sampled->recording);
    sample_hot_loops(&sampled->model, SAMPLE_INNERMOST, 0.01, 10, &loops);
    assert_int_equal(loops.count, 1);
    assert_int_equal(*ARRAY_AT(uint32_t, &loops, 0), INNER);
    array_free(&loops);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(loops_count_what_ran_while_they_waited, begin, end),
        cmocka_unit_test_setup_teardown(recursion_counts_once, begin, end),
        cmocka_unit_test_setup_teardown(small_branches_are_left_out_of_the_call_tree, begin, end),
        cmocka_unit_test_setup_teardown(samples_are_added_up_by_instruction_and_thread, begin, end),
        cmocka_unit_test_setup_teardown(files_say_whether_they_were_read, begin, end),
        cmocka_unit_test_setup_teardown(waiting_is_told_from_computing, begin, end),
        cmocka_unit_test_setup_teardown(code_without_a_name_is_named_by_its_callers, begin, end),
        cmocka_unit_test_setup_teardown(counters_are_by_function_and_loop, begin, end),
        cmocka_unit_test_setup_teardown(limits_are_told, begin, end),
        cmocka_unit_test_setup_teardown(ranks_are_counted_and_threads_without_an_end_last, begin, end),
        cmocka_unit_test_setup_teardown(threads_that_are_there_to_wait_do_not_count, begin, end),
        cmocka_unit_test_setup_teardown(rows_of_an_earlier_run_are_replaced, begin, end),
        cmocka_unit_test_setup_teardown(a_run_without_samples_has_rows, begin, end),
        cmocka_unit_test_setup_teardown(hot_loops_are_innermost_ones, begin, end),
        cmocka_unit_test_setup_teardown(loops_around_others_are_hot_where_they_are_asked_for, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
