/* Entry point of the reader of x86 and AArch64 listings: makes one program from all files, and its rows.

   Instructions, symbols, relocations, unwind and debug information come from the object file, through the
   reader of binaries.  Lines, directives, labels and comments come from the text, and their addresses through
   the marks (assembled.h).  Without debug information, .ident and the comments of -fverbose-asm give a row of
   units. */
#include "code/read/listing/assembled.h"
#include "code/read/bytes.h"
#include "code/read/elf/elf.h"

#include <ctype.h>
#include <elf.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(struct span span)
{
    return (const char *)span.data;
}

static bool starts_with(struct span span, const char *start)
{
    return span.size >= strlen(start) && !memcmp(span.data, start, strlen(start));
}

static bool is_word(struct span span, const char *word)
{
    return span.size == strlen(word) && !memcmp(span.data, word, span.size);
}

/* Interned up to the first zero byte: Clang copies characters of strings into comments. */
static string_id intern(struct model *model, struct span span)
{
    size_t length = span.size ? strnlen(text_of(span), span.size) : 0;
    return length ? strings_add_length(&model->strings, text_of(span), length) : 0;
}

void assembled_choose_prefix(const struct listing_source *sources, size_t count, char *prefix, size_t size)
{
    for (unsigned number = 0; number < 256; number++) {
        bool is_free = true;
        snprintf(prefix, size, "assay%.0x$", number);
        for (size_t i = 0; is_free && i < count; i++)
            is_free = !memmem(sources[i].text.data, sources[i].text.size, prefix, strlen(prefix));
        if (is_free)
            return;
    }
}

static void lex_all(const struct listing_source *sources, size_t count, enum isa isa, const char *prefix,
                    unsigned spacing, struct assembled_text *texts)
{
    for (size_t i = 0; i < count; i++) {
        assembled_free(&texts[i]);
        assembled_lex(sources[i].text, isa, prefix, (unsigned)i, spacing, &texts[i]);
    }
}

/* The assembler made it for x86-64, whose jumps and numbers Knights Corner has, too. */
static void set_knights_corner(struct span object)
{
    Elf64_Half machine = EM_K1OM;
    if (object.size >= sizeof(Elf64_Ehdr))
        memcpy((uint8_t *)object.data + offsetof(Elf64_Ehdr, e_machine), &machine, sizeof machine);
}

/* The object file and its marks.  First with marks on every sixteenth instruction, then on all, then on none,
   for a text that this reader splits into statements differently from the assembler. */
static bool assemble(const struct assembling *work, const char *prefix, struct assembled_text *texts,
                     struct span *object, struct array *marks, struct error *error)
{
    static const unsigned spacings[] = {MARK_SPACING, 1, 0};
    for (unsigned i = 0; i < sizeof spacings / sizeof *spacings; i++) {
        struct error reason = {0};
        lex_all(work->sources, work->count, work->isa, prefix, spacings[i], texts);
        bool is_refused, done = assembled_assemble(work, texts, object, &is_refused, &reason);
        if (!done && (spacings[i] == 0 || !is_refused)) {
            *error = error->set ? *error : reason;
            return false;
        }
        if (!done) {
            i = sizeof spacings / sizeof *spacings - 2; /* without marks, the assembler's verdict counts */
            continue;
        }
        if (work->isa == isa_K1OM)
            set_knights_corner(*object);
        *marks = assembled_marks(*object, prefix);
        if (spacings[i] <= 1 || assembled_agrees(*object, work->isa, marks, texts))
            return true;
        array_free(marks);
        bytes_free(*object);
    }
    return false;
}

static void add_directives(struct model *model, uint32_t program, const struct listing_source *source,
                           const struct assembled_text *text, const uint64_t *addresses)
{
    for (size_t i = 0; i < text->words.count; i++) {
        const struct assembled_word *word = ARRAY_AT(struct assembled_word, &text->words, i);
        string_id name = intern(model, word->name), words = intern(model, word->text);
        struct directive *row = model_add(&model->directives);
        *row = (struct directive){.program = program,
                                  .file = source->file,
                                  .line = word->line,
                                  .kind = word->kind,
                                  .name = name,
                                  .text = words,
                                  .address = word->emitter < text->emitters.count ? addresses[word->emitter]
                                                                                  : NO_ADDRESS};
    }
}

/* The raw text between the quotes. */
static struct span quoted(struct span text)
{
    const uint8_t *open = text.size ? memchr(text.data, '"', text.size) : NULL;
    if (!open)
        return (struct span){0};
    size_t left = text.size - (size_t)(open + 1 - text.data);
    const uint8_t *close = left ? memchr(open + 1, '"', left) : NULL;
    return close ? (struct span){open + 1, (size_t)(close - open - 1)} : (struct span){0};
}

/* "GNU C17 (Debian 12.2.0-14) version 12.2.0 (x86_64-linux-gnu)" becomes "GNU C17 12.2.0", as in the debug
   information; to be freed. */
static char *compiler_of(struct span comment)
{
    char *text = memory_copy_text(text_of(comment), comment.size);
    char *remark = strstr(text, " ("), *version = strstr(text, " version ");
    char *name = NULL;
    if (remark && version && remark < version) {
        char *number = version + strlen(" version ");
        number[strcspn(number, " ")] = 0;
        *remark = 0;
        name = memory_format("%s %s", text, number);
    }
    free(text);
    return name;
}

