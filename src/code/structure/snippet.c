/* Each block is stepped through first; descriptions are made only if a key is new.  Keys of a block that
   turns out to be invalid stay in the vocabulary: they are valid instructions. */
#include "code/structure/snippet.h"

#include "model/tables.h"
#include "code/read/opcodes.h"

#include <stdio.h>
#include <string.h>

enum { MANY_KEYS = 1 << 17, SHOWN_BYTES = 15 };

bool snippets_begin(struct snippets *snippets, enum isa isa, struct error *error)
{
    *snippets = (struct snippets){.reader = isa_reader(isa),
                                  .rows = ARRAY_OF(struct snippet_row),
                                  .keys = ARRAY_OF(struct key),
                                  .numbers = ARRAY_OF(uint32_t)};
    model_init(&snippets->model);
    if (!opcodes_know(isa, error))
        return false;
    if (!snippets->reader)
        return error_set(error, NULL, "there is no decoder for %s", isa_word(isa));
    meanings_describe(&snippets->meanings, &snippets->model, snippets->reader, 1);
    return true;
}

void snippets_end(struct snippets *snippets)
{
    meanings_free(&snippets->meanings);
    model_free(&snippets->model);
    array_free(&snippets->rows);
    array_free(&snippets->keys);
    array_free(&snippets->numbers);
}

bool snippets_are_many(const struct snippets *snippets)
{
    return snippets->model.encodings.count > MANY_KEYS;
}

void snippets_leave_texts(struct snippets *snippets)
{
    snippets->meanings.is_brief = true;
}

const char *snippets_text(struct snippets *snippets, uint32_t encoding)
{
    const struct vocabulary *vocabulary = meanings_vocabulary(&snippets->meanings, snippets->reader);
    for (size_t i = 0; i < snippets->rows.count; i++) {
        if (ARRAY_AT(struct snippet_row, &snippets->rows, i)->encoding != encoding)
            continue;
        uint32_t number = *ARRAY_AT(uint32_t, &snippets->numbers, i);
        meanings_add_text(&snippets->model, snippets->reader,
                          ARRAY_AT(struct key, &vocabulary->keys.keys, number), encoding);
        break;
    }
    return model_text(&snippets->model, model_encoding(&snippets->model, encoding)->text);
}

void snippets_forget(struct snippets *snippets)
{
    meanings_free(&snippets->meanings);
    model_free(&snippets->model);
    snippets->meanings = (struct meanings){.is_brief = snippets->meanings.is_brief};
    snippets->rows.count = snippets->keys.count = snippets->numbers.count = 0;
    model_init(&snippets->model);
    meanings_describe(&snippets->meanings, &snippets->model, snippets->reader, 1);
}

static bool refuse(const struct snippets *snippets, const uint8_t *bytes, size_t size, size_t offset,
                   struct error *error)
{
    char shown[SHOWN_BYTES * 3 + 1] = "";
    size_t count = size - offset < SHOWN_BYTES ? size - offset : SHOWN_BYTES;
    for (size_t i = 0; i < count; i++)
        snprintf(shown + (i ? 3 * i - 1 : 0), 4, "%s%02x", i ? " " : "", bytes[offset + i]);
    return error_set(error, NULL, "no %s instruction at byte %zu: %s%s", isa_word(snippets->reader->isa),
                     offset, shown, count < size - offset ? " ..." : "");
}

/* Keys of all instructions; false at bytes that do not decode. */
static bool step_through(struct snippets *snippets, const struct key_table *table, const uint8_t *bytes,
                         size_t size, struct error *error)
{
    const struct isa_reader *reader = snippets->reader;
    for (size_t offset = 0; offset < size;) {
        struct step step = {0};
        if (!reader->step(bytes + offset, size - offset, offset, &step) || !step.key.size ||
            step.key.size > size - offset)
            return refuse(snippets, bytes, size, offset, error);
        if (snippets->rows.count == MOST_SNIPPET_INSTRUCTIONS)
            return error_set(error, NULL, "the block has more than %d instructions",
                             MOST_SNIPPET_INSTRUCTIONS);
        struct snippet_row *row = array_push(&snippets->rows);
        *row = (struct snippet_row){.offset = (uint32_t)offset, .target = step.target};
        *(struct key *)array_push(&snippets->keys) = step.key;
        key_table_fetch(table, &step.key);
        offset += step.key.size;
    }
    return true;
}

bool snippets_read(struct snippets *snippets, const uint8_t *bytes, size_t size, struct error *error)
{
    struct vocabulary *vocabulary = meanings_vocabulary(&snippets->meanings, snippets->reader);
    snippets->rows.count = snippets->keys.count = snippets->numbers.count = 0;
    if (!size)
        return error_set(error, NULL, "the block is empty");
    if (size > MOST_SNIPPET_BYTES)
        return error_set(error, NULL, "the block has more than %d bytes", MOST_SNIPPET_BYTES);
    bool done = step_through(snippets, &vocabulary->keys, bytes, size, error);
    for (size_t i = 0; i < snippets->keys.count; i++)
        *(uint32_t *)array_push(&snippets->numbers) =
            key_table_add(&vocabulary->keys, ARRAY_AT(struct key, &snippets->keys, i));
    if (vocabulary->keys.keys.count > vocabulary->encoding_of.count)
        meanings_describe(&snippets->meanings, &snippets->model, snippets->reader, 1);
    for (size_t i = 0; done && i < snippets->rows.count; i++) {
        struct snippet_row *row = ARRAY_AT(struct snippet_row, &snippets->rows, i);
        row->encoding =
            *ARRAY_AT(uint32_t, &vocabulary->encoding_of, *ARRAY_AT(uint32_t, &snippets->numbers, i));
        if (!row->encoding)
            done = refuse(snippets, bytes, size, row->offset, error);
    }
    return done;
}

bool snippets_is_loop(const struct snippets *snippets)
{
    if (!snippets->rows.count)
        return false;
    const struct snippet_row *last = ARRAY_AT(struct snippet_row, &snippets->rows, snippets->rows.count - 1);
    enum flow flow = model_encoding(&snippets->model, last->encoding)->flow;
    return (flow == flow_JUMP || flow == flow_BRANCH) && last->target == 0;
}

/* -1 if it is not a digit.  The table has each value plus 1. */
static int digit_value(char digit)
{
    static const uint8_t values[256] = {
        ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
        ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
        ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16};
    return values[(unsigned char)digit] - 1;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool snippet_bytes(const char *text, size_t length, uint8_t *bytes, size_t *size, struct error *error)
{
    *size = 0;
    for (size_t at = 0; at < length;) {
        int first = digit_value(text[at]), second = at + 1 < length ? digit_value(text[at + 1]) : -1;
        if ((first | second) >= 0) {
            bytes[(*size)++] = (uint8_t)(first << 4 | second);
            at += 2;
        } else if (is_blank(text[at])) {
            at++;
        } else if (text[at] == '0' && at + 1 < length && (text[at + 1] == 'x' || text[at + 1] == 'X')) {
            at += 2;
        } else {
            if (first < 0 || (at + 1 < length && !is_blank(text[at + 1])))
                return error_set(error, NULL, "not hexadecimal at character %zu of the block",
                                 at + (first < 0 ? 1 : 2));
            return error_set(error, NULL, "half a byte at character %zu: bytes have two digits each", at + 1);
        }
    }
    return true;
}
