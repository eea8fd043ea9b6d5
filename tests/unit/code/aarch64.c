/* The reader of AArch64: hand-checked instructions, the registers that LLVM's tables give for every form,
   objdump's text and targets for those and for random words, and what must hold for any word at all. */
#include "code/read/aarch64/meaning.h"
#include "code/read/aarch64/parse.h"
#include "code/read/aarch64/registers.h"
#include "code/read/aarch64/rules.h"
#include "code/read/aarch64/text.h"
#include "model/tables.h"
#include "base/workers.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static const struct isa_reader *const reader = &aarch64_reader;

static void put_word(uint8_t bytes[4], uint32_t word)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(word >> (8 * i));
}

static struct step step_word(uint32_t word, uint64_t address)
{
    uint8_t bytes[4];
    struct step step;
    put_word(bytes, word);
    assert_true(reader->step(bytes, 4, address, &step));
    return step;
}

static struct description describe_word(uint32_t word)
{
    struct step step = step_word(word, 0);
    struct description description;
    reader->describe(reader, &step.key, &description);
    return description;
}

/* Descriptions as text, in the notation of aarch64_cases.def. */

struct text {
    char text[1000];
    size_t used;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *text, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int length = vsnprintf(text->text + text->used, sizeof text->text - text->used, format, values);
    va_end(values);
    assert_in_range(length, 0, sizeof text->text - text->used - 1);
    text->used += (size_t)length;
}

static const char *name_of(uint32_t number)
{
    assert_in_range(number, 1, reader->register_count - 1);
    return reader->registers[number].name;
}

static char letter_of(uint8_t access)
{
    assert_in_range(access, 0, 3);
    return "nrwb"[access];
}

static struct text render_summary(const struct encoding *encoding)
{
    struct text text = {0};
    put(&text, "%s %s %s", class_word(encoding->class), flow_word(encoding->flow),
        element_word(encoding->element));
    assert_int_equal(encoding->is_vector, encoding->vector_bits != 0);
    if (encoding->is_vector)
        put(&text, " vector %u", encoding->vector_bits);
    if (encoding->is_scalable)
        put(&text, " scalable");
    if (encoding->is_masked)
        put(&text, " masked");
    if (encoding->load_bytes)
        put(&text, " loads %u", encoding->load_bytes);
    if (encoding->store_bytes)
        put(&text, " stores %u", encoding->store_bytes);
    return text;
}

static void render_address(struct text *text, const struct operand *operand)
{
    put(text, "%s", operand->kind == operand_kind_MEMORY ? "memory" : "address");
    if (operand->is_relative) {
        put(text, "@");
    } else {
        put(text, "[%s", name_of(operand->base_register));
        if (operand->index_register)
            put(text, "+%s*%u", name_of(operand->index_register), operand->scale);
        put(text, "+%lld]", (long long)operand->displacement);
    }
}

static struct text render_operands(const struct description *description)
{
    struct text text = {0};
    for (unsigned i = 0; i < description->operand_count; i++) {
        const struct operand *operand = &description->operands[i];
        const char *condition = operand->is_conditional ? "?" : "";
        assert_int_equal(operand->position, i + 1);
        put(&text, "%s", i ? " " : "");
        switch (operand->kind) {
        case operand_kind_REGISTER:
            put(&text, "%s", name_of(operand->register_));
            break;
        case operand_kind_MEMORY:
        case operand_kind_ADDRESS:
            render_address(&text, operand);
            break;
        case operand_kind_IMMEDIATE:
            assert_int_equal(operand->access, access_READ);
            put(&text, "#%lld:%u", (long long)operand->value, operand->bits);
            continue;
        case operand_kind_TARGET:
            assert_true(operand->is_relative);
            assert_int_equal(operand->access, access_NONE);
            put(&text, "target@");
            continue;
        default:
            put(&text, "other:%c", letter_of(operand->access));
        }
        if (operand->kind != operand_kind_OTHER)
            put(&text, ":%c%u%s", letter_of(operand->access), operand->bits, condition);
        if (operand->value)
            put(&text, "=%lld", (long long)operand->value);
    }
    return text;
}

