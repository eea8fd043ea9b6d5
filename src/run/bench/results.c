#include "run/bench/results.h"

#include "base/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST_FILE = 64 << 20, LONGEST_LINE = 1024 };
static const double QUICKER = 0.9; /* than a steady result: that one was disturbed all the time */
static const char HEAD[] = "# assay bench results 1 ";
/* The end of a line that a runner could not finish, put there by the next. */
static const char CUT[] = " # cut";

void bench_results_begin(struct bench_results *results)
{
    *results = (struct bench_results){.rows = ARRAY_OF(struct bench_row),
                                      .sessions = ARRAY_OF(struct bench_session_facts)};
}

void bench_results_end(struct bench_results *results)
{
    array_free(&results->rows);
    array_free(&results->sessions);
}

/* The session with these facts, which is new or known. */
static void begin_session(struct bench_results *results, const struct bench_session_facts *facts)
{
    size_t place = 0;
    while (place < results->sessions.count &&
           (strcmp(ARRAY_AT(struct bench_session_facts, &results->sessions, place)->day, facts->day) ||
            strcmp(ARRAY_AT(struct bench_session_facts, &results->sessions, place)->version, facts->version)))
        place++;
    if (place >= UINT16_MAX)
        return; /* more days than there are */
    if (place == results->sessions.count)
        *(struct bench_session_facts *)array_push(&results->sessions) = *facts;
    results->session = (bench_session)(place + 1);
}

struct bench_session_facts bench_results_session(const struct bench_results *results, bench_session session)
{
    return session ? *ARRAY_AT(struct bench_session_facts, &results->sessions, session - 1u)
                   : (struct bench_session_facts){0};
}

void bench_results_add(struct bench_results *results, const char *name, const struct bench_result *result)
{
    struct bench_row *row = array_push(&results->rows);
    *row = (struct bench_row){
        .result = *result, .order = results->rows.count, .times = 1, .session = results->session};
    snprintf(row->name, sizeof row->name, "%s", name);
    results->is_sorted = false;
}

static bool read_number(const char **at, double *number)
{
    char *end;
    if (**at != '\t')
        return false;
    *number = strtod(*at + 1, &end);
    if (end == *at + 1 || !isfinite(*number))
        return false;
    *at = end;
    return true;
}

/* WHAT=COUNT~SPREAD, each after a tab; where more are there than this version counts, the rest is left out.
 */
static bool read_counts(const char **at, struct bench_result *result)
{
    while (**at == '\t') {
        struct bench_count count = {0};
        const char *what = *at + 1;
        size_t length = strcspn(what, "=\t");
        char *end;
        if (!length || length >= sizeof count.what || what[length] != '=')
            return false;
        memcpy(count.what, what, length);
        count.count = strtod(what + length + 1, &end);
        if (end == what + length + 1 || *end != '~')
            return false;
        *at = end + 1;
        count.spread = strtod(*at, &end);
        if (end == *at || !(count.count >= 0) || !isfinite(count.count) || !(count.spread >= 0) ||
            !isfinite(count.spread))
            return false;
        *at = end;
        if (result->counted < BENCH_EVENTS)
            result->counts[result->counted++] = count;
    }
    return true;
}

/* Name, tab, status, and the numbers of that status. */
static bool read_line(const char *line, struct bench_row *row)
{
    size_t length = strcspn(line, "\t");
    *row = (struct bench_row){0};
    if (!length || length >= sizeof row->name || line[length] != '\t')
        return false;
    memcpy(row->name, line, length);
    line += length + 1;
    length = strcspn(line, "\t");
    struct bench_result *result = &row->result;
    for (int i = bench_MEASURED; i <= bench_FAILED; i++) {
        if (strlen(bench_status_words[i]) != length || memcmp(line, bench_status_words[i], length))
            continue;
        result->status = (enum bench_status)i;
        line += length;
        double signal = 0;
        if (i == bench_MEASURED &&
            !(read_number(&line, &result->best) && read_number(&line, &result->median) &&
              read_number(&line, &result->spread) && read_number(&line, &result->ghz) &&
              read_counts(&line, result)))
            return false;
        if (i == bench_TRAPPED && (!read_number(&line, &signal) || signal < 0 || signal > 200))
            return false;
        result->signal = (int)signal;
        return *line == '\0';
    }
    return false;
}

