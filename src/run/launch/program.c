/* Which program a word names, and whether it can be watched.

   It is searched as execvp does: in PATH if the word has no slash. A script is followed to its interpreter,
   also through /usr/bin/env, because the interpreter is the program that runs and that the runtimes are
   loaded into. Facts come from the ELF headers; other files are left to exec. An emulator is known by its
   name: no library may be loaded into it (Debian 13's are static), but what counts is the program that it
   runs. */
#include "run/launch/program.h"

#include "base/path.h"
#include "base/regular_file.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { MOST_INTERPRETERS = 4, LINE_BYTES = 256, MOST_HEADERS = 4096 };

/* A regular file that may be executed. */
static bool is_program(const char *path)
{
    struct stat facts;
    return !stat(path, &facts) && S_ISREG(facts.st_mode) && !access(path, X_OK);
}

static char *search(const char *name)
{
    const char *list = getenv("PATH");
    if (!list)
        list = "/usr/local/bin:/usr/bin:/bin";
    while (*name) {
        size_t length = strcspn(list, ":");
        char *path = length ? memory_format("%.*s/%s", (int)length, list, name) : memory_format("./%s", name);
        if (is_program(path))
            return path;
        free(path);
        if (!list[length])
            break;
        list += length + 1;
    }
    return NULL;
}

static char *find(const char *word, struct error *error)
{
    if (!strchr(word, '/')) {
        char *path = search(word);
        if (!path && !access(word, F_OK))
            error_set(error, word, "is not in PATH; ./%s names the file in this directory", word);
        else if (!path)
            error_set(error, word, "there is no such program in PATH");
        return path;
    }
    struct stat facts;
    if (stat(word, &facts))
        error_set_errno(error, word, "cannot be run");
    else if (!S_ISREG(facts.st_mode))
        error_set(error, word, "cannot be run: it is not a file");
    else if (access(word, X_OK))
        error_set(error, word, "cannot be run: it is not executable");
    else
        return memory_copy_text(word, strlen(word));
    return NULL;
}

static bool is_ours(const unsigned char *ident, unsigned machine)
{
#if defined __x86_64__ || defined __i386__
    bool is_known = machine == EM_X86_64 || machine == EM_386;
#elif defined __aarch64__
    bool is_known = machine == EM_AARCH64 || machine == EM_ARM;
#else
    bool is_known = true;
#endif
    return is_known &&
           ident[EI_DATA] == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB);
}

/* The program names a dynamic linker: only then can a library be preloaded. */
static bool has_linker(int file, uint64_t offset, unsigned count, unsigned size)
{
    for (unsigned i = 0; i < count && i < MOST_HEADERS; i++) {
        uint32_t type;
        if (pread(file, &type, sizeof type, (off_t)(offset + (uint64_t)i * size)) != sizeof type)
            return false;
        if (type == PT_INTERP)
            return true;
    }
    return false;
}

static bool examine_elf(int file, struct launch_program *program, const char *path, struct error *error)
{
    union {
        unsigned char ident[EI_NIDENT];
        Elf32_Ehdr narrow;
        Elf64_Ehdr wide;
    } header = {0};
    ssize_t size = pread(file, &header, sizeof header, 0);
    bool is_64 = header.ident[EI_CLASS] == ELFCLASS64;
    if (size < (ssize_t)(is_64 ? sizeof header.wide : sizeof header.narrow))
        return error_set(error, path, "cannot be run: its ELF header is cut short");
    unsigned type = is_64 ? header.wide.e_type : header.narrow.e_type;
    if (!is_ours(header.ident, is_64 ? header.wide.e_machine : header.narrow.e_machine))
        return error_set(error, path,
                         "is a program for another kind of processor; run it on such a processor");
    if (type != ET_EXEC && type != ET_DYN)
        return error_set(error, path, "cannot be run: it is not a program");
    program->bits = is_64 ? 64 : 32;
    program->is_movable = type == ET_DYN;
    program->is_static =
        is_64 ? !has_linker(file, header.wide.e_phoff, header.wide.e_phnum, header.wide.e_phentsize)
              : !has_linker(file, header.narrow.e_phoff, header.narrow.e_phnum, header.narrow.e_phentsize);
    return true;
}

/* qemu-x86_64, qemu-aarch64-static: of the machines that we know. */
static bool is_emulator(const char *path)
{
    static const char *const names[] = {"qemu-x86_64", "qemu-aarch64"};
    const char *name = path_name(path);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);
        if (!strncmp(name, names[i], length) && (!name[length] || !strcmp(name + length, "-static")))
            return true;
    }
    return false;
}

static bool has_rights_of_its_own(int file)
{
    struct stat facts;
    char value[64];
    if (fstat(file, &facts))
        return false;
    if ((facts.st_mode & S_ISUID && facts.st_uid != getuid()) ||
        (facts.st_mode & S_ISGID && facts.st_mode & S_IXGRP && facts.st_gid != getgid()))
        return true;
    return getuid() && fgetxattr(file, "security.capability", value, sizeof value) > 0;
}

/* The interpreter in a script's first line, or NULL. For env it is the program that env would look for. */
static char *interpreter_of(char *line)
{
    char *rest = line + 2, *word = strtok_r(rest, " \t\r\n", &rest);
    char *argument = word ? strtok_r(rest, " \t\r\n", &rest) : NULL;
    if (!word)
        return NULL;
    if (!strcmp(path_name(word), "env") && argument && !strcmp(argument, "-S"))
        argument = strtok_r(rest, " \t\r\n", &rest);
    if (!strcmp(path_name(word), "env") && argument && argument[0] != '-' && !strchr(argument, '='))
        word = argument;
    return strchr(word, '/') ? memory_copy_text(word, strlen(word)) : search(word);
}

/* Goes from a file to the ELF file that runs. */
static bool examine(struct launch_program *program, struct error *error)
{
    char *path = memory_copy_text(program->path, strlen(program->path));
    bool is_done = true;
    for (unsigned level = 0; path && level < MOST_INTERPRETERS; level++) {
        char line[LINE_BYTES + 1] = "";
        struct stat facts;
        int file = regular_file_open(path, NULL, NULL);
        if (file < 0) {
            program->is_unreadable = true;
            break;
        }
        ssize_t length = pread(file, line, LINE_BYTES, 0);
        program->is_privileged |= level == 0 && has_rights_of_its_own(file);
        program->has_id_bits |= !fstat(file, &facts) && facts.st_mode & (S_ISUID | S_ISGID);
        bool is_elf = length >= SELFMAG && !memcmp(line, ELFMAG, SELFMAG);
        if (is_elf) {
            is_done = examine_elf(file, program, path, error);
            program->is_emulator = is_emulator(path);
            program->code = path;
            path = NULL;
        }
        close(file);
        if (is_elf)
            break;
        program->is_script = true;
        free(path);
        line[length < 0 ? 0 : length] = 0;
        line[strcspn(line, "\n")] = 0;
        path = !strncmp(line, "#!", 2) ? interpreter_of(line) : memory_format("/bin/sh");
    }
    free(path);
    return is_done;
}

bool launch_find_program(const char *word, struct launch_program *program, struct error *error)
{
    *program = (struct launch_program){0};
    program->path = find(word, error);
    if (program->path && examine(program, error))
        return true;
    launch_free_program(program);
    return false;
}

void launch_free_program(struct launch_program *program)
{
    free(program->path);
    free(program->code);
    *program = (struct launch_program){0};
}
