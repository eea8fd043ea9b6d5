/* See from.h.  What a run knows: which loops took time, how many iterations they had (with --measure), and
   which MPI functions were called.  What it does not know, a person fills in: what the iterations depend on,
   who sends how much to whom.  MPI's own loops wait and copy: they are left out, for statements of messages
   stand for them, and so is the launcher.  So each loop becomes two parameters, its iterations and the free
   time of one, which `assay model fit` finds from further runs; the rest of the time is one more; and MPI
   functions are comments with the statement to write.  Times are of one rank, the mean of all; a loop that some
   ranks have more of than others has a value for each group of ranks (from_ranks.c).  Text of the
   database stands in comments and strings alone, without quotes or ends of lines. */
#include "show/report/modelling/from.h"
#include "base/memory.h"
#include "show/report/modelling/from_ranks.h"
#include "show/report/modelling/queries.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LOOPS = 12 };

char *report_model_tame(const char *text)
{
    char *copy = memory_copy_text(text ? text : "", text ? strlen(text) : 0);
    for (char *at = copy; *at; at++)
        if ((unsigned char)*at < ' ' || *at == '"' || *at == '\\' || *at == 127)
            *at = ' ';
    return copy;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "solve_40": a name for the parameters of a loop; to be freed. */
static char *parameter_name(const char *file, const char *function, int64_t line, size_t number)
{
    const char *stem = file && *file ? last_part(file) : function;
    char *name = memory_format("%.*s_%lld", (int)strcspn(stem, "."), stem, (long long)line);
    bool is_fine = isalpha((unsigned char)*name);
    for (char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at))
            *at = '_';
    if (is_fine && line)
        return name;
    free(name);
    return memory_format("loop_%zu", number);
}

struct known_loop {
    char *name, *label, *place; /* label: "solve.c:40, solve"; place: with the program */
    char *cycles; /* the loop in our language: loop "solve.c":40 of "./solve"; NULL: no source */
    double seconds, iterations; /* of one rank; iterations NaN: not counted */
    struct from_ranks by_rank;
};

static bool is_taken(const struct array *found, const char *name)
{
    for (size_t i = 0; i < found->count; i++)
        if (!strcmp(ARRAY_AT(struct known_loop, found, i)->name, name))
            return true;
    return false;
}

static bool read_loops(const struct asked *asked, int64_t run, double ranks, struct array *found,
                       struct error *error)
{
    sqlite3_stmt *rows =
        report_ask(asked, query_named(modelling_queries, "run_loops"), run, MOST_LOOPS, error);
    bool is_fine = rows != NULL;
    for (size_t number = 1; is_fine && sqlite3_step(rows) == SQLITE_ROW; number++) {
        autofree char *file = report_column_text(rows, 0), *function = report_column_text(rows, 2),
                      *program = report_column_text(rows, 5);
        int64_t line = sqlite3_column_int64(rows, 1);
        struct known_loop *loop = array_add(found);
        found->count--;
        char *name = parameter_name(file, function ? function : "loop", line, number);
        if (is_taken(found, name)) {
            free(name);
            name = memory_format("loop_%zu", number);
        }
        found->count++;
        const char *in = function ? function : "a loop";
        char *label = file ? memory_format("%s:%lld, %s", last_part(file), (long long)line, in)
                           : memory_format("%s", in);
        *loop = (struct known_loop){
            .name = name,
            .label = label,
            .place = memory_format("%s, of %s", label, program ? program : "an unknown file"),
            .cycles = file && line && program ? memory_format("loop \"%s\":%lld of \"%s\"", last_part(file),
                                                              (long long)line, program)
                                              : NULL,
            .seconds = report_column_real(rows, 3) / ranks,
            .iterations = report_column_real(rows, 4) / ranks};
        is_fine = from_ranks_read(asked, run, sqlite3_column_int64(rows, 6), ranks, loop->iterations * ranks,
                                  &loop->by_rank, error);
    }
    sqlite3_finalize(rows);
    return is_fine;
}

