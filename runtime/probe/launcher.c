/* The launcher: static programs have no dynamic linker that would load the library, so this program, which
   has no libc either, maps the program itself, patches it, and jumps to its entry.  It stays in memory for
   what trampolines call.

   The environment says what to do, as for the library (start.c), and
     ASSAY_PROBE_PROGRAM=FILE   a static program that runs at any address (static-pie)

   Thread-local storage: trampolines find the runtime's locals at a fixed distance from the thread pointer,
   which the program sets for each of its threads.  The program's libc learns from the program headers how
   large its storage is and what it starts with.  So the launcher changes the headers in memory: the storage
   has the locals in addition, after it on AArch64, in front of it on x86-64, where the program's own
   variables keep their distance from the thread pointer.  Until the program has set the pointer itself, it
   points to storage of the launcher.

   There is nothing to take the place of functions of libc, so threads get their recorder with their first event,
   forks are noticed when a buffer is full (fork.c), traps are not used, and the end of the program is not
   recorded. */
#include "runtime/probe/probe.h"

#include <elf.h>

enum { MOST_SEGMENTS = 64, LOCALS_BYTES = 64 };

const char *probe_prefix, *probe_suffix = "";
uintptr_t launcher_locals;

static struct {
    ElfW(Ehdr) header;
    ElfW(Phdr) segments[MOST_SEGMENTS];
    struct module module;
    uint8_t *storage; /* initial image of thread-local storage */
    size_t storage_bytes;
} program;

/* The compiler may call them. */
void *memset(void *to, int value, size_t count);
void *memcpy(void *to, const void *from, size_t count);
void *memset(void *to, int value, size_t count)
{
    volatile uint8_t *bytes = to;
    for (size_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)value;
    return to;
}
void *memcpy(void *to, const void *from, size_t count)
{
    volatile uint8_t *bytes = to;
    for (size_t i = 0; i < count; i++)
        bytes[i] = ((const uint8_t *)from)[i];
    return to;
}

static uintptr_t rounded_down(uintptr_t value, uintptr_t to)
{
    return value / to * to;
}

static uintptr_t rounded_up(uintptr_t value, uintptr_t to)
{
    return (value + to - 1) / to * to;
}

static bool read_at(int file, void *into, size_t size, uint64_t offset)
{
    return system_call(SYS_pread64, file, (long)into, (long)size, (long)offset, 0, 0) == (long)size;
}

static bool read_headers(int file)
{
    const ElfW(Ehdr) *header = &program.header;
    if (!read_at(file, &program.header, sizeof *header, 0) ||
        !bytes_equal(header->e_ident, ELFMAG, SELFMAG) || header->e_type != ET_DYN ||
        header->e_phentsize != sizeof(ElfW(Phdr)) || header->e_phnum > MOST_SEGMENTS ||
        !read_at(file, program.segments, header->e_phnum * sizeof(ElfW(Phdr)), header->e_phoff))
        return false;
    for (unsigned i = 0; i < header->e_phnum; i++)
        if (program.segments[i].p_type == PT_INTERP)
            return false;
    program.module.segments = program.segments;
    program.module.segment_count = header->e_phnum;
    return true;
}

static int protection_of(const ElfW(Phdr) * segment)
{
    return (segment->p_flags & PF_R ? PROT_READ : 0) | (segment->p_flags & PF_W ? PROT_WRITE : 0) |
           (segment->p_flags & PF_X ? PROT_EXEC : 0);
}

