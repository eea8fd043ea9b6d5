/* The DWARF reader on the output of C compilers, with addr2line as reference for lines and inline stacks.
   Programs are compiled here; a compiler that is not installed skips its part. */
#include "dwarf_programs.h"

static const char c_text[] =
    "#include \"sub/../sub/inline.h\"\n"
    "static int hidden;\n"
    "int shown = 5;\n"
    "extern int declared;\n"
    "__thread int per_thread = 1;\n"
    "struct node { struct node *next; int key : 5, flag : 3; union { double d; char c[8]; } u;\n"
    "              enum { RED, BLUE } color; void (*call)(int); };\n"
    "typedef struct node node_t;\n"
    "const volatile node_t *list;\n"
    "int matrix[3][4];\n"
    "static node_t pool[16];\n"
    "int variable_length(int n)\n"
    "{\n"
    "    int v[n][n + 1];\n"
    "    for (int i = 0; i < n; i++)\n"
    "        v[i][i] = outer(i, n);\n"
    "    return v[0][0] + v[n - 1][n - 1];\n"
    "}\n"
    "__attribute__((noinline)) int work(int n, double *restrict data)\n"
    "{\n"
    "    int s = hidden;\n"
    "    for (int i = 0; i < n; i++) {\n"
    "        int t = (int)data[i];\n"
    "        s = outer(s, t);\n"
    "        if (t == -1)\n"
    "            never(s);\n"
    "    }\n"
    "    per_thread += s;\n"
    "    hidden = s;\n"
    "    return s;\n"
    "}\n"
    "int main(int argc, char **argv)\n"
    "{\n"
    "    double x[4] = {1, 2, 3, argc};\n"
    "    list = pool;\n"
    "    return work(4, x) + variable_length(argc) + shown + matrix[1][2] + (argv[0] == 0);\n"
    "}\n";

static const char h_text[] = "#include <stdlib.h>\n"
                             "static inline int inner(int a, int b)\n"
                             "{\n"
                             "    static int calls;\n"
                             "    calls += b;\n"
                             "    return a * b + calls;\n"
                             "}\n"
                             "static inline int outer(int a, int b)\n"
                             "{\n"
                             "    int c = inner(a, b) - 1;\n"
                             "    return inner(c, a) ^ b;\n"
                             "}\n"
                             "__attribute__((cold, noreturn, noinline)) static void never(int s)\n"
                             "{\n"
                             "    if (s > 3)\n"
                             "        exit(s);\n"
                             "    abort();\n"
                             "}\n";

static int set_up_sources(void **state)
{
    if (set_up(state) || !run("mkdir sub"))
        return -1;
    write_text("test.c", c_text);
    write_text("sub/inline.h", h_text);
    return 0;
}

/* Everything that two models say of lines, calls and variables, but for the names of files. */
static void assert_same_rows(const struct model *a, const struct model *b)
{
    assert_int_equal(a->source_lines.count, b->source_lines.count);
    assert_int_equal(a->inlined_calls.count, b->inlined_calls.count);
    assert_int_equal(a->symbols.count, b->symbols.count);
    for (uint32_t i = 1; i < a->source_lines.count; i++) {
        const struct source_line *x = model_source_line(a, i), *y = model_source_line(b, i);
        assert_true(x->address == y->address && x->end == y->end && x->line == y->line &&
                    x->column == y->column && x->inlined_call == y->inlined_call);
        assert_string_equal(model_text(a, model_file(a, x->file)->path),
                            model_text(b, model_file(b, y->file)->path));
    }
    for (uint32_t i = 1; i < a->inlined_calls.count; i++) {
        const struct inlined_call *x = model_inlined_call(a, i), *y = model_inlined_call(b, i);
        assert_true(x->address == y->address && x->end == y->end && x->call_line == y->call_line &&
                    x->parent == y->parent && x->line == y->line);
        assert_string_equal(model_text(a, x->name), model_text(b, y->name));
        assert_string_equal(model_text(a, model_file(a, x->file)->path),
                            model_text(b, model_file(b, y->file)->path));
    }
}

