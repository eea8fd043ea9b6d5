/* An ELF file of the functions of a dump: a section for each, at the address where it was in memory, their names as
   symbols, their lines as DWARF. */
#include "run/sample/jit/parts.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

struct image {
    struct array bytes;    /* of uint8_t */
    struct array sections; /* of Elf64_Shdr */
    struct array names;    /* of uint8_t: of sections */
};

static Elf64_Shdr *add_section(struct image *image, const char *name, uint32_t type,
                               const struct array *content)
{
    while (image->bytes.count % 8)
        jit_put_number(&image->bytes, 0, 1);
    Elf64_Shdr *section = array_add(&image->sections);
    section->sh_name = (uint32_t)image->names.count;
    section->sh_type = type;
    section->sh_offset = image->bytes.count;
    section->sh_addralign = 1;
    jit_put(&image->names, name, strlen(name) + 1);
    if (content) {
        section->sh_size = content->count * content->width;
        jit_put(&image->bytes, content->data, section->sh_size);
    }
    return section;
}

static void add_code(struct image *image, const struct jit_code *code, struct array *symbols,
                     struct array *names)
{
    Elf64_Shdr *section = add_section(image, ".text", SHT_PROGBITS, NULL);
    section->sh_flags = SHF_ALLOC | SHF_EXECINSTR;
    section->sh_addr = code->address;
    section->sh_size = code->size;
    jit_put(&image->bytes, code->bytes, (size_t)code->size);
    *(Elf64_Sym *)array_add(symbols) = (Elf64_Sym){.st_name = (uint32_t)names->count,
                                                   .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                                                   .st_shndx = (uint16_t)(image->sections.count - 1),
                                                   .st_value = code->address,
                                                   .st_size = code->size};
    jit_put(names, code->name, strlen(code->name) + 1);
}

static void add_lines(struct image *image, const struct jit_codes *codes)
{
    struct array abbreviations = ARRAY_OF(uint8_t), info = ARRAY_OF(uint8_t), lines = ARRAY_OF(uint8_t);
    jit_lines_make(codes, &abbreviations, &info, &lines);
    if (info.count) {
        add_section(image, ".debug_abbrev", SHT_PROGBITS, &abbreviations);
        add_section(image, ".debug_info", SHT_PROGBITS, &info);
        add_section(image, ".debug_line", SHT_PROGBITS, &lines);
    }
    array_free(&abbreviations);
    array_free(&info);
    array_free(&lines);
}

static void put_head(struct image *image, uint16_t machine, uint64_t sections)
{
    Elf64_Ehdr head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                       .e_type = ET_DYN,
                       .e_machine = machine,
                       .e_version = EV_CURRENT,
                       .e_shoff = sections,
                       .e_ehsize = sizeof(Elf64_Ehdr),
                       .e_shentsize = sizeof(Elf64_Shdr),
                       .e_shnum = (uint16_t)image->sections.count,
                       .e_shstrndx = (uint16_t)(image->sections.count - 1)};
    memcpy(image->bytes.data, &head, sizeof head);
}

struct array jit_image_make(const struct jit_codes *codes)
{
    struct image image = {
        .bytes = ARRAY_OF(uint8_t), .sections = ARRAY_OF(Elf64_Shdr), .names = ARRAY_OF(uint8_t)};
    struct array symbols = ARRAY_OF(Elf64_Sym), names = ARRAY_OF(uint8_t);
    array_add_many(&image.bytes, sizeof(Elf64_Ehdr));
    array_add(&image.sections);
    array_add(&symbols);
    array_add(&image.names);
    array_add(&names);
    for (size_t i = 0; i < codes->codes.count; i++)
        if (ARRAY_AT(struct jit_code, &codes->codes, i)->bytes)
            add_code(&image, ARRAY_AT(struct jit_code, &codes->codes, i), &symbols, &names);
    add_lines(&image, codes);
    add_section(&image, ".strtab", SHT_STRTAB, &names);
    Elf64_Shdr *table = add_section(&image, ".symtab", SHT_SYMTAB, &symbols);
    table->sh_link = (uint32_t)image.sections.count - 2;
    table->sh_info = 1;
    table->sh_entsize = sizeof(Elf64_Sym);
    Elf64_Shdr *of_names = add_section(&image, ".shstrtab", SHT_STRTAB, NULL);
    of_names->sh_size = image.names.count;
    jit_put(&image.bytes, image.names.data, image.names.count);
    while (image.bytes.count % 8)
        jit_put_number(&image.bytes, 0, 1);
    uint64_t at = image.bytes.count;
    jit_put(&image.bytes, image.sections.data, image.sections.count * sizeof(Elf64_Shdr));
    put_head(&image, codes->machine, at);
    array_free(&image.sections);
    array_free(&image.names);
    array_free(&symbols);
    array_free(&names);
    return image.bytes;
}
