/* The aligned table. The first FITTED rows are kept to find the width of each column; then they and all later
   rows are printed.  Numbers and addresses go to the right, everything else to the left. Where nothing is
   cut, in pipes, a column is at most WIDEST_PADDED wide and longer cells stick out of it. */
#include "model/demangle.h"
#include "show/report/common/bar.h"
#include "show/report/common/rows.h"
#include "show/report/common/short_name.h"
#include "show/report/common/text.h"

#include <stdlib.h>
#include <string.h>

enum {
    FITTED = 1000,
    EASY_CUT = 24,
    LEAST_CUT = 12,
    LEAST_NAME = 12,
    BAR_COLUMNS = 40,
    LEAST_BAR = 10,
    WIDEST_PADDED = NAME_COLUMNS
};

struct column {
    char *name;
    size_t width, cells;                                       /* of the column, of its widest cell */
    bool is_number, is_path, is_function, is_name, is_address; /* is_function: to be demangled */
    bool is_empty, is_hidden;                                  /* empty; left out to make room */
};

struct table {
    const struct report_style *style;
    FILE *out;
    int columns, bars;
    struct column *column;
    struct array cells; /* of char *; NULL for NULL */
    struct array sizes; /* of double: the value that each kept row's bar shows */
    double largest;
    size_t bar_width;
    size_t blanks; /* pending: written only before something visible */
};

static bool is_number_text(const char *text)
{
    return text[0] == '0' && text[1] == 'x' && text[2 + strspn(text + 2, "0123456789abcdef")] == 0;
}