static void test_lines_and_inline_stacks(void **state)
{
    (void)state;
    static const char *const compilers[] = {"gcc", "clang"};
    static const char *const options[] = {"-O0", "-O2", "-O2 -gz -ffunction-sections -Wl,--gc-sections"};
    for (unsigned i = 0; i < 6; i++) {
        const char *compiler = compilers[i / 3];
        if (!have(compiler))
            continue;
        struct opened opened, last = {0};
        for (int version = 2; version <= 5; version++) {
            assert_true(run("%s -g -gdwarf-%d %s test.c -o prog", compiler, version, options[i % 3]));
            assert_true(open_program(&opened, "prog", native()));
            check_order(&opened.model);
            assert_int_equal(opened.model.problems.count, 1);
            unsigned inlined = 0;
            if (version < 5) {
                inlined = compare_with_addr2line(&opened, "prog", "addr2line");
                assert_true(i % 3 == 0 ? inlined == 0 : inlined > 20);
            } else { /* addr2line of binutils 2.40 takes some files of version 5 for others */
                assert_same_rows(&last.model, &opened.model);
            }
            if (version > 2)
                close_program(&last);
            last = opened;
        }
        close_program(&last);
    }
}

static void test_unit_and_paths(void **state)
{
    (void)state;
    struct opened opened;
    char header[300], real[200];
    assert_true(run("gcc -g -O2 test.c -o prog"));
    assert_true(open_program(&opened, "prog", native()));
    const struct model *model = &opened.model;
    assert_int_equal(model->units.count, 2);
    const struct unit *unit = model_unit(model, 1);
    assert_non_null(realpath(folder, real));
    snprintf(header, sizeof header, "%s/sub/inline.h", real);
    assert_true(same(model, unit->name, "test.c"));
    assert_true(same(model, unit->directory, real));
    assert_int_equal(unit->language, language_C);
    const char *compiler = model_text(model, unit->compiler), *flags = model_text(model, unit->flags);
    assert_true(!strncmp(compiler, "GNU C17 ", 8) && !strchr(compiler, '-'));
    assert_true(flags[0] == '-' && strstr(flags, "-O2"));
    assert_int_equal(unit->dwarf_version, 5);
    assert_true(model_program(model, 1)->has_debug);
    const struct inlined_call *call = model_inlined_call(model, 1);
    assert_true(same(model, model_file(model, call->file)->path, header));
    close_program(&opened);
    if (have("clang")) {
        assert_true(run("clang -g -O2 -grecord-command-line test.c -o prog"));
        assert_true(open_program(&opened, "prog", native()));
        unit = model_unit(&opened.model, 1);
        assert_non_null(strstr(model_text(&opened.model, unit->compiler), "clang version"));
        assert_null(strstr(model_text(&opened.model, unit->compiler), "/"));
        assert_non_null(strstr(model_text(&opened.model, unit->flags), "-O2"));
        close_program(&opened);
    }
}

static void test_variables_and_types(void **state)
{
    (void)state;
    for (int version = 2; version <= 5; version++) {
        struct opened opened;
        assert_true(run("gcc -g -gdwarf-%d -O0 test.c -o prog", version));
        assert_true(open_program(&opened, "prog", native()));
        const struct model *model = &opened.model;
        assert_int_equal(variable_named(model, "shown")->kind, variable_kind_GLOBAL);
        assert_int_equal(variable_named(model, "shown")->line, 3);
        assert_int_equal(location_of(model, variable_named(model, "shown"))->kind, location_kind_ADDRESS);
        assert_int_equal(variable_named(model, "hidden")->kind, variable_kind_STATIC);
        assert_true(variable_named(model, "hidden")->function_address == NO_ADDRESS);
        /* compilers for AArch64 do not say where such a variable is */
        assert_int_equal(location_of(model, variable_named(model, "per_thread"))->kind,
                         native() == isa_AARCH64 ? location_kind_NONE : location_kind_TLS);
        assert_int_equal(variable_named(model, "calls")->kind, variable_kind_STATIC);
        const struct variable *x = variable_named(model, "data");
        assert_int_equal(x->kind, variable_kind_PARAMETER);
        assert_true(x->function_address != NO_ADDRESS);
        assert_int_equal(location_of(model, x)->kind, location_kind_FRAME);
        assert_int_equal(variable_named(model, "t")->kind, variable_kind_LOCAL);
        for (uint32_t i = 1; i < model->variables.count; i++)
            assert_false(same(model, model_variable(model, i)->name, "declared"));

        const struct type *matrix = type_of(model, "matrix");
        assert_int_equal(matrix->kind, type_kind_ARRAY);
        assert_int_equal(matrix->bytes, 48);
        assert_int_equal(dimension_of(model, matrix, 1)->count, 3);
        assert_int_equal(dimension_of(model, matrix, 2)->count, 4);
        assert_int_equal(model_type(model, matrix->target)->number_format, number_format_SIGNED);
        const struct type *pointer = type_of(model, "list");
        assert_int_equal(pointer->kind, type_kind_POINTER);
        assert_int_equal(pointer->bytes, sizeof(void *));
        const struct type *pool = type_of(model, "pool");
        assert_int_equal(dimension_of(model, pool, 1)->count, 16);
        const struct type *name = model_type(model, pool->target);
        assert_int_equal(name->kind, type_kind_TYPEDEF);
        const struct type *node = model_type(model, name->target);
        assert_int_equal(node->kind, type_kind_STRUCT);
        assert_true(same(model, node->name, "node"));
        assert_int_equal(name->bytes, node->bytes);
        assert_int_equal(pool->bytes, 16 * node->bytes);
        const struct member *next = member_of(model, node, 1);
        assert_true(same(model, next->name, "next"));
        assert_ptr_equal(model_type(model, model_type(model, next->member_type)->target), node);
        assert_int_equal(member_of(model, node, 2)->bits, 5);
        assert_int_equal(model_type(model, member_of(model, node, 4)->member_type)->kind, type_kind_UNION);
        assert_int_equal(member_of(model, node, 4)->offset, 16);
        assert_int_equal(model_type(model, member_of(model, node, 5)->member_type)->kind, type_kind_ENUM);
        close_program(&opened);
    }
}

