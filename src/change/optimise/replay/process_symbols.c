/* Names of a captured process: which files were loaded where, and what their symbol tables say.

   They are kept in the codelet, because the files may be other ones tomorrow. Of names with several versions
   the default counts.  A function that the dynamic linker chooses at run time (ifunc) has no address of its
   own: its chooser is called in the stopped process, which is at an end anyway. */
#include "change/optimise/replay/draft.h"
#include "change/optimise/replay/tracing.h"

#include "run/launch/elf_file.h"

#include <elf.h>
#include <gelf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>

enum { MOST_SYMBOLS = 4000000, MOST_RESOLVED = 4000 };
static const uint64_t address_mask = ~UINT64_C(0) >> 1;

struct table {
    Elf *elf;
    Elf_Data *symbols, *versions;
    GElf_Shdr header;
};

/* Addresses of choosers are marked until they have been called. */
static const uint32_t unresolved = 1u << 31;

static bool is_wanted(const GElf_Sym *symbol, int type)
{
    bool is_kind = type == STT_FUNC || type == STT_OBJECT || type == STT_GNU_IFUNC || type == STT_TLS ||
                   type == STT_NOTYPE;
    return is_kind && symbol->st_shndx != SHN_UNDEF &&
           (symbol->st_shndx < SHN_LORESERVE || symbol->st_shndx == SHN_XINDEX);
}

static void add_symbols(struct draft *draft, const struct table *table, uint32_t module)
{
    const struct codelet_module *loaded = ARRAY_AT(struct codelet_module, &draft->modules, module);
    size_t count = table->header.sh_entsize ? table->symbols->d_size / table->header.sh_entsize : 0;
    uint32_t source = 0;
    for (size_t i = 1; i < count && i < MOST_SYMBOLS; i++) {
        GElf_Sym symbol;
        GElf_Versym version = 0;
        if (!gelf_getsym(table->symbols, (int)i, &symbol))
            return;
        int type = GELF_ST_TYPE(symbol.st_info);
        const char *name = elf_strptr(table->elf, table->header.sh_link, symbol.st_name);
        if (type == STT_FILE)
            source = draft_name(draft, name);
        if (!name || !*name || *name == '$' || !is_wanted(&symbol, type))
            continue;
        if (table->versions && gelf_getversym(table->versions, (int)i, &version) && version & 0x8000)
            continue;
        /* Full tables have versions in their names: "stdout@GLIBC_2.17" is the program's copy of a variable,
           "pow@GLIBC_2.17" an old function. */
        const char *version_text = strchr(name, '@');
        if (version_text && version_text[1] != '@' && type != STT_OBJECT)
            continue;
        char *plain = memory_copy_text(name, version_text ? (size_t)(version_text - name) : strlen(name));
        bool is_local = GELF_ST_BIND(symbol.st_info) == STB_LOCAL;
        *(struct codelet_symbol *)array_push(&draft->symbols) = (struct codelet_symbol){
            .address = type == STT_TLS ? symbol.st_value : symbol.st_value + loaded->bias,
            .size = symbol.st_size,
            .name = draft_name(draft, plain),
            .module = module,
            .kind = type == STT_FUNC || type == STT_GNU_IFUNC ? codelet_FUNCTION
                    : type == STT_TLS                         ? codelet_THREAD_DATA
                                                              : codelet_DATA,
            .is_local = is_local,
            .source = is_local ? source : 0,
            .function = type == STT_GNU_IFUNC ? unresolved : 0};
        free(plain);
    }
}

static Elf_Data *versions_of(Elf *elf, size_t symbols)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_GNU_versym && header.sh_link == symbols)
            return elf_getdata(section, NULL);
    }
    return NULL;
}

/* Of a file that has both tables, the full one: it has the others' names, too. */
static void read_symbols(struct draft *draft, Elf *elf, uint32_t module)
{
    struct table found = {.elf = elf};
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) ||
            (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM) ||
            (found.symbols && header.sh_type == SHT_DYNSYM))
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        if (data)
            found = (struct table){elf, data, NULL, header};
        if (data && header.sh_type == SHT_DYNSYM)
            found.versions = versions_of(elf, elf_ndxscn(section));
    }
    if (found.symbols)
        add_symbols(draft, &found, module);
}

static bool lowest_address(Elf *elf, uint64_t page, uint64_t *lowest)
{
    size_t count = 0;
    *lowest = UINT64_MAX;
    if (elf_getphdrnum(elf, &count))
        return false;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_LOAD && segment.p_vaddr < *lowest)
            *lowest = segment.p_vaddr;
    }
    *lowest = *lowest / page * page;
    return *lowest != UINT64_MAX / page * page;
}

