/* Finding a function by its name in the symbol tables of a file. */
#include "change/optimise/replay/function_symbol.h"

#include "base/memory.h"
#include "model/demangle.h"
#include "run/launch/elf_file.h"

#include <elf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef STO_AARCH64_VARIANT_PCS
#define STO_AARCH64_VARIANT_PCS 0x80
#endif
enum { MOST_SYMBOLS = 4000000, PAGE = 65536 };
enum { rank_NONE, rank_CPP_NAME, rank_CPP, rank_FORTRAN, rank_EXACT };

struct search {
    const char *function;
    int rank;
    unsigned count; /* different functions of that rank */
    struct function_symbol *found;
    bool is_vector_call; /* its arguments are in SVE registers, or whole vectors are kept for the caller */
    char *changed;       /* a copy that the compiler made with other arguments; NULL: none */
};

static int rank_of(const char *name, const char *wanted)
{
    size_t length = strlen(wanted);
    if (!strcmp(name, wanted))
        return rank_EXACT;
    if (!strncmp(name, wanted, length) && !strcmp(name + length, "_"))
        return rank_FORTRAN;
    char *plain = strncmp(name, "_", 1) ? NULL : demangle_name(name);
    int rank = rank_NONE;
    if (plain && !strcmp(plain, wanted))
        rank = rank_CPP;
    else if (plain && !strncmp(plain, wanted, length) && plain[length] == '(')
        rank = rank_CPP_NAME;
    else if (plain && strlen(plain) > length + 2 && !strncmp(name, "__", 2) &&
             !strcmp(plain + strlen(plain) - length, wanted) &&
             !strncmp(plain + strlen(plain) - length - 2, "::", 2))
        rank = rank_FORTRAN;
    free(plain);
    return rank;
}

/* f.cold is the part of f that hardly ever runs; f.constprop.0 and others are copies with other arguments. */
static void consider_part(struct search *search, const char *name, const char *suffix)
{
    char *whole = memory_copy_text(name, (size_t)(suffix - name));
    bool is_copy = strncmp(suffix, ".cold", 5) && rank_of(whole, search->function);
    if (is_copy && !search->changed)
        search->changed = memory_copy_text(name, strlen(name));
    free(whole);
}

/* AArch64's mark of functions that do not follow the base calling convention. */
static bool is_vector_call(const GElf_Sym *symbol)
{
#ifdef __aarch64__
    return symbol->st_other & STO_AARCH64_VARIANT_PCS;
#else
    (void)symbol;
    return false;
#endif
}

static void consider(struct search *search, const char *name, const GElf_Sym *symbol)
{
    const char *suffix = strchr(name + 1, '.');
    if (suffix && strcmp(name, search->function)) {
        consider_part(search, name, suffix);
        return;
    }
    int rank = rank_of(name, search->function);
    if (!rank || rank < search->rank)
        return;
    struct function_symbol *found = search->found;
    if (rank == search->rank && found->address == symbol->st_value)
        return;
    search->count = rank == search->rank ? search->count + 1 : 1;
    search->rank = rank;
    free(found->name);
    found->name = memory_copy_text(name, strlen(name));
    found->address = symbol->st_value;
    found->size = symbol->st_size;
    search->is_vector_call = is_vector_call(symbol);
}

static void look_through(struct search *search, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;
    for (size_t i = 1; i < count && i < MOST_SYMBOLS; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol))
            return;
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (name && *name && symbol.st_shndx != SHN_UNDEF && GELF_ST_TYPE(symbol.st_info) == STT_FUNC)
            consider(search, name, &symbol);
    }
}

static uint64_t lowest_address(Elf *elf)
{
    size_t count = 0;
    uint64_t lowest = UINT64_MAX, page = (uint64_t)sysconf(_SC_PAGESIZE);
    if (elf_getphdrnum(elf, &count))
        return 0;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_LOAD && segment.p_vaddr < lowest)
            lowest = segment.p_vaddr;
    }
    return lowest == UINT64_MAX ? 0 : lowest / page * page;
}

static bool judge(struct search *search, const char *path, struct error *error)
{
    if (!search->rank && search->changed)
        return error_set(
            error, path,
            "has %s only as %s, whose arguments the compiler changed; keep the function whole with "
            "__attribute__((noipa)) or -fno-ipa-cp -fno-ipa-sra",
            search->function, search->changed);
    if (!search->rank)
        return error_set(
            error, path,
            "has no function %s; it may be inlined everywhere (__attribute__((noinline)) keeps it), or in a "
            "library",
            search->function);
    if (search->count > 1)
        return error_set(error, path,
                         "has %u functions %s; give the name as the linker has it (assay functions)",
                         search->count, search->function);
    if (search->is_vector_call)
        return error_set(error, path,
                         "%s has a vector calling convention (SVE registers), which a capture does not "
                         "follow; measure the whole program, or capture the function that calls it",
                         search->function);
    return true;
}

bool function_symbol_find(const char *path, const char *function, struct function_symbol *found,
                          struct error *error)
{
    *found = (struct function_symbol){0};
    struct elf_file file = elf_file_open(path, INT64_MAX);
    struct search search = {.function = function, .found = found};
    if (!file.elf || elf_kind(file.elf) != ELF_K_ELF) {
        elf_file_close(&file);
        return error_set(error, path, "is not a program or a library");
    }
    for (Elf_Scn *section = NULL; (section = elf_nextscn(file.elf, section));) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
            look_through(&search, file.elf, section, &header);
    }
    found->lowest = lowest_address(file.elf);
    elf_file_close(&file);
    bool is_found = judge(&search, path, error);
    free(search.changed);
    if (!is_found) {
        free(found->name);
        found->name = NULL;
    }
    return is_found;
}