static struct text render_uses(const struct description *description)
{
    struct text text = {0};
    for (unsigned i = 0; i < description->use_count; i++) {
        const struct register_use *use = &description->uses[i];
        put(&text, "%s%s:%c%s%s%s", i ? " " : "", name_of(use->register_), letter_of(use->access),
            use->keeps_rest ? "+" : "", use->is_conditional ? "?" : "", use->is_address ? "@" : "");
    }
    return text;
}

static void assert_same(const struct description *a, const struct description *b)
{
    assert_string_equal(a->text, b->text);
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->is_undefined, b->is_undefined);
    assert_string_equal(render_summary(&a->encoding).text, render_summary(&b->encoding).text);
    assert_string_equal(render_operands(a).text, render_operands(b).text);
    assert_string_equal(render_uses(a).text, render_uses(b).text);
}

static void test_cases(void **state)
{
    (void)state;
    static const struct {
        uint32_t word;
        const char *text, *summary, *operands, *uses;
    } cases[] = {
#define CASE(...) {__VA_ARGS__},
#include "aarch64_cases.def"
#undef CASE
    };
    bool has_class[class_COUNT] = {false};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct description description = describe_word(cases[i].word);
        assert_string_equal(description.text, cases[i].text);
        assert_false(description.is_undefined);
        assert_int_equal(strcspn(cases[i].text, " "), strlen(description.name));
        assert_memory_equal(description.name, cases[i].text, strlen(description.name));
        assert_string_equal(render_summary(&description.encoding).text, cases[i].summary);
        assert_string_equal(render_operands(&description).text, cases[i].operands);
        assert_string_equal(render_uses(&description).text, cases[i].uses);
        assert_int_equal(description.encoding.size, 4);
        has_class[description.encoding.class] = true;
    }
    for (unsigned i = 0; i < class_COUNT; i++) /* push, pop and x87 mathematics do not exist here */
        if (!has_class[i] && i != class_PUSH && i != class_POP && i != class_MATH)
            fail_msg("no case of class %s", class_word(i));
}

/* What would be said of a word if the disassembler gave this text: it need not know the instruction. */
static struct description describe_text(const char *text)
{
    struct description description = {.encoding.size = 4};
    struct aarch64_parsed parsed;
    snprintf(description.text, sizeof description.text, "%s", text);
    snprintf(description.name, sizeof description.name, "%.*s", (int)strcspn(text, " "), text);
    aarch64_parse_operands(text + strlen(description.name), &parsed);
    if (parsed.leftovers)
        fail_msg("not understood: %s", text);
    if (!aarch64_find(description.name).rule)
        fail_msg("no rule for %s", text);
    aarch64_derive_meaning(description.name, &parsed, &description);
    return description;
}

/* Instructions that binutils names only since 2.41 or later; before, some had the name of a wider kind. */
static void test_newer_cases(void **state)
{
    (void)state;
    static const struct {
        uint32_t word;
        const char *text, *summary, *operands, *uses;
    } cases[] = {
#define CASE(...) {__VA_ARGS__},
#include "aarch64_newer.def"
#undef CASE
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct description given = describe_text(cases[i].text), found = describe_word(cases[i].word);
        assert_string_equal(render_summary(&given.encoding).text, cases[i].summary);
        assert_string_equal(render_operands(&given).text, cases[i].operands);
        assert_string_equal(render_uses(&given).text, cases[i].uses);
        bool has_older_name =
            !strcmp(found.name, "hint") || !strcmp(found.name, "prfm") || !strcmp(found.name, "sysl");
        if (!found.is_undefined && !has_older_name)
            assert_same(&given, &found);
    }
}

/* Words with LLVM's reads and writes. */

static const struct {
    uint32_t word;
    const char *reads, *writes;
    bool is_newer; /* than some version of binutils */
} words[] = {
#define WORD(...) {__VA_ARGS__, false},
#define NEWER(...) {__VA_ARGS__, true},
#include "aarch64_words.def"
#undef WORD
#undef NEWER
};
enum { WORD_COUNT = sizeof words / sizeof *words };

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Full registers with that access, in the order of their names; what is kept is read. */
static struct text full_registers(const struct description *description, uint8_t access)
{
    const char *names[MOST_REGISTER_USES];
    unsigned count = 0;
    struct text text = {0};
    for (unsigned i = 0; i < description->use_count; i++) {
        const struct register_use *use = &description->uses[i];
        if (use->access & access || (use->keeps_rest && access == access_READ))
            names[count++] = name_of(reader->registers[use->register_].full);
    }
    qsort(names, count, sizeof *names, by_text);
    for (unsigned i = 0; i < count; i++)
        if (i == 0 || strcmp(names[i], names[i - 1]) != 0)
            put(&text, "%s%s", i ? " " : "", names[i]);
    return text;
}

