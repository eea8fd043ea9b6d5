/* Reads the new text as the old one was read, and holds it against the old model line by line: the instructions of
   a line that no wish touched must be the same, in the same order, and each new line must be one instruction.

   An assembler names the line that it does not take.  If a wish made it, that wish is refused; else it is an
   error. */
#include "change/edit/parts.h"

#include "base/memory_file.h"
#include "base/path.h"
#include "code/structure/structure.h"

#include <stdlib.h>
#include <string.h>

/* The folder of the listing, where files that it includes are searched, after those that the user named. */
static void find_folders(const struct edit_work *work, struct array *folders, char **own)
{
    for (const char *const *at = work->reading.folders; at && *at; at++)
        *(const char **)array_push(folders) = *at;
    *own = path_folder(work->path);
    *(const char **)array_push(folders) = *own;
    *(const char **)array_push(folders) = NULL;
}

static const struct edit_origin *origin_of(const struct edit_making *making, uint64_t line)
{
    return line && line <= making->origins.count ? ARRAY_AT(struct edit_origin, &making->origins, line - 1)
                                                 : NULL;
}

/* "/proc/self/fd/5:12: the assembler says: …" */
static bool blame(struct edit_making *making, const char *path, const char *message)
{
    size_t length = strlen(path);
    if (strncmp(message, path, length) || message[length] != ':')
        return false;
    char *end;
    uint64_t line = strtoull(message + length + 1, &end, 10);
    const struct edit_origin *origin = origin_of(making, line);
    if (*end != ':' || !origin || !origin->wish)
        return false;
    end += strspn(end, ":0123456789"); /* and the column */
    edit_refuse(edit_wish_at(making, origin->wish - 1), "%s", end + strspn(end, " "));
    return true;
}

/* The reader of IA-64 notes what is wrong in the text and goes on. */
static bool blame_problems(struct edit_making *making, const char *path)
{
    bool is_blamed = false;
    for (uint32_t i = 1; i < making->again.problems.count; i++) {
        const struct problem *problem = model_problem(&making->again, i);
        if (problem->text)
            is_blamed |= blame(making, path, model_text(&making->again, problem->text));
    }
    return is_blamed;
}

static bool build(struct edit_making *making, bool *is_read, struct error *error)
{
    const struct edit_work *work = making->work;
    struct memory_file file;
    struct array folders = ARRAY_OF(const char *);
    autofree char *own = NULL;
    struct error wrong = {0};
    if (!memory_file_make(&file, making->text.data, making->text.count, error))
        return false;
    find_folders(work, &folders, &own);
    struct read_options reading = work->reading;
    reading.isa = (enum isa)model_program(work->model, work->program)->isa;
    reading.folders = folders.data;
    struct structure_options structuring = {.threads = reading.threads};
    *is_read = read_file(&making->again, file.path, &reading, &wrong) &&
               structure_build(&making->again, &structuring, &wrong);
    *is_read = *is_read && !blame_problems(making, file.path);
    bool good = *is_read || !wrong.set || blame(making, file.path, wrong.text) ||
                error_set(error, work->path, "the edited text cannot be read: %s", wrong.text);
    memory_file_close(&file);
    array_free(&folders);
    return good;
}

/* Instructions of a model by line. */
struct placed {
    uint32_t line, column, instruction; /* line from 1 */
};

static int by_place(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return (a->instruction > b->instruction) - (a->instruction < b->instruction);
}

static bool is_no_op(const struct model *model, uint32_t instruction)
{
    return model_encoding(model, model_instruction(model, instruction)->encoding)->class == class_NOP;
}

static struct array placed_in(const struct model *model, uint32_t file, bool has_no_ops)
{
    struct array list = ARRAY_OF(struct placed);
    for (uint32_t i = 0; i < model->listing_instructions.count; i++) {
        const struct listing_instruction *row = model_listing_instruction(model, i);
        if (row->file == file && row->instruction && row->line &&
            (has_no_ops || !is_no_op(model, row->instruction)))
            *(struct placed *)array_push(&list) = (struct placed){row->line, row->column, row->instruction};
    }
    if (list.count)
        qsort(list.data, list.count, list.width, by_place);
    return list;
}

static size_t first_of_line(const struct array *list, uint32_t line)
{
    return array_first_not_below(list, 0, offsetof(struct placed, line), line);
}

static size_t end_of_line(const struct array *list, size_t first)
{
    size_t end = first;
    while (end < list->count &&
           ARRAY_AT(struct placed, list, end)->line == ARRAY_AT(struct placed, list, first)->line)
        end++;
    return end;
}

static const char *text_of(const struct model *model, uint32_t instruction)
{
    const char *text =
        model_text(model, model_encoding(model, model_instruction(model, instruction)->encoding)->text);
    return text ? text : "";
}

static bool is_same_line(const struct edit_making *making, const struct array *old, size_t old_first,
                         const struct array *again, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++, old_first++)
        if (old_first >= old->count ||
            strcmp(text_of(making->work->model, ARRAY_AT(struct placed, old, old_first)->instruction),
                   text_of(&making->again, ARRAY_AT(struct placed, again, i)->instruction)))
            return false;
    return true;
}

