/* Which files are read for a run (hot.c), what code does by its name (activities.def), and what advice saves
   of a run (savings.c). */
#include "sample_fixture.h"

#include "run/sample/activities.h"
#include "run/sample/hot.h"

/* ---- files ---- */

static uint32_t file_here(struct sampled *sampled, const char *path)
{
    return add_file(sampled, SAMPLE_FILE_CODE, path, "");
}

static void check_addresses(const struct hot_file *file, const uint64_t *addresses, size_t count_of_them)
{
    assert_int_equal(file->addresses.count, count_of_them);
    for (size_t i = 0; i < count_of_them; i++)
        assert_int_equal(*ARRAY_AT(uint64_t, &file->addresses, i), addresses[i]);
}

static void hot_files_have_time_or_calls(void **state)
{
    struct sampled *sampled = *state;
    uint32_t program = file_here(sampled, "/proc/self/exe"), library = file_here(sampled, "/etc/passwd");
    uint32_t cold = file_here(sampled, "/etc/group"), gone = file_here(sampled, "/nowhere/lib.so");
    uint32_t deleted = file_here(sampled, "/etc/hostname"), other = file_here(sampled, "/etc/hosts");
    ARRAY_AT(struct sample_file, &sampled->recording.files, deleted)->is_deleted = true;
    ARRAY_AT(struct sample_file, &sampled->recording.files, other)->has_other_code = true;
    /* The program only calls the library, through a cold one. */
    count(sampled, 0, 0, 5000, STACK({program, 0x10}, {library, 0x300}));
    count(sampled, 0, 0, 1000, STACK({program, 0x10}, {library, 0x304}, {library, 0x200}));
    count(sampled, 0, 0, 40, STACK({program, 0x14}, {library, 0x308}, {library, 0x200})); /* a rare call */
    count(sampled, 0, 0, 50, STACK({cold, 0x500}));
    count(sampled, 0, 0, 1000, STACK({gone, 0x10}));
    count(sampled, 0, 0, 1000, STACK({deleted, 0x10}));
    count(sampled, 0, 0, 1000, STACK({other, 0x10}));
    count(sampled, 0, 0, 900, STACK({sampled->kernel, 0}));
    count(sampled, 0, 0, 3, STACK({library, 0x400})); /* a rare place */
    struct array files;
    sample_hot_files(&sampled->recording, 0.01, &files);
    assert_int_equal(files.count, 2);
    const struct hot_file *first = ARRAY_AT(struct hot_file, &files, 0);
    assert_string_equal(first->path, "/etc/passwd");
    check_near(first->share, 6043.0 / 9993);
    check_addresses(first, (const uint64_t[]){0x200, 0x300, 0x304}, 3);
    const struct hot_file *second = ARRAY_AT(struct hot_file, &files, 1);
    assert_int_equal(second->file, program);
    check_near(second->share, 0);
    check_addresses(second, (const uint64_t[]){0x10}, 1);
    sample_hot_files_free(&files);
    sample_hot_files(&sampled->recording, 0.004, &files);
    assert_int_equal(files.count, 3);
    sample_hot_files_free(&files);
}

static void nothing_sampled_is_nothing_hot(void **state)
{
    struct sampled *sampled = *state;
    struct array files;
    sample_hot_files(&sampled->recording, 0.01, &files);
    assert_int_equal(files.count, 0);
    sample_hot_files_free(&files);
}

/* ---- activities ---- */

