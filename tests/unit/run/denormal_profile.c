/* Recordings of the profiler become rows (src/run/denormal/profile*.c): one made by hand, then the same with
   every kind of damage.  Whatever the file says, numbers of rows stay in range and intervals hold their
   estimates. */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>
#include "run/denormal/parts.h"
#include "profile_recording.h"

static char path[64];
static int file = -1;

static int set_up(void **state)
{
    (void)state;
    file = memfd_create("recording", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return file < 0;
}

static int tear_down(void **state)
{
    (void)state;
    return close(file);
}

static void put(const void *bytes, size_t size)
{
    assert_int_equal(ftruncate(file, 0), 0);
    assert_int_equal(pwrite(file, bytes, size, 0), (ssize_t)size);
}

static bool add(struct model *model, struct error *error)
{
    struct denormal_process *process = denormal_process_make(path);
    struct denormal_recording recording = {.processes = ARRAY_OF(struct denormal_process *),
                                           .options.tool = denormal_tool_PROFILER};
    model_init(model);
    bool is_done = denormal_process_add(process, model, &recording, error);
    denormal_process_free(process);
    return is_done;
}

static const char *limit_with(const struct model *model, const char *part, uint64_t *count)
{
    for (uint32_t i = 0; i < model->denormal_limits.count; i++) {
        const struct denormal_limit *limit = model_denormal_limit(model, i);
        const char *text = model_text(model, limit->text);
        *count = limit->count;
        if (strstr(text, part))
            return text;
    }
    return NULL;
}

static void rows_of_an_exact_run(void **state)
{
    (void)state;
    struct recording *recording = record(PROFILE_EXACT, "/nowhere/libm.so");
    struct model model;
    struct error error = {0};
    uint64_t count;
    put(recording, sizeof *recording);
    assert_true(add(&model, &error));

    assert_int_equal(model.denormal_runs.count, 2);
    const struct denormal_run *run = model_denormal_run(&model, 1);
    assert_string_equal(model_text(&model, run->command), "./solver --steps 20");
    assert_int_equal(run->tool, denormal_tool_PROFILER);
    assert_int_equal(run->mode, denormal_mode_EXACT);
    assert_int_equal(run->process, 4242);
    assert_int_equal(run->exit_status, 3);
    assert_int_equal(run->end_signal, NO_NUMBER);
    assert_true(run->seconds == 13);

    assert_int_equal(model.denormal_phases.count, 3);
    const struct denormal_phase *phase = model_denormal_phase(&model, 2);
    assert_string_equal(model_text(&model, phase->name), "solve");
    assert_true(phase->start == 2 && phase->seconds == 11);

    assert_int_equal(model.denormal_sites.count, 4);
    const struct denormal_site *site = model_denormal_site(&model, 1);
    assert_int_equal(site->address, PROGRAM_START + 0x1234);
    assert_int_equal(site->phase, 1);
    assert_int_equal(site->operand_events, 107);
    assert_int_equal(site->underflow_events, 40);
    assert_true(isnan(site->low) && isnan(site->high) && isnan(site->seconds));
    assert_non_null(strstr(model_text(&model, site->name), "solver"));
    assert_int_equal(model_denormal_site(&model, 2)->address, LIBRARY_START + 0x1010);
    assert_int_equal(model_denormal_site(&model, 3)->phase, 2);

    assert_int_equal(model.denormal_limits.count, 1);
    assert_non_null(limit_with(&model, "handlers for SIGFPE", &count));
    assert_int_equal(count, 2);
    model_free(&model);
    free(recording);
}

static void samples(void **state)
{
    (void)state;
    struct recording *recording = record(PROFILE_EXACT, "/nowhere/libm.so");
    struct model model;
    struct error error = {0};
    put(recording, sizeof *recording);
    assert_true(add(&model, &error));
    assert_int_equal(model.denormal_samples.count, 4);
    const struct denormal_sample *sample = model_denormal_sample(&model, 1);
    assert_int_equal(sample->event, denormal_event_OPERAND);
    assert_string_equal(model_text(&model, sample->operand), "memory");
    assert_int_equal(sample->lane, 2);
    assert_true((float)sample->value == -1e-40f);
    assert_int_equal(sample->data_address, STACK_TOP + 16);
    assert_string_equal(model_text(&model, sample->place), "stack");
    assert_int_equal(sample->thread, 4242);
    assert_true(sample->stack);
    assert_int_equal(model.denormal_frames.count, 4); /* two in each stack */
    assert_int_equal(model_denormal_frame(&model, 0)->address, PROGRAM_START + 0x1234);
    assert_int_equal(model_denormal_frame(&model, 1)->address, PROGRAM_START + 0x2000);

    sample = model_denormal_sample(&model, 2);
    assert_int_equal(sample->event, denormal_event_UNDERFLOW);
    assert_string_equal(model_text(&model, sample->operand), "st(0)");
    assert_int_equal(sample->data_address, NO_ADDRESS);
    assert_int_equal(sample->place, 0);
    assert_int_equal(sample->phase, 2);

    sample = model_denormal_sample(&model, 3);
    assert_string_equal(model_text(&model, sample->place), "heap");
    model_free(&model);
    free(recording);
}

static void values(void **state)
{
    (void)state;
    static const struct {
        uint16_t bits;
        uint64_t low;
        uint16_t high;
        double value; /* NaN: cannot be said as a double */
    } cases[] = {
        {16, 0x0001, 0, 0x1p-24},
        {16, 0xbc00, 0, -1},
        {32, 0x00000001, 0, 0x1p-149},
        {64, 1, 0, 0x1p-1074},
        {80, UINT64_C(1) << 63, 0x3fff, 1},
        {80, UINT64_C(3) << 62, 0xbffe, -0.75},
        {80, UINT64_C(1) << 63, 16383 - 1060, 0x1p-1060},
        {80, 1, 0, NAN},
        {80, 0, 0, 0},
        {0, 1, 0, NAN},
        {7, 1, 0, NAN},
    };
    struct recording *recording = record(PROFILE_EXACT, "/nowhere/libm.so");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct model model;
        struct error error = {0};
        recording->samples[0].operand_bits = cases[i].bits;
        memcpy(recording->samples[0].value, &cases[i].low, 8);
        memcpy(recording->samples[0].value + 8, &cases[i].high, 2);
        put(recording, sizeof *recording);
        assert_true(add(&model, &error));
        double value = model_denormal_sample(&model, 1)->value;
        assert_true(isnan(cases[i].value) ? isnan(value) : value == cases[i].value);
        model_free(&model);
    }
    free(recording);
}

