/* Addresses of a run become places of the model (src/run/places/loaded.c), stacks (stacks.c) and names
   (symbols.c).

   A hand-made model of two programs.  The first has a function in two parts, with another one between them,
   and a call that was inlined twice over; it lies at a different address in each of two processes. */
#include "run/denormal/parts.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BIAS = 0x550000, OTHER_BIAS = 0x7f0000 };

static void add_code(struct model *model, uint32_t block, uint32_t offset, uint32_t source_line)
{
    struct instruction *instruction = model_add(&model->code);
    instruction->block = block;
    instruction->offset = offset;
    instruction->source_line = source_line;
    instruction->target = NO_ADDRESS;
}

/* A block of three instructions of 4 bytes. */
static void add_block(struct model *model, uint32_t function, uint32_t section, uint64_t address,
                      uint32_t loop, uint32_t source_line)
{
    struct block *block = model_add(&model->blocks);
    uint32_t id = model_last(&model->blocks);
    *block = (struct block){.function = function,
                            .section = section,
                            .address = address,
                            .size = 12,
                            .first_instruction = (uint32_t)model->code.count,
                            .instruction_count = 3,
                            .loop = loop};
    for (uint32_t i = 0; i < 3; i++)
        add_code(model, id, i * 4, source_line);
}

static void add_program(struct model *model, const char *path, const char *build_id)
{
    struct program *program = model_add(&model->programs);
    *program = (struct program){.isa = isa_X86_64, .format = format_SHARED, .bits = 64};
    uint32_t id = model_last(&model->programs);
    string_id name = model_string(model, path), build = model_string(model, build_id);
    program = model_program(model, id);
    program->path = name;
    program->build_id = build;
    struct section *section = model_add(&model->sections);
    *section = (struct section){.program = id, .is_code = 1, .is_loaded = 1};
}

static void add_source(struct model *model, const char *path, uint32_t line, uint32_t inlined)
{
    uint32_t file = model_file_id(model, path);
    *(struct source_line *)model_add(&model->source_lines) =
        (struct source_line){.program = 1, .file = file, .line = line, .inlined_call = inlined};
}

static int begin(void **state)
{
    struct model *model = memory_get(sizeof *model);
    model_init(model);
    add_program(model, "/opt/run/prog", "aabb");
    add_program(model, "/opt/run/libother.so", NULL);
    for (uint32_t i = 0; i < 3; i++)
        *(struct function *)model_add(&model->functions) = (struct function){.program = 1 + (i == 2)};
    add_source(model, "main.c", 10, 0);
    add_source(model, "inner.h", 77, 2); /* inner, inlined into middle, inlined into the function */
    *(struct inlined_call *)model_add(&model->inlined_calls) =
        (struct inlined_call){.program = 1, .call_line = 20, .call_file = model_file_id(model, "main.c")};
    *(struct inlined_call *)model_add(&model->inlined_calls) = (struct inlined_call){
        .program = 1, .parent = 1, .call_line = 55, .call_file = model_file_id(model, "middle.h")};
    string_id middle = model_string(model, "middle"), inner = model_string(model, "inner");
    model_inlined_call(model, 1)->name = middle;
    model_inlined_call(model, 2)->name = inner;
    add_block(model, 1, 1, 0x1000, 0, 1);
    add_block(model, 1, 1, 0x1400, 5, 2); /* far away, after the other function */
    add_block(model, 2, 1, 0x1200, 0, 1);
    add_block(model, 3, 2, 0x1000, 0, 0); /* of the other program, at the same address */
    add_block(model, 0, 1, 0x1210, 0, 0); /* padding */
    *state = model;
    return 0;
}

static int end(void **state)
{
    model_free(*state);
    free(*state);
    return 0;
}

static void add_module(struct array *modules, const char *path, const char *build_id, uint64_t start,
                       uint64_t finish, uint64_t bias)
{
    struct places_loaded *module = array_add(modules);
    module->path = memory_copy_text(path, strlen(path));
    strcpy(module->build_id, build_id);
    module->start = start;
    module->end = finish;
    module->bias = bias;
}

/* In no order, as a recording may have them. */
static struct array modules_of(struct model *model, uint64_t bias)
{
    struct array modules = ARRAY_OF(struct places_loaded);
    add_module(&modules, "/elsewhere/copy", "aabb", bias + 0x1000, bias + 0x2000, bias);
    add_module(&modules, "[vdso]", "", 0x1000, 0x2000, 0);
    add_module(&modules, "/opt/run/libother.so", "", bias + 0x100000, bias + 0x102000, bias + 0x100000);
    add_module(&modules, "/opt/run/prog", "ccdd", bias + 0x200000, bias + 0x201000, bias + 0x200000);
    places_match_loaded(model, &modules);
    return modules;
}

