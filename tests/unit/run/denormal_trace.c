/* Recordings of the tracer: written here record by record, read into tables; then cut short and damaged,
   which must lose what is damaged and nothing else. */
#include "run/denormal/parts.h"

#include "runtime/denormal-trace/trace_file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>

struct bytes_of_file {
    uint8_t bytes[1 << 16];
    size_t size;
};

static void put(struct bytes_of_file *file, const void *data, size_t size)
{
    assert_true(file->size + size <= sizeof file->bytes);
    if (size)
        memcpy(file->bytes + file->size, data, size);
    file->size += size;
}

static void record(struct bytes_of_file *file, uint32_t kind, const void *head, size_t size, const void *tail,
                   size_t rest)
{
    struct trace_record start = {kind, (uint32_t)(size + rest)};
    put(file, &start, sizeof start);
    put(file, head, size);
    put(file, tail, rest);
}

static void text_record(struct bytes_of_file *file, uint32_t kind, const void *head, size_t size,
                        const char *text)
{
    record(file, kind, head, size, text, strlen(text));
}

static void put_array(struct bytes_of_file *file, struct trace_array array, const char *name)
{
    text_record(file, TRACE_ARRAY, &array, sizeof array, name);
}

static void put_counts(struct bytes_of_file *file, uint32_t number, uint64_t loads, uint64_t stores)
{
    struct trace_array_counts counts = {.number = number, .loads = loads, .stores = stores};
    record(file, TRACE_ARRAY_COUNTS, &counts, sizeof counts, NULL, 0);
}

static void put_phase(struct bytes_of_file *file, uint32_t number, const char *name)
{
    struct trace_phase phase = {.number = number, .start = 100 * (number - 1), .end = 100 * number};
    text_record(file, TRACE_PHASE, &phase, sizeof phase, name);
}

static void start_file(struct bytes_of_file *file)
{
    file->size = 0;
    struct trace_start start = {.process = 77, .origins = 1, .binades = 3};
    struct trace_module library = {.start = 0x7000, .end = 0x8000, .bias = 0x7000};
    struct trace_module program = {.start = 0x4000, .end = 0x5000, .bias = 0x1000, .is_program = 1};
    put(file, TRACE_MAGIC, sizeof TRACE_MAGIC);
    text_record(file, TRACE_START, &start, sizeof start, "./prog 1 2");
    text_record(file, TRACE_MODULE, &library, sizeof library, "/nowhere/library.so");
    text_record(file, TRACE_MODULE, &program, sizeof program, "/nowhere/prog");
}

/* Two phases; arrays a (4 × 3 doubles), b (a nameless block that turns out to be a), and c (16 floats behind
   a pointer). */
static void make(struct bytes_of_file *file)
{
    start_file(file);
    put_phase(file, 1, "first");
    struct trace_site site = {.address = 0x4010, .operand_events = 5, .loads = 7, .births = 1};
    record(file, TRACE_SITES, &site, sizeof site, NULL, 0);
    uint64_t frames[] = {0x4010, 0x4100};
    struct trace_stack stack = {1, 2};
    record(file, TRACE_STACK, &stack, sizeof stack, frames, sizeof frames);
    put_array(file,
              (struct trace_array){.number = 1,
                                   .kind = TRACE_ARRAY_STATIC,
                                   .element_bytes = 8,
                                   .value_bytes = 8,
                                   .rank = 2,
                                   .lives = 1,
                                   .address = 0x9000,
                                   .bytes = 96,
                                   .dimensions = {4, 3},
                                   .element = "double"},
              "a");
    put_array(
        file,
        (struct trace_array){.number = 2, .kind = TRACE_ARRAY_BLOCK, .bytes = 96, .lives = 1, .stack = 1},
        "");
    put_array(file,
              (struct trace_array){.number = 3,
                                   .kind = TRACE_ARRAY_HEAP,
                                   .element_bytes = 4,
                                   .value_bytes = 4,
                                   .bytes = 256,
                                   .lives = 2,
                                   .element = "float"},
              "c");
    put_counts(file, 1, 10, 1);
    uint8_t runs[] = {1, 2, 4, 6}; /* cell 1: 4, cell 2: 6 */
    struct trace_map map = {.number = 1, .kind = TRACE_MAP_LOADS, .cell_bytes = 8};
    record(file, TRACE_MAP, &map, sizeof map, runs, sizeof runs);
    put_counts(file, 2, 3, 0);
    struct trace_birth birth = {.number = 1, .stack = 1, .address = 0x4010, .values = 1, .first_array = 2};
    record(file, TRACE_BIRTHS, &birth, sizeof birth, NULL, 0);
    struct trace_origin origin = {.destination = 3, .source = 1, .values = 2};
    record(file, TRACE_ORIGINS, &origin, sizeof origin, NULL, 0);

    put_phase(file, 2, "second");
    site.operand_events = 6;
    record(file, TRACE_SITES, &site, sizeof site, NULL, 0);
    put_array(file, (struct trace_array){.number = 2, .same_as = 1}, "");
    put_counts(file, 1, 20, 2);
    put_counts(file, 3, 0, 9);
    uint8_t later[] = {2, 1, 0x80 | 2, 1}; /* cell 2: 130 */
    record(file, TRACE_MAP, &map, sizeof map, later, sizeof later);
    birth.values = 4;
    record(file, TRACE_BIRTHS, &birth, sizeof birth, NULL, 0);
    origin.values = 8;
    record(file, TRACE_ORIGINS, &origin, sizeof origin, NULL, 0);
    struct trace_limit limit = {12};
    text_record(file, TRACE_LIMIT, &limit, sizeof limit, "something was not seen");
    struct trace_end end = {5, 250};
    record(file, TRACE_END, &end, sizeof end, NULL, 0);
}

