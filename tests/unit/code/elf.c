/* The ELF reader compared with compilers, linkers and binutils, for all three ISAs. */
#include "elf_files.h"

/* The call of work in risky is covered by a landing pad that lies in risky too. */
static void check_landing_pad(const struct model *model, uint64_t start, uint64_t size)
{
    bool found = false;
    for (uint32_t i = 1; i < model->landing_pads.count; i++) {
        const struct landing_pad *pad = model_landing_pad(model, i);
        assert_true(pad->address < pad->end);
        if (pad->address >= start && pad->end <= start + size) {
            assert_in_range(pad->pad, start, start + size - 1);
            assert_true(pad->pad >= pad->end || pad->pad < pad->address);
            found = true;
        }
    }
    assert_true(found);
}

static void test_objects(void **state)
{
    (void)state;
    static const struct {
        const char *compiler;
        enum isa isa;
        uint8_t bits;
        uint32_t call_type;
        int64_t addend;
    } kinds[] = {{X86, isa_X86_64, 64, R_X86_64_PLT32, -4},
                 {I386 " -fPIC", isa_I386, 32, R_386_PLT32, -4},
                 {I386 " -fno-pic", isa_I386, 32, R_386_PC32, -4},
                 {ARM, isa_AARCH64, 64, R_AARCH64_CALL26, 0}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct model model;
        /* no large sections of cold code: risky is one piece */
        run("%s -O1 -g -fexceptions -ffunction-sections -fno-reorder-blocks-and-partition -c program.c -o "
            "object.o",
            kinds[i].compiler);
        open_file(&model, "object.o");
        check_invariants(&model);
        assert_int_equal(model.problems.count, 1);
        const struct program *program = model_program(&model, 1);
        assert_int_equal(program->isa, kinds[i].isa);
        assert_int_equal(program->format, format_OBJECT);
        assert_int_equal(program->bits, kinds[i].bits);
        assert_true(program->entry == NO_ADDRESS);
        assert_true(program->has_symbols && program->has_debug);
        assert_true(section_named(&model, ".text.work")->is_code);
        assert_false(section_named(&model, ".debug_info")->is_loaded);
        const struct symbol *risky = symbol_named(&model, "risky", origin_SYMBOL);
        assert_non_null(risky);
        assert_true(risky->is_global);
        assert_false(symbol_named(&model, "clean", origin_SYMBOL) &&
                     symbol_named(&model, "clean", origin_SYMBOL)->is_global);
        assert_int_equal(section_named(&model, ".text.risky")->address, risky->address);
        const struct symbol *bounds = symbol_at(&model, risky->address, origin_UNWIND);
        assert_non_null(bounds);
        assert_int_equal(bounds->size, risky->size);
        /* libdwfl and we agree about the layout */
        const struct symbol *debug = symbol_named(&model, "risky", origin_DEBUG);
        assert_non_null(debug);
        assert_int_equal(debug->address, risky->address);
        assert_int_equal(debug->size, risky->size);
        check_landing_pad(&model, risky->address, risky->size);
        const struct relocation *call = relocation_of(&model, "puts");
        assert_non_null(call);
        assert_true(call->value == NO_ADDRESS);
        assert_int_equal(call->type, kinds[i].call_type);
        assert_int_equal(call->addend, kinds[i].addend);
        const struct relocation *inner = relocation_of(&model, "work");
        assert_non_null(inner);
        assert_int_equal(inner->value, symbol_named(&model, "work", origin_SYMBOL)->address);
        const struct symbol *prepare = symbol_named(&model, "prepare", origin_SYMBOL);
        assert_non_null(prepare);
        assert_non_null(symbol_at(&model, prepare->address, origin_ENTRY));
        model_free(&model);
    }
}