static uint32_t program_at(const struct array *modules, uint64_t address)
{
    const struct places_loaded *module = places_loaded_at(modules, address);
    return module ? module->program : UINT32_MAX;
}

static void build_ids_decide_before_paths(void **state)
{
    struct array modules = modules_of(*state, BIAS);
    assert_int_equal(program_at(&modules, BIAS + 0x1000), 1);
    assert_int_equal(program_at(&modules, BIAS + 0x100000), 2); /* by its path */
    assert_int_equal(program_at(&modules, BIAS + 0x200000), 0); /* another build of the same path */
    assert_int_equal(program_at(&modules, 0x1000), 0);
    assert_int_equal(program_at(&modules, BIAS + 0x2000), UINT32_MAX); /* the end is outside */
    places_free_loaded(&modules);
}

static void code_is_found_in_all_parts_of_a_function(void **state)
{
    struct model *model = *state;
    struct array modules = modules_of(model, BIAS);
    struct places_location first = places_locate(model, &modules, BIAS + 0x1004);
    assert_int_equal(first.program, 1);
    assert_int_equal(first.function, 1);
    assert_int_equal(first.instruction, 2);
    assert_int_equal(first.address, 0x1004);
    assert_int_equal(first.line, 10);
    assert_int_equal(first.loop, 0);
    struct places_location far = places_locate(model, &modules, BIAS + 0x1408);
    assert_int_equal(far.function, 1);
    assert_int_equal(far.loop, 5);
    assert_int_equal(far.instruction, 6);
    assert_int_equal(far.line, 77);
    assert_int_equal(far.inlined_call, 2);
    assert_int_equal(places_locate(model, &modules, BIAS + 0x1200).function, 2);
    struct places_location inside = places_locate(model, &modules, BIAS + 0x1203); /* not where one starts */
    assert_int_equal(inside.instruction, 7);
    struct places_location other = places_locate(model, &modules, BIAS + 0x101000);
    assert_int_equal(other.program, 2);
    assert_int_equal(other.function, 3);
    places_free_loaded(&modules);
}

static void code_that_the_model_lacks_has_a_name(void **state)
{
    struct model *model = *state;
    struct array modules = modules_of(model, BIAS);
    struct places_location gap = places_locate(model, &modules, BIAS + 0x1100);
    assert_int_equal(gap.program, 1);
    assert_int_equal(gap.instruction, 0);
    assert_string_equal(model_text(model, gap.name), "copy+0x1100");
    struct places_location padding = places_locate(model, &modules, BIAS + 0x1210);
    assert_int_equal(padding.function, 0);
    assert_string_equal(model_text(model, padding.name), "copy+0x1210");
    struct places_location kernel = places_locate(model, &modules, 0x1234);
    assert_int_equal(kernel.program, 0);
    assert_int_equal(kernel.address, 0x1234);
    assert_string_equal(model_text(model, kernel.name), "[vdso]+0x1234");
    struct places_location unread = places_locate(model, &modules, BIAS + 0x200010);
    assert_int_equal(unread.program, 0);
    assert_int_equal(unread.address, BIAS + 0x200010); /* in memory, since no program numbers it */
    assert_string_equal(model_text(model, unread.name), "prog+0x10");
    const uint64_t nowhere[] = {0, 1, BIAS, UINT64_MAX};
    for (size_t i = 0; i < sizeof nowhere / sizeof *nowhere; i++) {
        struct places_location place = places_locate(model, &modules, nowhere[i]);
        assert_int_equal(place.program, 0);
        assert_string_equal(model_text(model, place.name), "code not in any file");
    }
    assert_string_equal(model_text(model, places_name_code(model, "/tmp/gone.so (deleted)", 0x20)),
                        "gone.so+0x20");
    places_free_loaded(&modules);
}

/* A function of this very program is known by its symbol. */
static void symbols_of_files_name_code(void **state)
{
    struct model *model = *state;
    Dl_info facts;
    assert_int_not_equal(dladdr((void *)(uintptr_t)strtoul, &facts), 0);
    char *path = realpath(facts.dli_fname, NULL);
    assert_non_null(path);
    uint64_t address = (uint64_t)(uintptr_t)facts.dli_saddr - (uint64_t)(uintptr_t)facts.dli_fbase;
    const char *name = model_text(model, places_name_code(model, path, address));
    assert_non_null(strstr(name, " ("));
    assert_null(strstr(name, "+0x"));
    free(path);
}