static void test_registers_as_llvm_says(void **state)
{
    (void)state;
    for (unsigned i = 0; i < WORD_COUNT; i++) {
        struct description description = describe_word(words[i].word);
        if (words[i].is_newer && description.is_undefined)
            continue;
        struct text reads = full_registers(&description, access_READ);
        struct text writes = full_registers(&description, access_WRITE);
        if (strcmp(reads.text, words[i].reads) != 0)
            fail_msg("%08x %s reads %s, not %s", words[i].word, description.text, words[i].reads, reads.text);
        if (strcmp(writes.text, words[i].writes) != 0)
            fail_msg("%08x %s writes %s, not %s", words[i].word, description.text, words[i].writes,
                     writes.text);
    }
}

/* Words for the tests that take any word. */

static uint32_t random_word(void)
{
    static uint64_t seed = UINT64_C(0x9e3779b97f4a7c15);
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 20);
}

/* Mostly neighbours of known instructions, because most random words are none. */
static uint32_t some_word(unsigned number)
{
    uint32_t word = random_word();
    return number % 4 == 0 ? word : words[number % WORD_COUNT].word ^ (word & random_word() & random_word());
}

/* What objdump prints, as we write it; the address of a PC-relative operand is cut off and returned. */
static uint64_t normalise(char *text, size_t size, bool is_relative)
{
    uint64_t address = 0;
    char *comment = strstr(text, "//");
    if (comment)
        *comment = '\0';
    for (size_t length = strlen(text); length > 0 && strchr(" \t\n", text[length - 1]);)
        text[--length] = '\0';
    char *tab = strchr(text, '\t');
    if (tab)
        *tab = ' ';
    char *last = strrchr(text, ' ');
    if (is_relative && last) {
        address = strtoull(last + 1, NULL, 16);
        strcpy(last + 1, "@");
    }
    aarch64_write_short_lists_with_commas(text, size);
    return address;
}

/* As binutils writes them since 2.41, and as they are known here. */
static void test_lists_are_written_one_way(void **state)
{
    static const struct {
        const char *given, *wanted;
    } cases[] = {
        {"tbl v8.16b, {v20.16b-v21.16b}, v3.16b", "tbl v8.16b, {v20.16b, v21.16b}, v3.16b"},
        {"st3 {v30.b-v0.b}[6], [x15], #3", "st3 {v30.b, v31.b, v0.b}[6], [x15], #3"},
        {"st1 {v0.2d-v3.2d}, [x0]", "st1 {v0.2d-v3.2d}, [x0]"},
        {"uunpk {z24.s-z27.s}, {z28.h-z29.h}", "uunpk {z24.s-z27.s}, {z28.h, z29.h}"},
        {"ld1 {v5.8b}, [x0]", "ld1 {v5.8b}, [x0]"},
        {"ld4q {z30.q-z1.q}, p4/z, [x3]", "ld4q {z30.q, z31.q, z0.q, z1.q}, p4/z, [x3]"},
        {"pext {p15.d-p0.d}, pn15[0]", "pext {p15.d, p0.d}, pn15[0]"},
        {"luti4 {z3.b, z7.b, z11.b, z15.b}, zt0, {z10-z11}",
         "luti4 {z3.b, z7.b, z11.b, z15.b}, zt0, {z10, z11}"},
        {"zero {}", "zero {}"},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[80];
        snprintf(text, sizeof text, "%s", cases[i].given);
        aarch64_write_short_lists_with_commas(text, sizeof text);
        assert_string_equal(text, cases[i].wanted);
    }
}

