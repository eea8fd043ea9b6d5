/* The list of loaded files, from /proc/self/maps.

   That works everywhere, including handlers.  An event at an address outside all known files triggers another
   read, so that libraries loaded later are known even if the program crashes right after.  Bias and build-id
   are read from the ELF header and its notes, which are mapped with the file.

   A file that is unloaded stays in the list.  Two threads may read the maps at the same time: then an entry
   may be there twice, which does no harm. */
#include "profile.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <unistd.h>

enum { LINE_BYTES = 1024, MOST_REFRESHES = 200 /* by events: code made at run time belongs to no file */ };

struct mapping {
    uintptr_t start, end;
    uint64_t offset;
    bool is_readable;
    const char *path;
};

bool modules_has(uintptr_t address)
{
    uint64_t count = __atomic_load_n(&profile_mapping.header->modules.used, __ATOMIC_ACQUIRE);
    if (count > profile_mapping.header->modules.capacity)
        count = profile_mapping.header->modules.capacity;
    for (uint64_t i = 0; i < count; i++)
        if (address >= profile_mapping.modules[i].start && address < profile_mapping.modules[i].end)
            return true;
    return false;
}

static const char *read_hexadecimal(const char *at, uint64_t *value)
{
    for (*value = 0;; at++) {
        unsigned digit = *at >= '0' && *at <= '9'   ? (unsigned)(*at - '0')
                         : *at >= 'a' && *at <= 'f' ? (unsigned)(*at - 'a' + 10)
                                                    : 16;
        if (digit == 16)
            return at;
        *value = *value << 4 | digit;
    }
}

/* "start-end rwxp offset device inode   path" */
static bool read_line(const char *line, struct mapping *mapping)
{
    uint64_t start, end;
    line = read_hexadecimal(line, &start);
    if (*line++ != '-')
        return false;
    line = read_hexadecimal(line, &end);
    if (*line++ != ' ' || (*line != 'r' && *line != '-'))
        return false;
    mapping->is_readable = *line == 'r';
    for (unsigned i = 0; i < 5 && *line; i++)
        line++;
    line = read_hexadecimal(line, &mapping->offset);
    for (unsigned words = 0; words < 2; words++) {
        while (*line == ' ')
            line++;
        while (*line && *line != ' ')
            line++;
    }
    while (*line == ' ')
        line++;
    mapping->start = (uintptr_t)start;
    mapping->end = (uintptr_t)end;
    mapping->path = line;
    return true;
}

static void read_notes(struct profile_module *module, const uint8_t *notes, size_t size)
{
    size_t at = 0;
    while (size - at >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note_header;
        memcpy(&note_header, notes + at, sizeof note_header);
        size_t name = at + sizeof note_header, data = name + ((note_header.n_namesz + 3ul) & ~3ul),
               next = data + ((note_header.n_descsz + 3ul) & ~3ul);
        if (data < name || next < data || next > size)
            return;
        if (note_header.n_type == NT_GNU_BUILD_ID && note_header.n_namesz == 4 &&
            memcmp(notes + name, "GNU", 4) == 0 && note_header.n_descsz <= sizeof module->build_id) {
            memcpy(module->build_id, notes + data, note_header.n_descsz);
            module->build_id_bytes = note_header.n_descsz;
            return;
        }
        at = next;
    }
}

/* mapping contains the file's header; false: it is not an ELF file of this kind. */
static bool read_header(struct profile_module *module, const struct mapping *mapping)
{
    const uint8_t *file = (const uint8_t *)mapping->start;
    size_t size = mapping->end - mapping->start;
    ElfW(Ehdr) header;
    if (memory_read(mapping->start, &header, sizeof header) != sizeof header ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
        header.e_phentsize != sizeof(ElfW(Phdr)) || header.e_phoff > size ||
        header.e_phnum > (size - header.e_phoff) / sizeof(ElfW(Phdr)))
        return false;
    const ElfW(Phdr) *segments = (const ElfW(Phdr) *)(const void *)(file + header.e_phoff);
    bool has_bias = false;
    uintptr_t last = 0;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        if (segments[i].p_type != PT_LOAD)
            continue;
        if (segments[i].p_offset / 4096 == 0 && !has_bias) {
            module->bias = mapping->start - segments[i].p_vaddr / 4096 * 4096;
            has_bias = true;
        }
        if (segments[i].p_vaddr + segments[i].p_memsz > last)
            last = segments[i].p_vaddr + segments[i].p_memsz;
    }
    if (!has_bias)
        return false;
    module->start = mapping->start;
    module->end = (uintptr_t)module->bias + last;
    for (unsigned i = 0; i < header.e_phnum; i++)
        if (segments[i].p_type == PT_NOTE && segments[i].p_offset < size &&
            segments[i].p_filesz <= size - segments[i].p_offset && !module->build_id_bytes)
            read_notes(module, file + segments[i].p_offset, segments[i].p_filesz);
    return true;
}

static void add_module(const struct mapping *mapping)
{
    struct profile_module found = {0};
    size_t length = strlen(mapping->path);
    if (mapping->offset != 0 || !mapping->is_readable || length == 0 || length >= sizeof found.path ||
        (mapping->path[0] != '/' && strcmp(mapping->path, "[vdso]") != 0) || modules_has(mapping->start))
        return;
    memcpy(found.path, mapping->path, length + 1);
    if (!read_header(&found, mapping))
        return;
    struct profile_section *section = &profile_mapping.header->modules;
    uint64_t place = __atomic_fetch_add(&section->used, 1, __ATOMIC_ACQ_REL);
    if (place >= section->capacity) {
        __atomic_fetch_add(&section->lost, 1, __ATOMIC_RELAXED);
        return;
    }
    struct profile_module *module = &profile_mapping.modules[place];
    *module = found;
    __atomic_store_n(&module->ready, 1, __ATOMIC_RELEASE);
}

void modules_refresh(void)
{
    static unsigned refreshes;
    if (__atomic_fetch_add(&refreshes, 1, __ATOMIC_RELAXED) >= MOST_REFRESHES)
        return;
    int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    char buffer[LINE_BYTES];
    size_t filled = 0;
    bool is_cut = false; /* the rest of a line that is too long */
    for (ssize_t more; file >= 0 && (more = read(file, buffer + filled, sizeof buffer - filled)) > 0;) {
        filled += (size_t)more;
        char *line = buffer, *end;
        while ((end = memchr(line, '\n', filled - (size_t)(line - buffer)))) {
            struct mapping mapping;
            *end = '\0';
            if (!is_cut && read_line(line, &mapping))
                add_module(&mapping);
            is_cut = false;
            line = end + 1;
        }
        filled -= (size_t)(line - buffer);
        memmove(buffer, line, filled);
        if (filled == sizeof buffer) {
            is_cut = true;
            filled = 0;
        }
    }
    if (file >= 0)
        close(file);
}
