/* Calls of run-time libraries by who calls them (src/run/sample/rows_library.c, library.c): every figure here
   is added up by hand. */
#include "run/sample/library.h"
#include "sample_fixture.h"

static uint32_t one_thread(struct sampled *sampled)
{
    return add_thread(sampled, add_process(sampled, 100, NO_NUMBER, 0, 4), 100, 0, 4);
}

/* Instruction `instruction` of a function calls another one by the name of a stub. */
static void add_call(struct model *model, uint32_t caller, uint32_t instruction, enum call_kind kind,
                     const char *name)
{
    string_id stub = model_string(model, name);
    *(struct function *)model_add(&model->functions) =
        (struct function){.program = 1, .name = stub, .address = 0x2000, .origin = origin_PLT};
    *(struct call *)model_add(&model->calls) = (struct call){
        .caller = caller, .instruction = instruction, .kind = kind, .callee = model_last(&model->functions)};
}

static const struct run_library_call *call_row(const struct sampled *sampled, const char *name)
{
    for (uint32_t i = 1; i < sampled->model.run_library_calls.count; i++) {
        const struct run_library_call *row = model_run_library_call(&sampled->model, i);
        if (!strcmp(model_text(&sampled->model, row->name), name))
            return row;
    }
    fail_msg("no call of %s", name);
    return NULL;
}

/* main calls qsort from its inner loop, which calls again back; the kernel works for it, and for main. */
static void a_call_has_the_library_s_time(void **state)
{
    struct sampled *sampled = *state;
    uint32_t thread = one_thread(sampled), prog = sampled->prog, kernel = sampled->kernel;
    uint32_t libc = add_file(sampled, SAMPLE_FILE_CODE, "/nowhere/libc.so.6", "1");
    add_call(&sampled->model, MAIN, 8, call_kind_IMPORT, "qsort@plt"); /* 0x1024 */
    count(sampled, thread, 0, 10, STACK({prog, 0x1024}, {libc, 0x500}));
    count(sampled, thread, 0, 20, STACK({prog, 0x1024}, {libc, 0x500}, {libc, 0x700}));
    count(sampled, thread, 0, 5, STACK({prog, 0x1024}, {libc, 0x500}, {libc, 0x700}, {prog, 0x1200}));
    count(sampled, thread, 0, 2, STACK({prog, 0x1024}, {libc, 0x500}, {kernel, 0}));
    count(sampled, thread, 0, 3, STACK({prog, 0x1024}, {kernel, 0}));
    count(sampled, thread, 0, 60, STACK({prog, 0x1000}));
    sample_rows_add(&sampled->model, &sampled->recording);
    assert_int_equal(sampled->model.run_library_calls.count, 2);
    const struct run_library_call *call = call_row(sampled, "qsort");
    assert_int_equal(call->function, MAIN);
    assert_int_equal(call->loop, INNER);
    assert_int_equal(call->line, 10);
    assert_int_equal(call->samples, 30);
    check_near(call->self_seconds, 0.3);
    check_near(call->self_share, 0.3);
    check_near(call->total_seconds, 0.37);
    assert_int_equal(call->callback, AGAIN);
    check_near(call->callback_seconds, 0.05);
    assert_false(function_row(sampled, AGAIN, NULL)->is_library);
    assert_false(function_row(sampled, 0, "[kernel]")->is_library);
    assert_true(function_row(sampled, 0, "qsort (libc.so.6)")->is_library);
    /* What a call costs, from iterations of the loop around it. */
    model_sampled_run(&sampled->model, 1)->cycles_per_second = 1e9;
    ((struct run_loop *)(uintptr_t)loop_row(sampled, INNER))->iterations = 1000000;
    sample_library_cures(&sampled->model);
    check_near(call_row(sampled, "qsort")->cycles_per_iteration, 300);
    assert_string_equal(model_text(&sampled->model, call_row(sampled, "qsort")->cure), "sort");
}

