/* The ELF reader on files that are not programs, are truncated, have random bytes changed (with a fixed seed)
   or wrong headers: one clear error line or a partial model, never anything worse. */
#include "elf_files.h"

static void check_refused(const char *name, const char *part)
{
    struct model model;
    struct error error = {0};
    struct read_options options = {0};
    model_init(&model);
    assert_false(read_file(&model, path_of(name), &options, &error));
    assert_true(error.set);
    assert_int_equal(strncmp(error.text, path_of(name), strlen(path_of(name))), 0);
    if (!strstr(error.text, part))
        fail_msg("'%s' does not say '%s'", error.text, part);
    assert_null(strchr(error.text, '\n'));
    assert_int_equal(model.programs.count, 1);
    assert_int_equal(model.sections.count, 1);
    model_free(&model);
}

static void test_other_files(void **state)
{
    (void)state;
    write_text("notes.txt", "some notes\n");
    write_text("script", "#!/bin/sh\n");
    write_text("empty", "");
    write_text("short", "\177ELF");
    write_text("empty.a", "!<arch>\n");
    write_bytes("noise", "\0\1\2\3\4\5\6\7", 8);
    run("mkdir -p directory && ar rcs text.a notes.txt && mkfifo pipe");
    check_refused("notes.txt", "text file");
    check_refused("script", "script");
    check_refused("empty", "empty");
    check_refused("short", "ends inside the ELF header");
    check_refused("empty.a", "empty");
    check_refused("text.a", "no member");
    check_refused("noise", "not in ELF format");
    check_refused("directory", "directory");
    check_refused("pipe", "pipe");
    check_refused("gone", "No such file");
    size_t size;
    run(X86 " -c program.c -o object.o");
    uint8_t *bytes = read_bytes("object.o", &size);
    static const struct {
        unsigned offset;
        uint8_t value;
        const char *part;
    } changes[] = {{18, EM_ARM, "32-bit Arm"},     {18, EM_RISCV, "RISC-V"},   {18, 1, "machine number 1"},
                   {5, ELFDATA2MSB, "ELF"},        {16, ET_CORE, "core file"}, {16, 77, "type is 77"},
                   {4, 9, "ELF header is damaged"}};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        uint8_t old = bytes[changes[i].offset];
        bytes[changes[i].offset] = changes[i].value;
        write_bytes("changed", bytes, size);
        check_refused("changed", changes[i].part);
        bytes[changes[i].offset] = old;
    }
    free(bytes);
}

/* Reads damaged bytes: a clear error or a partial model, and nothing else. */
static void read_damaged(const uint8_t *bytes, size_t size)
{
    struct model model;
    struct error error = {0};
    struct read_options options = {0};
    write_bytes("damaged", bytes, size);
    model_init(&model);
    if (read_file(&model, path_of("damaged"), &options, &error))
        check_invariants(&model);
    else
        assert_true(error.set && *error.text && !strchr(error.text, '\n'));
    model_free(&model);
}

static void make_victims(void)
{
    run(X86 " -O1 -fexceptions -pie -fpie -s program.c -o victim0 && " ARM
            " -O1 -g -fexceptions -c program.c -o "
            "victim1 && " I386
            " -O1 -fexceptions -c program.c -o victim2 && rm -f victim3 && cp victim2 other.o && "
            "ar rcs victim3 victim2 other.o");
}

static void test_truncated(void **state)
{
    (void)state;
    make_victims();
    for (int victim = 0; victim < 4; victim++) {
        char name[20];
        size_t size;
        snprintf(name, sizeof name, "victim%d", victim);
        uint8_t *bytes = read_bytes(name, &size);
        for (size_t cut = 1; cut < size; cut += 97) {
            uint8_t *part = malloc(cut); /* so that the sanitizer sees where it ends */
            memcpy(part, bytes, cut);
            read_damaged(part, cut);
            free(part);
        }
        free(bytes);
    }
}

static uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

