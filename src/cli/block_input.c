#include "cli/block_input.h"

#include "base/memory_file.h"
#include "base/output.h"
#include "model/tables.h"
#include "code/read/bytes.h"
#include "code/read/listing/listing.h"
#include "code/read/read.h"
#include "code/structure/snippet.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_INPUT = 16 << 20 };

/* Standard input as a file that the assembler can open. */
static bool keep_input(struct memory_file *file, struct error *error)
{
    struct array text = ARRAY_OF(char);
    size_t got;
    do {
        array_reserve(&text, text.count + (64 << 10));
        got = fread((char *)text.data + text.count, 1, 64 << 10, stdin);
        text.count += got;
    } while (got && text.count < LONGEST_INPUT);
    bool done = text.count < LONGEST_INPUT
                    ? !ferror(stdin) || error_set_errno(error, "standard input", "cannot read")
                    : error_set(error, "standard input", "is larger than 16 MB");
    if (done && !text.count)
        done = error_set(error, "standard input", "the block is empty");
    done = done && memory_file_make(file, text.data, text.count, error);
    array_free(&text);
    return done;
}

/* The name of a file in memory means nothing to users. */
static void rename_in_error(struct error *error, const char *path)
{
    const char *name = "standard input";
    for (char *at; error->set && (at = strstr(error->text, path));) {
        autofree char *text =
            memory_format("%.*s%s%s", (int)(at - error->text), error->text, name, at + strlen(path));
        snprintf(error->text, sizeof error->text, "%s", text);
    }
}

/* The only section with code. */
static bool find_code(const struct model *model, const char *name, struct span *code, struct error *error)
{
    *code = (struct span){0};
    for (uint32_t id = 1; id < model->sections.count; id++) {
        const struct section *section = model_section(model, id);
        if (!section->is_code || !section->contents.size)
            continue;
        if (code->size)
            return error_set(error, name,
                             "has code in several sections; --asm takes a block in one section (assay cycles "
                             "%s, without --asm, analyses whole listings)",
                             name);
        *code = section->contents;
    }
    return code->size || error_set(error, name, "contains no instructions");
}

/* A text of instructions and labels; *is_plain: it is one. */
static bool read_plain(const char *path, const char *shown, struct text_code *code, bool *is_plain,
                       struct error *error)
{
    struct span text;
    struct error ignored = {0};
    *is_plain = false;
    if (!bytes_read(path, NULL, &text, &ignored))
        return true; /* the reader of files says why */
    struct listing_guess guess = listing_guess(text, true);
    enum isa isa = code->isa ? code->isa : guess.isa;
    *is_plain = text_code_is_plain(isa, (const char *)text.data, text.size);
    bool done = true;
    if (*is_plain) {
        code->isa = isa;
        done = text_code_read(code, (const char *)text.data, text.size, error) ||
               text_code_refuse(code, shown, error);
    }
    bytes_free(text);
    return done;
}

/* A whole listing, with its files and sections. */
static bool read_listing(struct session *session, const char *path, const char *shown, struct text_code *code,
                         struct error *error)
{
    struct model model;
    struct span bytes;
    struct read_options reading;
    model_init(&model);
    trust_add_file(session->trust, path);
    bool done = session_reading(session, &reading, error);
    reading.threads = 1;
    reading.without_debug = true;
    reading.isa = code->isa;
    done = done && read_file(&model, path, &reading, error) && find_code(&model, shown, &bytes, error);
    if (done) {
        code->isa = code->isa ? code->isa : (enum isa)model_program(&model, 1)->isa;
        memcpy(array_push_many(&code->bytes, bytes.size), bytes.data, bytes.size);
    }
    model_free(&model);
    return done;
}

bool block_input_assembly(struct session *session, const char *name, struct text_code *code,
                          struct error *error)
{
    bool is_input = !strcmp(name, "-"), is_plain;
    struct memory_file file = {.descriptor = -1};
    if (is_input && !keep_input(&file, error))
        return false;
    const char *path = is_input ? file.path : name, *shown = is_input ? "standard input" : name;
    bool done = read_plain(path, shown, code, &is_plain, error) &&
                (is_plain || read_listing(session, path, shown, code, error));
    if (is_input) {
        rename_in_error(error, file.path);
        memory_file_close(&file);
    }
    return done;
}

bool block_input_hex(const char *text, struct text_code *code, struct error *error)
{
    size_t size;
    array_reserve(&code->bytes, strlen(text) / 2 + 1);
    if (!snippet_bytes(text, strlen(text), code->bytes.data, &size, error))
        return false;
    code->bytes.count = size;
    return true;
}