static void test_text_is_objdumps(void **state)
{
    (void)state;
    enum { COUNT = 60000 };
    char path[] = "/tmp/assay-aarch64-XXXXXX", command[200], line[400];
    uint32_t *tried = malloc(COUNT * sizeof *tried);
    int file = mkstemp(path);
    assert_true(file >= 0);
    FILE *out = fdopen(file, "wb");
    for (unsigned i = 0; i < COUNT; i++) {
        uint8_t bytes[4];
        tried[i] = i < WORD_COUNT ? words[i].word : some_word(i);
        put_word(bytes, tried[i]);
        assert_int_equal(fwrite(bytes, 4, 1, out), 1);
    }
    assert_int_equal(fclose(out), 0);
    snprintf(command, sizeof command, "objdump -D -z -w -b binary -m aarch64 %s", path);
    FILE *in = popen(command, "r");
    assert_non_null(in);
    unsigned seen = 0, undefined = 0;
    while (fgets(line, sizeof line, in)) {
        char *rest, *text;
        uint64_t address = strtoull(line, &rest, 16);
        if (*rest != ':' || !(text = strchr(rest + 2, '\t')))
            continue;
        assert_in_range(address / 4, 0, COUNT - 1);
        text++;
        uint32_t word = tried[address / 4];
        struct step step = step_word(word, address);
        struct description description;
        reader->describe(reader, &step.key, &description);
        seen++;
        if (description.is_undefined) {
            undefined++;
            assert_memory_equal(text, ".inst", 5);
            continue;
        }
        bool is_relative = step.target != NO_ADDRESS;
        uint64_t target = normalise(text, (size_t)(line + sizeof line - text), is_relative);
        assert_string_equal(description.text, text);
        if (is_relative)
            assert_int_equal(target, step.target);
    }
    pclose(in);
    unlink(path);
    free(tried);
    assert_int_equal(seen, COUNT);
    assert_in_range(undefined, 1, COUNT * 3 / 5); /* newer words, too, where binutils is older */
}

static void check_uses(const struct description *description)
{
    for (unsigned i = 0; i < description->use_count; i++) {
        const struct register_use *use = &description->uses[i];
        assert_in_range(use->register_, 1, REGISTER_COUNT - 1);
        assert_int_not_equal(use->register_, REGISTER_XZR);
        assert_int_not_equal(use->register_, REGISTER_WZR);
        assert_in_range(use->access, access_READ, access_BOTH);
        if (i > 0)
            assert_true(description->uses[i - 1].register_ < use->register_);
        if (use->keeps_rest || use->is_conditional)
            assert_true(use->access & access_WRITE);
        if (use->is_address)
            assert_true(use->access & access_READ);
    }
}

/* Every register that an operand names is used at least as the operand is. */
static void check_named(const struct description *description, uint32_t number, uint8_t access)
{
    if (number == 0 || number == REGISTER_XZR || number == REGISTER_WZR)
        return;
    for (unsigned i = 0; i < description->use_count; i++)
        if (description->uses[i].register_ == number) {
            assert_int_equal(description->uses[i].access & access, access);
            return;
        }
    fail_msg("%s: no use of %s", description->text, name_of(number));
}

static void test_any_word(void **state)
{
    (void)state;
    unsigned instructions = 0;
    for (unsigned i = 0; i < 200000; i++) {
        struct description description = describe_word(some_word(i));
        assert_non_null(memchr(description.text, '\0', sizeof description.text));
        assert_null(strpbrk(description.text, "\t\n"));
        assert_null(strstr(description.text, "//"));
        assert_int_equal(description.encoding.size, 4);
        if (description.is_undefined) {
            assert_int_equal(description.operand_count + description.use_count, 0);
            assert_int_equal(description.encoding.flow, flow_STOP);
            continue;
        }
        instructions++;
        struct aarch64_parsed parsed;
        aarch64_parse_operands(description.text + strlen(description.name), &parsed);
        if (parsed.leftovers)
            fail_msg("not understood: %s", description.text);
        if (!aarch64_find(description.name).rule)
            fail_msg("no rule for %s", description.text);
        check_uses(&description);
        for (unsigned k = 0; k < description.operand_count; k++) {
            const struct operand *operand = &description.operands[k];
            check_named(&description, operand->register_, operand->access);
            check_named(&description, operand->base_register, access_READ);
            check_named(&description, operand->index_register, access_READ);
        }
        render_summary(&description.encoding);
        render_operands(&description);
    }
    assert_in_range(instructions, 50000, 200000);
}