static bool add(const struct bytes_of_file *file, size_t size, struct model *model, struct error *error)
{
    char path[] = "/tmp/assay-trace-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, file->bytes, size), (ssize_t)size);
    close(descriptor);
    struct denormal_recording recording = {.run.exit_status = -1, .options.tool = denormal_tool_TRACER};
    struct denormal_process *process = denormal_process_make(path);
    model_init(model);
    *error = (struct error){0};
    struct error other = {0};
    bool has_modules = denormal_process_modules(process, denormal_tool_TRACER, &other);
    bool is_done = denormal_process_add(process, model, &recording, error);
    assert_int_equal(has_modules, is_done);
    denormal_process_free(process);
    unlink(path);
    return is_done;
}

static void rows_of_a_recording(void **state)
{
    (void)state;
    static struct bytes_of_file file;
    struct model model;
    struct error error;
    make(&file);
    assert_true(add(&file, file.size, &model, &error));
    const struct denormal_run *run = model_denormal_run(&model, 1);
    assert_int_equal(run->process, 77);
    assert_int_equal(run->mode, denormal_mode_ORIGINS);
    assert_int_equal(run->exit_status, 5);
    assert_int_equal(run->binades, 3);
    assert_string_equal(model_text(&model, run->command), "./prog 1 2");
    assert_int_equal(model.denormal_phases.count, 3);
    assert_string_equal(model_text(&model, model_denormal_phase(&model, 2)->name), "second");
    assert_int_equal(model.denormal_sites.count, 3);
    assert_int_equal(model_denormal_site(&model, 1)->operand_events, 5);
    assert_int_equal(model_denormal_site(&model, 2)->operand_events, 6);
    assert_int_equal(model_denormal_site(&model, 2)->phase, 2);
    assert_int_equal(model.denormal_arrays.count, 3); /* with row 0: the block is the same as a */
    const struct denormal_array *a = model_denormal_array(&model, 1), *c = model_denormal_array(&model, 2);
    assert_string_equal(model_text(&model, a->name), "a");
    assert_int_equal(a->loads, 33);
    assert_int_equal(a->stores, 3);
    assert_string_equal(model_text(&model, a->dimensions), "4:3");
    assert_false(a->is_assumed);
    assert_string_equal(model_text(&model, c->dimensions), "8:8");
    assert_true(c->is_assumed);
    assert_int_equal(model.denormal_origins.count, 2);
    assert_int_equal(model_denormal_origin(&model, 1)->count, 8);
    assert_int_equal(model_denormal_origin(&model, 1)->source, 1);
    assert_int_equal(model.denormal_births.count, 2);
    assert_int_equal(model_denormal_birth(&model, 1)->values, 4);
    assert_int_equal(model_denormal_birth(&model, 1)->array, 1);
    assert_int_equal(model.denormal_limits.count, 1);
    assert_int_equal(model_denormal_limit(&model, 0)->count, 12);
    model_free(&model);
}

