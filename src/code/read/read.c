/* Finds out what a file is and calls its reader.  For a file that is not a program, the error says what it
   seems to be, so that the user sees which wrong file it was. */
#include "code/read/read.h"

#include "code/read/elf/archive.h"
#include "code/read/listing/assembled.h"
#include "code/read/bytes.h"
#include "code/read/isa.h"
#include "code/read/module.h"
#include "code/read/listing/preprocess.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static bool starts_with(struct span bytes, const char *start, size_t size)
{
    return bytes.size >= size && !memcmp(bytes.data, start, size);
}

static bool refuse(const char *path, struct span bytes, struct error *error)
{
    if (starts_with(bytes, "#!", 2))
        return error_set(error, path, "this is a script, not a program");
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

/* The part of a linked program that is needed; NULL: all, as code/structure/ does where the instruction set
   has no quick search. */
static const struct model_part *part_of(const struct elf *elf, const char *path,
                                        const struct read_options *options)
{
    const struct isa_reader *reader = isa_reader(elf->isa);
    bool is_partial = elf->type != ET_REL && reader && reader->find_transfers;
    for (size_t i = 0; i < options->part_count && is_partial; i++)
        if (!strcmp(options->parts[i].path, path))
            return &options->parts[i];
    return NULL;
}

/* listing is NULL except for the object files of listings. */
static bool read_elf(struct model *model, const char *path, const char *member, struct span bytes,
                     const struct elf_listing *listing, const struct read_options *options,
                     struct error *error)
{
    struct elf elf;
    if (!elf_open(&elf, model, path, member, bytes, error))
        return false;
    elf.listing = listing;
    struct program *program = model_program(model, elf.program);
    if (listing)
        program->format = format_LISTING;
    program->has_debug = elf.has_debug;
    struct module module = {0};
    if (!options->without_debug) {
        char *name = member ? memory_format("%s(%s)", path, member) : memory_copy_text(path, strlen(path));
        module_open(&module, &elf, name, options);
        free(name);
    }
    elf_read_compilers(&elf);
    elf_read_symbols(&elf);
    if (!options->without_debug)
        module_read_symbols(&module);
    elf_read_relocations(&elf);
    elf_read_linkage_stubs(&elf);
    elf_read_entries(&elf);
    elf_read_unwind(&elf);
    if (!options->without_debug) {
        module_read_frames(&module);
        module_read_debug(&module, part_of(&elf, path, options));
        module_close(&module);
    }
    elf_close(&elf);
    return true;
}

bool read_elf_of_listing(struct model *model, const char *path, struct span object,
                         const struct elf_listing *listing, const struct read_options *options,
                         struct error *error)
{
    return read_elf(model, path, NULL, object, listing, options, error);
}

/* A file has one inode, whatever its names. */
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

static bool check_member(const char *path, struct span head, struct error *error)
{
    return starts_with(head, ELFMAG, SELFMAG) || refuse(path, head, error);
}

/* A member of a thin archive is a file of its own, which the model keeps.  Each file is read once: a tiny
   archive could name the same large file a thousand times. */
static bool read_outside_member(struct model *model, struct strings *seen, struct trust *trust,
                                const char *path, const char *name, struct span *bytes)
{
    const char *slash = strrchr(path, '/');
    char *beside = *name == '/' || !slash ? memory_copy_text(name, strlen(name))
                                          : memory_format("%.*s/%s", (int)(slash - path), path, name);
    struct error error = {0};
    bool done = is_new_file(seen, beside) && trust_allows(trust, beside) &&
                bytes_read(beside, check_member, bytes, &error);
    free(beside);
    if (done)
        bytes_keep(model, *bytes);
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
        if (archive->is_thin &&
            !read_outside_member(model, &seen, options->trust, path, member.name, &member.bytes)) {
            note_archive(model, "members of a thin archive that are missing, duplicates, not ELF files, or "
                                "outside the folders that are read without --trust");
        } else if (!starts_with(member.bytes, ELFMAG, SELFMAG)) {
            note_archive(model, "archive members that are not ELF files");
        } else if (!read_elf(model, path, member.name, member.bytes, NULL, options, &reason)) {
            note_archive(model, "archive members that are damaged or for another machine");
            first = first.set ? first : reason;
        }
        free(member.name);
    }
    strings_free(&seen);
    if (archive->is_damaged)
        note_archive(model, "the archive is damaged or truncated");
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

/* Text may contain a few control characters: Clang copies characters of strings into comments. */
static size_t count_odd_characters(struct span bytes)
{
    size_t size = bytes.size < BYTES_OF_HEAD ? bytes.size : BYTES_OF_HEAD, odd = 0;
    for (size_t i = 0; i < size; i++)
        odd += bytes.data[i] == 0x7f || (bytes.data[i] < ' ' && !isspace(bytes.data[i]));
    return odd;
}

static bool may_be_listing(struct span bytes)
{
    size_t size = bytes.size < BYTES_OF_HEAD ? bytes.size : BYTES_OF_HEAD;
    return count_odd_characters(bytes) * 64 <= size + 512 && !starts_with(bytes, "SQLite format 3", 15) &&
           !starts_with(bytes, "#!", 2);
}

/* A listing waits until all files have been looked at; everything else is read at once. */
struct waiting_listing {
    struct listing_guess guess;
    struct listing_source source;
};

static bool take_listing(struct model *model, const char *path, struct span bytes,
                         const struct read_options *options, struct array *listings, struct error *error)
{
    struct listing_guess guess = {.isa = options->isa};
    if (guess.isa == isa_NONE)
        guess = listing_guess(bytes, listing_is_named(path));
    if (guess.isa == isa_NONE && !guess.is_assembly && count_odd_characters(bytes))
        return refuse(path, bytes, error);
    if (guess.isa == isa_NONE && (guess.other || !guess.is_assembly))
        return listing_refuse(path, &guess, error);
    uint32_t file = model_file_id(model, path);
    for (size_t i = 0; i < listings->count; i++)
        if (ARRAY_AT(struct waiting_listing, listings, i)->source.file == file)
            return error_set(error, path, "this listing is given twice");
    *(struct waiting_listing *)array_add(listings) =
        (struct waiting_listing){guess, {.path = path, .text = bytes, .file = file}};
    return true;
}

/* A listing with only data could be for any ISA: it gets the ISA of the others, if they agree. */
static enum isa common_isa(const struct array *listings)
{
    enum isa common = isa_NONE;
    for (size_t i = 0; i < listings->count; i++) {
        enum isa isa = ARRAY_AT(struct waiting_listing, listings, i)->guess.isa;
        if (common != isa_NONE && isa != isa_NONE && isa != common)
            return isa_NONE;
        common = isa != isa_NONE ? isa : common;
    }
    return common;
}

static bool settle_listing(struct model *model, struct waiting_listing *listing, enum isa common,
                           const struct read_options *options, struct error *error)
{
    struct listing_source *source = &listing->source;
    if (listing->guess.isa == isa_NONE)
        listing->guess.isa = common;
    if (listing->guess.isa == isa_NONE)
        return listing_refuse(source->path, &listing->guess, error);
    if (!preprocess_is_wanted(source->path))
        return true;
    source->original = source->text;
    if (!preprocess_assembly(source->path, source->original, listing->guess.isa, options, &source->text,
                             &source->missing_headers, error))
        return false;
    bytes_keep(model, source->text);
    return true;
}

/* Before the whole file is read: it might be a disk image of gigabytes. */
static bool check_kind(const char *path, struct span head, struct error *error)
{
    struct archive archive;
    return starts_with(head, ELFMAG, SELFMAG) || archive_open(&archive, head) || may_be_listing(head) ||
           refuse(path, head, error);
}

static bool read_one(struct model *model, const char *path, const struct read_options *options,
                     struct array *listings, struct error *error)
{
    struct span bytes;
    if (!bytes_read(path, check_kind, &bytes, error))
        return false;
    struct archive archive;
    bool done;
    if (starts_with(bytes, ELFMAG, SELFMAG))
        done = read_elf(model, path, NULL, bytes, NULL, options, error);
    else if (archive_open(&archive, bytes))
        done = read_archive(model, path, &archive, options, error);
    else
        done = take_listing(model, path, bytes, options, listings, error);
    if (done)
        bytes_keep(model, bytes);
    else
        bytes_free(bytes);
    return done;
}

/* All listings of one instruction set are one program. */
static bool read_listings(struct model *model, const struct array *listings,
                          const struct read_options *options, struct error *error)
{
    struct array sources = ARRAY_OF(struct listing_source);
    enum isa common = common_isa(listings);
    bool done = true;
    for (size_t i = 0; done && i < listings->count; i++)
        done = settle_listing(model, ARRAY_AT(struct waiting_listing, listings, i), common, options, error);
    for (enum isa isa = 0; done && isa < isa_COUNT; isa++) {
        sources.count = 0;
        for (size_t i = 0; i < listings->count; i++) {
            const struct waiting_listing *listing = ARRAY_AT(struct waiting_listing, listings, i);
            if (listing->guess.isa == isa)
                *(struct listing_source *)array_add(&sources) = listing->source;
        }
        if (sources.count) {
            memory_used_for(ARRAY_AT(struct listing_source, &sources, 0)->path);
            done = listing_read(model, isa, sources.data, sources.count, options, error);
        }
    }
    array_free(&sources);
    return done;
}

bool read_files(struct model *model, const char *const *paths, size_t count,
                const struct read_options *options, struct error *error)
{
    struct array listings = ARRAY_OF(struct waiting_listing);
    bool done = true;
    for (size_t i = 0; done && i < count; i++) {
        memory_used_for(paths[i]);
        done = read_one(model, paths[i], options, &listings, error);
    }
    done = done && read_listings(model, &listings, options, error);
    array_free(&listings);
    return done;
}

bool read_file(struct model *model, const char *path, const struct read_options *options, struct error *error)
{
    return read_files(model, &path, 1, options, error);
}
