/* One function and what it needs, out of a preprocessed text.

   The text is cut into *pieces*: the declarations outside of functions, from the end of the one before to
   their own
   `;` or `}`.  A piece makes names known and uses names; needed is every piece that makes a name known that a
   needed piece uses.  That takes too much at times (a member of a structure called like a function), which
   costs a little time, and never too little: a compiler has no other way to find a declaration.  C++ finds
   operators without naming them, so all of these are needed there; namespaces stay, empty or not.

   Each needed piece is written with a line marker.  Pragmas between pieces stay: they come in pairs. */
#include "change/optimise/extract/extract_parts.h"
#include "change/optimise/extract/tokens.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct piece {
    size_t start, end;
    bool is_scope, is_end, is_pragma, is_needed;
    bool has_target;
    bool is_function;
    enum extract_piece_kind kind;
};
struct user { /* a piece that makes a name known */
    size_t piece, next;
};
struct extraction {
    struct extract *extract;
    const struct marked_text *marked;
    const struct shape *shape;
    struct array pieces; /* of struct piece */
    struct array open;   /* of size_t: ends of the scopes around the place at hand */
    struct strings names;
    struct array first;   /* of size_t: by name, 1 + index in users; 0: none */
    struct array users;   /* of struct user */
    struct array is_seen; /* of bool: by name */
    struct array queue;   /* of size_t: pieces whose names are to be followed */
    struct array edits;
};

static bool is_cpp(const struct extraction *extraction)
{
    return extraction->extract->compilation->language == source_CPP;
}

/* Past the text of a declaration: its `;`, or the } of a body. */
static size_t end_of(const struct extraction *extraction, const struct shape_declaration *declaration)
{
    const char *text = extraction->marked->text;
    size_t at = declaration->end, size = extraction->marked->size, before = at;
    if (declaration->kind == shape_FUNCTION) {
        struct token token = tokens_next(text, &at, size);
        return tokens_is(text, token, ";") ? at : before;
    }
    if (at && text[at - 1] == ';')
        return at;
    for (;;) {
        before = at;
        struct token token = tokens_next(text, &at, size);
        if (token.kind == token_END || tokens_is(text, token, "}"))
            return before;
        if (tokens_is(text, token, ";"))
            return at;
        if (token.kind == token_SIGN && strchr("([{", text[token.at]))
            at = tokens_past_bracket(text, token.at, size);
    }
}

static struct piece *add_piece(struct extraction *extraction, size_t start, size_t end)
{
    struct piece *piece = array_add(&extraction->pieces);
    piece->start = start;
    piece->end = end;
    return piece;
}

/* Lines #pragma between two pieces become pieces of their own. */
static size_t take_pragmas(struct extraction *extraction, size_t from, size_t to)
{
    const char *text = extraction->marked->text;
    size_t start = from;
    for (size_t at = from; at < to;) {
        size_t next = at + strcspn(text + at, "\n");
        size_t first = at + strspn(text + at, " \t");
        if (next < to && text[first] == '#' &&
            !strncmp(text + first + 1 + strspn(text + first + 1, " \t"), "pragma", 6)) {
            /* One that belongs to the function after it stays with it. */
            if (!strstr(text + first, "omp declare") || strstr(text + first, "omp declare") > text + next) {
                struct piece *piece = add_piece(extraction, first, next + 1);
                piece->is_pragma = piece->is_needed = true;
                start = next + 1;
            } else {
                return first;
            }
        }
        at = next + 1;
    }
    size_t place = start;
    struct token token = tokens_next(text, &place, to);
    return token.kind == token_END ? to : token.at;
}

static void close_scopes(struct extraction *extraction, size_t before, size_t *position)
{
    while (extraction->open.count) {
        size_t end = *ARRAY_AT(size_t, &extraction->open, extraction->open.count - 1);
        if (before < end)
            return;
        struct piece *piece = add_piece(extraction, end - 1, end);
        piece->is_end = true;
        *position = end;
        extraction->open.count--;
    }
}