static void maps_of_phases_and_of_the_run(void **state)
{
    (void)state;
    static struct bytes_of_file file;
    struct model model;
    struct error error;
    make(&file);
    assert_true(add(&file, file.size, &model, &error));
    assert_int_equal(model.denormal_maps.count, 4);
    for (uint32_t i = 1; i <= 3; i++) {
        const struct denormal_map *map = model_denormal_map(&model, i);
        uint32_t cells[12];
        uLongf size = sizeof cells;
        assert_int_equal(map->width, 4);
        assert_int_equal(map->height, 3);
        assert_int_equal(map->shrink, 1);
        assert_int_equal(uncompress((uint8_t *)cells, &size, map->counts.data, map->counts.size), Z_OK);
        assert_int_equal(size, sizeof cells);
        assert_int_equal(cells[0], 0);
        assert_int_equal(cells[1], map->phase == 2 ? 0 : 4);
        assert_int_equal(cells[2], map->phase == 1 ? 6 : map->phase == 2 ? 130 : 136);
        assert_int_equal(map->largest, cells[2]);
    }
    model_free(&model);
}

/* Written in parts, because the program might have been killed: what comes twice adds up. */
static void a_phase_goes_on(void **state)
{
    (void)state;
    static struct bytes_of_file file;
    struct model model;
    struct error error;
    start_file(&file);
    struct trace_phase phase = {.number = 1, .start = 10, .end = 60};
    struct trace_site site = {.address = 0x4010, .loads = 3};
    struct trace_map map = {.number = 1, .kind = TRACE_MAP_LOADS, .cell_bytes = 8};
    for (unsigned part = 0; part < 2; part++, phase.end = 90) {
        text_record(&file, TRACE_PHASE, &phase, sizeof phase, "only");
        record(&file, TRACE_SITES, &site, sizeof site, NULL, 0);
        if (part == 0)
            put_array(&file,
                      (struct trace_array){.number = 1,
                                           .kind = TRACE_ARRAY_STATIC,
                                           .element_bytes = 8,
                                           .value_bytes = 8,
                                           .rank = 2,
                                           .bytes = 96,
                                           .dimensions = {4, 3},
                                           .element = "double"},
                      "a");
        put_counts(&file, 1, 3, 0);
        uint8_t runs[] = {1, 1, (uint8_t)(part + 1)};
        record(&file, TRACE_MAP, &map, sizeof map, runs, sizeof runs);
    }
    assert_true(add(&file, file.size, &model, &error));
    assert_int_equal(model.denormal_phases.count, 2);
    assert_float_equal(model_denormal_phase(&model, 1)->seconds, 0.08, 1e-9);
    assert_int_equal(model.denormal_sites.count, 2);
    assert_int_equal(model_denormal_site(&model, 1)->loads, 6);
    assert_int_equal(model_denormal_array(&model, 1)->loads, 6);
    assert_int_equal(model.denormal_maps.count, 2);
    assert_int_equal(model_denormal_map(&model, 1)->largest, 3);
    model_free(&model);
}

static void a_recording_cut_short_keeps_what_was_complete(void **state)
{
    (void)state;
    static struct bytes_of_file file;
    make(&file);
    bool has_been_read = false;
    for (size_t size = 0; size < file.size; size++) {
        struct model model;
        struct error error;
        bool is_done = add(&file, size, &model, &error);
        assert_true(is_done || error.set);
        if (is_done) {
            assert_int_equal(model.denormal_runs.count, 2);
            assert_true(model.denormal_limits.count >= 1);
            has_been_read = true;
        } else {
            assert_false(has_been_read);
        }
        model_free(&model);
    }
    assert_true(has_been_read);
}

static void damage_is_survived(void **state)
{
    (void)state;
    static struct bytes_of_file file, damaged;
    uint64_t random = 88172645463325252u;
    make(&file);
    for (unsigned round = 0; round < 4000; round++) {
        struct model model;
        struct error error;
        damaged = file;
        for (unsigned i = 0; i < 1 + round % 4; i++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            size_t place = sizeof TRACE_MAGIC + random % (file.size - sizeof TRACE_MAGIC);
            damaged.bytes[place] = round % 3 ? (uint8_t)(random >> 32) : 0xff;
        }
        add(&damaged, damaged.size, &model, &error);
        model_free(&model);
    }
}

