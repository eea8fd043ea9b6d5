/* Code that was made at run time (src/run/sample/jit/): what is read of jitdump files and maps, which of two functions
   at one place is kept, and files that are damaged at every place. */
#include "run/sample/jit/parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 0x10000, SECOND = 0x20000, MOVED = 0x30000, CODE = 32 };

static void put_record(struct array *dump, unsigned kind, size_t size)
{
    jit_put_number(dump, kind, 4);
    jit_put_number(dump, 16 + size, 4);
    jit_put_number(dump, 1, 8);
}

static void put_load(struct array *dump, const char *name, uint64_t address, unsigned number, uint8_t byte)
{
    put_record(dump, 0, 40 + strlen(name) + 1 + CODE);
    jit_put_number(dump, 1, 4);
    jit_put_number(dump, 1, 4);
    jit_put_number(dump, address, 8);
    jit_put_number(dump, address, 8);
    jit_put_number(dump, CODE, 8);
    jit_put_number(dump, number, 8);
    jit_put(dump, name, strlen(name) + 1);
    for (unsigned i = 0; i < CODE; i++)
        jit_put_number(dump, byte, 1);
}

static void put_lines(struct array *dump, uint64_t address)
{
    put_record(dump, 2, 16 + 16 + 5 + 16 + 2 + 16 + 5);
    jit_put_number(dump, address, 8);
    jit_put_number(dump, 3, 8);
    static const char *const names[] = {"a.js", "\xff", "b.js"};
    for (unsigned i = 0; i < 3; i++) {
        jit_put_number(dump, address + 8 * i, 8);
        jit_put_number(dump, 10 + i, 4);
        jit_put_number(dump, 0, 4);
        jit_put(dump, names[i], strlen(names[i]) + 1);
    }
}

static void put_move(struct array *dump, unsigned number, uint64_t to)
{
    put_record(dump, 1, 48);
    jit_put_number(dump, 1, 4);
    jit_put_number(dump, 1, 4);
    jit_put_number(dump, 0, 8);
    jit_put_number(dump, FIRST, 8);
    jit_put_number(dump, to, 8);
    jit_put_number(dump, CODE, 8);
    jit_put_number(dump, number, 8);
}

static struct array make_dump(void)
{
    struct array dump = ARRAY_OF(uint8_t);
    uint32_t head[] = {0x4a695444, 1, 40, EM_X86_64, 0, 1, 0, 0, 0, 0};
    jit_put(&dump, head, sizeof head);
    put_lines(&dump, FIRST);
    put_load(&dump, "first", FIRST, 1, 0x90);
    put_load(&dump, "cold", 0x50000, 2, 0x91);
    put_load(&dump, "second", SECOND, 3, 0x92);
    put_move(&dump, 1, MOVED);
    put_load(&dump, "second again", SECOND + 8, 4, 0x93);
    put_record(&dump, 3, 0);
    return dump;
}

static const uint64_t wanted[] = {FIRST + 4, SECOND + 1, SECOND + 10, MOVED + 31};
enum { WANTED = sizeof wanted / sizeof *wanted };

static bool read_dump(struct jit_codes *codes, const void *data, size_t size)
{
    FILE *file = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
    jit_codes_begin(codes, wanted, WANTED);
    bool is_read = file && jit_dump_read(codes, file);
    if (file)
        fclose(file);
    jit_codes_settle(codes);
    return is_read;
}

