/* A function moved to a file of its own, as a person would do it: with the includes and macros of its source
   as they stand there, the declarations that it needs, and its own text with the comment above it.

   Which declarations are needed is known from the extract, by their lines. What is between declarations is
   left out but for lines of the preprocessor. Static functions that it calls are copied; other functions of
   the source come along for inlining only. Static data that is written is shared: it loses `static` in the
   source and is hidden instead, so that nobody outside of the program sees it. So does the function.

   All this goes by words and lines; own_proof.c proves what comes out. */
#include "change/optimise/apply/apply_parts.h"
#include "change/optimise/extract/tokens.h"

#include "base/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HIDDEN "__attribute__((visibility(\"hidden\")))"
enum { MOST_NAMES = 100 };

struct source_row {
    size_t at, length; /* without the newline */
    bool is_directive, is_comment;
    bool is_owned; /* a declaration has it */
    bool is_kept;  /* a comment of something that is kept */
};

struct making {
    const struct patching *patching;
    struct own_file *own;
    struct array rows; /* of struct source_row */
    struct array out;  /* of char */
    bool has_gap;      /* something was left out since the last line */
    char **why;
};

static bool refuse(struct making *making, char *why)
{
    if (*making->why)
        free(why);
    else
        *making->why = why;
    return false;
}

static struct source_row *row_at(const struct making *making, unsigned line)
{
    return line && line <= making->rows.count ? ARRAY_AT(struct source_row, &making->rows, line - 1) : NULL;
}

/* --- the lines of the source --- */
/* From a place outside of comments to the end of its line; whether a comment goes on after it. */
static bool leaves_comment_open(const char *text, size_t at, size_t end, bool is_inside)
{
    char quote = 0;
    for (; at < end; at++) {
        bool is_pair = at + 1 < end;
        if (is_inside) {
            is_inside = !(is_pair && text[at] == '*' && text[at + 1] == '/');
            at += !is_inside;
        } else if (quote) {
            at += text[at] == '\\';
            quote = at < end && text[at] == quote ? 0 : quote;
        } else if (text[at] == '"' || text[at] == '\'')
            quote = text[at];
        else if (is_pair && text[at] == '/' && text[at + 1] == '/')
            return false;
        else if (is_pair && text[at] == '/' && text[at + 1] == '*') {
            is_inside = true;
            at++;
        }
    }
    return is_inside;
}

static void read_rows(struct making *making)
{
    const char *text = making->patching->text;
    bool is_inside = false, is_continued = false;
    for (size_t at = 0; text[at];) {
        size_t length = strcspn(text + at, "\n"), first = at + strspn(text + at, " \t");
        struct source_row *row = array_add(&making->rows);
        *row = (struct source_row){.at = at, .length = length};
        row->is_directive = !is_inside && (is_continued || text[first] == '#');
        row->is_comment = is_inside || (text[first] == '/' && strchr("/*", text[first + 1]));
        is_continued = row->is_directive && length && text[at + length - 1] == '\\';
        is_inside = leaves_comment_open(text, at, at + length, is_inside);
        at += length + (text[at + length] == '\n');
    }
}

/* Which lines have declarations; the comment above a needed one stays with it. */
static void own_rows(struct making *making)
{
    const struct array *pieces = &making->patching->extract->pieces;
    for (size_t i = 0; i < pieces->count; i++) {
        const struct extract_piece *piece = ARRAY_AT(struct extract_piece, pieces, i);
        for (unsigned line = piece->first_line; line <= piece->last_line && row_at(making, line); line++)
            row_at(making, line)->is_owned = true;
    }
    for (size_t i = 0; i < pieces->count; i++) {
        const struct extract_piece *piece = ARRAY_AT(struct extract_piece, pieces, i);
        struct source_row *row;
        for (unsigned line = piece->first_line - 1;
             piece->is_needed && (row = row_at(making, line)) && row->is_comment && !row->is_owned; line--)
            row->is_kept = true;
    }
}

/* --- words of declarations --- */
static bool is_inline_word(const char *text, struct token token)
{
    return tokens_is(text, token, "inline") || tokens_is(text, token, "__inline") ||
           tokens_is(text, token, "__inline__");
}

/* Takes `static` (and inline) out of what stands before a name's parameters; whether static was there. */
static bool remove_linkage(const char *text, size_t from, size_t to, bool is_function, const char *instead,
                           struct array *edits)
{
    bool was_static = false;
    for (size_t at = from; at < to;) {
        struct token token = tokens_next(text, &at, to);
        if (token.kind == token_END || tokens_is(text, token, "=") || tokens_is(text, token, "{"))
            break;
        bool is_static = tokens_is(text, token, "static");
        if (is_static || (is_function && is_inline_word(text, token)))
            text_edit_add(edits, token.at,
                          token.length + (!(is_static && *instead) && text[token.at + token.length] == ' '),
                          is_static ? instead : "");
        was_static |= is_static;
        if (tokens_is(text, token, "("))
            at = tokens_past_bracket(text, token.at, to);
    }
    return was_static;
}

static char *edited(const char *text, size_t from, size_t to, struct array *edits)
{
    text_edits_sort(edits);
    return text_edits_text(text, from, to, edits);
}

