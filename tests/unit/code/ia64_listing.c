/* IA-64 listings from all compilers and by hand: the facts in the text must be in the rows. */
#include "code/read/ia64/code.h"
#include "code/read/listing/listing.h"
#include "model_bytes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* A file of tests/listings; to be freed. */
static char *load(const char *name)
{
    char *path = memory_format("%s/tests/listings/%s", PROJECT, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("cannot open %s", path);
    char *text = memory_get(1 << 20);
    text[fread(text, 1, (1 << 20) - 1, file)] = 0;
    fclose(file);
    free(path);
    return text;
}

/* Texts are paths and contents by turns, NULL at the end. */
static void read_texts(struct model *model, const char *const *texts)
{
    struct listing_source sources[4];
    size_t count = 0;
    model_init(model);
    for (; texts[2 * count]; count++)
        sources[count] =
            (struct listing_source){texts[2 * count],
                                    {(const uint8_t *)texts[2 * count + 1], strlen(texts[2 * count + 1])},
                                    model_file_id(model, texts[2 * count])};
    struct error error = {0};
    assert_true(ia64_listing_read(model, sources, count, &error));
    assert_int_equal(model->programs.count, 2);
}

static void read_text(struct model *model, const char *text)
{
    read_texts(model, (const char *const[]){"test.s", text, NULL});
}

/* Reads a file of tests/listings, which must be without fault. */
static char *read_sound(struct model *model, const char *name)
{
    char *text = load(name);
    read_text(model, text);
    for (uint32_t i = 1; i < model->problems.count; i++)
        print_error("%s: %s\n", name, model_text(model, model_problem(model, i)->text));
    assert_int_equal(model->problems.count, 1);
    return text;
}

static const struct listing_instruction *instruction_at(const struct model *model, uint64_t address)
{
    for (size_t i = 0; i < model->listing_instructions.count; i++) {
        const struct listing_instruction *row = model_listing_instruction(model, (uint32_t)i);
        if (row->address == address)
            return row;
    }
    fail_msg("no instruction at 0x%llx", (unsigned long long)address);
    return NULL;
}

/* What stands at an address, as code/structure/ finds it; and what it comes to. */
static const struct ia64_text *text_at(const struct model *model, uint64_t address, unsigned *size)
{
    const struct isa_reader *reader = model_program(model, 1)->reader;
    size_t left = BUNDLE_BYTES - address % BUNDLE_BYTES;
    const uint8_t *bytes = model_bytes(model, 1, address, left);
    struct step step;
    assert_non_null(bytes);
    assert_true(reader->step(bytes, left, address, &step));
    if (size)
        *size = step.key.size;
    const struct ia64_texts *texts = reader->context;
    uint32_t number = step.key.bytes[0] | (uint32_t)step.key.bytes[1] << 8;
    return ARRAY_AT(struct ia64_text, &texts->texts, number);
}

static void check_bundle(const struct model *model, uint64_t address, const char *template, unsigned stops)
{
    char letters[4];
    uint8_t found;
    model_program(model, 1)->reader->bundle(model_bytes(model, 1, address, BUNDLE_BYTES), letters, &found);
    assert_string_equal(letters, template);
    assert_int_equal(found, stops);
}

static void check_text(const struct model *model, string_id id, const char *text)
{
    if (text)
        assert_string_equal(model_text(model, id), text);
    else
        assert_int_equal(id, 0);
}

static const struct symbol *find_symbol(const struct model *model, const char *name)
{
    for (uint32_t i = 1; i < model->symbols.count; i++)
        if (!strcmp(model_text(model, model_symbol(model, i)->name), name))
            return model_symbol(model, i);
    return NULL;
}

static void check_symbol(const struct model *model, const char *name, uint64_t address, uint64_t size,
                         bool is_global)
{
    const struct symbol *symbol = find_symbol(model, name);
    assert_non_null(symbol);
    assert_int_equal(symbol->address, address);
    assert_int_equal(symbol->size, size);
    assert_int_equal(symbol->origin, origin_LISTING);
    assert_int_equal(symbol->is_global, is_global);
}

static const struct relocation *relocation_at(const struct model *model, uint64_t address)
{
    for (uint32_t i = 1; i < model->relocations.count; i++)
        if (model_relocation(model, i)->address == address)
            return model_relocation(model, i);
    fail_msg("no target at 0x%llx", (unsigned long long)address);
    return NULL;
}

static void check_line(const struct model *model, uint64_t address, const char *file, unsigned line,
                       unsigned column)
{
    for (uint32_t i = 1; i < model->source_lines.count; i++) {
        const struct source_line *row = model_source_line(model, i);
        if (row->address <= address && address < row->end) {
            check_text(model, model_file(model, row->file)->path, file);
            assert_int_equal(row->line, line);
            assert_int_equal(row->column, column);
            return;
        }
    }
    fail_msg("no line for 0x%llx", (unsigned long long)address);
}

static void check_block(const struct model *model, uint32_t row, uint32_t number, uint64_t address,
                        const char *const words[4], double frequency)
{
    const struct compiler_block *block = model_compiler_block(model, row);
    assert_int_equal(block->number, number);
    assert_int_equal(block->address, address);
    check_text(model, block->flags, words[0]);
    check_text(model, block->predecessors, words[1]);
    check_text(model, block->successors, words[2]);
    check_text(model, block->loops, words[3]);
    assert_true(block->frequency == frequency);
}

static void icc_10_comments_become_columns(void **state)
{
    (void)state;
    struct model model;
    char *text = read_sound(&model, "icc10.s");
    assert_int_equal(model.compiler_blocks.count, 6);
    check_block(&model, 1, 0, 0, (const char *[]){"entry", NULL, "1 3", NULL}, 1);
    check_block(&model, 2, 1, 0x20, (const char *[]){NULL, "0", "2", NULL}, 0.95);
    check_block(&model, 3, 2, 0x40,
                (const char *[]){"lentry lexit ltail collapsed pipelined", "2 1", "2 3", "L0"}, 100);
    check_block(&model, 5, 4, 0x6c, (const char *[]){"exit", "3", NULL, NULL}, 1); /* inside a bundle */
    const struct listing_instruction *load = instruction_at(&model, 0x40),
                                     *branch = instruction_at(&model, 0x5c);
    assert_int_equal(load->cycle, 0);
    assert_int_equal(load->number, 41);
    assert_int_equal(load->latency, 11);
    assert_int_equal(load->line, 42);
    assert_int_equal(load->column, 3);
    assert_int_equal(load->comment, 0);
    assert_int_equal(load->is_stop, 0);
    assert_true(isnan(load->probability));
    assert_true(branch->probability == 0.99);
    assert_int_equal(branch->is_stop, 1);
    assert_true(instruction_at(&model, 0x1c)->probability == 0.05);
    assert_int_equal(instruction_at(&model, 0x10)->cycle, NO_NUMBER); /* no-ops have no comment */
    assert_int_equal(instruction_at(&model, 0x60)->number, 60);       /* glued to the operand */
    check_line(&model, 0x40, "scale.c", 7, 12);
    check_line(&model, 0x5c, "scale.c", 6, 3);
    check_bundle(&model, 0x40, "mfi", 0);
    check_bundle(&model, 0x50, "mib", 4);
    check_symbol(&model, "scale", 0, 0x80, true);
    check_symbol(&model, "scale.part$0", 0x60, 0, false);
    assert_int_equal(model.symbols.count, 3);
    assert_string_equal(text_at(&model, 0x5c, NULL)->written, "br.ctop.sptk @");
    assert_string_equal(text_at(&model, 0x1c, NULL)->written, "(p6) br.cond.dpnt.many @");
    assert_int_equal(relocation_at(&model, 0x5c)->value, 0x40);
    assert_int_equal(relocation_at(&model, 0x1c)->value, 0x60);
    const struct unit *unit = model_unit(&model, 1);
    check_text(&model, unit->name, "scale.c");
    check_text(&model, unit->flags, "-O2 -S -fno-alias");
    check_text(&model, unit->producer,
               "Intel(R) C++ Compiler for applications running on IA-64, Version 10.1    Build 20070913");
    assert_int_equal(model.sections.count, 3);
    assert_int_equal(model_section(&model, 2)->is_code, 0);
    assert_int_equal(model_section(&model, 2)->is_writable, 1);
    model_free(&model);
    free(text);
}

static void icc_8_comments_become_columns(void **state)
{
    (void)state;
    struct model model;
    char *text = read_sound(&model, "icc8.s");
    const struct listing_instruction *row = instruction_at(&model, 0x16);
    assert_int_equal(row->cycle, 2);
    assert_int_equal(row->number, 4);
    assert_int_equal(row->latency, NO_NUMBER);
    check_line(&model, 0x16, "old.c", 5, 0);
    check_line(&model, 0x1c, "old.c", 4, 0);
    check_block(&model, 2, 1, 0x10, (const char *[]){"ltail", "0 1", "1 2", NULL}, 99);
    check_block(&model, 3, 2, 0x20, (const char *[]){"exit", "1", NULL, NULL}, 1);
    model_free(&model);
    free(text);
}

static void hp_and_microsoft(void **state)
{
    (void)state;
    struct model model;
    char *text = read_sound(&model, "hp.s");
    check_symbol(&model, "adder", 0, 0x20, true);
    check_line(&model, 0x6, "adder.f", 12, 14);
    check_line(&model, 0x1c, "adder.f", 14, 1);
    assert_string_equal(text_at(&model, 0, NULL)->resolved, "ldfd f8 = [r32], 8");
    assert_string_equal(text_at(&model, 6, NULL)->resolved, "ldfd f9 = [r33], 8");
    assert_int_equal(model_section(&model, 1)->is_code, 1);
    model_free(&model);
    free(text);
    text = read_sound(&model, "microsoft.s");
    check_symbol(&model, "?pick@@YAHPAHH@Z", 0, 0x20, true);
    check_line(&model, 0, "pick.cpp", 5, 0);
    check_line(&model, 0x1c, "pick.cpp", 6, 0);
    check_bundle(&model, 0x10, "mib", 4);
    check_text(&model, model_unit(&model, 1)->producer, "Microsoft (R) Optimizing Compiler Version 14.00");
    model_free(&model);
    free(text);
}

static void check_meaning(const struct model *model, uint64_t address, const char *resolved)
{
    assert_string_equal(text_at(model, address, NULL)->resolved, resolved);
}

static void names_stand_for_registers_and_numbers(void **state)
{
    (void)state;
    struct model model;
    char *text = read_sound(&model, "hand.s");
    unsigned size;
    check_meaning(&model, 0x10, "add r35 = -1, r34");
    check_meaning(&model, 0x16, "mov f33 = f1");
    check_meaning(&model, 0x2c, "mov ar.ec = 3");
    check_meaning(&model, 0x30, "(p16) ld8 r32 = [r32], 8");
    check_meaning(&model, 0x36, "(p18) st8 [r33] = r34, 8");
    check_meaning(&model, 0x40, "lfetch.fault.excl.nt1 [r9], 128");
    check_meaning(&model, 0x46, "(p17) fma.d f39 = f37, f33, f32");
    assert_string_equal(text_at(&model, 0x46, NULL)->written, "(s[1]) fma.d y[1] = x[FL-1], c0, x[0]");
    assert_int_equal(relocation_at(&model, 0x4c)->value, 0x30); /* 1b */
    assert_int_equal(relocation_at(&model, 0x50)->value, 0x80); /* 1f */
    assert_int_equal(relocation_at(&model, 0x76)->value, NO_ADDRESS);
    check_text(&model, relocation_at(&model, 0x76)->symbol, "elsewhere");
    check_bundle(&model, 0x60, "mlx", 4);
    text_at(&model, 0x66, &size);
    assert_int_equal(size, 10); /* a long instruction takes two slots */
    text_at(&model, 0x50, &size);
    assert_int_equal(size, 16); /* alone in its bundle */
    check_symbol(&model, "copy", 0, 0x90, true);
    check_symbol(&model, "copy_again", 0x60, 0, false);
    check_symbol(&model, "last", 0x90, 0x10, false);
    check_text(&model, instruction_at(&model, 0x26)->comment, "in the middle");
    check_text(&model, instruction_at(&model, 0x2c)->comment, "after");
    check_meaning(&model, 0xa0, "add r8 = r8, r9"); /* from a macro */
    check_meaning(&model, 0xac, "add r8 = r8, r10");
    assert_int_equal(instruction_at(&model, 0xac)->line, 71);
    check_meaning(&model, 0xb6, "nop.i 0");
    check_meaning(&model, 0xbc, "nop.i 0");
    model_free(&model);
    free(text);
}

static void the_paper(void **state)
{
    (void)state;
    struct model model;
    char *text = read_sound(&model, "paper.s");
    check_meaning(&model, 0, "alloc r40=ar.pfs,2,87,7,8");
    check_text(&model, instruction_at(&model, 0)->comment, "32 registers always allocated + 96 requested");
    check_bundle(&model, 0, "", 0);
    check_bundle(&model, 0x10, "mii", 4);
    check_text(&model, instruction_at(&model, 0x30)->comment, "r8 is stored at the same address (sp+176)");
    check_bundle(&model, 0x40, "mmi", 0); /* the template is on the next line */
    check_bundle(&model, 0x50, "mmi", 4);
    check_bundle(&model, 0x90, "mii", 2);
    assert_int_equal(model.listing_instructions.count, 29);
    model_free(&model);
    free(text);
}

/* The same functions with and without templates, with and without debug information. */
static void gcc_writes_no_comments(void **state)
{
    (void)state;
    struct model with, without, debug;
    char *texts[] = {read_sound(&with, "kernels-O2.s"), read_sound(&without, "kernels-plain.s"),
                     read_sound(&debug, "kernels-g.s")};
    size_t count = with.listing_instructions.count;
    assert_int_equal(count, 596);
    assert_int_equal(without.listing_instructions.count, count);
    assert_int_equal(debug.listing_instructions.count, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct listing_instruction *a = model_listing_instruction(&with, i),
                                         *b = model_listing_instruction(&without, i),
                                         *c = model_listing_instruction(&debug, i);
        assert_int_equal(a->is_stop, b->is_stop);
        assert_int_equal(a->is_stop, c->is_stop);
        assert_int_equal(a->address, c->address);
        assert_string_equal(text_at(&with, a->address, NULL)->written,
                            text_at(&without, b->address, NULL)->written);
    }
    assert_int_equal(with.source_lines.count, 1);
    assert_int_equal(model_program(&with, 1)->has_debug, 0);
    assert_int_equal(model_program(&debug, 1)->has_debug, 1);
    const struct symbol *daxpy = find_symbol(&debug, "daxpy");
    assert_int_equal(daxpy->address, 0);
    check_line(&debug, daxpy->address, "kernels.c", 12, 1);
    check_text(&with, model_unit(&with, 1)->producer, "GCC: (GNU) 12.2.0");
    assert_non_null(find_symbol(&without, "fibonacci"));
    check_bundle(&with, 0, "mii", 0);
    check_bundle(&without, 0, "", 0);
    struct model *models[] = {&with, &without, &debug};
    for (size_t i = 0; i < 3; i++) {
        model_free(models[i]);
        free(texts[i]);
    }
    for (size_t i = 0; i < 2; i++) {
        char *text = read_sound(&with, i ? "kernels-O3.s" : "kernels-O0.s");
        model_free(&with);
        free(text);
    }
}

/* Every instruction but those in bundles that are not full ends where the next one starts. */
static void code_has_no_gaps(void **state)
{
    (void)state;
    struct model model;
    char *text = read_sound(&model, "kernels-plain.s");
    for (uint32_t i = 0; i + 1 < model.listing_instructions.count; i++) {
        unsigned size;
        const struct listing_instruction *row = model_listing_instruction(&model, i);
        text_at(&model, row->address, &size);
        assert_int_equal(row->address + size, row[1].address);
    }
    model_free(&model);
    free(text);
}

static void files_see_what_is_global(void **state)
{
    (void)state;
    static const char first[] =
        "\t.text\n\t.proc a#\n\t.global a#\na:\tbr.call.sptk b0=b#\n\tbr.cond.sptk .here\n"
        ".here:\tbr.ret.sptk b0\n\t.endp a#\n",
                      second[] = "\t.text\n\t.proc b#\nb::\tbr.call.sptk b0=a#+16\n\tbr.call.sptk b0=c\n"
                                 ".here:\tbr.cond.sptk .here\n\t.endp b#\n";
    struct model model;
    read_texts(&model, (const char *const[]){"first.s", first, "second.s", second, NULL});
    assert_int_equal(model.problems.count, 1);
    check_symbol(&model, "a", 0, 0x20, true);
    check_symbol(&model, "b", 0x20, 0x20, true);
    assert_int_equal(relocation_at(&model, 0)->value, 0x20);
    assert_int_equal(relocation_at(&model, 6)->value, 0x10);
    assert_int_equal(relocation_at(&model, 0x20)->value, 0);
    assert_int_equal(relocation_at(&model, 0x20)->addend, 16);
    assert_int_equal(relocation_at(&model, 0x26)->value, NO_ADDRESS);
    assert_int_equal(relocation_at(&model, 0x30)->value, 0x30);
    assert_int_equal(model.units.count, 3);
    model_free(&model);
}

/* Hand-written files whose macros are in a header that is not here. */
static void macros_of_missing_headers(void **state)
{
    (void)state;
    struct model model;
    read_text(&model,
              "RODATA\nLOCAL_OBJECT_START(table)\n\tdata8 1\nLOCAL_OBJECT_END(table)\n.section .text\n"
              "GLOBAL_LIBM_ENTRY(cube)\n{ .mfi\n\tnop.m 0\n\tfma.d f9=f8,f8,f0\n\tnop.i 0 ;;\n}\n"
              "GLOBAL_LIBM_END(cube)\nlibm_alias_double (cube, cube)\nLOCAL_ENTRY(next)\n\tnop.m (0)\n");
    assert_int_equal(model.problems.count, 1);
    check_symbol(&model, "cube", 0, 0x10, true);
    assert_int_equal(find_symbol(&model, "next")->address, 0x10);
    assert_int_equal(find_symbol(&model, "next")->is_global, 0);
    assert_null(find_symbol(&model, "table"));
    assert_int_equal(model.listing_instructions.count, 4);
    model_free(&model);
}

/* Sections that are left and entered again; rows are in order of address all the same. */
static void sections_are_apart(void **state)
{
    (void)state;
    struct model model;
    read_text(&model, "\t.text\n\tnop.m 0\n\t.section .text.cold,\"ax\"\n\tnop.i 0\n\t.text\n\tnop.b 0\n"
                      "\t.pushsection .data\n\tdata4 1\n\t.popsection\n\tnop.f 0\n\t.previous\n");
    assert_int_equal(model.problems.count, 1);
    check_meaning(&model, 0, "nop.m 0");
    check_meaning(&model, 0x10, "nop.b 0");
    check_meaning(&model, 0x20, "nop.f 0");
    check_meaning(&model, 0x30, "nop.i 0");
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(model_listing_instruction(&model, i)->address, i * 0x10);
    model_free(&model);
}

static void two_programs_share_their_texts(void **state)
{
    (void)state;
    struct model model;
    read_text(&model, "\tnop.m 0\n\tadd r1=r2,r3\n");
    struct listing_source source = {"other.s", {(const uint8_t *)"\tadd r4=r5,r6\n", 14}, 1};
    struct error error = {0};
    assert_true(ia64_listing_read(&model, &source, 1, &error));
    const struct isa_reader *first = model_program(&model, 1)->reader,
                            *second = model_program(&model, 2)->reader;
    assert_ptr_equal(first->context, second->context);
    struct step step;
    const struct section *section = model_section(&model, 2);
    assert_true(second->step(section->contents.data, section->contents.size, section->address, &step));
    struct description description = {0};
    second->describe(second, &step.key, &description);
    assert_string_equal(description.text, "add r4=r5,r6");
    model_free(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(icc_10_comments_become_columns),
        cmocka_unit_test(icc_8_comments_become_columns),
        cmocka_unit_test(hp_and_microsoft),
        cmocka_unit_test(names_stand_for_registers_and_numbers),
        cmocka_unit_test(the_paper),
        cmocka_unit_test(gcc_writes_no_comments),
        cmocka_unit_test(code_has_no_gaps),
        cmocka_unit_test(files_see_what_is_global),
        cmocka_unit_test(macros_of_missing_headers),
        cmocka_unit_test(sections_are_apart),
        cmocka_unit_test(two_programs_share_their_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
