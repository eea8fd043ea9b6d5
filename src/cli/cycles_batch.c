/* assay cycles --batch: hundreds of thousands of blocks.

   The input is read in large pieces of whole lines; each piece is split among the workers, each with its own
   table of known instructions, and their output is printed in order. A row's answer depends on that row
   alone, never on the number of workers or the position in the input. Memory is bounded: rows have a maximum
   length, and a table of instructions that grows large is dropped.

   A row without an answer gives the reason in its output row; the first few are also reported on standard
   error with their line numbers, and the rest counted. */
#include "cli/cycles.h"

#include "base/progress.h"
#include "base/workers.h"
#include "model/tables.h"
#include "show/report/cycles.h"
#include "show/report/common/rows.h"
#include "code/structure/snippet.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER = 4 << 20, PIECE = 64 << 10, MOST_TOLD = 10 };

struct failure {
    uint64_t row;
    char text[200];
};

/* Some rows of the input and the output for them. */
struct piece {
    const char *text, *end;
    uint64_t first_row, row_count;
    struct array printed; /* of char */
    struct failure failures[MOST_TOLD];
    uint64_t failure_count;
};

struct batch_worker {
    bool is_ready;
    struct snippets snippets;
    struct block_costs costs;
    uint8_t *bytes; /* room for the longest row */
};

struct batch {
    struct session *session;
    const struct cycles_blocks *blocks;
    const char *name; /* of the input, for messages */
    struct batch_worker *workers;
    struct array pieces; /* of struct piece */
    uint64_t row_count, answer_count, failure_count, told_count;
    bool is_skipping; /* the rest of a row that was too long */
};

static void put(struct array *printed, const char *text, size_t length)
{
    if (length) /* not yet allocated if the first row is empty */
        memcpy(array_push_many(printed, length), text, length);
}

/* A decimal with two to four places, in every locale. */
static void put_cycles(struct array *printed, double cycles)
{
    char digits[40];
    uint64_t scaled = cycles < 1e12 ? (uint64_t)llround(cycles * 10000) : (uint64_t)1e16;
    unsigned length = 0, places = 4;
    while (places > 2 && scaled % 10 == 0) {
        scaled /= 10;
        places--;
    }
    for (unsigned place = 0; scaled || place <= places; place++) {
        if (place == places)
            digits[length++] = '.';
        digits[length++] = (char)('0' + scaled % 10);
        scaled /= 10;
    }
    char *text = array_push_many(printed, length);
    while (length)
        *text++ = digits[--length];
}

/* A CSV field, quoted if needed; control characters are escaped. */
static void put_field(struct array *printed, const char *text, size_t length)
{
    bool is_plain = true;
    for (size_t i = 0; i < length && is_plain; i++)
        is_plain = text[i] != ',' && text[i] != '"' && (unsigned char)text[i] >= ' ' && text[i] != 0x7f;
    if (is_plain) {
        put(printed, text, length);
        return;
    }
    put(printed, "\"", 1);
    for (size_t i = 0; i < length; i++) {
        put(printed, (unsigned char)text[i] < ' ' || text[i] == 0x7f ? "?" : &text[i], 1);
        if (text[i] == '"')
            put(printed, "\"", 1);
    }
    put(printed, "\"", 1);
}

static void put_json(struct array *printed, const char *text, size_t length)
{
    autofree char *quoted = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&quoted, &size);
    if (!stream)
        return;
    report_json_text(stream, text, length);
    fclose(stream);
    put(printed, quoted, size);
}

static void put_word(struct array *printed, const char *word)
{
    put(printed, word, strlen(word));
}

struct answer {
    double cycles;
    enum core_part limit;
    double bounds[core_part_COUNT]; /* in JSON; 0: none */
    unsigned instruction_count, known_count;
    const char *reason; /* NULL where there is an answer */
};

/* The bound of each part that sets one: an object by part. */
static void put_bounds(struct array *printed, const double bounds[core_part_COUNT])
{
    const char *before = "{";
    for (unsigned part = 0; part < core_part_COUNT; part++) {
        if (!(bounds[part] > 0))
            continue;
        put_word(printed, before);
        put_json(printed, core_part_word(part), strlen(core_part_word(part)));
        put_word(printed, ":");
        put_cycles(printed, bounds[part]);
        before = ",";
    }
    put_word(printed, *before == '{' ? "{}" : "}");
}