static enum language language_of(const char *compiler, const char *path)
{
    static const struct {
        const char *start;
        enum language language;
    } names[] = {{"GNU C++", language_CPLUSPLUS}, {"GNU Fortran", language_FORTRAN},
                 {"GNU C", language_C},           {"GNU Ada", language_ADA},
                 {"GNAT", language_ADA},          {"GNU D ", language_D},
                 {"GNU Go", language_GO},         {"GNU Objective-C", language_OBJECTIVE_C}};
    for (unsigned i = 0; compiler && i < sizeof names / sizeof *names; i++)
        if (!strncmp(compiler, names[i].start, strlen(names[i].start)))
            return names[i].language;
    const char *dot = path ? strrchr(path, '.') : NULL;
    if (!dot)
        return language_UNKNOWN;
    if (!strcmp(dot, ".c"))
        return language_C;
    if (!strcmp(dot, ".cc") || !strcmp(dot, ".cpp") || !strcmp(dot, ".cxx") || !strcmp(dot, ".C"))
        return language_CPLUSPLUS;
    if (!strcasecmp(dot, ".f90") || !strcasecmp(dot, ".f") || !strcasecmp(dot, ".f95"))
        return language_FORTRAN;
    return language_UNKNOWN;
}

/* Older compilers write options over several lines of comments. */
static char *flags_of(const struct array *words, size_t index)
{
    static const char start[] = "options passed:";
    const struct assembled_word *word = ARRAY_AT(struct assembled_word, words, index);
    char *flags = memory_copy_text(text_of(word->text) + strlen(start), word->text.size - strlen(start));
    for (size_t i = index + 1; i < words->count && i < index + 32; i++) {
        word = ARRAY_AT(struct assembled_word, words, i);
        if (word->kind != directive_kind_COMMENT || !word->text.size || *word->text.data != '-')
            break;
        char *longer = memory_format("%s %.*s", flags, (int)word->text.size, text_of(word->text));
        free(flags);
        flags = longer;
    }
    size_t blanks = strspn(flags, " \t");
    memmove(flags, flags + blanks, strlen(flags + blanks) + 1);
    return flags;
}

static void add_unit(struct model *model, uint32_t program, const struct assembled_text *text)
{
    struct span name = {0}, ident = {0};
    char *compiler = NULL, *flags = NULL;
    for (size_t i = 0; i < text->words.count; i++) {
        const struct assembled_word *word = ARRAY_AT(struct assembled_word, &text->words, i);
        bool is_directive = word->kind == directive_kind_DIRECTIVE;
        if (is_directive && !name.size && is_word(word->name, ".file") && word->text.size &&
            *word->text.data == '"')
            name = quoted(word->text);
        else if (is_directive && !ident.size && is_word(word->name, ".ident"))
            ident = quoted(word->text);
        else if (word->kind == directive_kind_COMMENT && !compiler &&
                 (starts_with(word->text, "GNU ") || starts_with(word->text, "GNAT")))
            compiler = compiler_of(word->text);
        else if (word->kind == directive_kind_COMMENT && !flags && starts_with(word->text, "options passed:"))
            flags = flags_of(&text->words, i);
    }
    if (!name.size && !ident.size && !compiler)
        return;
    struct unit row = {.program = program,
                       .name = intern(model, name),
                       .producer = ident.size ? intern(model, ident) : model_string(model, compiler),
                       .compiler = compiler ? model_string(model, compiler) : intern(model, ident),
                       .flags = flags && *flags ? model_string(model, flags) : 0};
    row.language = (uint8_t)language_of(compiler, row.name ? model_text(model, row.name) : NULL);
    *(struct unit *)model_add(&model->units) = row;
    free(compiler);
    free(flags);
}

static void add_rows(struct model *model, uint32_t program, const struct array *marks,
                     const struct listing_source *sources, const struct assembled_text *texts, size_t count)
{
    uint64_t **addresses = memory_get(count * sizeof *addresses);
    for (size_t i = 0; i < count; i++) {
        addresses[i] = memory_get((texts[i].emitters.count + 1) * sizeof **addresses);
        memset(addresses[i], 0xff, texts[i].emitters.count * sizeof **addresses); /* NO_ADDRESS */
    }
    assembled_add_instructions(model, program, marks, sources, texts, count, addresses);
    for (size_t i = 0; i < count; i++) {
        add_directives(model, program, &sources[i], &texts[i], addresses[i]);
        free(addresses[i]);
    }
    free(addresses);
}

bool assembled_listing_read(struct model *model, enum isa isa, struct listing_source *sources, size_t count,
                            const struct read_options *options, struct error *error)
{
    char prefix[32];
    struct span object = {0};
    struct array marks = ARRAY_OF(struct assembled_mark);
    struct assembled_text *texts = memory_get(count * sizeof *texts);
    assembled_choose_prefix(sources, count, prefix, sizeof prefix);
    struct assembling work = {.isa = isa,
                              .sources = sources,
                              .count = count,
                              .options = options,
                              .deadline = assembled_deadline(sources, count)};
    bool done = assemble(&work, prefix, texts, &object, &marks, error);
    if (done) {
        struct elf_listing listing = {prefix, assembled_inner_labels(texts, count)};
        done = read_elf_of_listing(model, sources[0].path, object, &listing, options, error);
        strings_free(&listing.labels);
        if (done)
            bytes_keep(model, object);
        else
            bytes_free(object);
    }
    if (done) {
        uint32_t program = model_last(&model->programs);
        size_t units = 0;
        for (size_t i = 1; i < model->units.count; i++)
            units += model_unit(model, (uint32_t)i)->program == program;
        if (!marks.count)
            model_note_problem(
                model, program, problem_kind_LISTING, NO_ADDRESS, 1,
                "the assembler splits the text differently: the lines of instructions are unknown");
        assembled_place(model, program, object, &marks);
        add_rows(model, program, &marks, sources, texts, count);
        for (size_t i = 0; !units && i < count; i++)
            add_unit(model, program, &texts[i]);
    }
    for (size_t i = 0; i < count; i++)
        assembled_free(&texts[i]);
    free(texts);
    array_free(&marks);
    return done;
}