/* Ten sleeps of the same length, each of which hid as many events: the error is that of the clock alone. */
static void estimates(void **state)
{
    (void)state;
    struct recording *recording = record(PROFILE_SAMPLED, "/nowhere/libm.so");
    struct model model;
    struct error error = {0};
    memset(recording->sites, 0, sizeof recording->sites);
    recording->sites[0] = (struct profile_site){.address = PROGRAM_START + 0x1234,
                                                .operand_events = 200,
                                                .underflow_events = 50,
                                                .missed_operands = 8000,
                                                .missed_underflows = 2000,
                                                .missed_low = 9000,
                                                .missed_high = 12000,
                                                .missed_squares = 10 * 1e6,
                                                .missed_products = 10 * 1e6 * 1e3};
    recording->phases[0].sleeps = 10;
    recording->phases[0].slept_planned = 10 * 1e6;
    recording->phases[0].slept_squares = 10 * 1e12;
    recording->phases[0].slept_ticks = 11 * 1e6;
    put(recording, sizeof *recording);
    assert_true(add(&model, &error));
    const struct denormal_site *site = model_denormal_site(&model, 1);
    assert_int_equal(site->operand_events, 200 + 8800);
    assert_int_equal(site->underflow_events, 50 + 2200);
    assert_float_equal(site->low, 250 + 9900, 1e-3);
    assert_float_equal(site->high, 250 + 13200, 1e-3);
    assert_int_equal(model_denormal_run(&model, 1)->mode, denormal_mode_SAMPLED);
    model_free(&model);

    /* One that hid all of them: Σ(m·r)² is larger, and so is the error. */
    recording->sites[0].missed_squares = 1e8;
    put(recording, sizeof *recording);
    assert_true(add(&model, &error));
    site = model_denormal_site(&model, 1);
    double wide = 1.1 * sqrt(1e8 - 2 * 1e-3 * 1e10 + 1e-6 * 1e13) * 1.96;
    assert_float_equal(site->low, fmax(250, 250 + 9900 - wide), 1);
    assert_float_equal(site->high, 250 + 13200 + wide, 1);
    model_free(&model);

    recording->phases[0].sleeps = 2; /* too few to know their spread */
    recording->sites[0].missed_squares = 10 * 1e6;
    put(recording, sizeof *recording);
    assert_true(add(&model, &error));
    site = model_denormal_site(&model, 1);
    assert_float_equal(site->low, 250, 1e-3);
    assert_float_equal(site->high, 250 + 22000, 1e-3);
    model_free(&model);
    free(recording);
}