static bool read_head(struct bench_results *results, const char *path, const char *line, struct error *error)
{
    if (strncmp(line, HEAD, strlen(HEAD)))
        return error_set(error, path,
                         "is not a file of results of assay bench (its first line must be `%sISA`)", HEAD);
    const char *name = line + strlen(HEAD);
    enum isa isa = !strcmp(name, "aarch64") ? isa_AARCH64 : !strcmp(name, "x86-64") ? isa_X86_64 : isa_NONE;
    if (!isa)
        return error_set(error, path, "line 1: unknown instruction set");
    if (results->isa && results->isa != isa)
        return error_set(error, path, "has results of another instruction set");
    results->isa = isa;
    return true;
}

/* The last file of several counts. */
static void read_comment(struct bench_results *results, const char *line)
{
    struct bench_computer *computer = &results->computer;
    struct host_facts facts = {.isa = results->isa};
    unsigned long long midr, hwcap, kept;
    if (results->isa == isa_AARCH64 && sscanf(line, "# computer %llx %llx", &midr, &hwcap) == 2) {
        facts.midr = midr;
        facts.hwcap = hwcap;
        computer->facts = facts;
    } else if (results->isa == isa_X86_64 &&
               sscanf(line, "# computer %x %x %x %llx %x %x %x", &facts.leaf1_eax, &facts.leaf1_ecx,
                      &facts.leaf7_ebx, &kept, &facts.leaf7_ecx, &facts.leaf7_edx, &facts.leaf7_1_eax) >= 4) {
        facts.xcr0 = kept;
        computer->facts = facts;
    } else if (!strncmp(line, "# processor ", 12)) {
        snprintf(computer->processor, sizeof computer->processor, "%.95s", line + 12);
    } else if (!strncmp(line, "# counters ", 11)) {
        results->counters = bench_COUNTED;
    } else if (sscanf(line, "# no counters %d", &results->refusal) == 1) {
        results->counters = bench_NOT_COUNTED;
    } else if (!strncmp(line, "# measured ", 11)) {
        struct bench_session_facts session = {0};
        if (sscanf(line + 11, "%15s by assay %31s", session.day, session.version) < 1)
            return;
        begin_session(results, &session);
        memcpy(computer->day, session.day, sizeof computer->day);
    }
}

bool bench_results_parse(struct bench_results *results, const char *path, const char *text, size_t size,
                         struct error *error)
{
    const char *end = text + size;
    results->session = 0;
    for (size_t number = 1; text < end; number++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        if (!stop)
            break; /* cut short */
        char line[LONGEST_LINE];
        size_t length = (size_t)(stop - text);
        struct bench_row row;
        if (length >= sizeof line)
            return error_set(error, path, "line %zu: too long", number);
        memcpy(line, text, length);
        line[length] = '\0';
        text = stop + 1;
        if (number == 1 ? !read_head(results, path, line, error) : false)
            return false;
        if (line[0] == '#')
            read_comment(results, line);
        if (line[0] == '#' || !length || (length > strlen(CUT) && !strcmp(line + length - strlen(CUT), CUT)))
            continue;
        if (strlen(line) != length || !read_line(line, &row))
            return error_set(error, path, "line %zu: not a result", number);
        bench_results_add(results, row.name, &row.result);
    }
    return results->isa || error_set(error, path, "is not a file of results of assay bench: it is empty");
}

bool bench_results_read(struct bench_results *results, const char *path, struct error *error)
{
    char *text = regular_file_text(path, LONGEST_FILE, "results of assay bench", error);
    bool done = text && bench_results_parse(results, path, text, strlen(text), error);
    free(text);
    return done;
}

static void print_session(FILE *out, const char *version, const struct bench_event *events,
                          size_t event_count)
{
    bench_print_session(out, version);
    bench_print_events(out, events, event_count);
}

/* What is printed of a session, or of the computer where version is NULL, as comments are read. */
static void read_printed(struct bench_results *results, const char *version, const struct bench_event *events,
                         size_t event_count)
{
    char *text = NULL, *saved = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out) {
        if (version)
            print_session(out, version, events, event_count);
        else
            bench_print_computer(out);
        fclose(out);
        for (char *line = strtok_r(text, "\n", &saved); line; line = strtok_r(NULL, "\n", &saved))
            read_comment(results, line);
    }
    free(text);
}

struct bench_computer bench_this_computer(enum isa isa)
{
    struct bench_results results;
    bench_results_begin(&results);
    results.isa = isa;
    read_printed(&results, NULL, NULL, 0);
    bench_results_end(&results);
    return results.computer;
}

void bench_results_today(struct bench_results *results, const char *version, const struct bench_event *events,
                         size_t event_count)
{
    read_printed(results, version, events, event_count);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct bench_row *)a)->name, ((const struct bench_row *)b)->name);
}