/* Alignments beyond the start of the layout, many sections, and a section number that needs 32 bits. */
static void test_layout(void **state)
{
    (void)state;
    struct model model;
    write_text("aligned.c", "__attribute__((aligned(1 << 21))) char large[5] = {1};\n"
                            "__attribute__((aligned(1 << 17))) int first(void) { return large[0]; }\n"
                            "int second(int x) { return x + first(); }\n");
    run(X86 " -O1 -g -c aligned.c -o aligned.o");
    open_file(&model, "aligned.o");
    check_invariants(&model);
    const struct symbol *first = symbol_named(&model, "first", origin_SYMBOL);
    assert_int_equal(first->address % (1 << 17), 0);
    assert_int_equal(section_named(&model, ".data")->address % (1 << 21), 0);
    assert_int_equal(symbol_named(&model, "first", origin_DEBUG)->address, first->address);
    assert_int_equal(symbol_named(&model, "second", origin_DEBUG)->address,
                     symbol_named(&model, "second", origin_SYMBOL)->address);
    model_free(&model);
    run("awk 'BEGIN { for (i = 0; i < 66000; i++) print \".section .t\" i \",\\\"ax\\\"\\n.type f\" i "
        "\",@function\\nf\" i \": ret\\n.size f\" i \",1\" }' > many.s && " X86 " -c many.s -o many.o");
    struct read_options options = {.without_debug = true};
    open_with(&model, "many.o", &options);
    assert_int_equal(count_symbols(&model, origin_SYMBOL), 66000);
    const struct symbol *last = symbol_named(&model, "f65999", origin_SYMBOL);
    assert_int_equal(last->address, section_named(&model, ".t65999")->address);
    model_free(&model);
}

static void check_linked(const char *name, enum isa isa, enum format format, bool has_names)
{
    static const char *const imports[] = {"puts@plt", "rand@plt", "free@plt"};
    struct model model;
    open_file(&model, name);
    check_invariants(&model);
    assert_int_equal(model.problems.count, 1);
    const struct program *program = model_program(&model, 1);
    assert_int_equal(program->isa, isa);
    assert_int_equal(program->format, format);
    assert_int_equal(program->has_symbols, has_names);
    for (size_t i = 0; i < sizeof imports / sizeof *imports; i++) {
        const struct symbol *stub = symbol_named(&model, imports[i], origin_PLT);
        if (!stub)
            fail_msg("%s: no stub %s", name, imports[i]);
        assert_in_range(stub->size, 8, 32);
    }
    if (format != format_SHARED) {
        assert_non_null(symbol_at(&model, program->entry, origin_ENTRY));
        assert_true(symbol_named(&model, "_init", origin_ENTRY) || !section_named(&model, ".init"));
    }
    /* the constructor comes from .init_array, in whatever way its slot is relocated */
    const struct symbol *risky = symbol_named(&model, "risky", origin_SYMBOL);
    assert_int_equal(risky != NULL, has_names);
    if (has_names) {
        const struct symbol *prepare = symbol_named(&model, "prepare", origin_SYMBOL);
        assert_non_null(symbol_at(&model, prepare->address, origin_ENTRY));
        assert_int_equal(symbol_at(&model, risky->address, origin_UNWIND)->size, risky->size);
        check_landing_pad(&model, risky->address, risky->size);
    } else {
        assert_true(count_symbols(&model, origin_UNWIND) >= 4);
        assert_true(count_symbols(&model, origin_ENTRY) >= 1);
        assert_true(model.landing_pads.count > 1);
    }
    /* unwind rows leave the stubs alone */
    for (uint32_t i = 1; i < model.symbols.count; i++) {
        const struct symbol *stub = model_symbol(&model, i);
        if (stub->origin == origin_PLT)
            assert_null(symbol_at(&model, stub->address, origin_UNWIND));
    }
    model_free(&model);
}

