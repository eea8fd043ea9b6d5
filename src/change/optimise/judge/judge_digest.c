/* What an object file computes, as one number: the bytes of its code and constants, and what its relocations
   refer to. Names of local labels are left out, because compilers number them through; where such a label
   lies counts instead. Debug information and unwind tables do not count.

   Of a whole file only the sections of the function count: `.text.NAME`, `.text.unlikely.NAME` and those of
   its clones (`NAME.constprop.0`). Constants are shared by all functions of a file, and count in any case:
   then some code is judged twice. */
#include "base/digest.h"
#include "change/optimise/judge/judge_parts.h"

#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

struct object {
    Elf *elf;
    size_t names;      /* section with the names of sections */
    Elf_Data *symbols; /* NULL: none */
    size_t symbol_names;
    const char *symbol; /* NULL: all code */
};

static const char *section_name(const struct object *object, const GElf_Shdr *header)
{
    const char *name = elf_strptr(object->elf, object->names, header->sh_name);
    return name ? name : "";
}

/* Whether a section is of the function: its name ends with the symbol, or with that of a clone. */
static bool is_of_function(const struct object *object, const char *name)
{
    size_t length = strlen(object->symbol);
    for (const char *found = strstr(name, object->symbol); found; found = strstr(found + 1, object->symbol))
        if (found > name && found[-1] == '.' && (!found[length] || found[length] == '.'))
            return true;
    return false;
}

static bool counts(const struct object *object, const GElf_Shdr *header)
{
    const char *name = section_name(object, header);
    if (!(header->sh_flags & SHF_ALLOC) || header->sh_type == SHT_NOTE || !strcmp(name, ".eh_frame") ||
        !strncmp(name, ".gcc_except_table", strlen(".gcc_except_table")))
        return false;
    return !(header->sh_flags & SHF_EXECINSTR) || !object->symbol || is_of_function(object, name);
}

static void add_relocation(const struct object *object, struct digest *digest, const GElf_Rela *row)
{
    GElf_Sym symbol = {0};
    uint64_t facts[4] = {row->r_offset, GELF_R_TYPE(row->r_info), (uint64_t)row->r_addend, 0};
    const char *name = NULL;
    if (object->symbols && gelf_getsym(object->symbols, (int)GELF_R_SYM(row->r_info), &symbol)) {
        name = GELF_ST_BIND(symbol.st_info) == STB_LOCAL
                   ? NULL
                   : elf_strptr(object->elf, object->symbol_names, symbol.st_name);
        facts[3] = name ? 0 : symbol.st_value;
    }
    digest_add(digest, facts, sizeof facts);
    digest_add_text(digest, name ? name : "");
}

static void add_relocations(const struct object *object, struct digest *digest, Elf_Scn *section,
                            const GElf_Shdr *header)
{
    GElf_Shdr target;
    Elf_Scn *of = elf_getscn(object->elf, header->sh_info);
    if (!of || !gelf_getshdr(of, &target) || !counts(object, &target))
        return;
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
    for (size_t i = 0; i < count; i++) {
        GElf_Rela row = {0};
        GElf_Rel plain;
        if (header->sh_type == SHT_RELA ? !gelf_getrela(data, (int)i, &row)
                                        : !gelf_getrel(data, (int)i, &plain))
            return;
        if (header->sh_type == SHT_REL)
            row = (GElf_Rela){.r_offset = plain.r_offset, .r_info = plain.r_info};
        add_relocation(object, digest, &row);
    }
}

static void find_symbols(struct object *object)
{
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(object->elf, section));)
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB) {
            object->symbols = elf_getdata(section, NULL);
            object->symbol_names = header.sh_link;
        }
}

/* Whether any code counts. */
static bool add_sections(const struct object *object, struct digest *digest)
{
    bool has_code = false;
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(object->elf, section));) {
        if (!gelf_getshdr(section, &header))
            continue;
        if (header.sh_type == SHT_RELA || header.sh_type == SHT_REL)
            add_relocations(object, digest, section, &header);
        else if (counts(object, &header)) {
            Elf_Data *data = header.sh_type == SHT_NOBITS ? NULL : elf_getdata(section, NULL);
            uint64_t size = header.sh_size;
            has_code |= (header.sh_flags & SHF_EXECINSTR) && size;
            digest_add(digest, &size, sizeof size);
            if (data && data->d_buf)
                digest_add(digest, data->d_buf, data->d_size);
        }
    }
    return has_code;
}

bool judge_digest(const char *path, const char *symbol, bool is_whole, char text[65], struct error *error)
{
    elf_version(EV_CURRENT);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return error_set_errno(error, path, "cannot be read");
    struct object object = {.elf = elf_begin(file, ELF_C_READ_MMAP, NULL),
                            .symbol = is_whole ? symbol : NULL};
    bool is_fine =
        object.elf && elf_kind(object.elf) == ELF_K_ELF && !elf_getshdrstrndx(object.elf, &object.names);
    if (is_fine) {
        struct digest digest;
        find_symbols(&object);
        digest_begin(&digest);
        if (!add_sections(&object, &digest) && object.symbol) {
            object.symbol = NULL;
            digest_begin(&digest);
            add_sections(&object, &digest);
        }
        digest_end(&digest, text);
    } else
        error_set(error, path, "the compiler wrote no object file");
    elf_end(object.elf);
    close(file);
    return is_fine;
}