static void test_optimised_variables(void **state)
{
    (void)state;
    struct opened opened;
    assert_true(run("gcc -g -O2 test.c -o prog"));
    assert_true(open_program(&opened, "prog", native()));
    const struct model *model = &opened.model;
    const struct variable *n = NULL;
    bool in_inlined = false;
    uint64_t work = 0;
    for (uint32_t i = 1; i < model->symbols.count; i++)
        if (same(model, model_symbol(model, i)->name, "work"))
            work = model_symbol(model, i)->address;
    assert_true(work != 0);
    for (uint32_t i = 1; i < model->variables.count; i++) {
        const struct variable *row = model_variable(model, i);
        if (same(model, row->name, "n") && row->function_address == work && !row->inlined_call)
            n = row;
        in_inlined |=
            row->inlined_call && same(model, row->name, "b") && row->kind == variable_kind_PARAMETER;
    }
    assert_non_null(n);
    assert_true(in_inlined);
    const struct location *first = location_of(model, n);
    assert_int_equal(first->kind, location_kind_REGISTER);
    assert_true(first->address == work && first->end > work);
    assert_true(same(model, first->register_name, native() == isa_AARCH64 ? "x0" : "rdi"));
    /* a static variable of an inlined function is there once, with its address */
    unsigned calls = 0;
    for (uint32_t i = 1; i < model->variables.count; i++)
        calls += same(model, model_variable(model, i)->name, "calls");
    assert_int_equal(calls, 1);
    assert_int_equal(location_of(model, variable_named(model, "calls"))->kind, location_kind_ADDRESS);
    close_program(&opened);
}

static void test_cold_parts(void **state)
{
    (void)state;
    struct opened opened;
    assert_true(run("gcc -g -O2 -freorder-blocks-and-partition test.c -o prog && "
                    "nm -S prog | grep ' work.cold' >cold && nm -S prog | grep ' work$' >hot"));
    assert_true(open_program(&opened, "prog", native()));
    char path[200], line[200];
    static const char *const files[] = {"hot", "cold"}, *const names[] = {"work", "work.cold"};
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        assert_non_null(fgets(line, sizeof line, file));
        fclose(file);
        char *rest;
        uint64_t address = strtoull(line, &rest, 16), size = strtoull(rest, NULL, 16);
        const struct symbol *symbol = symbol_named(&opened.model, names[i]);
        assert_non_null(symbol);
        assert_int_equal(symbol->origin, origin_DEBUG);
        assert_true(symbol->address == address && symbol->size == size);
        assert_int_equal(symbol->line, 19);
    }
    close_program(&opened);
}

/* The first location and the type of the variables that both know (split units may name a few more). */
static void assert_same_variables(const struct model *a, const struct model *b)
{
    unsigned compared = 0;
    for (uint32_t i = 1; i < a->variables.count; i++) {
        const struct variable *x = model_variable(a, i), *y = NULL;
        for (uint32_t j = 1; j < b->variables.count; j++) {
            const struct variable *other = model_variable(b, j);
            if (same(a, x->name, model_text(b, other->name)) &&
                other->function_address == x->function_address && other->inlined_call == x->inlined_call)
                y = other;
        }
        if (!y)
            continue;
        const struct location *one = location_of(a, x), *other = location_of(b, y);
        assert_true(one->address == other->address && one->end == other->end && one->kind == other->kind &&
                    one->value == other->value);
        assert_int_equal(model_type(a, x->type)->kind, model_type(b, y->type)->kind);
        assert_int_equal(model_type(a, x->type)->bytes, model_type(b, y->type)->bytes);
        compared++;
    }
    assert_true(compared > 15);
}

