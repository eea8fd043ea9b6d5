/* The text of a loop assembles to the same code with the same cycles, for every innermost loop of programs of
   both instruction sets.  PATH_TEXT_FILES names other programs, separated by colons; PATH_TEXT_LOOPS how many
   loops of each are taken (evenly spread). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "code/cost/path_text.h"
#include "code/cost/text_block.h"
#include "model/tables.h"
#include "code/read/read.h"
#include "code/structure/structure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { USUAL_LOOPS = 40 };

static unsigned taken, raw, lines, entered, failed;

static void complain(const struct path_text *work, const char *what)
{
    failed++;
    print_error("loop %u path %u: %s\n%s\n", work->path.loop, work->path.path, what,
                work->text ? work->text : "");
}

static void compare(const struct path_text *work, enum isa isa)
{
    struct text_code code;
    struct text_block block;
    struct error error = {0};
    char words[300];
    text_code_begin(&code, isa);
    if (!text_code_read(&code, work->text, strlen(work->text), &error)) {
        text_code_refuse(&code, "text", &error);
        complain(work, error.text);
        text_code_end(&code);
        return;
    }
    if (!text_block_begin(&block, &code, &error)) {
        complain(work, error.text);
    } else {
        text_block_predict(&block, work->machine, text_LOOP);
        for (unsigned part = 0; part < core_part_COUNT; part++)
            if (fabs(block.path.bounds[part] - work->path.bounds[part]) > 1e-9) {
                snprintf(words, sizeof words, "%s: %.4f cycles, but the text gives %.4f",
                         core_part_word((enum core_part)part), work->path.bounds[part],
                         block.path.bounds[part]);
                complain(work, words);
                break;
            }
        if (block.path.instruction_count != work->path.instruction_count)
            complain(work, "another number of instructions");
        lines += block.path.instruction_count;
    }
    text_block_end(&block);
    text_code_end(&code);
}

static void take_loop(const struct model *model, const struct machine *machine, uint32_t loop, enum isa isa)
{
    struct array paths = ARRAY_OF(struct loop_path);
    loop_paths_list(model, loop, &paths);
    if (paths.count) {
        struct error error = {0};
        struct path_text work = {.model = model, .machine = machine};
        const struct loop_path *path = ARRAY_AT(struct loop_path, &paths, paths.count / 2);
        if (!path_text_write(&work, path, &error))
            complain(&work, error.text);
        else
            compare(&work, isa);
        taken++;
        raw += work.raw_count;
        if (getenv("PATH_TEXT_SHOW") && work.text)
            print_message("%s\n", work.text);
        entered += work.has_entry;
        free(work.text);
    }
    array_free(&paths);
}

static void take_file(const char *path, unsigned most)
{
    struct model model;
    struct error error = {0};
    struct read_options reading = {.threads = 1, .without_debug = true};
    struct structure_options shaping = {.threads = 1, .path_limit = 20};
    if (access(path, R_OK))
        return;
    model_init(&model);
    if (!read_file(&model, path, &reading, &error) || !structure_build(&model, &shaping, &error))
        fail_msg("%s", error.text);
    enum isa isa = (enum isa)model_program(&model, 1)->isa;
    const char *folders[] = {MACHINES};
    struct machine *machine =
        machine_load(isa == isa_AARCH64 ? "neoverse-v1" : "skylake", folders, 1, &error);
    if (!machine)
        fail_msg("%s", error.text);
    unsigned count = 0, before = taken;
    for (uint32_t loop = 1; loop < model.loops.count; loop++)
        count += model_loop(&model, loop)->is_innermost;
    unsigned every = most && count > most ? count / most : 1, number = 0;
    for (uint32_t loop = 1; loop < model.loops.count; loop++)
        if (model_loop(&model, loop)->is_innermost && number++ % every == 0)
            take_loop(&model, machine, loop, isa);
    machine_free(machine);
    model_free(&model);
    assert_true(taken > before);
}

static void test_loops_of_programs(void **state)
{
    static const char usual[] = "/usr/x86_64-linux-gnu/lib/libm.so.6:/lib/x86_64-linux-gnu/libm.so.6:"
                                "/usr/aarch64-linux-gnu/lib/libm.so.6:/lib/aarch64-linux-gnu/libm.so.6:"
                                "/usr/x86_64-linux-gnu/lib/libc.so.6:/lib/x86_64-linux-gnu/libc.so.6:"
                                "/usr/aarch64-linux-gnu/lib/libc.so.6:/lib/aarch64-linux-gnu/libc.so.6";
    (void)state;
    const char *given = getenv("PATH_TEXT_FILES"), *most = getenv("PATH_TEXT_LOOPS");
    char *files = strdup(given ? given : usual);
    for (char *rest = files, *path; (path = strtok_r(rest, ":", &rest));)
        take_file(path, most ? (unsigned)atoi(most) : USUAL_LOOPS);
    free(files);
    print_message("%u loops, %u instructions, %u spelled as bytes, %u with what leads into them\n", taken,
                  lines, raw, entered);
    assert_true(taken > 0);
    assert_int_equal(failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_loops_of_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