/* A movprfx or a memory copy before it must not change what is said of a word. */
static void test_word_alone_decides(void **state)
{
    (void)state;
    static const uint32_t before[] = {0x0420bc20, 0x049128a4, 0x19010440, 0xd503201f};
    for (unsigned i = 0; i < WORD_COUNT; i += 3) {
        describe_word(0xd503201f);
        struct description alone = describe_word(words[i].word);
        describe_word(before[i % 4]);
        struct description after = describe_word(words[i].word);
        assert_same(&alone, &after);
    }
}

struct shared_work {
    struct description *descriptions;
};

static void describe_item(void *context, size_t item, unsigned worker)
{
    (void)worker;
    struct shared_work *work = context;
    struct step step;
    uint8_t bytes[4];
    put_word(bytes, words[item].word);
    reader->step(bytes, 4, 0, &step);
    reader->describe(reader, &step.key, &work->descriptions[item]);
}

static void test_threads(void **state)
{
    (void)state;
    struct shared_work work = {calloc(WORD_COUNT, sizeof(struct description))};
    assert_non_null(work.descriptions);
    workers_run(4, WORD_COUNT, describe_item, &work);
    for (unsigned i = 0; i < WORD_COUNT; i++) {
        struct description description = describe_word(words[i].word);
        assert_same(&description, &work.descriptions[i]);
    }
    free(work.descriptions);
}

static void test_step(void **state)
{
    (void)state;
    static const struct {
        uint32_t word, key;
        uint64_t address, target;
    } steps[] = {
        {0x14000001, 0x14000000, 0x1000, 0x1004},     /* b */
        {0x97ffffff, 0x94000000, 0x1000, 0xffc},      /* bl */
        {0x54ffffe1, 0x54000001, 0x1000, 0xffc},      /* b.ne */
        {0x54000051, 0x54000011, 0x1000, 0x1008},     /* bc.ne */
        {0xb4800000, 0xb4000000, 0x200000, 0x100000}, /* cbz x0 */
        {0x35000043, 0x35000003, 0x1000, 0x1008},     /* cbnz w3 */
        {0x3637fff5, 0x36300015, 0x1000, 0xffc},      /* tbz w21, #6 */
        {0xb70bffe2, 0xb7080002, 0x10000, 0x17ffc},   /* tbnz x2, #33 */
        {0x30000005, 0x10000005, 0x1000, 0x1001},     /* adr */
        {0x70ffffe5, 0x10000005, 0x1000, 0xfff},      /* adr */
        {0xb0000003, 0x90000003, 0x1234, 0x2000},     /* adrp */
        {0xf0ffffe3, 0x90000003, 0x5678, 0x4000},     /* adrp */
        {0x18000021, 0x18000001, 0x1000, 0x1004},     /* ldr w1 */
        {0x58ffffe1, 0x58000001, 0x1000, 0xffc},      /* ldr x1 */
        {0x98000041, 0x98000001, 0x1000, 0x1008},     /* ldrsw */
        {0xd8000041, 0xd8000001, 0x1000, 0x1008},     /* prfm */
        {0x1c000041, 0x1c000001, 0x1000, 0x1008},     /* ldr s1 */
        {0x5c000041, 0x5c000001, 0x1000, 0x1008},     /* ldr d1 */
        {0x9c000041, 0x9c000001, 0x1000, 0x1008},     /* ldr q1 */
        {0xdc000041, 0xdc000041, 0x1000, NO_ADDRESS}, /* not allocated */
        {0xd61f0220, 0xd61f0220, 0x1000, NO_ADDRESS}, /* br */
        {0xd65f03c0, 0xd65f03c0, 0x1000, NO_ADDRESS}, /* ret */
        {0xf9400420, 0xf9400420, 0x1000, NO_ADDRESS}, /* ldr x0, [x1, #8] */
        {0x14000001, 0x14000000, UINT64_MAX - 3, 0},  /* wraps around */
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        uint8_t key[KEY_BYTES] = {0};
        struct step step = step_word(steps[i].word, steps[i].address);
        put_word(key, steps[i].key);
        assert_memory_equal(step.key.bytes, key, sizeof key);
        assert_int_equal(step.key.size, 4);
        assert_int_equal(step.target, steps[i].target);
    }
    struct step step;
    assert_false(reader->step((const uint8_t *)"\x1f\x20\x03", 3, 0, &step));
    assert_false(reader->step(NULL, 0, 0, &step));
}