static void a_dump_gives_names_bytes_and_lines(void **state)
{
    (void)state;
    struct array dump = make_dump();
    struct jit_codes codes;
    assert_true(read_dump(&codes, dump.data, dump.count));
    assert_false(codes.was_cut);
    assert_int_equal(codes.machine, EM_X86_64);
    /* The cold one is not kept; of two at one place the later one is. */
    assert_int_equal(codes.codes.count, 3);
    const struct jit_code *first = jit_codes_at(&codes, FIRST + CODE - 1),
                          *moved = jit_codes_at(&codes, MOVED);
    const struct jit_code *again = jit_codes_at(&codes, SECOND + 8);
    assert_string_equal(first->name, "first");
    assert_int_equal(first->bytes[CODE - 1], 0x90);
    assert_false(first->is_reused);
    assert_string_equal(moved->name, "first");
    assert_int_equal(moved->bytes[0], 0x90);
    assert_string_equal(again->name, "second again");
    assert_true(again->is_reused);
    assert_null(jit_codes_at(&codes, SECOND));
    assert_null(jit_codes_at(&codes, FIRST + CODE));
    assert_null(jit_codes_at(&codes, 0));
    assert_int_equal(first->lines.count, 3);
    assert_int_equal(ARRAY_AT(struct jit_line, &first->lines, 1)->line, 11);
    assert_string_equal(*ARRAY_AT(char *, &codes.files, ARRAY_AT(struct jit_line, &first->lines, 1)->file),
                        "a.js");
    assert_string_equal(*ARRAY_AT(char *, &codes.files, ARRAY_AT(struct jit_line, &first->lines, 2)->file),
                        "b.js");
    jit_codes_free(&codes);
    array_free(&dump);
}

/* As V8 of Node 20 writes them: places behind the head of an ELF file, and names that are pieces of memory. */
static void lines_of_v8_are_in_their_place(void **state)
{
    (void)state;
    static const char *const names[] = {"JS:*sum /srv/app.js:1:13", "JS:*sum file:///srv/app.js:21:130",
                                        "JS:*sum", "JS:*sum app.js:1:2", "JS:~ /srv/app.js:x:1"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct array dump = ARRAY_OF(uint8_t);
        uint32_t head[] = {0x4a695444, 1, 40, EM_X86_64, 0, 1, 0, 0, 0, 0};
        jit_put(&dump, head, sizeof head);
        put_record(&dump, 2, 16 + 16 + 4 + 16 + 2);
        jit_put_number(&dump, FIRST, 8);
        jit_put_number(&dump, 2, 8);
        jit_put_number(&dump, FIRST + 64, 8);
        jit_put_number(&dump, 5, 8);
        jit_put(&dump, "\xbb\xab\x03", 4);
        jit_put_number(&dump, FIRST + 64 + 8, 8);
        jit_put_number(&dump, 6, 8);
        jit_put(&dump, "\xff", 2);
        put_load(&dump, names[i], FIRST, 1, 0x90);
        struct jit_codes codes;
        assert_true(read_dump(&codes, dump.data, dump.count));
        const struct jit_code *code = jit_codes_at(&codes, FIRST);
        assert_int_equal(code->lines.count, i < 2 ? 2 : 0);
        if (i < 2) {
            const struct jit_line *line = ARRAY_AT(struct jit_line, &code->lines, 1);
            assert_int_equal(line->address, FIRST + 8);
            assert_int_equal(line->line, 6);
            assert_string_equal(*ARRAY_AT(char *, &codes.files, line->file), "/srv/app.js");
        }
        jit_codes_free(&codes);
        array_free(&dump);
    }
}

static void the_image_has_what_the_dump_has(void **state)
{
    (void)state;
    struct array dump = make_dump();
    struct jit_codes codes;
    read_dump(&codes, dump.data, dump.count);
    struct array image = jit_image_make(&codes);
    Elf64_Ehdr head;
    assert_true(image.count > sizeof head);
    memcpy(&head, image.data, sizeof head);
    assert_int_equal(head.e_machine, EM_X86_64);
    assert_int_equal(head.e_shoff + (uint64_t)head.e_shnum * sizeof(Elf64_Shdr), image.count);
    unsigned texts = 0;
    for (unsigned i = 0; i < head.e_shnum; i++) {
        Elf64_Shdr section;
        memcpy(&section, (const uint8_t *)image.data + head.e_shoff + i * sizeof section, sizeof section);
        assert_true(section.sh_offset + section.sh_size <= image.count);
        texts += (section.sh_flags & SHF_EXECINSTR) != 0;
        if (section.sh_addr == FIRST)
            assert_int_equal(((const uint8_t *)image.data)[section.sh_offset], 0x90);
    }
    assert_int_equal(texts, 3);
    array_free(&image);
    jit_codes_free(&codes);
    array_free(&dump);
}

