/* What a file is, and who reads it.  A file that is no program is named for what it seems to be, because a
   person who gave the wrong file wants to know which mistake it was. */
#include "read/read.h"

#include "read/archive.h"
#include "read/bytes.h"
#include "read/module.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static bool starts_with(struct span bytes, const char *start, size_t size)
{
    return bytes.size >= size && !memcmp(bytes.data, start, size);
}

/* No control characters but those of text; any encoding that keeps ASCII. */
static bool is_text(struct span bytes)
{
    size_t size = bytes.size < 4096 ? bytes.size : 4096;
    for (size_t i = 0; i < size; i++)
        if (bytes.data[i] == 0x7f ||
            (bytes.data[i] < ' ' && !isspace(bytes.data[i]) && bytes.data[i] != 0x1b))
            return false;
    return true;
}

static bool refuse(const char *path, struct span bytes, struct error *error)
{
    if (starts_with(bytes, "#!", 2))
        return error_set(error, path, "this is a script, not a program");
    if (is_text(bytes))
        return error_set(error, path, "this is a text file, not a program");
    if (starts_with(bytes, "MZ", 2))
        return error_set(error, path, "this is a Windows program; Assay reads ELF files");
    if (starts_with(bytes, "\xcf\xfa\xed\xfe", 4) || starts_with(bytes, "\xca\xfe\xba\xbe", 4))
        return error_set(error, path, "this is a macOS program or Java class; Assay reads ELF files");
    if (starts_with(bytes, "BC\xc0\xde", 4))
        return error_set(error, path, "this is LLVM bitcode, not machine code; compile it without -flto");
    if (starts_with(bytes, "\x1f\x8b", 2) ||
        starts_with(bytes,
                    "\xfd"
                    "7zXZ",
                    5) ||
        starts_with(bytes, "\x28\xb5\x2f\xfd", 4))
        return error_set(error, path, "this is a compressed file; unpack it first");
    if (starts_with(bytes, "SQLite format 3", 15))
        return error_set(error, path, "this is a database, not a program");
    return error_set(error, path, "this is not a program: the file is not in ELF format");
}

static bool read_elf(struct model *model, const char *path, const char *member, struct span bytes,
                     const struct read_options *options, struct error *error)
{
    struct elf elf;
    if (!elf_open(&elf, model, path, member, bytes, error))
        return false;
    struct program *program = model_program(model, elf.program);
    program->has_debug = elf.has_debug;
    struct module module = {0};
    if (!options->without_debug) {
        char *name = member ? memory_format("%s(%s)", path, member) : memory_copy_text(path, strlen(path));
        module_open(&module, &elf, name, options);
        free(name);
    }
    elf_read_symbols(&elf);
    if (!options->without_debug)
        module_read_symbols(&module);
    elf_read_relocations(&elf);
    elf_read_linkage_stubs(&elf);
    elf_read_entries(&elf);
    elf_read_unwind(&elf);
    if (!options->without_debug) {
        module_read_frames(&module);
        module_read_debug(&module);
        module_close(&module);
    }
    elf_close(&elf);
    return true;
}

/* A file has one number, whatever names lead to it. */
static bool is_new_file(struct strings *seen, const char *path)
{
    struct stat facts;
    if (stat(path, &facts))
        return false;
    char number[64];
    snprintf(number, sizeof number, "%llx:%llx", (unsigned long long)facts.st_dev,
             (unsigned long long)facts.st_ino);
    if (strings_find(seen, number))
        return false;
    strings_add(seen, number);
    return true;
}

/* A member of a thin archive is a file beside the archive.  The model keeps it.  Each file is read once: an
   archive of a few bytes could name the same large one a thousand times. */
static bool read_outside_member(struct model *model, struct strings *seen, const char *path, const char *name,
                                struct span *bytes)
{
    const char *slash = strrchr(path, '/');
    char *beside = *name == '/' || !slash ? memory_copy_text(name, strlen(name))
                                          : memory_format("%.*s/%s", (int)(slash - path), path, name);
    struct error error = {0};
    bool done = is_new_file(seen, beside) && bytes_read(beside, bytes, &error);
    free(beside);
    if (done && starts_with(*bytes, ELFMAG, SELFMAG)) {
        bytes_keep(model, *bytes);
    } else if (done) {
        bytes_free(*bytes);
        *bytes = (struct span){0};
    }
    return done;
}

static void note_archive(struct model *model, const char *text)
{
    model_note_problem(model, 0, problem_kind_FILE, NO_ADDRESS, 1, text);
}

static bool read_archive(struct model *model, const char *path, struct archive *archive,
                         const struct read_options *options, struct error *error)
{
    size_t programs = model->programs.count, members = 0;
    struct error first = {0};
    struct archive_member member;
    struct strings seen = {0};
    while (archive_next(archive, &member)) {
        members++;
        struct error reason = {0};
        if (archive->is_thin && !read_outside_member(model, &seen, path, member.name, &member.bytes)) {
            note_archive(model, "members of a thin archive that are not there or there twice");
        } else if (!starts_with(member.bytes, ELFMAG, SELFMAG)) {
            note_archive(model, "members of an archive that are not ELF files");
        } else if (!read_elf(model, path, member.name, member.bytes, options, &reason)) {
            note_archive(model, "members of an archive that are damaged or for another machine");
            first = first.set ? first : reason;
        }
        free(member.name);
    }
    strings_free(&seen);
    if (archive->is_damaged)
        note_archive(model, "an archive that is damaged or cut short");
    if (model->programs.count > programs)
        return true;
    if (first.set) {
        *error = error->set ? *error : first;
        return false;
    }
    return error_set(error, path,
                     members ? "no member of this archive is an ELF file"
                             : "this archive is empty or damaged");
}

bool read_file(struct model *model, const char *path, const struct read_options *options, struct error *error)
{
    struct span bytes;
    if (!bytes_read(path, &bytes, error))
        return false;
    struct archive archive;
    bool done;
    if (starts_with(bytes, ELFMAG, SELFMAG))
        done = read_elf(model, path, NULL, bytes, options, error);
    else if (archive_open(&archive, bytes))
        done = read_archive(model, path, &archive, options, error);
    else
        done = refuse(path, bytes, error);
    if (done)
        bytes_keep(model, bytes);
    else
        bytes_free(bytes);
    return done;
}