static void test_relocations(void **state)
{
    (void)state;
    static const struct {
        uint32_t type;
        bool decides;
        uint64_t target;
    } cases[] = {
        {283, true, 0x12340}, {282, true, 0x12340}, {280, true, 0x12340}, {279, true, 0x12340},
        {273, true, 0x12340}, {274, true, 0x12340}, {275, true, 0x12000}, {276, true, 0x12000},
        {311, false, 0},      {277, false, 0},      {286, false, 0},      {257, false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct relocation relocation = {
            .type = cases[i].type, .value = 0x12350, .addend = -16, .address = 0x100};
        uint64_t target = 0;
        assert_int_equal(reader->relocated(&relocation, 0x104, &target), cases[i].decides);
        assert_int_equal(target, cases[i].target);
        relocation.value = NO_ADDRESS;
        assert_false(reader->relocated(&relocation, 0x104, &target));
    }
}

static void test_registers(void **state)
{
    (void)state;
    assert_int_equal(reader->register_count, REGISTER_COUNT);
    for (unsigned i = 1; i < reader->register_count; i++) {
        const struct register_fact *fact = &reader->registers[i];
        assert_non_null(fact->name);
        assert_int_equal(aarch64_find_register(fact->name, strlen(fact->name)), i);
        assert_in_range(fact->full, 1, REGISTER_COUNT - 1);
        const struct register_fact *full = &reader->registers[fact->full];
        assert_int_equal(full->full, fact->full);
        assert_int_equal(full->kind, fact->kind);
        assert_true(fact->bits > 0 && fact->bits <= full->bits);
    }
    static const char *const not_registers[] = {"x31", "w31", "v32",    "p16", "x01",
                                                "r0",  "sy",  "s12e0r", "x",   ""};
    for (size_t i = 0; i < sizeof not_registers / sizeof *not_registers; i++)
        assert_int_equal(aarch64_find_register(not_registers[i], strlen(not_registers[i])), 0);
}

static void test_undefined(void **state)
{
    (void)state;
    static const uint32_t none[] = {0xffffffff, 0x05052020, 0xdc000041, 0xc0ffffff};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        struct description description = describe_word(none[i]);
        assert_true(description.is_undefined);
        assert_string_equal(description.name, ".inst");
    }
    assert_false(describe_word(0).is_undefined); /* udf #0 */
}

/* Text that no disassembler would give must not do harm. */
static void test_parser_takes_anything(void **state)
{
    (void)state;
    static const char pieces[][12] = {"x0",   "v1.4s",    "{",   "}",  "[",    "]",   ",",   "#",        "#-",
                                      "0x",   "lsl",      "mul", "vl", "@",    "!",   "-",   ".",        "/m",
                                      "za0h", "#1.e9999", " ",   "sp", "p0",   "/q",  "z9",  "[w1",      "{}",
                                      "#9e",  "a",        "v31", ":7", "vgx4", "zt0", "pn8", "za [w8, 0"};
    for (unsigned i = 0; i < 100000; i++) {
        char text[200] = "";
        for (unsigned k = random_word() % 16; k > 0; k--)
            strcat(text, pieces[random_word() % (sizeof pieces / sizeof *pieces)]);
        struct aarch64_parsed parsed;
        aarch64_parse_operands(text, &parsed);
        assert_in_range(parsed.count, 0, MOST_OPERANDS);
        for (unsigned k = 0; k < parsed.count; k++)
            assert_in_range(parsed.operands[k].row.register_, 0, REGISTER_COUNT - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_newer_cases),
        cmocka_unit_test(test_registers_as_llvm_says),
        cmocka_unit_test(test_lists_are_written_one_way),
        cmocka_unit_test(test_text_is_objdumps),
        cmocka_unit_test(test_any_word),
        cmocka_unit_test(test_word_alone_decides),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_step),
        cmocka_unit_test(test_relocations),
        cmocka_unit_test(test_registers),
        cmocka_unit_test(test_undefined),
        cmocka_unit_test(test_parser_takes_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