static void test_split_units(void **state)
{
    (void)state;
    static const char *const compilers[] = {"gcc", "clang"};
    for (int i = 0; i < 2; i++) {
        if (!have(compilers[i]))
            continue;
        for (int version = 4; version <= 5; version++) {
            struct opened plain, split;
            assert_true(run("%s -g -gdwarf-%d -O2 -c test.c -o test.o && %s test.o -o plain", compilers[i],
                            version, compilers[i]));
            assert_true(run("%s -g -gdwarf-%d -O2 -gsplit-dwarf -c test.c -o test.o && %s test.o -o split",
                            compilers[i], version, compilers[i]));
            assert_true(open_program(&plain, "plain", native()));
            assert_true(open_program(&split, "split", native()));
            assert_int_equal(split.model.problems.count, 1);
            assert_same_rows(&plain.model, &split.model);
            if (version == 5 || i == 1) /* GCC 12 damages some lists of version 4 */
                assert_same_variables(&plain.model, &split.model);
            assert_true(same(&split.model, model_unit(&split.model, 1)->name, "test.c"));
            close_program(&split);
            /* without the .dwo the lines are there, and the gap is counted */
            assert_true(run("rm -f *.dwo"));
            assert_true(open_program(&split, "split", native()));
            assert_int_equal(split.model.problems.count, 2);
            assert_int_equal(model_problem(&split.model, 1)->kind, problem_kind_DEBUG);
            assert_true(split.model.source_lines.count > 10);
            close_program(&split);
            close_program(&plain);
        }
    }
}

static void test_separate_and_stripped(void **state)
{
    (void)state;
    struct opened whole, separate;
    assert_true(
        run("gcc -g -O2 test.c -o prog && cp prog whole && objcopy --only-keep-debug prog prog.debug && "
            "strip prog && objcopy --add-gnu-debuglink=prog.debug prog"));
    assert_true(open_program(&whole, "whole", native()));
    assert_true(open_program(&separate, "prog", native()));
    assert_same_rows(&whole.model, &separate.model);
    assert_same_variables(&whole.model, &separate.model);
    close_program(&separate);
    assert_true(run("rm prog.debug"));
    assert_true(open_program(&separate, "prog", native()));
    assert_int_equal(separate.model.units.count, 1);
    assert_int_equal(separate.model.source_lines.count, 1);
    assert_false(model_program(&separate.model, 1)->has_debug);
    close_program(&separate);
    close_program(&whole);
}

static void test_relocatable(void **state)
{
    (void)state;
    struct opened opened;
    assert_true(run("gcc -g -O2 -ffunction-sections -c test.c -o test.o"));
    assert_true(open_program(&opened, "test.o", native()));
    const struct model *model = &opened.model;
    check_order(model);
    assert_int_equal(model->problems.count, 1);
    GElf_Addr bias;
    Elf *elf = dwfl_module_getelf(opened.module, &bias);
    const char *const functions[] = {"work", "variable_length", "main"};
    for (int i = 0; i < 3; i++) {
        const struct symbol *symbol = symbol_named(model, functions[i]);
        assert_non_null(symbol);
        char wanted[50], stack[2000];
        snprintf(wanted, sizeof wanted, ".text.%s%s", i == 2 ? "startup." : "", functions[i]);
        bool found = false;
        size_t names;
        assert_int_equal(elf_getshdrstrndx(elf, &names), 0);
        for (Elf_Scn *section = elf_nextscn(elf, NULL); section; section = elf_nextscn(elf, section)) {
            GElf_Shdr shape;
            assert_non_null(gelf_getshdr(section, &shape));
            if (!strcmp(elf_strptr(elf, names, shape.sh_name), wanted)) {
                found = true;
                assert_true(shape.sh_addr == symbol->address && shape.sh_size == symbol->size);
            }
        }
        assert_true(found);
        stack_text(model, symbol->address, stack, sizeof stack);
        assert_non_null(strstr(stack, "test.c:"));
    }
    close_program(&opened);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_and_inline_stacks),
        cmocka_unit_test(test_unit_and_paths),
        cmocka_unit_test(test_variables_and_types),
        cmocka_unit_test(test_optimised_variables),
        cmocka_unit_test(test_cold_parts),
        cmocka_unit_test(test_split_units),
        cmocka_unit_test(test_separate_and_stripped),
        cmocka_unit_test(test_relocatable),
    };
    return cmocka_run_group_tests(tests, set_up_sources, tear_down);
}
