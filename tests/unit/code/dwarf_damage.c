/* The DWARF reader on damaged and hostile debug information: whatever is in the sections, reading ends soon,
   and the rows keep their order and refer to rows that exist. */
/* last build only: damage that goes unnoticed otherwise is what it looks for */
#include "dwarf_programs.h"

#include <fcntl.h>

static const char cpp_text[] =
    "#include <map>\n"
    "#include <string>\n"
    "#include <vector>\n"
    "struct item { int key; std::string name; item *next; double values[4]; };\n"
    "static inline int weigh(const item &i) { return i.key * 2 + (int)i.values[1]; }\n"
    "int total(std::vector<item> &all)\n"
    "{\n"
    "    int sum = 0;\n"
    "    for (auto &one : all) {\n"
    "        static int calls;\n"
    "        sum += weigh(one) + calls++;\n"
    "    }\n"
    "    return sum;\n"
    "}\n"
    "int main(int argc, char **argv)\n"
    "{\n"
    "    std::map<std::string, int> seen;\n"
    "    std::vector<item> all(3);\n"
    "    for (int i = 0; i < argc; i++)\n"
    "        seen[argv[i]]++;\n"
    "    return total(all) + (int)seen.size();\n"
    "}\n";

static uint64_t seed = 20240229;
static uint64_t random_number(uint64_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed % below;
}

struct image {
    char *bytes;
    size_t size;
    struct span debug[32]; /* parts of bytes */
    unsigned debug_count;
};

static struct image load(const char *name)
{
    struct image image = {0};
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int file = open(path, O_RDONLY);
    assert_true(file >= 0);
    image.size = (size_t)lseek(file, 0, SEEK_END);
    image.bytes = malloc(image.size);
    assert_int_equal(pread(file, image.bytes, image.size, 0), image.size);
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(file, ELF_C_READ, NULL);
    size_t names;
    assert_int_equal(elf_getshdrstrndx(elf, &names), 0);
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section; section = elf_nextscn(elf, section)) {
        GElf_Shdr shape;
        assert_non_null(gelf_getshdr(section, &shape));
        if (!strncmp(elf_strptr(elf, names, shape.sh_name), ".debug_", 7) && shape.sh_size &&
            image.debug_count < 32)
            image.debug[image.debug_count++] =
                (struct span){(uint8_t *)image.bytes + shape.sh_offset, shape.sh_size};
    }
    elf_end(elf);
    close(file);
    assert_true(image.debug_count > 3);
    return image;
}

/* Writes name with up to 20 bytes of one debug section, or of all, changed. */
static void write_damaged(const struct image *image, const char *name)
{
    char path[200];
    char *copy = malloc(image->size);
    memcpy(copy, image->bytes, image->size);
    unsigned chosen = (unsigned)random_number(image->debug_count + 1);
    for (uint64_t left = 1 + random_number(20); left > 0; left--) {
        unsigned number = chosen < image->debug_count ? chosen : (unsigned)random_number(image->debug_count);
        struct span section = image->debug[number];
        size_t offset = (size_t)((char *)section.data - image->bytes) + random_number(section.size);
        static const char tempting[] = {0, -1, 1, 127, -128, 0x40};
        copy[offset] = random_number(2) ? (char)random_number(256) : tempting[random_number(sizeof tempting)];
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(copy, 1, image->size, file), image->size);
    fclose(file);
    free(copy);
}

static void check_damaged(const char *name, const char *damaged, unsigned rounds)
{
    struct image image = load(name);
    unsigned with_lines = 0;
    for (unsigned i = 0; i < rounds; i++) {
        struct opened opened;
        write_damaged(&image, damaged);
        if (open_program(&opened, strstr(damaged, ".dwo") ? "split" : damaged, native())) {
            check_order(&opened.model);
            with_lines += opened.model.source_lines.count > 1;
        }
        close_program(&opened);
    }
    free(image.bytes);
    assert_true(with_lines > rounds / 2);
}

static void test_changed_bytes(void **state)
{
    (void)state;
    static const char *const compilers[] = {"g++ -gdwarf-2", "g++ -gdwarf-4 -fdebug-types-section",
                                            "g++ -gdwarf-5", "clang++ -gdwarf-4", "clang++ -gdwarf-5"};
    write_text("test.cpp", cpp_text);
    for (unsigned i = 0; i < 5; i++) {
        if (!have(i < 3 ? "g++" : "clang++"))
            continue;
        assert_true(run("%s -g -O2 test.cpp -o prog", compilers[i]));
        check_damaged("prog", "damaged", 60);
    }
}