static void check_damaged(const uint8_t *bytes, size_t size)
{
    struct jit_codes codes;
    read_dump(&codes, bytes, size);
    for (size_t i = 0; i < codes.codes.count; i++) {
        const struct jit_code *code = ARRAY_AT(struct jit_code, &codes.codes, i);
        assert_true(jit_is_wanted(&codes, code->address, code->size));
        if (i)
            assert_true(code->address - code[-1].address >= code[-1].size);
    }
    struct array image = jit_image_make(&codes);
    assert_true(image.count >= sizeof(Elf64_Ehdr));
    array_free(&image);
    jit_codes_free(&codes);
}

static void damaged_dumps_give_what_they_have(void **state)
{
    (void)state;
    struct array dump = make_dump();
    uint8_t *copy = memory_get(dump.count);
    static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
    for (size_t i = 0; i < dump.count; i++) {
        memcpy(copy, dump.data, dump.count); /* of the very size: reading beyond it is found */
        check_damaged(copy, i);
        for (unsigned k = 0; k < sizeof values; k++) {
            copy[i] = values[k];
            check_damaged(copy, dump.count);
        }
        for (unsigned k = 0; k < 8 && i + k < dump.count; k++)
            copy[i + k] = 0xff;
        check_damaged(copy, dump.count);
    }
    struct jit_codes codes;
    memcpy(copy, dump.data, dump.count);
    assert_true(read_dump(&codes, copy, dump.count - 20));
    assert_true(codes.was_cut);
    jit_codes_free(&codes);
    copy[0] = 'x';
    assert_false(read_dump(&codes, copy, dump.count));
    jit_codes_free(&codes);
    free(copy);
    array_free(&dump);
}

static void read_map(struct jit_codes *codes, const char *text)
{
    FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    jit_codes_begin(codes, wanted, WANTED);
    jit_map_read(codes, file);
    fclose(file);
    jit_codes_settle(codes);
}

static void maps_give_names(void **state)
{
    (void)state;
    struct jit_codes codes;
    read_map(&codes, "10000 20 Object.first a b\n50000 20 cold\n20000 8 second\n");
    assert_int_equal(codes.codes.count, 2);
    assert_string_equal(jit_codes_at(&codes, FIRST)->name, "Object.first a b");
    assert_null(jit_codes_at(&codes, FIRST)->bytes);
    assert_false(codes.was_cut);
    jit_codes_free(&codes);
    static const char *const odd[] = {"\n\n",
                                      "xyz\n",
                                      "10000\n",
                                      "10000 \n",
                                      "10000 20",
                                      "10000 20\n",
                                      " 10000 20 name\n",
                                      "-1 20 name\n",
                                      "fffffffffffffff0 20 name\n",
                                      "10000 ffffffffffffffff name\n",
                                      "10000 0 name\n",
                                      "99999999999999999999999 1 name\n"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        read_map(&codes, odd[i]);
        assert_int_equal(codes.codes.count, 0);
        jit_codes_free(&codes);
    }
    char *text = memory_get(20000);
    memset(text, 'n', 19999);
    memcpy(text, "10000 20 ", 9);
    memcpy(text + 19980, "\n20000 8 x\n", 11);
    read_map(&codes, text);
    assert_int_equal(codes.codes.count, 2); /* a long name is cut, the next line is read */
    assert_string_equal(jit_codes_at(&codes, SECOND)->name, "x");
    jit_codes_free(&codes);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dump_gives_names_bytes_and_lines),
        cmocka_unit_test(lines_of_v8_are_in_their_place),
        cmocka_unit_test(the_image_has_what_the_dump_has),
        cmocka_unit_test(damaged_dumps_give_what_they_have),
        cmocka_unit_test(maps_give_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