/* work is called by main and ends with a jump to fmod: only main and the library are on the stack. */
static void a_tail_call_is_found_in_the_function_that_made_it(void **state)
{
    struct sampled *sampled = *state;
    uint32_t thread = one_thread(sampled), prog = sampled->prog;
    uint32_t libm = add_file(sampled, SAMPLE_FILE_CODE, "/nowhere/libm.so.6", "1");
    *(struct call *)model_add(&sampled->model.calls) =
        (struct call){.caller = MAIN, .instruction = 2, .kind = call_kind_DIRECT, .callee = WORK};
    add_call(&sampled->model, WORK, 11, call_kind_TAIL, "fmod@plt");
    count(sampled, thread, 0, 10, STACK({prog, 0x1004}, {libm, 0x500}));
    sample_rows_add(&sampled->model, &sampled->recording);
    const struct run_library_call *call = call_row(sampled, "fmod");
    assert_int_equal(call->function, WORK);
    assert_int_equal(call->line, 20);
    check_near(call->self_seconds, 0.1);
}

/* A comparison that sorts, too: the outer call counts once. */
static void recursion_counts_once(void **state)
{
    struct sampled *sampled = *state;
    uint32_t thread = one_thread(sampled), prog = sampled->prog;
    uint32_t libc = add_file(sampled, SAMPLE_FILE_CODE, "/nowhere/libc.so.6", "1");
    add_call(&sampled->model, MAIN, 2, call_kind_IMPORT, "qsort@plt");
    count(sampled, thread, 0, 10, STACK({prog, 0x1004}, {libc, 0x500}, {prog, 0x1004}, {libc, 0x500}));
    sample_rows_add(&sampled->model, &sampled->recording);
    assert_int_equal(sampled->model.run_library_calls.count, 2);
    check_near(call_row(sampled, "qsort")->total_seconds, 0.1);
    check_near(call_row(sampled, "qsort")->self_seconds, 0.1);
}

static void callers_may_be_unknown(void **state)
{
    struct sampled *sampled = *state;
    uint32_t thread = one_thread(sampled);
    uint32_t libc = add_file(sampled, SAMPLE_FILE_CODE, "/nowhere/libc.so.6", "1");
    uint32_t other = add_file(sampled, SAMPLE_FILE_CODE, "/nowhere/libother.so.6", "2");
    count(sampled, thread, 0, 10, STACK({libc, 0x500}));
    count(sampled, thread, 0, 10, STACK({other, 0x500}, {libc, 0x600}));
    count(sampled, thread, 0, 10, STACK({other, 0x500}));
    sample_rows_add(&sampled->model, &sampled->recording);
    sample_library_cures(&sampled->model);
    double all = 0;
    for (uint32_t i = 1; i < sampled->model.run_library_calls.count; i++) {
        const struct run_library_call *row = model_run_library_call(&sampled->model, i);
        all += row->self_seconds;
        assert_int_equal(row->function, 0);
        assert_int_equal(row->line, 0);
        assert_int_equal(row->cure, 0);
        assert_true(isnan(row->cycles_per_iteration));
    }
    assert_int_equal(sampled->model.run_library_calls.count, 3);
    check_near(all, 0.2);
    assert_false(function_row(sampled, 0, "[libother.so.6]")->is_library);
}

static void check_plain(const char *symbol, const char *plain)
{
    autofree char *found = library_plain_name(symbol);
    assert_string_equal(found, plain);
}

static void names_are_those_of_the_manual(void **state)
{
    (void)state;
    check_plain("__GI_memcpy", "memcpy");
    check_plain("__memcpy_generic", "memcpy");
    check_plain("__memmove_avx_unaligned_erms", "memmove");
    check_plain("__strlen_asimd", "strlen");
    check_plain("powf64", "pow");
    check_plain("__fmod_finite@GLIBC_2.17", "fmod");
    check_plain("exp (libm.so.6)", "exp");
    check_plain("_Znwm", "_Znwm");
    assert_true(library_is_file("libc.so.6"));
    assert_false(library_is_file("libcrypto.so.3"));
    assert_true(library_is_code("_ZNSt3mapIiiSt4lessIiESaISt4pairIKiiEEEixEOi"));
    assert_false(
        library_is_code("_ZSt16__introsort_loopIPdlN9__gnu_cxx5__ops15_Iter_less_iterEEvT_S4_T0_T1_"));
    assert_false(library_is_code(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_call_has_the_library_s_time, begin, end),
        cmocka_unit_test_setup_teardown(a_tail_call_is_found_in_the_function_that_made_it, begin, end),
        cmocka_unit_test_setup_teardown(recursion_counts_once, begin, end),
        cmocka_unit_test_setup_teardown(callers_may_be_unknown, begin, end),
        cmocka_unit_test(names_are_those_of_the_manual),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