static void modules(void **state)
{
    (void)state;
    struct recording *recording = record(PROFILE_EXACT, "/nowhere/libm.so");
    struct denormal_process *process = denormal_process_make(path);
    struct error error = {0};
    recording->modules[2] = recording->modules[0]; /* seen again */
    recording->header.modules.used = 3;
    put(recording, sizeof *recording);
    const struct array *found = denormal_process_modules(process, denormal_tool_PROFILER, &error);
    assert_non_null(found);
    assert_ptr_equal(denormal_process_modules(process, denormal_tool_PROFILER, &error),
                     found); /* read once */
    assert_int_equal(found->count, 2);
    const struct places_loaded *program = ARRAY_AT(struct places_loaded, found, 0);
    assert_string_equal(program->path, "/nowhere/solver");
    assert_string_equal(program->build_id, "abcd000000000000000000000000000000000000");
    assert_int_equal(program->events, 107 + 40 + 5);
    assert_int_equal(ARRAY_AT(struct places_loaded, found, 1)->events, 1000);
    denormal_process_free(process);
    free(recording);
}

/* ---- damage ---- */

static void no_recordings(void **state)
{
    (void)state;
    struct recording *recording = record(PROFILE_EXACT, "");
    static const struct {
        size_t offset;
        uint8_t value;
        const char *part;
    } changes[] = {
        {offsetof(struct profile_header, magic), 'a', "not a recording"},
        {offsetof(struct profile_header, version), 9, "another version"},
        {offsetof(struct profile_header, header_bytes), 9, "another version"},
        {offsetof(struct profile_header, word_bits), 9, "damaged"},
        {offsetof(struct profile_header, mode), 9, "damaged"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct model model;
        struct error error = {0};
        uint8_t *byte = (uint8_t *)recording + changes[i].offset, old = *byte;
        *byte = changes[i].value;
        put(recording, sizeof *recording);
        assert_false(add(&model, &error));
        assert_non_null(strstr(error.text, changes[i].part));
        assert_int_equal(model.denormal_runs.count, 1);
        *byte = old;
        model_free(&model);
    }
    struct model model;
    struct error error = {0};
    put("ASSAYDIP", 8);
    assert_false(add(&model, &error));
    assert_non_null(strstr(error.text, "too short"));
    model_free(&model);
    free(recording);
}

static void check_rows(const struct model *model)
{
    for (uint32_t i = 1; i < model->denormal_sites.count; i++) {
        const struct denormal_site *site = model_denormal_site(model, i);
        assert_in_range(site->phase, 1, model->denormal_phases.count - 1);
        double events = (double)site->operand_events + (double)site->underflow_events;
        if (!isnan(site->low))
            assert_true(site->low <= site->high && site->low <= events * (1 + 1e-9) + 1 &&
                        (events <= site->high * (1 + 1e-9) + 1 || events > 1e17));
    }
    for (uint32_t i = 1; i < model->denormal_samples.count; i++) {
        const struct denormal_sample *sample = model_denormal_sample(model, i);
        assert_in_range(sample->phase, 1, model->denormal_phases.count - 1);
    }
    for (uint32_t i = 1; i < model->denormal_phases.count; i++) {
        const struct denormal_phase *phase = model_denormal_phase(model, i);
        assert_true(phase->start >= 0 && phase->seconds >= 0);
    }
}

static void cut_short(void **state)
{
    (void)state;
    struct recording *recording = record(PROFILE_SAMPLED, "/nowhere/libm.so");
    for (size_t size = 0; size < sizeof *recording; size += size < 4000 ? 61 : 257) {
        struct model model;
        struct error error = {0};
        uint64_t count;
        put(recording, size);
        bool is_read = add(&model, &error);
        assert_int_equal(is_read, size >= sizeof recording->header);
        if (is_read) {
            assert_non_null(limit_with(&model, "truncated", &count));
            check_rows(&model);
        }
        model_free(&model);
    }
    free(recording);
}

static void absurd_counts(void **state)
{
    (void)state;
    struct model model;
    struct error error = {0};
    uint64_t count;
    struct recording *recording = record(PROFILE_SAMPLED, "/nowhere/libm.so");
    struct profile_section *sections[] = {&recording->header.modules, &recording->header.phases,
                                          &recording->header.sites, &recording->header.samples,
                                          &recording->header.notes};
    for (unsigned i = 0; i < 5; i++) {
        struct profile_section kept = *sections[i];
        sections[i]->capacity = UINT32_MAX;
        sections[i]->used = UINT64_MAX;
        put(recording, sizeof *recording);
        assert_true(add(&model, &error));
        check_rows(&model);
        model_free(&model);
        sections[i]->offset = UINT64_MAX - 8;
        put(recording, sizeof *recording);
        assert_true(add(&model, &error));
        assert_non_null(limit_with(&model, "truncated", &count));
        model_free(&model);
        *sections[i] = kept;
        sections[i]->entry_bytes = i % 2 ? 0 : UINT32_MAX;
        put(recording, sizeof *recording);
        assert_true(add(&model, &error));
        assert_non_null(limit_with(&model, "invalid entries", &count));
        model_free(&model);
        *sections[i] = kept;
    }
    recording->sites[3].phase = 3; /* not begun */
    recording->samples[0].stack_bytes = UINT32_MAX;
    recording->sites[15].missed_operands = INFINITY;
    recording->sites[15].missed_high = NAN;
    recording->phases[0].slept_planned = -1;
    put(recording, sizeof *recording);
    assert_true(add(&model, &error));
    assert_non_null(limit_with(&model, "invalid entries", &count));
    assert_int_equal(count, 2);
    check_rows(&model);
    model_free(&model);
    free(recording);
}

/* As large as the profiler makes it, and nearly all holes. */
static void sparse(void **state)
{
    (void)state;
    struct model model;
    struct error error = {0};
    struct recording *recording = record(PROFILE_EXACT, "/nowhere/libm.so");
    recording->header.sites = recorded_section((size_t)1 << 30, sizeof(struct profile_site), 1 << 22, 1);
    put(recording, sizeof *recording);
    off_t at = ((off_t)1 << 30) + (off_t)3000000 * (off_t)sizeof(struct profile_site);
    assert_int_equal(pwrite(file, &recording->sites[3], sizeof recording->sites[3], at),
                     sizeof recording->sites[3]);
    assert_int_equal(
        ftruncate(file, ((off_t)1 << 30) + ((off_t)1 << 22) * (off_t)sizeof(struct profile_site)), 0);
    assert_true(add(&model, &error));
    assert_int_equal(model.denormal_sites.count, 2);
    assert_int_equal(model.denormal_limits.count, 1);
    model_free(&model);
    free(recording);
}

static void random_damage(void **state)
{
    (void)state;
    uint64_t random = 11;
    struct recording *recording = record(PROFILE_SAMPLED, path); /* the library is the recording itself */
    uint8_t *changed = malloc(sizeof *recording);
    for (unsigned i = 0; i < 3000; i++) {
        struct model model;
        struct error error = {0};
        memcpy(changed, recording, sizeof *recording);
        for (unsigned j = 0; j < 8; j++) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            size_t at = (size_t)(random >> 20) % (j % 2 ? 400 : sizeof *recording);
            changed[at < 24 ? at + 24 : at] = (uint8_t)(random >> 56);
        }
        put(changed, sizeof *recording);
        if (add(&model, &error))
            check_rows(&model);
        else
            assert_true(error.set);
        model_free(&model);
    }
    free(changed);
    free(recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_an_exact_run),
        cmocka_unit_test(samples),
        cmocka_unit_test(values),
        cmocka_unit_test(estimates),
        cmocka_unit_test(modules),
        cmocka_unit_test(no_recordings),
        cmocka_unit_test(cut_short),
        cmocka_unit_test(absurd_counts),
        cmocka_unit_test(sparse),
        cmocka_unit_test(random_damage),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