static void test_changed_bytes_of_split_units(void **state)
{
    (void)state;
    write_text("test.cpp", cpp_text);
    for (int version = 4; version <= 5; version++) {
        assert_true(
            run("g++ -gdwarf-%d -gsplit-dwarf -O2 -c test.cpp -o test.o && g++ test.o -o split", version));
        assert_true(run("cp test.dwo whole.dwo"));
        check_damaged("whole.dwo", "test.dwo", 50);
        assert_true(run("mv whole.dwo test.dwo"));
        check_damaged("split", "damaged", 50);
    }
}

/* Debug information by hand: abbreviations, then DIEs.  Code 1 is the unit, 2 a function with code, 3 a
   lexical block with children, 4 a variable (name, type), 5 a typedef of another type, 6 an array of another
   type, 7 a subprogram that is only an abstract origin of another, 8 an inlined call (origin, ranges), 9 a
   structure that contains one member of a type. */
static const char head_text[] = ".text\n.globl f\nf:\n .rept 64\n nop\n .endr\n.Lend:\n"
                                ".section .debug_abbrev,\"\",%progbits\n"
                                ".uleb128 1,0x11\n.byte 1\n.uleb128 0x03,0x08, 0x11,0x01, 0x12,0x07, 0,0\n"
                                ".uleb128 2,0x2e\n.byte 1\n.uleb128 0x03,0x08, 0x11,0x01, 0x12,0x07, 0,0\n"
                                ".uleb128 3,0x0b\n.byte 1\n.uleb128 0,0\n"
                                ".uleb128 4,0x34\n.byte 0\n.uleb128 0x03,0x08, 0x49,0x13, 0x02,0x18, 0,0\n"
                                ".uleb128 5,0x16\n.byte 0\n.uleb128 0x49,0x13, 0,0\n"
                                ".uleb128 6,0x01\n.byte 0\n.uleb128 0x49,0x13, 0,0\n"
                                ".uleb128 7,0x2e\n.byte 0\n.uleb128 0x31,0x13, 0,0\n"
                                ".uleb128 8,0x1d\n.byte 1\n.uleb128 0x31,0x13, 0x55,0x17, 0,0\n"
                                ".uleb128 9,0x13\n.byte 1\n.uleb128 0x0b,0x0b, 0,0\n"
                                ".uleb128 10,0x0d\n.byte 0\n.uleb128 0x49,0x13, 0,0\n"
                                ".byte 0\n"
                                ".section .debug_info,\"\",%progbits\n"
                                ".Lu:\n.4byte .Le-.Ls\n.Ls:\n.2byte 4\n.4byte 0\n.byte 8\n"
                                ".byte 1\n.asciz \"u\"\n.8byte f\n.8byte .Lend-f\n";

static void assemble(const char *body)
{
    char *whole = malloc(strlen(head_text) + strlen(body) + 100);
    sprintf(whole, "%s%s\n.byte 0\n.Le:\n", head_text, body);
    write_text("hand.s", whole);
    free(whole);
    assert_true(run("gcc -shared -nostdlib hand.s -o hand.so"));
}

static void test_cycles(void **state)
{
    (void)state;
    struct opened opened;
    assemble(".byte 2\n.asciz \"f\"\n.8byte f\n.8byte .Lend-f\n"
             ".byte 4\n.asciz \"self\"\n.4byte .La-.Lu\n.uleb128 1\n.byte 0x9c\n"
             ".byte 4\n.asciz \"pair\"\n.4byte .Lb-.Lu\n.uleb128 1\n.byte 0x9c\n"
             ".byte 4\n.asciz \"inside\"\n.4byte .Ld-.Lu\n.uleb128 1\n.byte 0x9c\n"
             ".byte 8\n.4byte .Lo-.Lu\n.4byte 0\n.byte 0\n"
             ".byte 0\n"
             ".La:\n.byte 5\n.4byte .La-.Lu\n"
             ".Lb:\n.byte 6\n.4byte .Lc-.Lu\n"
             ".Lc:\n.byte 5\n.4byte .Lb-.Lu\n"
             ".Ld:\n.byte 9\n.byte 8\n.byte 10\n.4byte .Ld-.Lu\n.byte 0\n"
             ".Lo:\n.byte 7\n.4byte .Lp-.Lu\n"
             ".Lp:\n.byte 7\n.4byte .Lo-.Lu\n"
             ".section .debug_ranges,\"\",%progbits\n.8byte 8,16,0,0\n"
             ".section .debug_info\n");
    assert_true(open_program(&opened, "hand.so", native()));
    const struct model *model = &opened.model;
    check_order(model);
    assert_int_equal(model->problems.count, 1);
    const struct variable *self = variable_named(model, "self");
    assert_int_equal(model_type(model, self->type)->target, self->type);
    const struct type *array = type_of(model, "pair");
    assert_int_equal(array->kind, type_kind_ARRAY);
    assert_ptr_equal(model_type(model, model_type(model, array->target)->target), array);
    const struct type *inside = type_of(model, "inside");
    assert_ptr_equal(model_type(model, member_of(model, inside, 1)->member_type), inside);
    assert_int_equal(model->inlined_calls.count, 2);
    assert_true(model_inlined_call(model, 1)->name == 0);
    assert_true(model_inlined_call(model, 1)->address == symbol_named(model, "f")->address + 8);
    close_program(&opened);
}