/* One segment: its file, the zeros after it on the last page, and pages of zeros. */
static bool map_segment(int file, const ElfW(Phdr) * segment)
{
    uintptr_t start = program.module.bias + segment->p_vaddr, from = rounded_down(start, page_bytes);
    uintptr_t file_end = start + segment->p_filesz, end = rounded_up(start + segment->p_memsz, page_bytes);
    uintptr_t mapped = rounded_up(file_end, page_bytes);
    int protection = protection_of(segment);
    if (segment->p_filesz && !system_map((void *)from, file_end - from, protection, MAP_PRIVATE | MAP_FIXED,
                                         file, segment->p_offset - (start - from)))
        return false;
    if (!segment->p_filesz)
        mapped = from;
    if (protection & PROT_WRITE && segment->p_memsz > segment->p_filesz)
        for (uintptr_t at = file_end; segment->p_filesz && at < mapped; at++)
            *(volatile uint8_t *)at = 0;
    return end <= mapped || system_map((void *)mapped, end - mapped, protection,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static bool map_program(const char *path)
{
    int file = system_open(path, O_RDONLY, 0);
    if (file < 0 || !read_headers(file))
        return false;
    uintptr_t low = UINTPTR_MAX, high = 0, alignment = page_bytes;
    for (unsigned i = 0; i < program.module.segment_count; i++) {
        const ElfW(Phdr) *segment = &program.segments[i];
        if (segment->p_type != PT_LOAD)
            continue;
        low = segment->p_vaddr < low ? segment->p_vaddr : low;
        high = segment->p_vaddr + segment->p_memsz > high ? segment->p_vaddr + segment->p_memsz : high;
        alignment = segment->p_align > alignment ? segment->p_align : alignment;
    }
    if (low >= high)
        return false;
    size_t size = rounded_up(high, page_bytes) - rounded_down(low, alignment);
    uint8_t *room = system_map(NULL, size + alignment, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!room)
        return false;
    uintptr_t start = rounded_up((uintptr_t)room, alignment);
    program.module.bias = start - rounded_down(low, alignment);
    program.module.path = path;
    program.module.is_static = true;
    bool is_mapped = true;
    for (unsigned i = 0; is_mapped && i < program.module.segment_count; i++)
        if (program.segments[i].p_type == PT_LOAD)
            is_mapped = map_segment(file, &program.segments[i]);
    system_close(file);
    return is_mapped;
}

static uint64_t dynamic_value(int64_t tag)
{
    for (unsigned i = 0; i < program.module.segment_count; i++) {
        if (program.segments[i].p_type != PT_DYNAMIC)
            continue;
        const ElfW(Dyn) *entry = (const ElfW(Dyn) *)(program.module.bias + program.segments[i].p_vaddr);
        for (; entry->d_tag != DT_NULL; entry++)
            if (entry->d_tag == tag)
                return entry->d_un.d_val;
    }
    return 0;
}

static void add_bias(uint8_t *copy, const ElfW(Phdr) * storage, uint64_t place, uint64_t value)
{
    uint64_t at = place - storage->p_vaddr;
    if (storage->p_filesz >= sizeof value && at <= storage->p_filesz - sizeof value) {
        value += program.module.bias;
        bytes_copy(copy + at, &value, sizeof value);
    }
}

/* The program relocates itself, and so the original of its storage; the copy is relocated here. */
static void relocate(uint8_t *copy, const ElfW(Phdr) * storage)
{
#ifdef __aarch64__
    enum { RELATIVE = R_AARCH64_RELATIVE };
#else
    enum { RELATIVE = R_X86_64_RELATIVE };
#endif
    enum { TABLE = 36, TABLE_BYTES = 35 }; /* DT_RELR, DT_RELRSZ */
    const ElfW(Rela) *relocations = (const ElfW(Rela) *)(program.module.bias + dynamic_value(DT_RELA));
    for (uint64_t i = 0; i < dynamic_value(DT_RELASZ) / sizeof *relocations; i++)
        if (ELF64_R_TYPE(relocations[i].r_info) == RELATIVE)
            add_bias(copy, storage, relocations[i].r_offset, (uint64_t)relocations[i].r_addend);
    const uint64_t *words = (const uint64_t *)(program.module.bias + dynamic_value(TABLE));
    uint64_t place = 0;
    for (uint64_t i = 0; i < dynamic_value(TABLE_BYTES) / sizeof *words; i++)
        if (!(words[i] & 1)) { /* an address; else bits for the 63 words after it */
            add_bias(copy, storage, words[i], *(const uint64_t *)(program.module.bias + words[i]));
            place = words[i] + 8;
        } else {
            for (unsigned bit = 1; bit < 64; bit++)
                if (words[i] >> bit & 1)
                    add_bias(copy, storage, place + 8 * (bit - 1),
                             *(const uint64_t *)(program.module.bias + place + 8 * (bit - 1)));
            place += 63 * 8;
        }
}

/* Where the program's headers are in memory; 0: they are not. */
static uintptr_t headers_in_memory(int *protection)
{
    uint64_t size = program.module.segment_count * sizeof(ElfW(Phdr)), offset = program.header.e_phoff;
    for (unsigned i = 0; i < program.module.segment_count; i++) {
        const ElfW(Phdr) *segment = &program.segments[i];
        if (segment->p_type == PT_LOAD && offset >= segment->p_offset &&
            offset + size <= segment->p_offset + segment->p_filesz) {
            *protection = protection_of(segment);
            return program.module.bias + segment->p_vaddr + offset - segment->p_offset;
        }
    }
    return 0;
}

static bool write_headers(void)
{
    int protection = 0;
    size_t size = program.module.segment_count * sizeof(ElfW(Phdr));
    uintptr_t headers = headers_in_memory(&protection);
    uintptr_t low = rounded_down(headers, page_bytes), high = rounded_up(headers + size, page_bytes);
    if (!headers || system_failed(system_protect(low, high - low, PROT_READ | PROT_WRITE)))
        return false;
    bytes_copy((void *)headers, program.segments, size);
    return !system_failed(system_protect(low, high - low, protection));
}

/* The storage with the locals; their initial values are set when they are known. */
static bool extend_storage(void)
{
    ElfW(Phdr) *storage = NULL;
    for (unsigned i = 0; i < program.module.segment_count; i++)
        if (program.segments[i].p_type == PT_TLS)
            storage = &program.segments[i];
    if (!storage)
        return false;
    uintptr_t alignment = storage->p_align > 8 ? storage->p_align : 8;
    if (storage->p_vaddr % alignment && storage->p_memsz)
        return false; /* its distance from the thread pointer depends on that */
    size_t own = rounded_up(storage->p_memsz, alignment), added = rounded_up(LOCALS_BYTES, alignment);
    uint8_t *memory = system_memory(own + added + 2 * alignment);
    if (!memory)
        return false;
    uint8_t *image = (uint8_t *)rounded_up((uintptr_t)memory, alignment);
#ifdef __aarch64__
    uint8_t *variables = image;
    program.storage = image + own;
    launcher_locals = rounded_up(16, alignment) + own;
#else
    uint8_t *variables = image + added;
    program.storage = image;
    launcher_locals = -(own + added);
#endif
    bytes_copy(variables, (const void *)(program.module.bias + storage->p_vaddr), storage->p_filesz);
    relocate(variables, storage);
    storage->p_vaddr = storage->p_paddr = (uintptr_t)image - program.module.bias;
#ifdef __aarch64__
    storage->p_filesz = storage->p_memsz = own + added;
#else
    /* The end stays where it was. */
    storage->p_filesz = storage->p_memsz = added + storage->p_memsz;
#endif
    storage->p_align = alignment;
    return write_headers();
}

/* Storage of our own, until the program has some. */
static bool set_thread_pointer(void)
{
    size_t room = (launcher_locals > UINTPTR_MAX / 2 ? -launcher_locals : launcher_locals) + 2 * page_bytes;
    uint8_t *memory = system_memory(2 * room);
    if (!memory)
        return false;
    uintptr_t pointer = rounded_up((uintptr_t)memory + room, 64);
#ifdef __aarch64__
    __asm__ volatile("msr tpidr_el0, %0" : : "r"(pointer));
    return true;
#else
    enum { SET_FS = 0x1002 };
    *(uintptr_t *)pointer = pointer;
    return system_call(SYS_arch_prctl, SET_FS, (long)pointer, 0, 0, 0, 0) == 0;
#endif
}

/* What the kernel told us about ourselves becomes what it would have told the program. */
static void correct(ElfW(auxv_t) * auxiliary, const char *path)
{
    int protection;
    for (; auxiliary->a_type != AT_NULL; auxiliary++)
        switch (auxiliary->a_type) {
        case AT_PHDR:
            auxiliary->a_un.a_val = headers_in_memory(&protection);
            break;
        case AT_PHNUM:
            auxiliary->a_un.a_val = program.module.segment_count;
            break;
        case AT_ENTRY:
            auxiliary->a_un.a_val = program.module.bias + program.header.e_entry;
            break;
        case AT_EXECFN:
            auxiliary->a_un.a_val = (uintptr_t)path;
            break;
        default:
            break;
        }
}

static void name_process(const char *path)
{
    enum { SET_NAME = 15 };
    const char *name = path;
    for (const char *at = path; *at; at++)
        if (*at == '/')
            name = at + 1;
    system_call(SYS_prctl, SET_NAME, (long)name, 0, 0, 0, 0);
}

static bool record(char **environment)
{
    const char *file = environment_value(environment, "ASSAY_PROBE_PLAN");
    probe_prefix = environment_value(environment, "ASSAY_PROBE_FILE");
    if (!file || !probe_prefix || !*probe_prefix || !plan_open(file) || !file_open(probe_prefix))
        return false;
    calibrate_begin();
    if (!recorders_scrap())
        return false;
    struct thread_locals *initial = (struct thread_locals *)(void *)program.storage;
    initial->position = scrap_position;
    initial->counters = scrap_counters;
    struct maps maps = {0};
    maps_read(&maps);
    modules_place(&program.module, &program, &maps);
    maps_free(&maps);
    calibrate_clock();
    return true;
}

/* Called by entries.S with the stack as the kernel made it; returns the program's entry. */
__attribute__((used)) uintptr_t launcher_begin(uintptr_t *stack)
{
    char **words = (char **)(stack + 1), **environment = words + stack[0] + 1, **end = environment;
    while (*end)
        end++;
    ElfW(auxv_t) *auxiliary = (ElfW(auxv_t) *)(void *)(end + 1);
    for (ElfW(auxv_t) *at = auxiliary; at->a_type != AT_NULL; at++)
        if (at->a_type == AT_PAGESZ)
            page_bytes = at->a_un.a_val;
    const char *path = environment_value(environment, "ASSAY_PROBE_PROGRAM");
    if (path && map_program(path) && extend_storage() && set_thread_pointer() && record(environment)) {
        correct(auxiliary, path);
        name_process(path);
        return program.module.bias + program.header.e_entry;
    }
    /* It runs untouched. */
    if (path)
        system_call(SYS_execve, (long)path, (long)words, (long)environment, 0, 0, 0);
    for (;;)
        system_call(SYS_exit_group, 126, 0, 0, 0, 0, 0);
}