/* What is computed: iterations or seconds, of this rank where they differ; to be freed. */
static char *amount(const struct known_loop *loop)
{
    const char *what = loop->iterations > 0 ? "iterations" : "time";
    return memory_format("%s_%s%s", loop->name, what, loop->by_rank.group_count ? "(rank)" : "");
}

static void write_by_rank(const struct known_loop *loop, const char *place, FILE *out)
{
    autofree char *name = memory_format("%s_%s", loop->name, loop->iterations > 0 ? "iterations" : "time");
    fprintf(out,
            loop->iterations > 0
                ? "// Iterations of %s differ between ranks: what do they depend on?\n"
                : "// The time of %s differs between ranks; assay run --measure counts iterations.\n",
            place);
    from_ranks_write(&loop->by_rank, name, out);
    if (loop->iterations > 0)
        fprintf(out, "free parameter %s_time = %.4g ns \"an iteration of %s\";\n", loop->name,
                loop->seconds / loop->iterations * 1e9, place);
}

static void write_parameters(const struct array *found, double rest, double ranks, FILE *out)
{
    fprintf(out, "\nparameter procs = %.0f \"ranks\";\n", ranks);
    for (size_t i = 0; i < found->count; i++) {
        const struct known_loop *loop = ARRAY_AT(struct known_loop, found, i);
        autofree char *place = report_model_tame(loop->place);
        if (loop->by_rank.group_count)
            write_by_rank(loop, place, out);
        else if (loop->iterations > 0)
            fprintf(out,
                    "parameter %s_iterations = %.0f \"of one rank: what do they depend on?\";\n"
                    "free parameter %s_time = %.4g ns \"an iteration of %s\";\n",
                    loop->name, loop->iterations, loop->name, loop->seconds / loop->iterations * 1e9, place);
        else
            fprintf(out,
                    "free parameter %s_time = %.6g s \"all of %s; assay run --measure counts iterations\";\n",
                    loop->name, loop->seconds, place);
    }
    fprintf(out, "free parameter rest = %.6g s \"computing outside these loops\";\n", rest);
}

const char *report_model_statement(const char *name)
{
    static const char *const table[][2] = {
        {"isend", "isend BYTES to RANK as 1;"},
        {"irecv", "ireceive BYTES from RANK as 2;"},
        {"sendrecv", "halo BYTES, BYTES on (grid_columns(procs), grid_rows(procs));"},
        {"send", "send BYTES to RANK;"},
        {"recv", "receive BYTES from RANK;"},
        {"wait", "wait;"},
        {"barrier", "barrier;"},
        {"bcast", "broadcast BYTES;"},
        {"allreduce", "allreduce BYTES;"},
        {"alltoall", "alltoall BYTES;"},
        {"reduce", "reduce BYTES;"}};
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        if (strcasestr(name, table[i][0]))
            return table[i][1];
    return "which statement is it? (docs/model-language.md)";
}

static bool write_messages(const struct asked *asked, int64_t run, double ranks, FILE *out,
                           struct error *error)
{
    sqlite3_stmt *rows =
        report_ask(asked, query_named(modelling_queries, "mpi_functions"), run, MOST_LOOPS, error);
    bool is_first = true;
    while (rows && sqlite3_step(rows) == SQLITE_ROW) {
        autofree char *name = report_column_text(rows, 0), *safe = report_model_tame(name);
        if (is_first)
            fputs("        // Messages: how often, how many bytes, and to whom, the run does not know. Fill "
                  "in, and name a\n"
                  "        // network above. The times are the processor's, waiting included:\n",
                  out);
        is_first = false;
        fprintf(out, "        // %s, %.3g s of a rank:  %s\n", safe, report_column_real(rows, 1) / ranks,
                report_model_statement(safe));
    }
    bool is_fine = rows != NULL;
    sqlite3_finalize(rows);
    return is_fine;
}