static int by_start(const void *left, const void *right)
{
    const struct shape_declaration *a = *(const struct shape_declaration *const *)left,
                                   *b = *(const struct shape_declaration *const *)right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->end > b->end ? -1 : a->end < b->end;
}

static void cut(struct extraction *extraction, const struct shape_declaration **list, size_t count)
{
    size_t position = 0;
    for (size_t i = 0; i < count; i++) {
        const struct shape_declaration *one = list[i];
        close_scopes(extraction, one->start, &position);
        if (one->start < position) {
            /* A part of the piece before, as b in `int a, b;` */
            struct piece *last = extraction->pieces.count ? ARRAY_AT(struct piece, &extraction->pieces,
                                                                     extraction->pieces.count - 1)
                                                          : NULL;
            size_t end =
                last && one->kind != shape_SCOPE && one->end > last->end ? end_of(extraction, one) : 0;
            if (end && !last->is_scope && !last->is_end) {
                last->end = end;
                position = end;
            }
            continue;
        }
        size_t start = take_pragmas(extraction, position, one->start);
        if (one->kind == shape_SCOPE && one->open) {
            struct piece *piece = add_piece(extraction, start, one->open + 1);
            piece->is_scope = true;
            *(size_t *)array_push(&extraction->open) = one->end;
            position = one->open + 1;
        } else {
            position = end_of(extraction, one);
            add_piece(extraction, start, position);
        }
    }
    close_scopes(extraction, extraction->marked->size + 1, &position);
}

static struct piece *piece_at(const struct extraction *extraction, size_t at)
{
    struct bisection search = {0, extraction->pieces.count};
    while (bisect(&search))
        bisect_past(&search, ARRAY_AT(struct piece, &extraction->pieces, search.middle)->start <= at);
    struct piece *piece = search.first ? ARRAY_AT(struct piece, &extraction->pieces, search.first - 1) : NULL;
    return piece && at < piece->end ? piece : NULL;
}

static void need(struct extraction *extraction, struct piece *piece)
{
    if (piece->is_needed || piece->is_scope || piece->is_end)
        return;
    piece->is_needed = true;
    *(size_t *)array_push(&extraction->queue) =
        (size_t)(piece - ARRAY_AT(struct piece, &extraction->pieces, 0));
}

static string_id name_id(struct extraction *extraction, const char *name, size_t length)
{
    string_id id = strings_add_length(&extraction->names, name, length);
    while (extraction->first.count <= id) {
        array_add(&extraction->first);
        array_add(&extraction->is_seen);
    }
    return id;
}

static void make_known(struct extraction *extraction, const char *name, size_t at)
{
    struct piece *piece = piece_at(extraction, at);
    if (!piece || !*name || piece->is_scope)
        return;
    string_id id = name_id(extraction, name, strcspn(name, "<"));
    size_t *first = ARRAY_AT(size_t, &extraction->first, id);
    *(struct user *)array_push(&extraction->users) =
        (struct user){(size_t)(piece - ARRAY_AT(struct piece, &extraction->pieces, 0)), *first};
    *first = extraction->users.count;
}

static void use_name(struct extraction *extraction, const char *name, size_t length)
{
    string_id id = name_id(extraction, name, length);
    bool *is_seen = ARRAY_AT(bool, &extraction->is_seen, id);
    if (*is_seen)
        return;
    *is_seen = true;
    for (size_t next = *ARRAY_AT(size_t, &extraction->first, id); next;) {
        const struct user *user = ARRAY_AT(struct user, &extraction->users, next - 1);
        need(extraction, ARRAY_AT(struct piece, &extraction->pieces, user->piece));
        next = user->next;
    }
}

static void follow(struct extraction *extraction)
{
    const char *text = extraction->marked->text;
    for (size_t done = 0; done < extraction->queue.count; done++) {
        struct piece piece =
            *ARRAY_AT(struct piece, &extraction->pieces, *ARRAY_AT(size_t, &extraction->queue, done));
        for (size_t at = piece.start;;) {
            struct token token = tokens_next(text, &at, piece.end);
            if (token.kind == token_END)
                break;
            if (token.kind == token_NAME)
                use_name(extraction, text + token.at, token.length);
        }
    }
}