static int by_name_and_order(const void *a, const void *b)
{
    int order = by_name(a, b);
    size_t x = ((const struct bench_row *)a)->order, y = ((const struct bench_row *)b)->order;
    return order ? order : (x > y) - (x < y);
}

static double rank(const struct bench_result *result)
{
    return result->best * (result->spread < BENCH_STEADY ? QUICKER : 1 + result->spread);
}

/* Of two passes, the second came later. */
static bool is_second_better(const struct bench_result *first, const struct bench_result *second)
{
    if (first->status != bench_MEASURED || second->status != bench_MEASURED)
        return first->status != bench_MEASURED;
    return rank(second) < rank(first);
}

/* If the better one has none. */
static void keep_counts(struct bench_result *better, const struct bench_result *worse)
{
    if (better->status != bench_MEASURED || better->counted)
        return;
    better->counted = worse->counted;
    memcpy(better->counts, worse->counts, sizeof better->counts);
}

/* One row for each name. */
static void sort_rows(struct bench_results *results)
{
    struct bench_row *rows = results->rows.data;
    size_t kept = 0, count = results->rows.count;
    qsort(rows, count, sizeof *rows, by_name_and_order);
    for (size_t i = 0; i < count; i++) {
        if (!kept || strcmp(rows[kept - 1].name, rows[i].name)) {
            rows[kept++] = rows[i];
            continue;
        }
        struct bench_row *row = &rows[kept - 1];
        row->times += rows[i].times;
        if (!is_second_better(&row->result, &rows[i].result)) {
            keep_counts(&row->result, &rows[i].result);
            continue;
        }
        keep_counts(&rows[i].result, &row->result);
        row->result = rows[i].result;
        row->session = rows[i].session;
    }
    results->rows.count = kept;
    results->is_sorted = true;
}

static const struct bench_row *find_row(struct bench_results *results, const char *name)
{
    struct bench_row key;
    if (!results->rows.count)
        return NULL;
    if (!results->is_sorted)
        sort_rows(results);
    snprintf(key.name, sizeof key.name, "%s", name);
    const struct bench_row *row = bsearch(&key, results->rows.data, results->rows.count, sizeof key, by_name);
    if (row && row->session > results->newest)
        results->newest = row->session;
    return row;
}

const struct bench_result *bench_results_find(struct bench_results *results, const char *name)
{
    const struct bench_row *row = find_row(results, name);
    return row ? &row->result : NULL;
}

bench_session bench_results_session_of(struct bench_results *results, const char *name)
{
    const struct bench_row *row = find_row(results, name);
    return row ? row->session : 0;
}

unsigned bench_results_times(struct bench_results *results, const char *name)
{
    const struct bench_row *row = find_row(results, name);
    return row ? row->times : 0;
}

static bool write_head(int file, enum isa isa)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return false;
    fprintf(out, "%s%s\n", HEAD, isa == isa_AARCH64 ? "aarch64" : "x86-64");
    bench_print_computer(out);
    bool done = fclose(out) == 0 && write(file, text, size) == (ssize_t)size;
    free(text);
    return done;
}

int bench_results_open(const char *path, enum isa isa, struct error *error)
{
    int file = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    struct stat facts;
    if (file < 0) {
        error_set_errno(error, path, "cannot open");
        return -1;
    }
    bool is_regular = fstat(file, &facts) == 0 && S_ISREG(facts.st_mode);
    if (is_regular && facts.st_size == 0 && !write_head(file, isa)) {
        error_set_errno(error, path, "cannot write");
        close(file);
        return -1;
    }
    char last = '\n';
    if (is_regular && facts.st_size > 0 && pread(file, &last, 1, facts.st_size - 1) == 1 && last != '\n')
        dprintf(file, "%s\n", CUT);
    return file;
}

bool bench_results_append_session(int file, const char *version, const struct bench_event *events,
                                  size_t event_count)
{
    char *line = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&line, &size);
    if (!out)
        return false;
    print_session(out, version, events, event_count);
    bool done = fclose(out) == 0 && write(file, line, size) == (ssize_t)size;
    free(line);
    return done;
}

bool bench_results_append(int file, const char *name, const struct bench_result *result)
{
    char *line = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&line, &size);
    if (!out)
        return false;
    bench_print_result(out, name, result);
    putc('\n', out);
    bool done = fclose(out) == 0 && write(file, line, size) == (ssize_t)size;
    free(line);
    return done;
}