static void put_row(struct piece *piece, enum report_format format, uint64_t number, const char *hex,
                    size_t length, const struct answer *answer)
{
    struct array *printed = &piece->printed;
    if (format != report_JSON) {
        if (!answer->reason) { /* then it has only digits and blanks */
            put(printed, hex, length);
            put(printed, ",", 1);
            put_cycles(printed, answer->cycles);
        } else {
            put_field(printed, hex, length);
            put(printed, ",,", 2);
            put_field(printed, answer->reason, strlen(answer->reason));
        }
        put(printed, "\n", 1);
        return;
    }
    char start[48];
    put(printed, start,
        (size_t)snprintf(start, sizeof start, "%s{\"row\":%llu,\"hex\":", ",\n", (unsigned long long)number));
    put_json(printed, hex, length);
    put_word(printed, ",\"cycles\":");
    if (answer->reason)
        put_word(printed, "null");
    else
        put_cycles(printed, answer->cycles);
    put_word(printed, ",\"limit\":");
    if (answer->reason)
        put_word(printed, "null");
    else
        put_json(printed, core_part_word(answer->limit), strlen(core_part_word(answer->limit)));
    put_word(printed, ",\"bounds\":");
    if (answer->reason)
        put_word(printed, "null");
    else
        put_bounds(printed, answer->bounds);
    char counts[80];
    if (answer->reason)
        put_word(printed, ",\"instruction_count\":null,\"known_count\":null");
    else
        put(printed, counts,
            (size_t)snprintf(counts, sizeof counts, ",\"instruction_count\":%u,\"known_count\":%u",
                             answer->instruction_count, answer->known_count));
    put_word(printed, ",\"reason\":");
    if (answer->reason)
        put_json(printed, answer->reason, strlen(answer->reason));
    else
        put_word(printed, "null");
    put_word(printed, "}");
}

static bool prepare_worker(struct batch_worker *worker, const struct cycles_blocks *blocks,
                           struct error *error)
{
    if (worker->is_ready)
        return true;
    worker->is_ready = true;
    bool done = snippets_begin(&worker->snippets, blocks->isa, error);
    snippets_leave_texts(&worker->snippets);
    block_costs_begin(&worker->costs, blocks->machine, &worker->snippets.model);
    worker->costs.costs.operands = blocks->operands;
    if (blocks->are_alike)
        block_costs_make_alike(&worker->costs);
    worker->bytes = memory_get(BUFFER / 2);
    return done;
}

static void end_worker(struct batch_worker *worker)
{
    if (!worker->is_ready)
        return;
    block_costs_end(&worker->costs);
    snippets_end(&worker->snippets);
    free(worker->bytes);
}

static bool answer_block(struct batch_worker *worker, const struct cycles_blocks *blocks,
                         enum cost_detail detail, const char *hex, size_t length, struct answer *answer,
                         struct error *error)
{
    struct snippets *snippets = &worker->snippets;
    struct block_costs *costs = &worker->costs;
    size_t size;
    if (!snippet_bytes(hex, length, worker->bytes, &size, error))
        return false;
    if (snippets_are_many(snippets)) {
        snippets_forget(snippets);
        block_costs_forget(costs);
    }
    if (!snippets_read(snippets, worker->bytes, size, error))
        return false;
    block_costs_clear(costs);
    for (size_t i = 0; i < snippets->rows.count; i++) {
        const struct snippet_row *row = ARRAY_AT(struct snippet_row, &snippets->rows, i);
        block_costs_add(costs, row->encoding, (uint32_t)i, cost_start(blocks->mode) + row->offset,
                        row->target);
    }
    if (blocks->mode == cost_LOOP)
        block_costs_close(costs);
    if (!block_costs_predict(costs, blocks->mode, detail)) {
        struct loop_path path = {0};
        loop_path_note(costs, false, &path);
        if (path.missing)
            snippets_text(snippets, path.missing);
        autofree char *refusal = cycles_refusal(&snippets->model, blocks->machine, &path);
        error_set(error, NULL, "%s", refusal);
        return false;
    }
    answer->cycles = costs->prediction.cycles;
    answer->limit = costs->prediction.limit;
    for (unsigned part = 0; part < core_part_COUNT; part++)
        answer->bounds[part] = costs->prediction.bounds[part].cycles;
    answer->instruction_count = (unsigned)snippets->rows.count;
    answer->known_count = costs->prediction.known_count;
    return true;
}

/* The first field of a row, without surrounding blanks and quotes. */
static const char *first_field(const char *line, const char *end, size_t *length)
{
    const char *comma = memchr(line, ',', (size_t)(end - line));
    end = comma ? comma : end;
    while (line < end && (*line == ' ' || *line == '\t' || *line == '"'))
        line++;
    while (line < end && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '"' || end[-1] == '\r'))
        end--;
    *length = (size_t)(end - line);
    return line;
}