/* --- the new file --- */
static void put(struct making *making, const char *text, size_t length)
{
    if (making->has_gap && making->out.count)
        *(char *)array_push(&making->out) = '\n';
    making->has_gap = false;
    if (length)
        memcpy(array_push_many(&making->out, length), text, length);
    *(char *)array_push(&making->out) = '\n';
}

/* Data as the extract has it, on one line and without line markers. */
static void put_data(struct making *making, const char *text)
{
    struct array line = ARRAY_OF(char);
    while (*text) {
        size_t length = strcspn(text, "\n");
        if (*text != '#')
            for (size_t i = 0; i < length; i++)
                if (!strchr(" \t", text[i]) || (line.count && ((char *)line.data)[line.count - 1] != ' '))
                    *(char *)array_push(&line) = text[i] == '\t' ? ' ' : text[i];
        text += length + (text[length] == '\n');
        if (*text && *text != '#' && line.count && ((char *)line.data)[line.count - 1] != ' ')
            *(char *)array_push(&line) = ' ';
    }
    char *made = line.data;
    if (line.count > 1 && made[line.count - 1] == ';' && made[line.count - 2] == ' ')
        made[--line.count - 1] = ';';
    put(making, line.count ? made : "", line.count);
    array_free(&line);
}

/* The function with what the variant puts into it. */
static void put_target(struct making *making, size_t from, size_t to)
{
    const struct patching *patching = making->patching;
    struct array edits = ARRAY_OF(struct text_edit);
    if (making->own->was_static)
        text_edit_add(&edits, patching->places.function, 0, HIDDEN "\n");
    for (size_t i = 0; i < patching->edits.count; i++) {
        const struct text_edit *edit = ARRAY_AT(struct text_edit, &patching->edits, i);
        text_edit_add(&edits, edit->at, edit->remove, edit->insert);
    }
    remove_linkage(patching->text, patching->places.function, patching->places.body - 1, true, "", &edits);
    char *made = edited(patching->text, from, to, &edits);
    put(making, made, strlen(made));
    free(made);
    text_edits_free(&edits);
}

static void put_piece(struct making *making, const struct extract_piece *piece)
{
    const char *text = making->patching->text;
    const struct source_row *first = row_at(making, piece->first_line),
                            *last = row_at(making, piece->last_line);
    size_t from = first->at, to = last->at + last->length;
    struct array edits = ARRAY_OF(struct text_edit);
    if (piece->text)
        put_data(making, piece->text);
    else if (piece->kind == extract_piece_TARGET)
        put_target(making, from, to);
    else {
        bool is_cpp = making->patching->extract->compilation->language == source_CPP;
        if (piece->kind == extract_piece_CALLEE)
            text_edit_add(&edits, from + strspn(text + from, " \t"), 0,
                          is_cpp ? "inline " : "extern inline __attribute__((gnu_inline)) ");
        else if (piece->kind == extract_piece_HEAD)
            remove_linkage(text, from, to, true, HIDDEN, &edits);
        char *made = edited(text, from, to, &edits);
        put(making, made, strlen(made));
        free(made);
    }
    text_edits_free(&edits);
}

static void put_rows(struct making *making)
{
    const struct array *pieces = &making->patching->extract->pieces;
    size_t next = 0;
    for (unsigned line = 1; line <= making->rows.count;) {
        const struct source_row *row = row_at(making, line);
        const struct extract_piece *piece = NULL;
        while (next < pieces->count && ARRAY_AT(struct extract_piece, pieces, next)->first_line <= line &&
               !piece) {
            const struct extract_piece *one = ARRAY_AT(struct extract_piece, pieces, next++);
            piece = one->is_needed && one->first_line == line ? one : NULL;
        }
        if (piece && row_at(making, piece->last_line) && piece->last_line >= line) {
            put_piece(making, piece);
            line = piece->last_line + 1;
            continue;
        }
        if (row->is_kept || (row->is_directive && !row->is_owned))
            put(making, making->patching->text + row->at, row->length);
        else
            making->has_gap = true;
        line++;
    }
}

static void put_opening(struct making *making)
{
    const struct patching *patching = making->patching;
    char *line =
        memory_format("/* %s, out of %s, in a file of its own because it is compiled with options of "
                      "its own. */",
                      patching->extract->function, path_name(patching->extract->compilation->source));
    put(making, line, strlen(line));
    free(line);
}

