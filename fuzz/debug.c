/* The debug information alone, in an ELF file that is otherwise sound.

   The input is a byte that says the instruction set, then sections: a byte for its name, two for its length
   (the lower first), and its bytes. */
#include "fuzz/harness.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
    ".debug_info",    ".debug_abbrev",   ".debug_line",        ".debug_str",   ".debug_line_str",
    ".debug_ranges",  ".debug_rnglists", ".debug_loc",         ".debug_addr",  ".debug_loclists",
    ".debug_aranges", ".debug_types",    ".debug_str_offsets", ".debug_frame", ".eh_frame",
};
enum { NAMES = sizeof names / sizeof *names, CODE_SIZE = 256, CODE_ADDRESS = 0x1000, MOST_SECTIONS = 24 };

static void add(struct array *bytes, const void *data, size_t size)
{
    if (size)
        memcpy(array_add_many(bytes, size), data, size);
}

/* Section 1 is code that returns at once, again and again; section 2 has the names. */
static void add_code(struct array *bytes, Elf64_Shdr *header, bool is_arm)
{
    static const uint8_t x86[4] = {0x90, 0x90, 0x90, 0xc3}, arm[4] = {0xc0, 0x03, 0x5f, 0xd6};
    *header = (Elf64_Shdr){.sh_name = 1,
                           .sh_type = SHT_PROGBITS,
                           .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                           .sh_addr = CODE_ADDRESS,
                           .sh_offset = bytes->count,
                           .sh_size = CODE_SIZE,
                           .sh_addralign = 16};
    for (int i = 0; i < CODE_SIZE / 4; i++)
        add(bytes, is_arm ? arm : x86, 4);
}

static void make_file(struct array *bytes, const uint8_t *data, size_t size)
{
    Elf64_Shdr headers[MOST_SECTIONS] = {0};
    unsigned count = 3;
    bool is_arm = data[0] & 1;
    struct array texts = ARRAY_OF(char);
    add(&texts, "\0.text\0.shstrtab", 17);
    array_add_many(bytes, sizeof(Elf64_Ehdr));
    add_code(bytes, &headers[1], is_arm);
    for (data++, size--; size >= 3 && count < MOST_SECTIONS; count++) {
        size_t length = data[1] | (size_t)data[2] << 8;
        const char *name = names[data[0] % NAMES];
        data += 3;
        size -= 3;
        length = length < size ? length : size;
        bool is_loaded = !strcmp(name, ".eh_frame");
        headers[count] = (Elf64_Shdr){.sh_name = (uint32_t)texts.count,
                                      .sh_type = SHT_PROGBITS,
                                      .sh_flags = is_loaded ? SHF_ALLOC : 0,
                                      .sh_addr = is_loaded ? 0x100000 : 0,
                                      .sh_offset = bytes->count,
                                      .sh_size = length,
                                      .sh_addralign = 1};
        add(&texts, name, strlen(name) + 1);
        add(bytes, data, length);
        data += length;
        size -= length;
    }
    headers[2] = (Elf64_Shdr){.sh_name = 7,
                              .sh_type = SHT_STRTAB,
                              .sh_offset = bytes->count,
                              .sh_size = texts.count,
                              .sh_addralign = 1};
    add(bytes, texts.data, texts.count);
    array_free(&texts);
    while (bytes->count % 8)
        array_add(bytes);
    Elf64_Ehdr header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                         .e_type = ET_DYN,
                         .e_machine = is_arm ? EM_AARCH64 : EM_X86_64,
                         .e_version = EV_CURRENT,
                         .e_shoff = bytes->count,
                         .e_ehsize = sizeof header,
                         .e_shentsize = sizeof(Elf64_Shdr),
                         .e_shnum = (uint16_t)count,
                         .e_shstrndx = 2};
    memcpy(bytes->data, &header, sizeof header);
    add(bytes, headers, count * sizeof *headers);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    struct array bytes = ARRAY_OF(uint8_t);
    make_file(&bytes, data, size);
    struct model model;
    harness_build(&model, bytes.data, bytes.count);
    model_free(&model);
    array_free(&bytes);
    return 0;
}