/* The instructions of new lines; each line has one. */
static void take_fresh(struct edit_making *making, const struct array *again)
{
    for (uint32_t i = 0; i < making->wishes->count; i++)
        *ARRAY_AT(uint32_t, &making->firsts, i) = 0;
    for (uint32_t line = 1; line <= making->origins.count; line++) {
        const struct edit_origin *origin = origin_of(making, line);
        size_t first = first_of_line(again, line);
        if (!origin->wish)
            continue;
        size_t end = first < again->count && ARRAY_AT(struct placed, again, first)->line == line
                         ? end_of_line(again, first)
                         : first;
        uint32_t *number = ARRAY_AT(uint32_t, &making->firsts, origin->wish - 1);
        *number = !*number && end > first ? (uint32_t)making->fresh.count + 1 : *number;
        for (size_t i = first; i < end; i++)
            *(struct edit_fresh *)array_push(&making->fresh) =
                (struct edit_fresh){origin->wish - 1, ARRAY_AT(struct placed, again, i)->instruction};
        if (end > first + 1)
            edit_refuse(edit_wish_at(making, origin->wish - 1),
                        "a line of its text is more than one instruction");
    }
}

static bool hold_against(struct edit_making *making, const struct array *old, const struct array *again,
                         struct error *error)
{
    uint32_t kept = 0, gone = 0;
    for (size_t first = 0, end; first < again->count; first = end) {
        uint32_t line = ARRAY_AT(struct placed, again, first)->line;
        const struct edit_origin *origin = origin_of(making, line);
        end = end_of_line(again, first);
        if (!origin || origin->wish)
            continue;
        size_t there = first_of_line(old, origin->line + 1);
        size_t there_end = there < old->count ? end_of_line(old, there) : there;
        if (there_end - there != end - first || !is_same_line(making, old, there, again, first, end))
            return error_set(
                error, making->work->path,
                "line %u would become another instruction by edits elsewhere; nothing is written",
                origin->line + 1);
        kept += (uint32_t)(end - first);
    }
    for (uint32_t i = 0; i < making->wishes->count; i++) {
        const struct edit_wish *wish = edit_wish_at(making, i);
        gone += !wish->refusal && (wish->kind == edit_kind_DELETE || wish->kind == edit_kind_REPLACE) &&
                !is_no_op(making->work->model, wish->instruction);
    }
    return kept + gone == old->count ||
           error_set(error, making->work->path,
                     "%u instructions would be lost by the edits; nothing is written",
                     (unsigned)old->count - kept - gone);
}

/* Each instruction that a text asks for is there. */
static void count_fresh(struct edit_making *making)
{
    uint32_t *found = memory_get((making->wishes->count + 1) * sizeof *found);
    uint32_t *lines = memory_get((making->wishes->count + 1) * sizeof *lines);
    for (size_t i = 0; i < making->fresh.count; i++)
        found[ARRAY_AT(struct edit_fresh, &making->fresh, i)->wish]++;
    for (size_t i = 0; i < making->origins.count; i++) {
        const struct edit_origin *origin = array_at(&making->origins, i);
        if (origin->wish)
            lines[origin->wish - 1]++;
    }
    for (uint32_t i = 0; i < making->wishes->count; i++) {
        struct edit_wish *wish = edit_wish_at(making, i);
        bool has_text = wish->text && wish->kind != edit_kind_DELETE && wish->kind < edit_kind_SWAP;
        if (has_text && !wish->refusal && found[i] + 1 != lines[i]) /* one line is the remark */
            edit_refuse(wish, "a line of its text is not one instruction");
    }
    free(found);
    free(lines);
}

/* The next function whose bounds are not a guess, which padding may change; 0: none. */
static uint32_t next_function(const struct model *model, uint32_t after)
{
    for (uint32_t id = after + 1; id < model->functions.count; id++)
        if (!model_function(model, id)->is_guessed)
            return id;
    return 0;
}

/* Functions without a name are called by their address, which may change. */
static bool is_same_name(const char *one, const char *other)
{
    static const char made_up[] = "function_";
    size_t length = sizeof made_up - 1;
    return !strcmp(one, other) || (!strncmp(one, made_up, length) && !strncmp(other, made_up, length));
}

/* What the program is to others. */
static bool is_same_program(const struct edit_making *making, struct error *error)
{
    const struct model *old = making->work->model, *again = &making->again;
    uint32_t one = next_function(old, 0), other = next_function(again, 0);
    while (one && other &&
           is_same_name(model_text(old, model_function(old, one)->name),
                        model_text(again, model_function(again, other)->name))) {
        one = next_function(old, one);
        other = next_function(again, other);
    }
    bool is_same = !one && !other && old->calls.count == again->calls.count;
    return is_same || error_set(error, making->work->path,
                                "the edited text has other functions or calls; nothing is written");
}

bool edit_again(struct edit_making *making, bool *is_read, struct error *error)
{
    *is_read = false;
    if (!build(making, is_read, error) || !*is_read)
        return !error->set;
    if (making->again.listings.count < 2)
        return error_set(error, making->work->path, "the edited text is no listing");
    uint32_t file = model_listing_text(&making->again, 1)->file;
    struct array all = placed_in(&making->again, file, true);
    take_fresh(making, &all);
    count_fresh(making);
    array_free(&all);
    return true;
}

bool edit_again_check(struct edit_making *making, struct error *error)
{
    uint32_t file = model_listing_text(&making->again, 1)->file;
    /* Alignment pads with other no-ops when code before it changes its size. */
    struct array old = placed_in(making->work->model, making->work->file, false),
                 again = placed_in(&making->again, file, false);
    bool good = hold_against(making, &old, &again, error) && is_same_program(making, error);
    array_free(&old);
    array_free(&again);
    return good;
}