/* The name of a region as a path; other regions of the same file belong to one module. */
static void add_modules(struct draft *draft, pid_t process)
{
    char own[60];
    for (size_t i = 0; i < draft->regions.count; i++) {
        const struct codelet_region *region = ARRAY_AT(struct codelet_region, &draft->regions, i);
        const char *name = draft_text(draft, region->name);
        bool is_known = false;
        for (size_t j = 0; j < draft->modules.count; j++) {
            struct codelet_module *module = ARRAY_AT(struct codelet_module, &draft->modules, j);
            if (!strcmp(draft_text(draft, module->name), name)) {
                is_known = true;
                module->end = region->end > module->end ? region->end : module->end;
            }
        }
        if (is_known || *name != '/' || region->kind != codelet_FILE)
            continue;
        /* Through the process, also where the name was deleted or is another's mount. */
        snprintf(own, sizeof own, "/proc/%d/map_files/%llx-%llx", (int)process,
                 (unsigned long long)region->start, (unsigned long long)region->end);
        struct elf_file file = elf_file_open(own, INT64_MAX);
        if (!file.elf) {
            elf_file_close(&file);
            file = elf_file_open(name, INT64_MAX);
        }
        uint64_t lowest;
        if (file.elf && elf_kind(file.elf) == ELF_K_ELF &&
            lowest_address(file.elf, draft->header.page_size, &lowest)) {
            *(struct codelet_module *)array_push(&draft->modules) =
                (struct codelet_module){.start = region->start,
                                        .end = region->end,
                                        .bias = region->start - lowest,
                                        .name = region->name};
            read_symbols(draft, file.elf, (uint32_t)draft->modules.count - 1);
        }
        elf_file_close(&file);
    }
}

/* --- ifuncs --- */

/* Calls a function of the stopped process that needs no more than registers; it returns to address 0. */
static uint64_t call(pid_t process, pid_t thread, const tracee_registers *registers, uint64_t function)
{
    tracee_registers changed = *registers;
    int status;
#ifdef __aarch64__
    uint64_t facts[3] = {sizeof facts, getauxval(AT_HWCAP), getauxval(AT_HWCAP2)};
    changed.sp = (registers->sp - 4096) / 16 * 16;
    changed.regs[0] = facts[1] | UINT64_C(1) << 62;
    changed.regs[1] = changed.sp + 64;
    changed.regs[30] = 0;
    changed.pc = function;
    if (!tracing_write(process, changed.sp + 64, facts, sizeof facts))
        return 0;
#else
    uint64_t nowhere = 0;
    changed.rsp = (registers->rsp - 4096) / 16 * 16 - 8;
    changed.rip = function;
    changed.rax = 0;
    changed.orig_rax = ~0ull;
    if (!tracing_write(process, changed.rsp, &nowhere, sizeof nowhere))
        return 0;
#endif
    if (!tracing_set_registers(thread, &changed))
        return 0;
    for (unsigned i = 0; i < 100 && tracing_resume_alone(thread, &status); i++) {
        if (WSTOPSIG(status) != SIGSEGV || !tracing_get_registers(thread, &changed))
            continue;
#ifdef __aarch64__
        return changed.pc ? 0 : changed.regs[0];
#else
        return changed.rip ? 0 : changed.rax;
#endif
    }
    return 0;
}

static void resolve(struct draft *draft, pid_t process, pid_t thread)
{
    tracee_registers registers;
    size_t resolved = 0;
    bool is_ready = tracing_get_registers(thread, &registers);
    for (size_t i = 0; i < draft->symbols.count; i++) {
        struct codelet_symbol *symbol = ARRAY_AT(struct codelet_symbol, &draft->symbols, i);
        if (!(symbol->function & unresolved))
            continue;
        uint64_t chosen =
            is_ready && resolved++ < MOST_RESOLVED ? call(process, thread, &registers, symbol->address) : 0;
        symbol->address = chosen <= address_mask ? chosen : 0;
        symbol->size = 0;
        symbol->function = 0;
    }
}

/* --- order --- */

static const char *names_to_sort;

static int by_name(const void *left, const void *right)
{
    const struct codelet_symbol *a = left, *b = right;
    int order = strcmp(names_to_sort + a->name, names_to_sort + b->name);
    if (order)
        return order;
    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    return (a->address > b->address) - (a->address < b->address);
}

static void find_own_module(struct draft *draft)
{
    for (size_t i = 0; i < draft->modules.count; i++) {
        const struct codelet_module *module = ARRAY_AT(struct codelet_module, &draft->modules, i);
        if (draft->header.entry >= module->start && draft->header.entry < module->end)
            draft->header.module = (uint32_t)i;
    }
}

bool draft_take_symbols(struct draft *draft, pid_t process, pid_t thread, struct error *error)
{
    add_modules(draft, process);
    if (!draft->modules.count)
        return error_set(error, NULL, "none of the program's files can be read");
    find_own_module(draft);
    resolve(draft, process, thread);
    names_to_sort = draft->names.data;
    if (draft->symbols.count)
        qsort(draft->symbols.data, draft->symbols.count, sizeof(struct codelet_symbol), by_name);
    return true;
}
