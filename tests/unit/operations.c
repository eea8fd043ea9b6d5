/* What the readers say of an instruction's operation, of the numbers that it takes and of the condition of a
   branch: rows by hand, for every name that a table of some other room once had. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "bytes_of.h"
#include "model/isa.h"
#include "model/tables.h"
#include "read/ia64/ia64.h"
#include "read/isa.h"

struct expected {
    const char *operation, *source_element, *condition;
};

static bool is_word(const char *text, const char *what, const char *found, const char *wanted)
{
    if (!wanted || !strcmp(found, wanted))
        return true;
    print_error("%s: %s is %s and should be %s\n", text, what, found, wanted);
    return false;
}

static bool is_as_expected(const struct encoding *row, const char *text, struct expected expected)
{
    return is_word(text, "operation", operation_word(row->operation), expected.operation) &
           is_word(text, "source_element", element_word(row->source_element), expected.source_element) &
           is_word(text, "condition", condition_word(row->condition), expected.condition);
}

static bool describes(const struct isa_reader *reader, const uint8_t *bytes, size_t size, const char *text,
                      struct expected expected)
{
    static struct description description;
    struct step step;
    assert_true(reader->step(bytes, size, 0x1000, &step));
    assert_int_equal(step.key.size, size);
    reader->describe(reader, &step.key, &description);
    return is_as_expected(&description.encoding, text, expected);
}

static bool describes_x86(const char *hexadecimal, const char *text, struct expected expected)
{
    uint8_t bytes[KEY_BYTES];
    size_t size = bytes_of(hexadecimal, bytes, sizeof bytes);
    return describes(&x86_64_reader, bytes, size, text, expected);
}

static bool describes_aarch64(uint32_t word, const char *text, struct expected expected)
{
    uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16), (uint8_t)(word >> 24)};
    return describes(&aarch64_reader, bytes, sizeof bytes, text, expected);
}

static bool describes_ia64(const char *text, struct expected expected)
{
    static struct description description;
    ia64_describe(text, &description, NULL);
    return is_as_expected(&description.encoding, text, expected);
}

static void readers_say_what_is_computed(void **state)
{
    (void)state;
    bool is_right = true;
#define X86(bytes, text, ...) is_right &= describes_x86(bytes, text, (struct expected){__VA_ARGS__});
#define AARCH64(word, text, ...) is_right &= describes_aarch64(word, text, (struct expected){__VA_ARGS__});
#define IA64(text, ...) is_right &= describes_ia64(text, (struct expected){__VA_ARGS__});
#include "operations_cases.def"
    assert_true(is_right);
}

static void an_unknown_mnemonic_computes_nothing(void **state)
{
    (void)state;
    static struct description description;
    ia64_describe("addx r2 = r3, r4", &description, NULL);
    assert_true(description.encoding.is_unknown);
    assert_int_equal(description.encoding.operation, operation_NONE);
    assert_int_equal(description.encoding.source_element, element_NONE);
}

/* Whoever follows values looks these names up. */
static void registers_of_values_exist(void **state)
{
    (void)state;
    for (enum isa isa = isa_NONE; isa < isa_COUNT; isa++) {
        const struct isa_reader *reader = isa_reader(isa);
        if (!reader || !reader->values)
            continue;
        const char *const names[] = {reader->values->stack_pointer, reader->values->frame_pointer,
                                     reader->values->call_result};
        for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
            unsigned number = 1;
            while (number < reader->register_count && strcmp(reader->registers[number].name, names[i]) != 0)
                number++;
            assert_true(number < reader->register_count);
            assert_int_equal(reader->registers[number].bits, isa_facts(isa)->address_bytes * 8);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers_say_what_is_computed),
        cmocka_unit_test(an_unknown_mnemonic_computes_nothing),
        cmocka_unit_test(registers_of_values_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