static void names_say_what_code_does(void **state)
{
    (void)state;
    static const struct {
        const char *library, *function;
        enum run_activity activity;
    } expected[] = {
        {"solver", "MPI_Allreduce", run_activity_MPI},
        {"solver", "mpi_send_", run_activity_MPI},
        {"libmpi_mpifh.so.40", NULL, run_activity_MPI},
        {"mca_btl_vader.so", "x", run_activity_MPI},
        {"libgomp.so.1", NULL, run_activity_PARALLEL_WAIT},
        {"libgomp.so.1.0.0", "GOMP_barrier", run_activity_PARALLEL_WAIT},
        {"libgomp.so.1", "omp_get_wtime", run_activity_COMPUTE},
        {"libgomp.so.1", "GOMP_loop_dynamic_next", run_activity_COMPUTE},
        {"libgomp.so.1", "GOMP_critical_start", run_activity_LOCK},
        {"libomp.so.5", "__kmp_hyper_barrier_release", run_activity_PARALLEL_WAIT},
        {"libomp-14.so.5", NULL, run_activity_PARALLEL_WAIT},
        {"libc.so.6", "pthread_mutex_lock", run_activity_LOCK},
        {"libc.so.6", "malloc", run_activity_ALLOCATE},
        {"libstdc++.so.6", "_Znwm", run_activity_ALLOCATE},
        {"prog", "_ZdlPvm", run_activity_ALLOCATE},
        {"prog", "_ZdlIiE", run_activity_COMPUTE},
        {"libc.so.6", "__memcpy_avx_unaligned_erms", run_activity_COPY},
        {"libc.so.6", "memset", run_activity_COPY},
        {"libc.so.6", "__GI_memcpy", run_activity_COPY},
        {"libc.so.6", "__GI___libc_malloc", run_activity_ALLOCATE},
        {"libc.so.6", "free@@GLIBC_2.17", run_activity_ALLOCATE},
        {"prog", "memcpy@plt", run_activity_COPY},
        {"libc.so.6", "read", run_activity_INPUT_OUTPUT},
        {"libm.so.6", "__exp_fma", run_activity_MATHEMATICS},
        {"libm.so.6", NULL, run_activity_MATHEMATICS},
        {"libmine.so", "reader", run_activity_COMPUTE},
        {NULL, NULL, run_activity_COMPUTE},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        if (activity_of(expected[i].library, expected[i].function) != expected[i].activity)
            fail_msg("%s, %s: %s", expected[i].library, expected[i].function,
                     run_activity_word(activity_of(expected[i].library, expected[i].function)));
    assert_true(activity_is_helper("libc.so.6"));
    assert_false(activity_is_helper("libcrypto.so.3"));
}

/* ---- savings ---- */

static void add_cycles(struct sampled *sampled, uint32_t loop, uint32_t path, double cycles)
{
    *(struct loop_cycle *)model_add(&sampled->model.loop_cycles) =
        (struct loop_cycle){.loop = loop, .path = path, .cycles = cycles};
}

static void add_advice(struct sampled *sampled, uint32_t loop, uint32_t path, uint32_t rule,
                       enum advice_level level, double gain)
{
    *(struct advice *)model_add(&sampled->model.advice) =
        (struct advice){.loop = loop, .path = path, .rule = rule, .level = (uint8_t)level, .gain = gain};
}

static void add_path(struct sampled *sampled, uint32_t loop, uint32_t path, double share)
{
    *(struct run_path *)model_add(&sampled->model.run_paths) =
        (struct run_path){.run = 1, .loop = loop, .path = path, .share = share};
}

/* The inner loop has half of the time, work's 0.3. */
static void sample_it(struct sampled *sampled)
{
    add_thread(sampled, add_process(sampled, 100, NO_NUMBER, 0, 4), 100, 0, 4);
    count(sampled, 0, 0, 50, STACK({sampled->prog, 0x1020}));
    count(sampled, 0, 0, 30, STACK({sampled->prog, 0x1100}));
    count(sampled, 0, 0, 20, STACK({sampled->prog, 0x1200}));
    sample_rows_add(&sampled->model, &sampled->recording);
}

static void check_saving(const struct sampled *sampled, uint32_t position, uint32_t loop, uint32_t advice,
                         double gain, double saving)
{
    const struct run_saving *row = model_run_saving(&sampled->model, position - 1);
    assert_int_equal(row->position, position);
    assert_int_equal(row->loop, loop);
    assert_int_equal(row->advice, advice);
    check_near(row->gain, gain);
    check_near(row->saving, saving);
}

/* Twelve instructions an iteration, 1200 counted: a hundred iterations. */
static void counted_instructions_give_iterations(void **state)
{
    struct sampled *sampled = *state;
    struct model *model = &sampled->model;
    sample_it(sampled);
    add_cycles(sampled, INNER, 1, 4);
    model_loop_cycle(model, 0)->instruction_count = 12;
    model_loop(model, INNER)->path_count = 1;
    model_sampled_run(model, 1)->cycles_per_second = 1e9;
    ((struct run_loop *)loop_row(sampled, INNER))->self_seconds = 1e-6;
    model->run_counters.count = model->counter_values.count = 0;
    model_add(&model->run_counters);
    model_add(&model->counter_values);
    *(struct run_counter *)model_add(&model->run_counters) =
        (struct run_counter){.run = 1, .name = model_string(model, "instructions")};
    *(struct counter_value *)model_add(&model->counter_values) =
        (struct counter_value){.counter = 1, .loop = INNER, .count = 1200};
    sample_counted(model);
    assert_int_equal(loop_row(sampled, INNER)->iterations, 100);
    check_near(loop_row(sampled, INNER)->cycles_per_iteration, 10);
    assert_int_equal(loop_row(sampled, INNER)->measured_by, run_measure_COUNTERS);
    assert_int_equal(loop_row(sampled, WORKING)->iterations, 0);
    /* Which path ran is unknown. */
    ((struct run_loop *)loop_row(sampled, INNER))->iterations = 0;
    model_loop(model, INNER)->path_count = 2;
    sample_counted(model);
    assert_int_equal(loop_row(sampled, INNER)->iterations, 0);
}

static void savings_follow_amdahl(void **state)
{
    struct sampled *sampled = *state;
    sample_it(sampled);
    add_cycles(sampled, INNER, 1, 4);
    add_cycles(sampled, INNER, 2, 8);
    add_cycles(sampled, INNER, 3, NAN);
    add_cycles(sampled, WORKING, 1, 2);
    add_advice(sampled, INNER, 1, 7, advice_level_GAIN, 10);
    add_advice(sampled, INNER, 2, 7, advice_level_GAIN, 2);
    add_advice(sampled, INNER, 2, 8, advice_level_HINT, 3);
    add_advice(sampled, INNER, 2, 9, advice_level_GAIN, NAN);
    add_advice(sampled, INNER, 2, 10, advice_level_GAIN, 1);
    add_advice(sampled, WORKING, 1, 7, advice_level_POTENTIAL, 16);
    add_advice(sampled, WORKING, 1, 8, advice_level_GAIN, 1.25);
    sample_savings(&sampled->model);
    assert_int_equal(sampled->model.run_savings.count, 3);
    double saved = 1.0 / 3 * 0.9 + 2.0 / 3 * 0.5; /* a third and two thirds of the loop's time */
    check_saving(sampled, 1, INNER, 2, 1 / (1 - saved), 0.5 * saved);
    check_saving(sampled, 2, WORKING, 6, 16, 0.3 * 15 / 16);
    check_saving(sampled, 3, WORKING, 7, 1.25, 0.3 * 0.2);
    check_near(loop_row(sampled, INNER)->predicted_cycles, 8);
    assert_int_equal(loop_row(sampled, INNER)->path, 2);
    assert_true(isnan(loop_row(sampled, WORKING)->cycles_per_iteration));
    sample_savings(&sampled->model); /* in place of earlier rows */
    assert_int_equal(sampled->model.run_savings.count, 3);
    /* A quicker loop that waits saves nothing. */
    for (uint32_t i = 1; i < sampled->model.run_functions.count; i++)
        if (model_run_function(&sampled->model, i)->function == WORK)
            model_run_function(&sampled->model, i)->activity = run_activity_PARALLEL_WAIT;
    sample_savings(&sampled->model);
    assert_int_equal(sampled->model.run_savings.count, 1);
    check_saving(sampled, 1, INNER, 2, 1 / (1 - saved), 0.5 * saved);
}

static void only_the_predicted_part_becomes_shorter(void **state)
{
    struct sampled *sampled = *state;
    sample_it(sampled);
    add_cycles(sampled, INNER, 1, 4);
    add_cycles(sampled, WORKING, 1, 4);
    add_advice(sampled, INNER, 1, 7, advice_level_GAIN, 2);
    add_advice(sampled, WORKING, 1, 7, advice_level_POTENTIAL, 2);
    add_advice(sampled, WORKING, 1, 8, advice_level_GAIN, 2);
    for (uint32_t i = 0; i < sampled->model.run_loops.count; i++)
        model_run_loop(&sampled->model, i)->cycles_per_iteration =
            model_run_loop(&sampled->model, i)->loop == INNER ? 20 : 3;
    sample_savings(&sampled->model);
    check_saving(sampled, 1, WORKING, 3, 2, 0.15); /* of two that save the same, the more certain one */
    check_saving(sampled, 2, WORKING, 2, 2, 0.15);
    check_saving(sampled, 3, INNER, 1, 2, 0.5 * 4 / 20 / 2);
}

/* Both pieces of advice are about all paths (no evidence keeps one out): they do not add up. */
static void shared_advice_counts_once(void **state)
{
    struct sampled *sampled = *state;
    sample_it(sampled);
    add_cycles(sampled, INNER, 1, 4);
    add_cycles(sampled, INNER, 2, 4);
    add_advice(sampled, INNER, 1, 7, advice_level_POTENTIAL, 5);
    add_advice(sampled, INNER, 2, 7, advice_level_POTENTIAL, 4);
    model_advice(&sampled->model, 1)->is_shared = model_advice(&sampled->model, 2)->is_shared = true;
    sample_savings(&sampled->model);
    assert_int_equal(sampled->model.run_savings.count, 1);
    check_saving(sampled, 1, INNER, 1, 5, 0.5 * 0.8);
}

/* Two paths of 2 and 8 cycles ran in three of four and one of four iterations: 6 and 8 parts of the time. */
static void paths_count_by_their_time(void **state)
{
    struct sampled *sampled = *state;
    sample_it(sampled);
    add_cycles(sampled, INNER, 1, 2);
    add_cycles(sampled, INNER, 2, 8);
    add_cycles(sampled, INNER, 3, 100);
    add_cycles(sampled, WORKING, 1, 4);
    add_cycles(sampled, WORKING, 2, 5);
    add_path(sampled, INNER, 1, 0.75);
    add_path(sampled, INNER, 2, 0.25);
    add_path(sampled, INNER, 3, 0);
    add_path(sampled, WORKING, 1, 1);
    add_advice(sampled, INNER, 1, 7, advice_level_GAIN, 2);
    add_advice(sampled, INNER, 2, 7, advice_level_GAIN, 4);
    add_advice(sampled, INNER, 3, 8, advice_level_GAIN, 50);
    sample_savings(&sampled->model);
    double saved = 6.0 / 14 / 2 + 8.0 / 14 * 3 / 4;
    check_saving(sampled, 1, INNER, 2, 1 / (1 - saved), 0.5 * saved);
    assert_int_equal(sampled->model.run_savings.count, 1);
    check_near(loop_row(sampled, INNER)->predicted_cycles, 3.5);
    assert_int_equal(loop_row(sampled, INNER)->path, 0);
    check_near(loop_row(sampled, WORKING)->predicted_cycles, 4);
    assert_int_equal(loop_row(sampled, WORKING)->path, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(hot_files_have_time_or_calls, begin, end),
        cmocka_unit_test_setup_teardown(nothing_sampled_is_nothing_hot, begin, end),
        cmocka_unit_test(names_say_what_code_does),
        cmocka_unit_test_setup_teardown(counted_instructions_give_iterations, begin, end),
        cmocka_unit_test_setup_teardown(savings_follow_amdahl, begin, end),
        cmocka_unit_test_setup_teardown(only_the_predicted_part_becomes_shorter, begin, end),
        cmocka_unit_test_setup_teardown(shared_advice_counts_once, begin, end),
        cmocka_unit_test_setup_teardown(paths_count_by_their_time, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
