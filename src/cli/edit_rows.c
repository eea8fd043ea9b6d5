/* Rows that say what shall change, on their way from a script to this process.

   Columns are those of the table edits: instruction (or instruction_id), kind, other (or other_id), text, reason;
   all others are left alone.  The script runs in a process of its own, so what arrives here may be anything: it is
   read with limits, and edit_apply checks every id. */
#include "cli/edits.h"
#include "store/problem.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TEXT = 1 << 20, MOST_ROWS = 1 << 20 };
enum column { COLUMN_INSTRUCTION, COLUMN_OTHER, COLUMN_KIND, COLUMN_NEW_TEXT, COLUMN_REASON, COLUMNS };
enum { FIRST_TEXT = COLUMN_KIND, TEXTS = COLUMNS - FIRST_TEXT };

struct head {
    int64_t ids[FIRST_TEXT];
    uint32_t sizes[TEXTS]; /* with the zero at the end; 0: NULL */
};

static int column_named(sqlite3_stmt *statement, const char *name)
{
    for (int i = 0; i < sqlite3_column_count(statement); i++)
        if (!sqlite3_stricmp(sqlite3_column_name(statement, i), name))
            return i;
    return -1;
}

static bool find_columns(const struct edit_rows *rows, sqlite3_stmt *statement, int *columns,
                         struct error *error)
{
    static const char *const names[COLUMNS][2] = {{"instruction_id", "instruction"},
                                                  {"other_id", "other"},
                                                  {"kind", NULL},
                                                  {"text", NULL},
                                                  {"reason", NULL}};
    for (unsigned i = 0; i < COLUMNS; i++) {
        columns[i] = column_named(statement, names[i][0]);
        if (columns[i] < 0 && names[i][1])
            columns[i] = column_named(statement, names[i][1]);
    }
    if (columns[COLUMN_INSTRUCTION] < 0)
        return error_set(error, rows->what,
                         "its rows are no edits: they have no column instruction or instruction_id");
    if (rows->edits == EDITS_DELETE)
        columns[COLUMN_KIND] = columns[COLUMN_NEW_TEXT] = -1;
    else if (columns[COLUMN_KIND] < 0)
        return error_set(
            error, rows->what,
            "its rows do not say what to do: they need a column kind (delete, before, after, replace, swap or swap "
            "bundles)");
    return true;
}

bool edit_rows_write(void *context, sqlite3_stmt *statement, struct error *error)
{
    const struct edit_rows *rows = context;
    int columns[COLUMNS], status;
    if (!find_columns(rows, statement, columns, error))
        return false;
    while ((status = sqlite3_step(statement)) == SQLITE_ROW) {
        struct head head = {0};
        const char *texts[TEXTS] = {0};
        for (unsigned i = 0; i < FIRST_TEXT; i++)
            head.ids[i] = columns[i] < 0 ? 0 : sqlite3_column_int64(statement, columns[i]);
        for (unsigned i = 0; i < TEXTS; i++) {
            int column = columns[FIRST_TEXT + i];
            texts[i] = column < 0 ? NULL : (const char *)sqlite3_column_text(statement, column);
            size_t size = texts[i] ? strlen(texts[i]) + 1 : 0;
            if (size > MOST_TEXT)
                return error_set(error, rows->what, "a text has more than %d bytes", MOST_TEXT);
            head.sizes[i] = (uint32_t)size;
        }
        fwrite(&head, sizeof head, 1, rows->file);
        for (unsigned i = 0; i < TEXTS; i++)
            fwrite(texts[i] ? texts[i] : "", 1, head.sizes[i], rows->file);
    }
    return status == SQLITE_DONE ||
           error_set(error, rows->what, "%s", store_problem(sqlite3_db_handle(statement)));
}

static bool damaged(const struct edit_rows *rows, struct error *error)
{
    return error_set(error, rows->what, "the process of the script handed over rows that are damaged");
}

static bool take_kind(const struct edit_rows *rows, const char *word, enum edit_kind *kind,
                      struct error *error)
{
    if (rows->edits == EDITS_DELETE) {
        *kind = edit_kind_DELETE;
        return true;
    }
    for (unsigned i = 0; word && i < edit_kind_COUNT; i++)
        if (!strcmp(word, edit_kind_word(i))) {
            *kind = (enum edit_kind)i;
            return true;
        }
    return error_set(error, rows->what,
                     "kind is delete, before, after, replace, swap or swap bundles, not %s%s%s",
                     word ? "'" : "", word ? word : "empty", word ? "'" : "");
}

bool edit_rows_read(const struct edit_rows *rows, struct array *wishes, struct error *error)
{
    struct head head;
    rewind(rows->file);
    while (fread(&head, sizeof head, 1, rows->file) == 1) {
        char *texts[TEXTS] = {0};
        bool good =
            wishes->count < MOST_ROWS || error_set(error, rows->what, "has more than %d edits", MOST_ROWS);
        for (unsigned i = 0; good && i < TEXTS; i++) {
            if (!head.sizes[i])
                continue;
            good = head.sizes[i] <= MOST_TEXT || damaged(rows, error);
            texts[i] = good ? memory_get(head.sizes[i] + 1) : NULL;
            good = good &&
                   (fread(texts[i], 1, head.sizes[i], rows->file) == head.sizes[i] || damaged(rows, error));
        }
        enum edit_kind kind = edit_kind_DELETE;
        good = good && take_kind(rows, texts[0], &kind, error);
        free(texts[0]);
        struct edit_wish wish = {.kind = kind,
                                 .text = texts[1],
                                 .reason = texts[2],
                                 .is_proposal = rows->edits != EDITS_ARE_COMMANDS};
        for (unsigned i = 0; i < FIRST_TEXT; i++)
            if (head.ids[i] < 0 || head.ids[i] > UINT32_MAX)
                head.ids[i] = 0;
        wish.instruction = (uint32_t)head.ids[COLUMN_INSTRUCTION];
        wish.other = (uint32_t)head.ids[COLUMN_OTHER];
        *(struct edit_wish *)array_push(wishes) = wish;
        if (!good)
            return false;
    }
    return true;
}