/* What C++ finds without its name. */
static void need_implicit(struct extraction *extraction)
{
    static const char *const names[] = {"initializer_list",
                                        "begin",
                                        "end",
                                        "type_info",
                                        "tuple_size",
                                        "tuple_element",
                                        "strong_ordering",
                                        "partial_ordering",
                                        "bad_alloc",
                                        "nothrow_t",
                                        "align_val_t"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        use_name(extraction, names[i], strlen(names[i]));
    for (size_t i = 0; i < extraction->shape->declarations.count; i++) {
        const struct shape_declaration *one =
            ARRAY_AT(struct shape_declaration, &extraction->shape->declarations, i);
        struct piece *piece = one->is_operator || one->is_using ? piece_at(extraction, one->name_at) : NULL;
        if (piece)
            need(extraction, piece);
    }
}

static const char *function_around(const struct extraction *extraction, size_t at)
{
    const struct array *all = &extraction->shape->declarations;
    for (size_t i = 0; i < all->count; i++) {
        const struct shape_declaration *one = ARRAY_AT(struct shape_declaration, all, i);
        if (one->kind == shape_FUNCTION && one->start <= at && at < one->end)
            return one->name;
    }
    return NULL;
}

/* Edits of all pieces that are needed. */
static void edit_pieces(struct extraction *extraction)
{
    const struct array *all = &extraction->shape->declarations;
    const struct shape_declaration **variables = memory_get((all->count + 1) * sizeof *variables);
    for (size_t i = 0; i < all->count; i++) {
        const struct shape_declaration *one = ARRAY_AT(struct shape_declaration, all, i);
        struct piece *piece = piece_at(extraction, one->name_at);
        if (piece && one->kind == shape_FUNCTION)
            piece->is_function = true;
        if (!piece || !piece->is_needed || piece->is_pragma)
            continue;
        const char *text = extraction->marked->text;
        bool is_same = one->kind == shape_OTHER && one->is_static &&
                       !strcmp(one->name, extraction->shape->function.name);
        if (is_same) { /* a static declaration before would make the function static, too */
            piece->kind = extract_piece_HEAD;
            extract_edit_target(extraction->extract, text, one, piece->start, false, &extraction->edits);
        } else if (one->kind == shape_FUNCTION && !piece->has_target) {
            extraction->extract->has_callees = true;
            size_t edits = extraction->edits.count;
            extract_edit_function(extraction->extract, text, one, &extraction->edits);
            if (extraction->edits.count > edits)
                piece->kind = extract_piece_CALLEE;
        } else if (one->kind == shape_VARIABLE) {
            size_t count = 0, start = piece->start, end = piece->end, j = i;
            if (one->is_local) {
                start = one->start;
                end = end_of(extraction, one);
            }
            for (; j < all->count; j++) { /* its other declarators */
                const struct shape_declaration *other = ARRAY_AT(struct shape_declaration, all, j);
                if (other->kind != shape_VARIABLE || other->start < start || other->name_at >= end)
                    break;
                variables[count++] = other;
            }
            size_t edits = extraction->edits.count;
            extract_edit_data(extraction->extract, text, start, end, variables, count,
                              one->is_local ? function_around(extraction, one->start) : NULL,
                              &extraction->edits);
            if (extraction->edits.count > edits && !one->is_local)
                piece->kind = one->is_static ? extract_piece_SHARED : extract_piece_DATA;
            i = j - 1;
        }
    }
    free(variables);
}

static void put(struct array *out, const char *text, size_t length)
{
    memcpy(array_push_many(out, length), text, length);
}

static void put_line_marker(struct array *out, unsigned line, const char *name)
{
    char *quoted = extract_marker_name(name), *marker = memory_format("# %u \"%s\"\n", line, quoted);
    put(out, marker, strlen(marker));
    free(marker);
    free(quoted);
}

static void put_marker(const struct extraction *extraction, struct array *out, size_t at)
{
    const struct marked_line *line = marked_text_line(extraction->marked, at);
    if (line)
        put_line_marker(out, line->line ? line->line : 1, marked_text_file(extraction->marked, line));
}

static void write_pieces(const struct extraction *extraction, struct array *out)
{
    /* The first marker names the file that debug information calls the source. */
    put_line_marker(out, 1, extraction->extract->compilation->source);
    for (size_t i = 0; i < extraction->pieces.count; i++) {
        const struct piece *piece = ARRAY_AT(struct piece, &extraction->pieces, i);
        if (!piece->is_needed && !piece->is_scope && !piece->is_end)
            continue;
        if (piece->is_needed || piece->is_scope)
            put_marker(extraction, out, piece->start);
        text_edits_apply(out, extraction->marked->text, piece->start, piece->end, &extraction->edits);
        put(out, "\n", 1);
    }
}

/* For a patch that moves the function: what of the source file is needed, by its lines. */
static void note_pieces(const struct extraction *extraction)
{
    struct extract *extract = extraction->extract;
    for (size_t i = 0; i < extraction->pieces.count; i++) {
        const struct piece *piece = ARRAY_AT(struct piece, &extraction->pieces, i);
        const struct marked_line *first = marked_text_line(extraction->marked, piece->start),
                                 *last = marked_text_line(extraction->marked, piece->end - 1);
        if (!first || !last || piece->end <= piece->start ||
            strcmp(marked_text_file(extraction->marked, first), extract->compilation->source) ||
            strcmp(marked_text_file(extraction->marked, last), extract->compilation->source))
            continue;
        bool is_mark = piece->is_scope || piece->is_end || piece->is_pragma;
        struct extract_piece *note = array_add(&extract->pieces);
        *note = (struct extract_piece){.kind = piece->has_target ? extract_piece_TARGET
                                               : is_mark         ? extract_piece_SCOPE
                                                                 : piece->kind,
                                       .is_needed = piece->is_needed || is_mark,
                                       .is_function = piece->is_function,
                                       .first_line = first->line,
                                       .last_line = last->line};
        if (note->kind == extract_piece_SHARED || note->kind == extract_piece_DATA)
            note->text =
                text_edits_text(extraction->marked->text, piece->start, piece->end, &extraction->edits);
    }
}

static void mark_places(struct extraction *extraction, const struct shape_loop *loop)
{
    struct extract *extract = extraction->extract;
    const struct shape *shape = extraction->shape;
    text_edit_mark(&extraction->edits, shape->function.start, &extract->attribute_at);
    text_edit_mark(&extraction->edits, shape->function.open + 1, &extract->body_at);
    text_edit_mark(&extraction->edits, loop->start, &extract->loop_at);
    for (size_t i = 0; i < extract->parameters.count; i++) {
        struct extract_parameter *one = ARRAY_AT(struct extract_parameter, &extract->parameters, i);
        if (one->name_at)
            text_edit_mark(&extraction->edits, one->name_at, &one->name_at);
        if (one->array_at)
            text_edit_mark(&extraction->edits, one->array_at, &one->array_at);
    }
}

static void end_extraction(struct extraction *extraction)
{
    array_free(&extraction->pieces);
    array_free(&extraction->open);
    strings_free(&extraction->names);
    array_free(&extraction->first);
    array_free(&extraction->users);
    array_free(&extraction->is_seen);
    array_free(&extraction->queue);
    text_edits_free(&extraction->edits);
}

static void cut_all(struct extraction *extraction)
{
    const struct array *all = &extraction->shape->declarations;
    const struct shape_declaration **list = memory_get((all->count + 1) * sizeof *list);
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++) {
        const struct shape_declaration *one = ARRAY_AT(struct shape_declaration, all, i);
        if (!one->is_local)
            list[count++] = one;
    }
    qsort(list, count, sizeof *list, by_start);
    cut(extraction, list, count);
    for (size_t i = 0; i < count; i++)
        make_known(extraction, list[i]->name, list[i]->name_at);
    for (size_t i = 0; i < extraction->shape->names.count; i++) {
        const struct shape_name *name = ARRAY_AT(struct shape_name, &extraction->shape->names, i);
        make_known(extraction, name->name, name->at);
    }
    free(list);
}