static void test_depth(void **state)
{
    (void)state;
    struct opened opened;
    assemble(".byte 2\n.asciz \"f\"\n.8byte f\n.8byte .Lend-f\n"
             ".rept 300000\n.byte 3\n.endr\n"
             ".byte 4\n.asciz \"deep\"\n.4byte .La-.Lu\n.uleb128 1\n.byte 0x9c\n"
             ".rept 300000\n.byte 0\n.endr\n"
             ".byte 4\n.asciz \"after\"\n.4byte .La-.Lu\n.uleb128 1\n.byte 0x9c\n"
             ".byte 0\n"
             ".La:\n.byte 5\n.4byte .La-.Lu\n");
    assert_true(open_program(&opened, "hand.so", native()));
    check_order(&opened.model);
    assert_int_equal(opened.model.problems.count, 2);
    assert_int_equal(model_problem(&opened.model, 1)->kind, problem_kind_LIMIT);
    assert_true(variable_named(&opened.model, "after")->function_address ==
                symbol_named(&opened.model, "f")->address);
    close_program(&opened);
}

/* 20,000 inlined calls that share one list of 20,000 ranges would be 400 million ranges. */
static void test_shared_lists(void **state)
{
    (void)state;
    struct opened opened;
    assemble(".byte 2\n.asciz \"f\"\n.8byte f\n.8byte .Lend-f\n"
             ".rept 20000\n.byte 8\n.4byte .Lo-.Lu\n.4byte 0\n.byte 0\n.endr\n"
             ".byte 0\n"
             ".Lo:\n.byte 7\n.4byte .Lo-.Lu\n"
             ".section .debug_ranges,\"\",%progbits\n.rept 20000\n.8byte 8,16\n.endr\n.8byte 0,0\n"
             ".section .debug_info\n");
    assert_true(open_program(&opened, "hand.so", native()));
    check_order(&opened.model);
    assert_int_equal(opened.model.problems.count, 2);
    assert_int_equal(model_problem(&opened.model, 1)->kind, problem_kind_LIMIT);
    assert_true(opened.model.inlined_calls.count > 1 && opened.model.inlined_calls.count < 2000);
    close_program(&opened);
}

/* 20,000 units that share one table of abbreviations of half a megabyte, of which each uses the last. */
static void test_shared_abbreviations(void **state)
{
    (void)state;
    struct opened opened;
    write_text("hand.s", ".text\n.globl f\nf:\n nop\n"
                         ".section .debug_abbrev,\"\",%progbits\n"
                         ".set code, 2\n.rept 100000\n.uleb128 code,0x34\n.byte 0\n.uleb128 0,0\n"
                         ".set code, code+1\n.endr\n.uleb128 1,0x11\n.byte 1\n.uleb128 0,0\n.byte 0\n"
                         ".section .debug_info,\"\",%progbits\n"
                         ".rept 20000\n.4byte 9\n.2byte 4\n.4byte 0\n.byte 8\n.byte 1, 0\n.endr\n");
    assert_true(run("gcc -shared -nostdlib hand.s -o hand.so"));
    assert_true(open_program(&opened, "hand.so", native()));
    assert_int_equal(opened.model.problems.count, 2);
    assert_int_equal(model_problem(&opened.model, 1)->kind, problem_kind_LIMIT);
    close_program(&opened);
}

static void test_split_unit_that_names_a_pipe(void **state)
{
    (void)state;
    struct opened opened;
    write_text("test.cpp", cpp_text);
    assert_true(run("g++ -gdwarf-5 -gsplit-dwarf -O2 -c test.cpp -o test.o && g++ test.o -o split"));
    assert_true(run("rm test.dwo && mkfifo test.dwo"));
    assert_true(open_program(&opened, "split", native()));
    assert_int_equal(opened.model.problems.count, 2);
    assert_true(opened.model.source_lines.count > 10);
    close_program(&opened);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_changed_bytes),
        cmocka_unit_test(test_changed_bytes_of_split_units),
        cmocka_unit_test(test_cycles),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_shared_lists),
        cmocka_unit_test(test_shared_abbreviations),
        cmocka_unit_test(test_split_unit_that_names_a_pipe),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