static void test_linked(void **state)
{
    (void)state;
    static const struct {
        const char *compiler;
        enum isa isa;
        enum format format;
    } kinds[] = {
        {X86 " -pie -fpie", isa_X86_64, format_PIE},
        {X86 " -no-pie -fno-pie", isa_X86_64, format_EXECUTABLE},
        {X86 " -pie -fpie -Wl,-z,now", isa_X86_64, format_PIE},
        {X86 " -pie -fpie -Wl,-z,now,-z,pack-relative-relocs", isa_X86_64, format_PIE},
        {X86 " -pie -fpie -fcf-protection -Wl,-z,ibtplt,-z,lazy", isa_X86_64, format_PIE},
        {X86 " -shared -fPIC", isa_X86_64, format_SHARED},
        {I386 " -shared -fPIC -nostdlib", isa_I386, format_SHARED},
        {I386 " -no-pie -fno-pic -nostdlib -Wl,-e,main,--no-as-needed libstub.so", isa_I386,
         format_EXECUTABLE},
        {I386 " -shared -fPIC -nostdlib -fcf-protection -Wl,-z,ibtplt,-z,now", isa_I386, format_SHARED},
        {ARM " -pie -fpie", isa_AARCH64, format_PIE},
        {ARM " -no-pie -fno-pie", isa_AARCH64, format_EXECUTABLE},
        {ARM " -pie -fpie -mbranch-protection=standard -Wl,-z,force-bti,-z,now", isa_AARCH64, format_PIE},
        {ARM " -shared -fPIC -Wl,-z,pac-plt", isa_AARCH64, format_SHARED},
    };
    write_text("stub.c",
               "void puts(void) {} void rand(void) {} void free(void) {} void _Unwind_Resume(void) {}\n"
               "void __gcc_personality_v0(void) {}\n");
    run(I386 " -shared -fPIC -nostdlib -fno-builtin stub.c -o libstub.so");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        run("%s -O1 -fexceptions program.c -o linked 2>linker.log", kinds[i].compiler);
        check_linked("linked", kinds[i].isa, kinds[i].format, true);
        run("%s linked -o stripped",
            kinds[i].isa == isa_AARCH64 ? "aarch64-linux-gnu-strip" : "x86_64-linux-gnu-strip");
        check_linked("stripped", kinds[i].isa, kinds[i].format, false);
    }
}

/* Packed relative relocations say the same as plain ones. */
static void test_packed_relocations(void **state)
{
    (void)state;
    struct model model;
    write_text("table.c", "static int a, b, c; int *const table[] = {&a, &b, &c, &a, &b, &c, &a};\n"
                          "int main(void) { return *table[a & 7]; }\n");
    run(X86 " -O1 -pie -fpie -Wl,-z,now,-z,pack-relative-relocs table.c -o table");
    open_file(&model, "table");
    char *address = output("x86_64-linux-gnu-nm table | awk '$3 == \"table\" { print $1 }'");
    uint64_t place = strtoull(address, NULL, 16);
    free(address);
    address = output("x86_64-linux-gnu-nm table | awk '$3 == \"a\" { print $1 }'");
    uint64_t a = strtoull(address, NULL, 16);
    free(address);
    unsigned found = 0;
    for (uint32_t i = 1; i < model.relocations.count; i++) {
        const struct relocation *row = model_relocation(&model, i);
        if (row->address < place || row->address >= place + 7 * 8)
            continue;
        found++;
        assert_int_equal(row->type, R_X86_64_RELATIVE);
        assert_int_equal(row->addend, 0);
        if ((row->address - place) / 8 % 3 == 0)
            assert_int_equal(row->value, a);
    }
    assert_int_equal(found, 7);
    model_free(&model);
}

/* Without section headers everything that matters at run time is still found. */
static void test_headerless(void **state)
{
    (void)state;
    static const char *const compilers[] = {X86, ARM};
    for (int i = 0; i < 2; i++) {
        struct model whole, bare;
        size_t size;
        run("%s -O1 -fexceptions -pie -fpie -rdynamic program.c -o whole", compilers[i]);
        uint8_t *bytes = read_bytes("whole", &size);
        Elf64_Ehdr header;
        memcpy(&header, bytes, sizeof header);
        header.e_shoff = 0;
        header.e_shnum = header.e_shstrndx = 0;
        memcpy(bytes, &header, sizeof header);
        write_bytes("bare", bytes, size);
        free(bytes);
        open_file(&whole, "whole");
        open_file(&bare, "bare");
        check_invariants(&bare);
        assert_int_equal(bare.problems.count, 1);
        assert_int_equal(model_program(&bare, 1)->format, format_PIE);
        assert_int_equal(bare.relocations.count, whole.relocations.count);
        assert_int_equal(count_symbols(&bare, origin_DYNAMIC), count_symbols(&whole, origin_DYNAMIC));
        assert_true(count_symbols(&bare, origin_UNWIND) >= count_symbols(&whole, origin_UNWIND));
        assert_int_equal(bare.landing_pads.count, whole.landing_pads.count);
        assert_non_null(symbol_named(&bare, "puts@plt", origin_PLT));
        assert_int_equal(symbol_named(&bare, "puts@plt", origin_PLT)->address,
                         symbol_named(&whole, "puts@plt", origin_PLT)->address);
        assert_non_null(symbol_named(&bare, "risky", origin_DYNAMIC));
        model_free(&whole);
        model_free(&bare);
    }
}