static void numbers_that_lead_in_a_circle(void **state)
{
    (void)state;
    static struct bytes_of_file file;
    struct model model;
    struct error error;
    start_file(&file);
    put_phase(&file, 1, "only");
    put_array(&file, (struct trace_array){.number = 1, .same_as = 0}, "x");
    put_array(&file, (struct trace_array){.number = 2, .same_as = 1}, "y");
    put_array(&file, (struct trace_array){.number = 1, .same_as = 2}, "x");
    put_counts(&file, 1, 10, 1);
    assert_true(add(&file, file.size, &model, &error));
    assert_int_equal(model.denormal_arrays.count, 1);
    model_free(&model);
}

static void absurd_shapes_and_maps(void **state)
{
    (void)state;
    static struct bytes_of_file file;
    struct model model;
    struct error error;
    start_file(&file);
    put_phase(&file, 1, "only");
    struct trace_array array = {
        .number = 1, .element_bytes = 8, .value_bytes = 8, .rank = 7, .bytes = UINT64_MAX};
    for (unsigned i = 0; i < 7; i++)
        array.dimensions[i] = UINT64_MAX;
    put_array(&file, array, "huge");
    array.number = 2;
    array.rank = 3;
    array.dimensions[0] = array.dimensions[1] = 1024;
    array.dimensions[2] = 1 << 30;
    put_array(&file, array, "deep");
    array.number = 3;
    array.rank = 0;
    array.element_bytes = 1;
    put_array(&file, array, "no shape");
    for (uint32_t number = 1; number <= 3; number++) {
        put_counts(&file, number, 1, 1);
        uint8_t runs[] = {0xff, 0xff, 0xff, 0xff, 0x7f, 3, 1, 1, 1, 0xff, 0xff, 0xff, 0xff, 0x7f, 1, 9, 0xff};
        struct trace_map map = {.number = number, .cell_bytes = 1 << 30};
        record(&file, TRACE_MAP, &map, sizeof map, runs, sizeof runs);
    }
    assert_true(add(&file, file.size, &model, &error));
    assert_int_equal(model.denormal_arrays.count, 4);
    model_free(&model);
}

/* 3-D: a row of maps for each slice with something in it. */
static void slices(void **state)
{
    (void)state;
    static struct bytes_of_file file;
    struct model model;
    struct error error;
    start_file(&file);
    put_phase(&file, 1, "only");
    put_array(&file,
              (struct trace_array){.number = 1,
                                   .element_bytes = 4,
                                   .value_bytes = 4,
                                   .rank = 3,
                                   .bytes = 120,
                                   .dimensions = {2, 3, 5},
                                   .element = "float"},
              "v");
    put_counts(&file, 1, 3, 0);
    uint8_t runs[] = {5, 2, 1, 1, 20, 1, 7}; /* elements 5, 6 and 27: slices 0, 1 and 4 */
    struct trace_map map = {.number = 1, .cell_bytes = 4};
    record(&file, TRACE_MAP, &map, sizeof map, runs, sizeof runs);
    assert_true(add(&file, file.size, &model, &error));
    assert_int_equal(model.denormal_maps.count, 4);
    assert_int_equal(model_denormal_map(&model, 1)->slice, 0);
    assert_int_equal(model_denormal_map(&model, 2)->slice, 1);
    assert_int_equal(model_denormal_map(&model, 3)->slice, 4);
    assert_int_equal(model_denormal_map(&model, 3)->largest, 7);
    assert_int_equal(model_denormal_map(&model, 3)->phase, 0);
    model_free(&model);
}