static void test_flipped(void **state)
{
    (void)state;
    make_victims();
    uint64_t seed = 1;
    for (int victim = 0; victim < 4; victim++) {
        char name[20];
        size_t size;
        snprintf(name, sizeof name, "victim%d", victim);
        uint8_t *bytes = read_bytes(name, &size), *changed = malloc(size);
        for (int round = 0; round < 150; round++) {
            memcpy(changed, bytes, size);
            unsigned flips = 1 + next_random(&seed) % 20;
            /* headers, at both ends of the file, matter most */
            for (unsigned i = 0; i < flips; i++) {
                size_t where = next_random(&seed) % size, kind = next_random(&seed) % 3;
                if (kind == 1)
                    where = next_random(&seed) % 64;
                else if (kind == 2)
                    where = size - 1 - next_random(&seed) % (size < 2000 ? size : 2000);
                changed[where] = (uint8_t)next_random(&seed);
            }
            read_damaged(changed, size);
        }
        free(bytes);
        free(changed);
    }
}

/* Sections that overlap, lie outside of the file or all share the same bytes. */
static void test_lying_headers(void **state)
{
    (void)state;
    struct model model;
    size_t size;
    run(X86 " -O1 -pie -fpie program.c -o honest");
    uint8_t *bytes = read_bytes("honest", &size);
    Elf64_Ehdr header;
    memcpy(&header, bytes, sizeof header);
    uint8_t *headers = bytes + header.e_shoff;
    Elf64_Shdr section, text = {0};
    unsigned number = 0;
    for (unsigned i = 1; i < header.e_shnum; i++) {
        memcpy(&section, headers + i * sizeof section, sizeof section);
        if (section.sh_flags & SHF_EXECINSTR && section.sh_size > text.sh_size) {
            text = section;
            number = i;
        }
    }
    section = text;
    section.sh_offset = UINT64_C(1) << 40;
    memcpy(headers + number * sizeof section, &section, sizeof section);
    write_bytes("lying", bytes, size);
    open_file(&model, "lying");
    check_invariants(&model);
    assert_true(has_problem(&model, "outside the file"));
    assert_null(section_named(&model, ".text"));
    assert_non_null(section_named(&model, ".rodata"));
    model_free(&model);

    section = text;
    section.sh_size = UINT64_MAX - 5;
    memcpy(headers + number * sizeof section, &section, sizeof section);
    write_bytes("lying", bytes, size);
    open_file(&model, "lying");
    check_invariants(&model);
    assert_true(has_problem(&model, "address space"));
    model_free(&model);

    section = text;
    section.sh_size = 0x10000;
    memcpy(headers + number * sizeof section, &section, sizeof section);
    write_bytes("lying", bytes, size);
    open_file(&model, "lying");
    check_invariants(&model);
    assert_true(has_problem(&model, "overlaps"));
    model_free(&model);
    free(bytes);
}

/* A thousand sections with the whole file as contents. */
static void test_shared_bytes(void **state)
{
    (void)state;
    struct model model;
    Elf64_Shdr section;
    Elf64_Ehdr header;
    size_t size = sizeof header + 1000 * sizeof section;
    uint8_t *bytes = calloc(1, size);
    header = (Elf64_Ehdr){.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                          .e_type = ET_REL,
                          .e_machine = EM_X86_64,
                          .e_version = EV_CURRENT,
                          .e_shoff = sizeof header,
                          .e_ehsize = sizeof header,
                          .e_shentsize = sizeof section,
                          .e_shnum = 1000,
                          .e_shstrndx = 1};
    memcpy(bytes, &header, sizeof header);
    for (unsigned i = 1; i < 1000; i++) {
        section = (Elf64_Shdr){.sh_type = i == 1   ? SHT_STRTAB
                                          : i == 2 ? SHT_SYMTAB
                                                   : SHT_RELA,
                               .sh_flags = SHF_ALLOC,
                               .sh_size = size,
                               .sh_link = 2,
                               .sh_info = 1,
                               .sh_entsize = 24};
        memcpy(bytes + sizeof header + i * sizeof section, &section, sizeof section);
    }
    write_bytes("shared", bytes, size);
    open_file(&model, "shared");
    check_invariants(&model);
    assert_true(model.relocations.count < size);
    assert_true(has_problem(&model, "shares its bytes"));
    model_free(&model);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_files),  cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_flipped),      cmocka_unit_test(test_lying_headers),
        cmocka_unit_test(test_shared_bytes),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