static void take_row(struct batch *batch, struct batch_worker *worker, struct piece *piece, uint64_t number,
                     const char *line, const char *end)
{
    size_t length;
    const char *hex = first_field(line, end, &length);
    struct answer answer = {0};
    struct error error = {0};
    enum report_format format = batch->session->style.format;
    enum cost_detail detail = format == report_JSON ? cost_BOUNDS : cost_ANSWER;
    if (!answer_block(worker, batch->blocks, detail, hex, length, &answer, &error)) {
        answer.reason = error.text;
        if (piece->failure_count < MOST_TOLD) {
            struct failure *failure = &piece->failures[piece->failure_count];
            failure->row = number;
            snprintf(failure->text, sizeof failure->text, "%.199s", error.text);
        }
        piece->failure_count++;
    }
    put_row(piece, format, number, hex, length, &answer);
}

static void take_piece(void *context, size_t item, unsigned number)
{
    struct batch *batch = context;
    struct piece *piece = ARRAY_AT(struct piece, &batch->pieces, item);
    struct batch_worker *worker = &batch->workers[number];
    struct error ignored = {0}; /* cannot fail: the same call succeeded before the workers started */
    prepare_worker(worker, batch->blocks, &ignored);
    uint64_t row = piece->first_row;
    for (const char *line = piece->text; line < piece->end; row++) {
        const char *end = memchr(line, '\n', (size_t)(piece->end - line));
        end = end ? end : piece->end;
        take_row(batch, worker, piece, row, line, end);
        line = end + 1;
    }
}

static struct piece *add_piece(struct batch *batch, size_t used)
{
    if (used < batch->pieces.count)
        return ARRAY_AT(struct piece, &batch->pieces, used);
    struct piece *piece = array_add(&batch->pieces);
    piece->printed = ARRAY_OF(char);
    return piece;
}

static uint64_t count_rows(const char *text, const char *end)
{
    uint64_t count = 0;
    for (; text < end; count++) {
        const char *next = memchr(text, '\n', (size_t)(end - text));
        text = next ? next + 1 : end;
    }
    return count;
}

static size_t split(struct batch *batch, const char *text, const char *end)
{
    size_t used = 0;
    while (text < end) {
        struct piece *piece = add_piece(batch, used++);
        const char *border = end - text > PIECE ? text + PIECE : end;
        const char *next = border < end ? memchr(border, '\n', (size_t)(end - border)) : NULL;
        border = next ? next + 1 : end;
        piece->text = text;
        piece->end = border;
        piece->printed.count = 0;
        piece->failure_count = 0;
        piece->first_row = batch->row_count + 1;
        piece->row_count = count_rows(text, border);
        batch->row_count += piece->row_count;
        text = border;
    }
    return used;
}

static void tell_failures(struct batch *batch, const struct piece *piece)
{
    for (uint64_t i = 0; i < piece->failure_count && i < MOST_TOLD; i++)
        if (batch->told_count < MOST_TOLD) {
            batch->told_count++;
            session_say(batch->session, "%s: row %llu: %s", batch->name,
                        (unsigned long long)piece->failures[i].row, piece->failures[i].text);
        }
    batch->failure_count += piece->failure_count;
}

static bool print_piece(struct batch *batch, const struct piece *piece, struct error *error)
{
    const char *text = piece->printed.data;
    size_t size = piece->printed.count;
    if (batch->session->style.format == report_JSON && size && !batch->answer_count) {
        text += 2; /* the comma between objects */
        size -= 2;
    }
    batch->answer_count += piece->row_count;
    if (fwrite(text, 1, size, batch->session->out) != size)
        return error_set_errno(error, NULL, "cannot write");
    return true;
}

/* Whole lines. */
static bool take_lines(struct batch *batch, const char *text, const char *end, struct error *error)
{
    size_t count = split(batch, text, end);
    bool done = true;
    workers_run(count > 1 ? batch->blocks->threads : 1, count, take_piece, batch);
    for (size_t i = 0; i < count && done; i++) {
        const struct piece *piece = ARRAY_AT(struct piece, &batch->pieces, i);
        tell_failures(batch, piece);
        done = print_piece(batch, piece, error);
    }
    fflush(batch->session->out);
    progress_tell("blocks", (size_t)batch->row_count, 0);
    return done;
}