static bool stays_static(const struct shape_declaration *variable)
{
    return variable->is_constant || (variable->is_static && !variable->is_written);
}

/* A static variable of a function becomes `extern`, and then another variable of that name would be the same.
   NULL: there is none. */
static const char *doubled_static(const struct extraction *extraction)
{
    const struct array *all = &extraction->shape->declarations;
    struct strings names = {0};
    const char *doubled = NULL;
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < all->count && !doubled; i++) {
            const struct shape_declaration *one = ARRAY_AT(struct shape_declaration, all, i);
            const struct piece *piece =
                one->kind == shape_VARIABLE ? piece_at(extraction, one->name_at) : NULL;
            if (!piece || !piece->is_needed || (one->is_local && stays_static(one)) ||
                one->is_local != !round)
                continue;
            if (strings_find(&names, one->name))
                doubled = one->name;
            else if (!round)
                strings_add(&names, one->name);
        }
    strings_free(&names);
    return doubled;
}

/* Data of an unnamed namespace has no name that another object could use. */
static bool has_hidden_data(const struct extraction *extraction)
{
    const struct array *all = &extraction->shape->declarations;
    for (size_t i = 0; i < all->count; i++) {
        const struct shape_declaration *one = ARRAY_AT(struct shape_declaration, all, i);
        const struct piece *piece = one->kind == shape_VARIABLE ? piece_at(extraction, one->name_at) : NULL;
        if (!piece || !piece->is_needed || one->is_constant || !one->is_written)
            continue;
        if ((one->mangled && strstr(one->mangled, "_GLOBAL__N_")) || (one->is_local && is_cpp(extraction)))
            return true;
    }
    return false;
}