/* --- the source without the function --- */
static bool declare(struct making *making, const struct extract_piece *target)
{
    const struct patching *patching = making->patching;
    const char *text = patching->text;
    const struct source_row *first = row_at(making, target->first_line),
                            *last = row_at(making, target->last_line);
    size_t head = patching->places.function, end = patching->places.body - 1;
    if (!first || !last || head < first->at || head > first->at + first->length ||
        strspn(text + first->at, " \t") != head - first->at)
        return refuse(making, memory_format("its definition does not begin a line"));
    size_t tail = last->at + last->length;
    while (tail > last->at && strchr(" \t", text[tail - 1]))
        tail--;
    if (tail == last->at || text[tail - 1] != '}')
        return refuse(making, memory_format("something stands after its last line"));
    while (end > head && strchr(" \t\n", text[end - 1]))
        end--;
    bool is_cpp = patching->extract->compilation->language == source_CPP;
    if (!is_cpp && text[end - 1] != ')')
        return refuse(making, memory_format("its parameters are declared after its name, or a comment is "
                                            "there"));
    struct array edits = ARRAY_OF(struct text_edit);
    making->own->was_static = remove_linkage(text, head, end, true, "", &edits);
    char *made = edited(text, head, end, &edits);
    char *whole = memory_format("%.*s/* in %s, which is compiled with options of its own */\n%.*s%s%s;",
                                (int)(head - first->at), text + first->at, path_name(making->own->path),
                                (int)(head - first->at), text + first->at,
                                making->own->was_static ? HIDDEN " " : "", made);
    text_edit_add(&making->own->edits, first->at, first->length, whole);
    if (last > first) {
        size_t second = first->at + first->length + 1, behind = last->at + last->length;
        text_edit_add(&making->own->edits, second, behind + (text[behind] == '\n') - second, NULL);
    }
    free(whole);
    free(made);
    text_edits_free(&edits);
    return true;
}

/* Declarations of the source that lose `static`. */
static bool share(struct making *making, const struct extract_piece *piece)
{
    const struct patching *patching = making->patching;
    const struct source_row *first = row_at(making, piece->first_line),
                            *last = row_at(making, piece->last_line);
    if (patching->extract->compilation->language == source_CPP && piece->kind == extract_piece_SHARED)
        return refuse(making,
                      memory_format("it uses static data that is written, which C++ calls otherwise in "
                                    "another file"));
    return (first && last &&
            remove_linkage(patching->text, first->at, last->at + last->length,
                           piece->kind == extract_piece_HEAD, HIDDEN, &making->own->edits)) ||
           refuse(making, memory_format("the word static of line %u comes from a macro", piece->first_line));
}

static bool change_source(struct making *making)
{
    const struct array *pieces = &making->patching->extract->pieces;
    const struct extract_piece *target = NULL;
    for (size_t i = 0; i < pieces->count; i++) {
        const struct extract_piece *piece = ARRAY_AT(struct extract_piece, pieces, i);
        if (piece->kind == extract_piece_TARGET)
            target = piece;
        else if (piece->is_needed &&
                 (piece->kind == extract_piece_SHARED || piece->kind == extract_piece_HEAD) &&
                 !share(making, piece))
            return false;
    }
    return target ? declare(making, target) : refuse(making, memory_format("it is not in the source itself"));
}

/* solve_work.c beside solve.c, or solve_work_2.c. */
static char *free_name(const struct extract *extract)
{
    const char *source = extract->compilation->source, *name = path_name(source), *dot = strrchr(name, '.');
    const char *colon = strrchr(extract->function, ':'), *function = colon ? colon + 1 : extract->function;
    size_t stem = dot ? (size_t)(dot - source) : strlen(source);
    for (unsigned i = 1; i < MOST_NAMES; i++) {
        char number[12] = "";
        if (i > 1)
            snprintf(number, sizeof number, "_%u", i);
        char *path = memory_format("%.*s_%s%s%s", (int)stem, source, function, number, dot ? dot : "");
        if (access(path, F_OK))
            return path;
        free(path);
    }
    return NULL;
}

bool own_file_make(const struct patching *patching, struct own_file *own, char **why)
{
    const struct extract *extract = patching->extract;
    struct making making = {.patching = patching,
                            .own = own,
                            .rows = ARRAY_OF(struct source_row),
                            .out = ARRAY_OF(char),
                            .why = why};
    *own = (struct own_file){.edits = ARRAY_OF(struct text_edit)};
    *why = NULL;
    if (extract->compilation->language == source_FORTRAN)
        return refuse(&making, memory_format("that is for C and C++"));
    if (extract->is_whole_file || !extract->pieces.count)
        return refuse(&making, memory_format("it cannot be taken alone"));
    for (size_t i = 0; i < extract->statics.count; i++)
        if (strstr(*ARRAY_AT(const char *, &extract->statics, i), ".."))
            return refuse(&making,
                          memory_format("it has static variables of its own, so its code would not be "
                                        "the code that was judged"));
    if (patching->places.function == SIZE_MAX || patching->places.body == SIZE_MAX)
        return refuse(&making, memory_format("its head comes from a macro"));
    if (strchr(patching->text, '\r'))
        return refuse(&making, memory_format("lines of the source end in two characters"));
    own->path = free_name(extract);
    read_rows(&making);
    own_rows(&making);
    bool is_made = own->path && change_source(&making);
    if (is_made) {
        text_edits_sort(&own->edits);
        put_opening(&making);
        put_rows(&making);
        own->text = memory_copy_text(making.out.data, making.out.count);
    }
    array_free(&making.rows);
    array_free(&making.out);
    return is_made || refuse(&making, memory_format("no name for the file is free"));
}

void own_file_free(struct own_file *own)
{
    free(own->path);
    free(own->text);
    text_edits_free(&own->edits);
}