static void test_archives(void **state)
{
    (void)state;
    struct model model;
    write_text("readme with a very long name.txt", "not code\n");
    run(X86 " -O1 -c program.c -o first.o && " ARM
            " -O1 -c program.c -o a_name_longer_than_sixteen_characters.o");
    run("rm -f both.a thin.a && ar rcs both.a first.o 'readme with a very long name.txt' "
        "a_name_longer_than_sixteen_characters.o 2>/dev/null");
    run("ar rcsT thin.a first.o a_name_longer_than_sixteen_characters.o 2>/dev/null");
    static const char *const names[] = {"both.a", "thin.a"};
    for (int i = 0; i < 2; i++) {
        open_file(&model, names[i]);
        check_invariants(&model);
        assert_int_equal(model.programs.count, 3);
        assert_string_equal(model_text(&model, model_program(&model, 1)->member), "first.o");
        assert_string_equal(model_text(&model, model_program(&model, 2)->member),
                            "a_name_longer_than_sixteen_characters.o");
        assert_int_equal(model_program(&model, 1)->isa, isa_X86_64);
        assert_int_equal(model_program(&model, 2)->isa, isa_AARCH64);
        unsigned mains = 0;
        for (uint32_t row = 1; row < model.symbols.count; row++) {
            const struct symbol *symbol = model_symbol(&model, row);
            if (symbol->origin == origin_SYMBOL && !strcmp(model_text(&model, symbol->name), "main"))
                mains |= 1u << symbol->program;
        }
        assert_int_equal(mains, 6);
        assert_int_equal(has_problem(&model, "not ELF files"), i == 0);
        model_free(&model);
    }
    run("rm first.o");
    open_file(&model, "thin.a");
    assert_int_equal(model.programs.count, 2);
    assert_true(has_problem(&model, "missing"));
    model_free(&model);
}

static void test_separate_debug_files(void **state)
{
    (void)state;
    struct model model;
    run(X86 " -O1 -g -pie -fpie -Wl,--build-id program.c -o separate && x86_64-linux-gnu-objcopy "
            "--only-keep-debug separate "
            "separate.debug && x86_64-linux-gnu-strip separate -o bare && cp bare linked_bare && "
            "x86_64-linux-gnu-objcopy --add-gnu-debuglink=separate.debug linked_bare");
    open_file(&model, "separate");
    uint64_t risky = symbol_named(&model, "risky", origin_SYMBOL)->address;
    size_t symbols = count_symbols(&model, origin_SYMBOL);
    char build_id[200];
    snprintf(build_id, sizeof build_id, "%s", model_text(&model, model_program(&model, 1)->build_id));
    assert_int_equal(strlen(build_id), 40);
    model_free(&model);

    open_file(&model, "bare");
    assert_false(model_program(&model, 1)->has_symbols);
    assert_false(model_program(&model, 1)->has_debug);
    assert_int_equal(count_symbols(&model, origin_SYMBOL), 0);
    model_free(&model);

    open_file(&model, "linked_bare");
    assert_true(model_program(&model, 1)->has_symbols);
    assert_true(model_program(&model, 1)->has_debug);
    assert_non_null(strstr(model_text(&model, model_program(&model, 1)->debug_file), "separate.debug"));
    assert_int_equal(symbol_named(&model, "risky", origin_SYMBOL)->address, risky);
    assert_int_equal(symbol_named(&model, "risky", origin_DEBUG)->address, risky);
    assert_int_equal(count_symbols(&model, origin_SYMBOL), symbols);
    model_free(&model);

    run("mkdir -p found/.build-id/%.2s && mv separate.debug found/.build-id/%.2s/%s.debug", build_id,
        build_id, build_id + 2);
    char directory[100];
    snprintf(directory, sizeof directory, "%s/found", folder);
    struct read_options options = {.debug_directory = directory};
    open_with(&model, "bare", &options);
    assert_int_equal(symbol_named(&model, "risky", origin_SYMBOL)->address, risky);
    assert_true(model_program(&model, 1)->has_debug);
    model_free(&model);
    options.without_debug = true;
    open_with(&model, "bare", &options);
    assert_int_equal(count_symbols(&model, origin_SYMBOL), 0);
    model_free(&model);
}