static char *hexadecimal(const unsigned char *bytes, size_t size)
{
    char *text = memory_get(size * 2 + 1);
    for (size_t i = 0; i < size; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return text;
}

/* 17,908,672; to be freed. */
static char *grouped(int64_t number)
{
    char digits[24], text[40], *to = text;
    int length = snprintf(digits, sizeof digits, "%lld", (long long)number);
    for (int i = 0; i < length; i++) {
        if (i > (number < 0) && (length - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    return memory_copy_text(text, (size_t)(to - text));
}

/* The cell as text, NULL for NULL; to be freed. */
static char *cell_text(const struct table *table, sqlite3_stmt *statement, int column, bool *is_number)
{
    int type = sqlite3_column_type(statement, column);
    *is_number = type == SQLITE_INTEGER || type == SQLITE_FLOAT;
    if (type == SQLITE_NULL)
        return NULL;
    if (type == SQLITE_BLOB)
        return hexadecimal(sqlite3_column_blob(statement, column),
                           (size_t)sqlite3_column_bytes(statement, column));
    if (type == SQLITE_INTEGER && table->column[column].is_address)
        return memory_format("0x%llx", (unsigned long long)sqlite3_column_int64(statement, column));
    if (type == SQLITE_INTEGER && table->style->groups_digits && strcmp(table->column[column].name, "line"))
        return grouped(sqlite3_column_int64(statement, column));
    const char *text = (const char *)sqlite3_column_text(statement, column);
    autofree char *plain = text && table->column[column].is_function ? demangle_name(text) : NULL;
    char *safe = plain ? text_safe(plain, strlen(plain))
                       : text_safe(text ? text : "", (size_t)sqlite3_column_bytes(statement, column));
    if (table->style->short_names && table->column[column].is_name) {
        char *shorter = name_shorten(safe, NAME_COLUMNS, table->style->unicode);
        free(safe);
        safe = shorter;
    }
    *is_number |= is_number_text(safe);
    return safe;
}

/* Pending blanks and so many more. */
static void print_blanks(struct table *table, size_t more)
{
    static const char blanks[] = "                                                                ";
    table->blanks += more;
    while (table->blanks) {
        size_t some = table->blanks < sizeof blanks - 1 ? table->blanks : sizeof blanks - 1;
        fwrite(blanks, 1, some, table->out);
        table->blanks -= some;
    }
}

static void print_text(struct table *table, const char *text)
{
    if (!*text)
        return;
    print_blanks(table, 0);
    fputs(text, table->out);
}

static void end_line(struct table *table)
{
    table->blanks = 0;
    putc('\n', table->out);
}

static void print_bar(struct table *table, double size)
{
    double share = table->largest > 0 ? size / table->largest : 0;
    if (!(share > 0))
        return;
    print_blanks(table, 2);
    report_bar(table->style, share, table->bar_width, table->out);
}

static void print_cell(struct table *table, int column, const char *text)
{
    const struct column *it = &table->column[column];
    char *cut = NULL;
    if (it->is_hidden)
        return;
    size_t width = text_width(text);
    if (table->style->width && width > it->width) {
        text = cut = it->is_name ? name_fit(text, it->width, table->style->unicode)
                                 : text_cut(text, it->width, it->is_path, table->style->unicode);
        width = text_width(text);
    }
    size_t padding = width < it->width ? it->width - width : 0;
    table->blanks += (column ? 2 : 0) + (it->is_number ? padding : 0);
    print_text(table, text);
    table->blanks += it->is_number ? 0 : padding;
    free(cut);
}

static void print_header(struct table *table)
{
    fputs(report_ink(table->style, ink_BOLD), table->out);
    for (int i = 0; i < table->columns; i++)
        print_cell(table, i, table->column[i].name);
    fputs(report_ink(table->style, ink_PLAIN), table->out);
    end_line(table);
}

static void print_row(struct table *table, char *const *cells, double size)
{
    for (int i = 0; i < table->columns; i++)
        print_cell(table, i, cells[i] ? cells[i] : "");
    if (table->bars >= 0)
        print_bar(table, size);
    end_line(table);
}

static size_t total_width(const struct table *table)
{
    size_t total = table->bars >= 0 ? LEAST_BAR + 2 : 0;
    for (int i = 0; i < table->columns; i++)
        total += table->column[i].is_hidden ? 0 : table->column[i].width + (i ? 2 : 0);
    return total;
}

/* The widest column that can be narrowed: of texts down to a width, or of numbers under a longer name. */
static struct column *widest_column(const struct table *table, bool is_number, size_t least)
{
    struct column *widest = NULL;
    for (int i = 0; i < table->columns; i++) {
        struct column *it = &table->column[i];
        size_t end = is_number && it->cells > least ? it->cells : least;
        if (it->is_number == is_number && !it->is_hidden && it->width > end &&
            (!widest || it->width > widest->width))
            widest = it;
    }
    return widest;
}

/* Leaves out empty columns of a complete table, then narrows the widest ones until the table fits: first long
   texts, then names of columns that are longer than their numbers, then all texts. */
static void fit_width(struct table *table, bool is_complete)
{
    for (int i = 1; is_complete && i < table->columns && total_width(table) > table->style->width; i++)
        table->column[i].is_hidden |= table->column[i].is_empty;
    size_t total = total_width(table);
    while (total > table->style->width) {
        struct column *widest = widest_column(table, false, EASY_CUT);
        widest = widest ? widest : widest_column(table, true, LEAST_NAME);
        widest = widest ? widest : widest_column(table, false, LEAST_CUT);
        if (!widest)
            break;
        widest->width--;
        total--;
    }
    size_t left = table->style->width > total ? table->style->width - total : 0;
    if (table->bars >= 0)
        table->bar_width = left + LEAST_BAR < BAR_COLUMNS ? left + LEAST_BAR : BAR_COLUMNS;
}

static bool has_word(const char *name, const char *const *words)
{
    for (; *words; words++)
        if (!strcmp(name, *words))
            return true;
    return false;
}

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), tail = strlen(end);
    return length > tail && !strcmp(name + length - tail, end);
}

static void name_columns(struct table *table, sqlite3_stmt *statement)
{
    static const char *const paths[] = {"file", "path", "source", "directory", NULL};
    static const char *const functions[] = {"function", "caller", "callee", NULL};
    static const char *const names[] = {"function", "caller",          "callee", "name",
                                        "inlined",  "target_function", NULL};
    table->column = memory_get((size_t)table->columns * sizeof *table->column);
    for (int i = 0; i < table->columns; i++) {
        const char *name = sqlite3_column_name(statement, i);
        struct column *it = &table->column[i];
        it->name = text_safe(name ? name : "", name ? strlen(name) : 0);
        it->width = text_width(it->name);
        it->is_number = true;
        it->is_path = has_word(it->name, paths);
        it->is_name = has_word(it->name, table->style->short_names ? names : functions);
        it->is_hidden = table->style->is_brief && ends_with(it->name, "_id");
        it->is_address =
            table->style->is_brief && (!strcmp(it->name, "address") || ends_with(it->name, "_address"));
        it->is_function = table->style->is_brief && table->style->demangle && has_word(it->name, functions);
    }
}

/* Keeps the current row of the statement. */
static void keep_row(struct table *table, sqlite3_stmt *statement)
{
    char **cells = array_add_many(&table->cells, (size_t)table->columns);
    for (int i = 0; i < table->columns; i++) {
        bool is_number = true;
        cells[i] = cell_text(table, statement, i, &is_number);
        if (!cells[i])
            continue;
        table->column[i].is_number &= is_number;
        size_t width = text_width(cells[i]);
        if (!table->style->width && width > WIDEST_PADDED)
            width = WIDEST_PADDED;
        if (width > table->column[i].cells)
            table->column[i].cells = width;
        if (width > table->column[i].width)
            table->column[i].width = width;
    }
    double size = table->bars >= 0 ? sqlite3_column_double(statement, table->bars) : 0;
    *(double *)array_add(&table->sizes) = size;
    if (size > table->largest)
        table->largest = size;
}

static void print_kept(struct table *table, size_t rows, bool is_complete)
{
    for (int i = 0; i < table->columns; i++) {
        struct column *it = &table->column[i];
        bool is_null = true;
        it->is_empty = true;
        for (size_t row = 0; row < rows; row++) {
            const char *cell = *ARRAY_AT(char *, &table->cells, row *(size_t)table->columns + (size_t)i);
            is_null &= cell == NULL;
            it->is_empty &= !cell || !*cell;
        }
        it->is_number &= !is_null;
        it->is_hidden |= i && table->style->is_brief && is_complete && rows && it->is_empty;
    }
    if (table->style->width)
        fit_width(table, is_complete && rows);
    if (rows || !table->style->is_brief)
        print_header(table);
    for (size_t row = 0; row < rows; row++)
        print_row(table, ARRAY_AT(char *, &table->cells, row *(size_t)table->columns),
                  *ARRAY_AT(double, &table->sizes, row));
}

static void print_current(struct table *table, sqlite3_stmt *statement)
{
    for (int i = 0; i < table->columns; i++) {
        bool is_number;
        autofree char *text = cell_text(table, statement, i, &is_number);
        print_cell(table, i, text ? text : "");
    }
    if (table->bars >= 0)
        print_bar(table, sqlite3_column_double(statement, table->bars));
    end_line(table);
}

bool report_table(sqlite3_stmt *statement, const struct report_style *style, int bars, FILE *out,
                  uint64_t *count, struct error *error)
{
    struct table table = {
        .style = style, .out = out, .columns = sqlite3_column_count(statement), .bars = bars};
    table.cells = ARRAY_OF(char *);
    table.sizes = ARRAY_OF(double);
    table.bar_width = BAR_COLUMNS;
    if (bars >= table.columns)
        table.bars = -1;
    name_columns(&table, statement);
    int state;
    while ((state = report_step(statement, error)) == 1 && *count < FITTED) {
        keep_row(&table, statement);
        ++*count;
    }
    if (state >= 0 && table.columns)
        print_kept(&table, *count, state == 0);
    for (; state == 1 && !ferror(out); state = report_step(statement, error), ++*count)
        print_current(&table, statement);
    for (size_t i = 0; i < table.cells.count; i++)
        free(*ARRAY_AT(char *, &table.cells, i));
    for (int i = 0; i < table.columns; i++)
        free(table.column[i].name);
    free(table.column);
    array_free(&table.cells);
    array_free(&table.sizes);
    return state >= 0;
}
