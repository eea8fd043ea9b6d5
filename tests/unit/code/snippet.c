/* Bytes that become a block: its instructions, errors, and that clearing the vocabulary changes nothing. */
#include "code/structure/snippet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct snippet_row *row_at(const struct snippets *snippets, size_t i)
{
    return ARRAY_AT(struct snippet_row, &snippets->rows, i);
}

static const char *text_at(const struct snippets *snippets, size_t i)
{
    const struct encoding *encoding = model_encoding(&snippets->model, row_at(snippets, i)->encoding);
    return model_text(&snippets->model, encoding->text);
}

static bool read_hex(struct snippets *snippets, const char *hex, struct error *error)
{
    uint8_t bytes[4096];
    size_t size;
    *error = (struct error){0};
    return snippet_bytes(hex, strlen(hex), bytes, &size, error) &&
           snippets_read(snippets, bytes, size, error);
}

static void blocks_become_rows(void **state)
{
    (void)state;
    struct snippets snippets;
    struct error error = {0};
    assert_true(snippets_begin(&snippets, isa_X86_64, &error));
    assert_true(read_hex(&snippets, "4883c0484839c24883c048", &error));
    assert_int_equal(snippets.rows.count, 3);
    assert_int_equal(row_at(&snippets, 1)->offset, 4);
    assert_int_equal(row_at(&snippets, 2)->offset, 7);
    assert_int_equal(row_at(&snippets, 0)->encoding, row_at(&snippets, 2)->encoding);
    assert_string_equal(text_at(&snippets, 0), "add rax, 0x48");
    assert_string_equal(text_at(&snippets, 1), "cmp rdx, rax");
    assert_true(row_at(&snippets, 0)->target == NO_ADDRESS);
    size_t known = snippets.model.encodings.count;
    assert_true(read_hex(&snippets, "4839c2", &error));
    assert_int_equal(snippets.model.encodings.count, known);
    snippets_end(&snippets);
}

static void texts_can_come_later(void **state)
{
    (void)state;
    static const enum isa isas[] = {isa_X86_64, isa_AARCH64};
    static const char *const blocks[] = {"4883c0484839c2", "00040091"
                                                           "1f0001eb"};
    static const char *const texts[] = {"cmp rdx, rax", "cmp x0, x1"};
    for (unsigned i = 0; i < 2; i++) {
        struct snippets snippets;
        struct error error = {0};
        assert_true(snippets_begin(&snippets, isas[i], &error));
        snippets_leave_texts(&snippets);
        for (unsigned round = 0; round < 2; round++) {
            assert_true(read_hex(&snippets, blocks[i], &error));
            assert_string_equal(snippets_text(&snippets, row_at(&snippets, 1)->encoding), texts[i]);
            assert_string_equal(text_at(&snippets, 1), texts[i]);
            if (i == 0)
                assert_null(text_at(&snippets, 0));
            snippets_forget(&snippets);
        }
        snippets_end(&snippets);
    }
}

static void loops_are_told_by_their_branch(void **state)
{
    (void)state;
    static const struct {
        const char *hex;
        bool is_loop;
    } blocks[] = {{"48ffc875fb", true}, {"48ffc8ebfb", true},  {"48ffc875f9", false},
                  {"48ffc8", false},    {"75fe4889c8", false}, {"48ffc8e8f8ffffff", false}};
    struct snippets snippets;
    struct error error = {0};
    assert_true(snippets_begin(&snippets, isa_X86_64, &error));
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        assert_true(read_hex(&snippets, blocks[i].hex, &error));
        assert_int_equal(snippets_is_loop(&snippets), blocks[i].is_loop);
    }
    snippets_end(&snippets);
}

static void broken_blocks_say_where(void **state)
{
    (void)state;
    static const struct {
        enum isa isa;
        const char *hex, *says;
    } blocks[] = {
        {isa_X86_64, "", "empty"},
        {isa_X86_64, "  ", "empty"},
        {isa_X86_64, "06", "no x86-64 instruction at byte 0: 06"},
        {isa_X86_64, "9048ff", "no x86-64 instruction at byte 1: 48 ff"},
        {isa_X86_64, "900606060606060606060606060606060606", "06 ..."},
        {isa_X86_64, "4", "two digits"},
        {isa_X86_64, "4 8", "two digits"},
        {isa_X86_64, "48x3", "not hexadecimal at character 3"},
        {isa_X86_64, "4z", "not hexadecimal at character 2"},
        {isa_AARCH64, "1f2003d51f20", "no aarch64 instruction at byte 4: 1f 20"},
    };
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        struct snippets snippets;
        struct error error = {0};
        assert_true(snippets_begin(&snippets, blocks[i].isa, &error));
        assert_false(read_hex(&snippets, blocks[i].hex, &error));
        if (!strstr(error.text, blocks[i].says))
            fail_msg("'%s' says '%s', not '%s'", blocks[i].hex, error.text, blocks[i].says);
        assert_true(read_hex(&snippets, blocks[i].isa == isa_X86_64 ? "90" : "1f2003d5", &error));
        snippets_end(&snippets);
    }
    struct snippets snippets;
    struct error error = {0};
    assert_false(snippets_begin(&snippets, isa_NONE, &error));
    assert_true(error.set);
    snippets_end(&snippets);
}

static void forgetting_changes_nothing(void **state)
{
    (void)state;
    struct snippets snippets;
    struct error error = {0};
    assert_true(snippets_begin(&snippets, isa_X86_64, &error));
    size_t registers = snippets.model.registers.count;
    assert_true(registers > 100);
    unsigned rounds = 0, forgotten = 0;
    for (; rounds < 200000; rounds++) {
        uint8_t bytes[7] = {0x48, 0x81, 0xc0}; /* add rax, constant */
        memcpy(bytes + 3, &rounds, sizeof rounds);
        bytes[6] &= 0x7f;
        if (snippets_are_many(&snippets)) {
            snippets_forget(&snippets);
            forgotten++;
        }
        assert_true(snippets_read(&snippets, bytes, sizeof bytes, &error));
        assert_int_equal(snippets.rows.count, 1);
    }
    assert_int_equal(forgotten, 1);
    assert_int_equal(snippets.model.registers.count, registers);
    char wanted[64];
    snprintf(wanted, sizeof wanted, "add rax, 0x%x", rounds - 1);
    assert_string_equal(text_at(&snippets, 0), wanted);
    snippets_end(&snippets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_become_rows),
        cmocka_unit_test(texts_can_come_later),
        cmocka_unit_test(loops_are_told_by_their_branch),
        cmocka_unit_test(broken_blocks_say_where),
        cmocka_unit_test(forgetting_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