static void test_data_in_code(void **state)
{
    (void)state;
    struct model model;
    write_text("data.s",
               ".text\n.global f\nf: ret\n.word 1, 2\ng: nop\nret\n.data\n.word 5\n.text\n.byte 1,2,3,4\n");
    run(ARM " -c data.s -o data.o");
    open_file(&model, "data.o");
    check_invariants(&model);
    uint64_t text = section_named(&model, ".text")->address;
    assert_int_equal(model.data_ranges.count, 3);
    assert_int_equal(model_data_range(&model, 1)->address, text + 4);
    assert_int_equal(model_data_range(&model, 1)->end, text + 12);
    assert_int_equal(model_data_range(&model, 2)->address, text + 20);
    assert_int_equal(model_data_range(&model, 2)->end, text + 24);
    /* labels without a type count as functions, mapping symbols do not */
    assert_int_equal(count_symbols(&model, origin_SYMBOL), 2);
    assert_int_equal(symbol_named(&model, "f", origin_SYMBOL)->address, text);
    model_free(&model);
}

/* Counts of functions, relocations and unwind entries against binutils, on binaries of the system. */
static void test_system_binaries(void **state)
{
    (void)state;
    static const char *const names[] = {"/proc/self/exe", "/bin/ls", "/bin/bash", "/usr/bin/nm"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char resolved[4096];
        struct model model;
        if (!realpath(names[i], resolved))
            continue;
        struct read_options options = {.without_debug = true};
        open_with(&model, resolved, &options);
        check_invariants(&model);
        char *count = output(
            "readelf -W --dyn-syms '%s' | awk '($4 == \"FUNC\" || $4 == \"IFUNC\") && $7 != \"UND\"' | "
            "wc -l",
            resolved);
        size_t dynamic = 0;
        for (uint32_t row = 1; row < model.symbols.count; row++) {
            const struct symbol *symbol = model_symbol(&model, row);
            dynamic += symbol->origin == origin_DYNAMIC;
        }
        assert_int_equal(dynamic, atoi(count));
        free(count);
        count = output("readelf -W -r '%s' | grep -c '^[0-9a-f]*  [0-9a-f]* R_'", resolved);
        assert_int_equal(model.relocations.count - 1, atoi(count));
        free(count);
        if (i == 0) {
            count = output("nm --defined-only '%s' | grep ' [tTiW] ' | grep -vc ' data_start$'", resolved);
            assert_int_equal(count_symbols(&model, origin_SYMBOL), atoi(count));
            free(count);
        }
        model_free(&model);
    }
}

static void test_empty_function(void **state)
{
    (void)state;
    struct model model;
    write_text(
        "empty.s",
        ".text\n.type f,@function\nf: .cfi_startproc\nret\n.cfi_endproc\n.size f,1\n.type g,@function\n"
        "g: .cfi_startproc\n.cfi_endproc\n.size g,0\n.section .text.next,\"ax\"\nnop\n");
    run(X86 " -c empty.s -o empty.o");
    open_file(&model, "empty.o");
    check_invariants(&model);
    assert_int_equal(model.problems.count, 1);
    assert_int_equal(count_symbols(&model, origin_SYMBOL), 1);
    assert_int_equal(count_symbols(&model, origin_UNWIND), 1);
    model_free(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_objects),
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_linked),
        cmocka_unit_test(test_packed_relocations),
        cmocka_unit_test(test_headerless),
        cmocka_unit_test(test_archives),
        cmocka_unit_test(test_separate_debug_files),
        cmocka_unit_test(test_data_in_code),
        cmocka_unit_test(test_empty_function),
        cmocka_unit_test(test_system_binaries),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