bool extract_function(struct extract *extract, const struct marked_text *marked, const struct shape *shape,
                      const struct shape_loop *loop, char **why)
{
    struct extraction extraction = {.extract = extract,
                                    .marked = marked,
                                    .shape = shape,
                                    .pieces = ARRAY_OF(struct piece),
                                    .open = ARRAY_OF(size_t),
                                    .first = ARRAY_OF(size_t),
                                    .users = ARRAY_OF(struct user),
                                    .is_seen = ARRAY_OF(bool),
                                    .queue = ARRAY_OF(size_t),
                                    .edits = ARRAY_OF(struct text_edit)};
    *why = NULL;
    cut_all(&extraction);
    struct piece *target = piece_at(&extraction, shape->function.open);
    if (!target || target->is_scope) {
        *why = memory_format("the function is not a declaration of its own");
    } else {
        target->has_target = true;
        need(&extraction, target);
        if (is_cpp(&extraction))
            need_implicit(&extraction);
        follow(&extraction);
        if (has_hidden_data(&extraction))
            *why = memory_format("it uses data that no other file can name");
        else if (!is_cpp(&extraction) && doubled_static(&extraction))
            *why =
                memory_format("it uses a static variable %s of a function, and another variable of that name",
                              doubled_static(&extraction));
    }
    if (!*why) {
        bool is_hidden_name = shape->function.mangled && strstr(shape->function.mangled, "_GLOBAL__N_");
        mark_places(&extraction, loop);
        extract_edit_target(extract, marked->text, &shape->function, target->start, is_hidden_name,
                            &extraction.edits);
        edit_pieces(&extraction);
        text_edits_sort(&extraction.edits);
        struct array out = ARRAY_OF(char);
        write_pieces(&extraction, &out);
        extract->text = memory_copy_text(out.data, out.count);
        array_free(&out);
        note_pieces(&extraction);
    }
    end_extraction(&extraction);
    return !*why;
}