static const struct denormal_frame *frame(const struct model *model, uint32_t stack, uint32_t position)
{
    for (uint32_t i = 0; i < model->denormal_frames.count; i++)
        if (model_denormal_frame(model, i)->stack == stack &&
            model_denormal_frame(model, i)->position == position)
            return model_denormal_frame(model, i);
    return NULL;
}

static void stacks_read_like_the_source(void **state)
{
    struct model *model = *state;
    struct array modules = modules_of(model, BIAS);
    /* In inner, inlined twice; called from the other function, whose call is the last instruction of a block.
     */
    const uint64_t addresses[] = {BIAS + 0x1400, BIAS + 0x120c, 0x666};
    uint32_t stack = denormal_add_stack(model, &modules, addresses, 3);
    assert_int_equal(stack, 1);
    assert_int_equal(model->denormal_frames.count, 4); /* the last address is in no file */
    assert_string_equal(model_text(model, frame(model, stack, 1)->name), "inner");
    assert_int_equal(frame(model, stack, 1)->line, 77);
    assert_string_equal(model_text(model, frame(model, stack, 2)->name), "middle");
    assert_int_equal(frame(model, stack, 2)->line, 55);
    assert_int_equal(frame(model, stack, 3)->name, 0);
    assert_int_equal(frame(model, stack, 3)->function, 1);
    assert_int_equal(frame(model, stack, 3)->line, 20);
    assert_int_equal(frame(model, stack, 4)->function, 2);
    assert_int_equal(frame(model, stack, 4)->line, 10);
    assert_int_equal(frame(model, stack, 4)->address, 0x120c);
    assert_int_equal(denormal_add_stack(model, &modules, addresses, 0), 0);
    places_free_loaded(&modules);
}

static void equal_stacks_are_one(void **state)
{
    struct model *model = *state;
    struct array here = modules_of(model, BIAS), there = modules_of(model, OTHER_BIAS);
    const uint64_t one[] = {BIAS + 0x1000, BIAS + 0x1208},
                   same[] = {OTHER_BIAS + 0x1000, OTHER_BIAS + 0x1208};
    uint32_t first = denormal_add_stack(model, &here, one, 2);
    assert_int_equal(denormal_add_stack(model, &here, one, 2), first);
    assert_int_equal(denormal_add_stack(model, &there, same, 2), first);
    assert_int_not_equal(denormal_add_stack(model, &here, one, 1), first);
    /* Many of them, more than the table of the known ones begins with. */
    for (uint64_t round = 0; round < 2; round++)
        for (uint64_t i = 0; i < 2000; i++) {
            const uint64_t deep[] = {BIAS + 0x1000, 0x1000 + i % 500, BIAS + 0x1208, 0x1000 + i / 500};
            assert_int_equal(denormal_add_stack(model, &here, deep, 4), 3 + i);
        }
    /* Rows are in order of stack and position. */
    for (uint32_t i = 1; i < model->denormal_frames.count; i++) {
        const struct denormal_frame *a = model_denormal_frame(model, i - 1),
                                    *b = model_denormal_frame(model, i);
        assert_true(b->stack == a->stack ? b->position == a->position + 1
                                         : b->stack == a->stack + 1 && b->position == 1);
    }
    places_free_loaded(&here);
    places_free_loaded(&there);
}

static void deep_recursion_is_cut(void **state)
{
    struct model *model = *state;
    struct array modules = modules_of(model, BIAS);
    uint64_t addresses[5000];
    for (size_t i = 0; i < 5000; i++)
        addresses[i] = BIAS + 0x1404;
    denormal_add_stack(model, &modules, addresses, 5000);
    assert_in_range(model->denormal_frames.count, 100, 1000);
    places_free_loaded(&modules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(build_ids_decide_before_paths, begin, end),
        cmocka_unit_test_setup_teardown(code_is_found_in_all_parts_of_a_function, begin, end),
        cmocka_unit_test_setup_teardown(code_that_the_model_lacks_has_a_name, begin, end),
        cmocka_unit_test_setup_teardown(symbols_of_files_name_code, begin, end),
        cmocka_unit_test_setup_teardown(stacks_read_like_the_source, begin, end),
        cmocka_unit_test_setup_teardown(equal_stacks_are_one, begin, end),
        cmocka_unit_test_setup_teardown(deep_recursion_is_cut, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