/* Beside the time that was measured: the loop itself, whose cycles are known for other machines, too. */
static void write_counted(const struct known_loop *loop, const char *label, FILE *out)
{
    autofree char *iterations = amount(loop);
    fprintf(out, "        compute %s * %s_time as \"%s\";\n", iterations, loop->name, label);
    if (!loop->cycles || strpbrk(loop->cycles, "\\\n\r"))
        return;
    fprintf(out, "        // for another machine (--machine NAME): compute %s * %s as \"%s\";\n", iterations,
            loop->cycles, label);
}

static bool write_model(const struct asked *asked, sqlite3_stmt *run, FILE *out, size_t *count,
                        struct error *error)
{
    int64_t id = sqlite3_column_int64(run, 0);
    char *texts[3];
    double ranks = fmax(1, report_column_real(run, 6)), rest = report_column_real(run, 5) / ranks;
    struct array found = ARRAY_OF(struct known_loop);
    bool is_fine = read_loops(asked, id, ranks, &found, error);
    for (int i = 0; i < 3; i++) {
        autofree char *text = report_column_text(run, 1 + i);
        texts[i] = report_model_tame(text);
    }
    autofree char *base = report_model_tame(asked->path);
    fprintf(out,
            "// A first model of %s, made by assay model from %s.\n// Recorded on %s (%s): %.4g s; a rank "
            "computed "
            "for "
            "%.4g s.\n// Numbers are what the run had. Replace them by what they depend on, then fit the "
            "free ones to further\n"
            "// runs: assay model fit FILE MEASURED.csv.\n",
            texts[0], base, texts[2], texts[1], report_column_real(run, 4), rest);
    for (size_t i = 0; i < found.count; i++)
        rest -= ARRAY_AT(struct known_loop, &found, i)->seconds;
    write_parameters(&found, fmax(rest, 1e-9), ranks, out);
    fputs("\napplication recorded {\n    ranks procs;\n", out);
    if (ranks > 1)
        fputs("    // network \"FILE\";    once there are messages; assay model measure-network -- mpirun -n "
              "2 writes "
              "one\n",
              out);
    fputs("    run {\n", out);
    for (size_t i = 0; i < found.count; i++) {
        const struct known_loop *loop = ARRAY_AT(struct known_loop, &found, i);
        autofree char *label = report_model_tame(loop->label);
        autofree char *time = amount(loop);
        if (loop->iterations > 0)
            write_counted(loop, label, out);
        else
            fprintf(out, "        compute %s as \"%s\";\n", time, label);
    }
    fputs("        compute rest as \"rest\";\n", out);
    is_fine = is_fine && write_messages(asked, id, ranks, out, error);
    fputs("    }\n}\n", out);
    *count = found.count;
    for (size_t i = 0; i < found.count; i++) {
        free(ARRAY_AT(struct known_loop, &found, i)->name);
        free(ARRAY_AT(struct known_loop, &found, i)->label);
        free(ARRAY_AT(struct known_loop, &found, i)->place);
        free(ARRAY_AT(struct known_loop, &found, i)->cycles);
        from_ranks_free(&ARRAY_AT(struct known_loop, &found, i)->by_rank);
    }
    array_free(&found);
    for (int i = 0; i < 3; i++)
        free(texts[i]);
    return is_fine;
}

bool report_model_from(const struct asked *asked, FILE *out, size_t *count, struct error *error)
{
    sqlite3_stmt *run = report_ask(asked, query_named(modelling_queries, "last_run"), 0, 1, error);
    if (!run)
        return false;
    bool has_run = sqlite3_step(run) == SQLITE_ROW;
    bool is_fine = has_run ? write_model(asked, run, out, count, error)
                           : error_set(error, asked->path,
                                       "has no run: assay run --measure -o FILE -- ./prog … records one");
    sqlite3_finalize(run);
    return is_fine;
}
