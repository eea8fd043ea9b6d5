/* Libraries of a program: all of them, or those that have debug information. The latter are the ones built
   with the program, since libraries of a distribution have none. Their arrays deserve names as well.

   The dynamic linker of the program lists the files that it would load (--list), because only it knows all
   the rules; the program itself is not run for that. Libraries opened later by dlopen are not included. */
#include "run/launch/program.h"

#include "base/child.h"
#include "run/launch/elf_file.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_LIBRARIES = 64, MOST_LISTED = 1000, MOST_PATH = 4096 };
/* Debug information makes files large; one that would take a minute to read is left out. */
static const int64_t MOST_BYTES = 128 << 20;

static bool has_debug(const char *path)
{
    struct elf_file file = elf_file_open(path, MOST_BYTES);
    Elf *elf = file.elf;
    size_t names;
    bool has = false;
    if (elf && !elf_getshdrstrndx(elf, &names))
        for (Elf_Scn *section = NULL; !has && (section = elf_nextscn(elf, section));) {
            GElf_Shdr header;
            const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
            has = name && header.sh_type != SHT_NOBITS &&
                  (!strcmp(name, ".debug_info") || !strcmp(name, ".zdebug_info"));
        }
    elf_file_close(&file);
    return has;
}

/* The dynamic linker that a program names; NULL if none. */
static char *linker_of(const char *path)
{
    struct elf_file file = elf_file_open(path, MOST_BYTES);
    Elf *elf = file.elf;
    size_t count = 0;
    char *linker = NULL;
    if (elf && elf_getphdrnum(elf, &count))
        count = 0;
    for (size_t i = 0; !linker && i < count; i++) {
        GElf_Phdr header;
        char text[MOST_PATH];
        if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_INTERP ||
            header.p_filesz >= sizeof text)
            continue;
        ssize_t length = pread(file.descriptor, text, header.p_filesz, (off_t)header.p_offset);
        if (length > 0)
            linker = memory_copy_text(text, strnlen(text, (size_t)length));
    }
    elf_file_close(&file);
    return linker;
}

/* Lines are "\tlibm.so.6 => /lib/libm.so.6 (0x7f…)", and "\t/own/lib.so (0x7f…)" where the program names a
   path. */
static void take_lines(char *text, struct array *paths)
{
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n"));) {
        char *arrow = strstr(line, " => /"), *path = arrow ? arrow + 4 : line + (*line == '\t');
        char *end = *path == '/' ? strstr(path, " (0x") : NULL;
        if (!end || paths->count >= MOST_LISTED)
            continue;
        *end = 0;
        *(char **)array_push(paths) = memory_copy_text(path, strlen(path));
    }
}

void launch_list_libraries(const struct launch_program *program, struct array *paths)
{
    char *linker = program->code && !program->is_static ? linker_of(program->code) : NULL;
    if (!linker)
        return;
    const char *const words[] = {linker, "--list", program->code, NULL};
    struct child_job job = {
        .words = words,
        .place = child_place_PRESENT, /* as the program itself, whose libraries may be named from there */
        .limits = {.memory = (uint64_t)4 << 30, .file_size = 0, .output = 1 << 20, .seconds = 10}};
    struct child_answer answer;
    struct error ignored = {0};
    if (child_run(&job, &answer, &ignored)) {
        if (answer.end == child_end_DONE && answer.output.count)
            take_lines(answer.output.data, paths);
        child_answer_free(&answer);
    }
    free(linker);
}

void launch_find_libraries(const struct launch_program *program, struct array *paths)
{
    struct array all = ARRAY_OF(char *);
    launch_list_libraries(program, &all);
    for (size_t i = 0; i < all.count; i++) {
        char *path = *ARRAY_AT(char *, &all, i);
        if (paths->count < MOST_LIBRARIES && has_debug(path))
            *(char **)array_push(paths) = path;
        else
            free(path);
    }
    array_free(&all);
}