static bool is_letter(char c)
{
    return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_' || c == '-' || c == ' ' || c == '.';
}

/* Whether the first row is a header: its first field has no digit and a letter outside a-f. */
static bool is_header(const char *line, const char *end)
{
    size_t length;
    bool has_other = false;
    const char *field = first_field(line, end, &length);
    for (size_t i = 0; i < length; i++) {
        if (!is_letter(field[i]))
            return false;
        has_other = has_other || (field[i] | 0x20) > 'f' || field[i] == '_';
    }
    return has_other;
}

/* Also a UTF-8 byte order mark, which some programs write. */
static const char *pass_header(struct batch *batch, const char *text, const char *end)
{
    static const char mark[] = "\xef\xbb\xbf";
    if (end - text >= 3 && !memcmp(text, mark, 3))
        text += 3;
    const char *line_end = memchr(text, '\n', (size_t)(end - text));
    line_end = line_end ? line_end : end;
    if (!is_header(text, line_end))
        return text;
    batch->row_count = 1;
    return line_end < end ? line_end + 1 : end;
}

/* Skips the rest of a row that did not fit the buffer. */
static const char *skip(struct batch *batch, const char *text, const char *end)
{
    if (!batch->is_skipping)
        return text;
    const char *line_end = memchr(text, '\n', (size_t)(end - text));
    batch->is_skipping = !line_end;
    return line_end ? line_end + 1 : end;
}

static bool refuse_long(struct batch *batch, struct error *error)
{
    char text[80];
    snprintf(text, sizeof text, "the row is longer than %d characters", BUFFER - 1);
    struct answer answer = {.reason = text};
    struct piece *piece = add_piece(batch, 0);
    piece->printed.count = 0;
    piece->row_count = piece->failure_count = 1;
    piece->failures[0].row = ++batch->row_count;
    snprintf(piece->failures[0].text, sizeof piece->failures[0].text, "%s", text);
    put_row(piece, batch->session->style.format, batch->row_count, "", 0, &answer);
    tell_failures(batch, piece);
    batch->is_skipping = true;
    return print_piece(batch, piece, error);
}

static bool take_file(struct batch *batch, int file, char *buffer, struct error *error)
{
    size_t held = 0;
    for (bool is_end = false; !is_end;) {
        ssize_t got = read(file, buffer + held, BUFFER - held);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set_errno(error, batch->name, "cannot read");
        is_end = got == 0;
        held += (size_t)got;
        const char *end = buffer + held, *text = skip(batch, buffer, end);
        const char *last = memrchr(text, '\n', (size_t)(end - text));
        const char *whole = is_end ? end : last ? last + 1 : text;
        if (text < whole && !batch->row_count)
            text = pass_header(batch, text, whole);
        if (text < whole && !take_lines(batch, text, whole, error))
            return false;
        text = text > whole ? text : whole;
        if (text == buffer && held == BUFFER) {
            if (!refuse_long(batch, error))
                return false;
            text = end;
        }
        held = (size_t)(end - text);
        memmove(buffer, text, held);
    }
    return true;
}

int cycles_batch(struct session *session, const char *path, const struct cycles_blocks *blocks,
                 struct error *error)
{
    bool is_input = !strcmp(path, "-");
    struct batch batch = {.session = session,
                          .blocks = blocks,
                          .name = is_input ? "standard input" : path,
                          .pieces = ARRAY_OF(struct piece)};
    int file = is_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        error_set_errno(error, path, "cannot open");
        return 2;
    }
    unsigned count = workers_count(blocks->threads);
    batch.workers = memory_get(count * sizeof *batch.workers);
    autofree char *buffer = memory_get(BUFFER);
    bool is_json = session->style.format == report_JSON;
    bool done = prepare_worker(&batch.workers[0], blocks, error);
    if (done && is_json)
        fputs("[", session->out);
    done = done && take_file(&batch, file, buffer, error);
    if (done && is_json)
        fputs("]\n", session->out);
    progress_clear();
    if (batch.failure_count > batch.told_count)
        session_say(session, "%s: %llu more rows without an answer", batch.name,
                    (unsigned long long)(batch.failure_count - batch.told_count));
    for (unsigned i = 0; i < count; i++)
        end_worker(&batch.workers[i]);
    for (size_t i = 0; i < batch.pieces.count; i++)
        array_free(&ARRAY_AT(struct piece, &batch.pieces, i)->printed);
    array_free(&batch.pieces);
    free(batch.workers);
    if (!is_input)
        close(file);
    return !done ? 2 : batch.failure_count ? 1 : 0;
}