static void large_arrays_shrink(void **state)
{
    (void)state;
    static struct bytes_of_file file;
    struct model model;
    struct error error;
    start_file(&file);
    put_phase(&file, 1, "only");
    put_array(&file,
              (struct trace_array){.number = 1,
                                   .element_bytes = 4,
                                   .value_bytes = 4,
                                   .rank = 2,
                                   .bytes = 4 * 3000 * 2000,
                                   .dimensions = {3000, 2000},
                                   .element = "float"},
              "v");
    put_counts(&file, 1, 3, 0);
    uint8_t runs[] = {0, 3, 5, 5, 5}; /* the first three elements of a row share a cell */
    struct trace_map map = {.number = 1, .cell_bytes = 4};
    record(&file, TRACE_MAP, &map, sizeof map, runs, sizeof runs);
    assert_true(add(&file, file.size, &model, &error));
    const struct denormal_map *row = model_denormal_map(&model, 1);
    assert_int_equal(row->shrink, 3);
    assert_int_equal(row->width, 1000);
    assert_int_equal(row->height, 667);
    assert_int_equal(row->largest, 15);
    model_free(&model);
}

/* Entries in order, one behind the other; 0 operands and a number that is too small end the reading. */
static void entries_of_the_log(void **state)
{
    (void)state;
    static struct bytes_of_file file;
    struct model model;
    struct error error;
    struct trace_log_entry entries[] = {
        {.number = 5,
         .address = 0x4010,
         .values = {0x2000},
         .result = 0x1000,
         .action = TRACE_MULTIPLY,
         .operands = 2,
         .operand_bytes = 4,
         .result_bytes = 4,
         .from = {4}},
        {.number = 6,
         .address = 0x4014,
         .values = {0x1000},
         .result = 0x1000,
         .action = TRACE_STORE,
         .operands = 1,
         .operand_bytes = 4,
         .result_bytes = 4,
         .from = {5},
         .array = 1,
         .element = 3,
         .data_address = 0x900c},
        {.number = 9,
         .address = 0x4014,
         .action = TRACE_COMPARE,
         .operands = 2,
         .operand_bytes = 8,
         .from = {6, 5}},
    };
    start_file(&file);
    put_phase(&file, 1, "only");
    put_array(&file, (struct trace_array){.number = 1, .element_bytes = 4, .value_bytes = 4, .bytes = 64},
              "v");
    record(&file, TRACE_LOG, entries, sizeof entries, NULL, 0);
    size_t sound = file.size;
    assert_true(add(&file, sound, &model, &error));
    assert_int_equal(model.denormal_log_entries.count, 4);
    const struct denormal_log_entry *first = model_denormal_log_entry(&model, 1), *second = first + 1;
    assert_true(first->first == ldexp(0x2000, -149) && first->result == ldexp(0x1000, -149));
    assert_true(first->second == 0 && isnan(first->third));
    assert_int_equal(first->first_from, 0);
    assert_int_equal(second->first_from, 1);
    assert_int_equal(second->element, 3);
    assert_string_equal(model_text(&model, model_denormal_array(&model, second->array)->name), "v");
    assert_int_equal(second[1].first_from, 2);
    assert_int_equal(second[1].second_from, 1);
    assert_true(isnan(second[1].result));
    model_free(&model);
    const struct trace_log_entry bad[] = {
        {.number = 9, .action = TRACE_ADD, .operands = 2, .operand_bytes = 4},
        {.number = 10, .action = TRACE_OTHER + 1, .operands = 2, .operand_bytes = 4},
        {.number = 10, .action = TRACE_ADD, .operands = 4, .operand_bytes = 4},
        {.number = 10, .action = TRACE_ADD, .operands = 0, .operand_bytes = 4},
        {.number = 10, .action = TRACE_LOAD, .operands = 2, .operand_bytes = 4},
        {.number = 10, .action = TRACE_ADD, .operands = 2, .operand_bytes = 5},
        {.number = 10, .action = TRACE_ADD, .operands = 2, .operand_bytes = 4, .result_bytes = 2},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        file.size = sound;
        record(&file, TRACE_LOG, &bad[i], sizeof bad[i], NULL, 0);
        assert_true(add(&file, file.size, &model, &error));
        assert_int_equal(model.denormal_log_entries.count, 4);
        model_free(&model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_a_recording),
        cmocka_unit_test(maps_of_phases_and_of_the_run),
        cmocka_unit_test(a_phase_goes_on),
        cmocka_unit_test(a_recording_cut_short_keeps_what_was_complete),
        cmocka_unit_test(damage_is_survived),
        cmocka_unit_test(numbers_that_lead_in_a_circle),
        cmocka_unit_test(absurd_shapes_and_maps),
        cmocka_unit_test(slices),
        cmocka_unit_test(large_arrays_shrink),
        cmocka_unit_test(entries_of_the_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
