/* The options of assay denormals. Its subcommands share one table, and most options belong to one or
   two of them. An option that would have no effect is an error: the user expects one. */
#include "cli/denormals.h"

#include "base/output.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const words[] = {"profile", "trace", "report", "log", "graph"};
enum { WORDS = sizeof words / sizeof *words };

enum {
    ON_PROFILE = 1 << denormals_PROFILE,
    ON_TRACE = 1 << denormals_TRACE,
    ON_REPORT = 1 << denormals_REPORT,
    ON_LOG = 1 << denormals_LOG,
    ON_GRAPH = 1 << denormals_GRAPH
};

static const struct {
    enum option_id option;
    unsigned words;  /* subcommands that take it */
    const char *why; /* the error for the others */
} owners[] = {
    {OPTION_FORCE, ON_PROFILE | ON_TRACE, "only the file of --output is overwritten"},
    {OPTION_BUDGET, ON_PROFILE, "only profile can limit its slowdown"},
    {OPTION_EXACT, ON_PROFILE, "the tracer always counts every event"},
    {OPTION_COUNTS, ON_TRACE, "only trace follows values"},
    {OPTION_NEAR, ON_TRACE, "only trace sees results that are not denormal"},
    {OPTION_PHASE_EVERY, ON_PROFILE | ON_TRACE, "phases are set during the run"},
    {OPTION_CHILDREN, ON_TRACE, "profile always watches child processes"},
    {OPTION_MAPS, ON_TRACE | ON_REPORT, "maps come from trace"},
    {OPTION_CYCLES, ON_PROFILE | ON_TRACE, "cycles are computed when a run is written to a database"},
    {OPTION_MACHINE, ON_PROFILE | ON_TRACE, "cycles are computed when a run is written to a database"},
    {OPTION_RUN, ON_REPORT | ON_LOG | ON_GRAPH, "run numbers exist only in a database"},
    {OPTION_LAYOUT, ON_TRACE, "only trace knows arrays"},
    {OPTION_LOG, ON_TRACE, "only trace follows values"},
    {OPTION_LOG_ARRAY, ON_TRACE, "what the log has is chosen during the run"},
    {OPTION_LOG_AROUND, ON_TRACE, "what the log has is chosen during the run"},
    {OPTION_LOG_ENTRY, ON_GRAPH, "only graph is about one value"},
    {OPTION_TOP, ON_PROFILE | ON_TRACE | ON_REPORT, "it has all rows"},
    {OPTION_JSON, ON_PROFILE | ON_TRACE | ON_REPORT | ON_LOG, "it draws, and prints no rows"},
    {OPTION_CSV, ON_PROFILE | ON_TRACE | ON_REPORT | ON_LOG, "it draws, and prints no rows"},
    {OPTION_HTML, ON_REPORT,
     "write a database with --output FILE.db, then assay denormals report FILE.db --html"},
};

static bool find_word(const char *given, enum denormals_word *word, struct error *error)
{
    for (unsigned i = 0; i < WORDS; i++)
        if (!strcmp(given, words[i])) {
            *word = (enum denormals_word)i;
            return true;
        }
    return error_set(error, NULL, "denormals takes profile, trace, report, log or graph, not '%s'", given);
}

static bool check_owners(enum denormals_word word, const struct invocation *invocation, struct error *error)
{
    for (size_t i = 0; i < sizeof owners / sizeof *owners; i++) {
        bool is_taken = owners[i].words & 1u << word;
        if (options_has(invocation, owners[i].option) && !is_taken)
            return error_set(error, NULL, "denormals %s does not take --%s: %s", words[word],
                             option_described(owners[i].option)->name, owners[i].why);
    }
    return true;
}

/* A decimal number within limits, or the fallback if the option is not given. A percent sign may follow.
 */
static bool read_real(const struct invocation *invocation, enum option_id id, double fallback, double least,
                      double most, double *number, struct error *error)
{
    const char *text = options_value(invocation, id);
    const char *sign = id == OPTION_BUDGET ? "%" : "";
    char *end = NULL;
    *number = fallback;
    if (!text)
        return true;
    *number = strtod(text, &end);
    bool is_plain = isdigit((unsigned char)*text) && strspn(text, "0123456789.") == (size_t)(end - text) &&
                    (!*end || !strcmp(end, sign));
    if (is_plain && isfinite(*number) && *number >= least && *number <= most)
        return true;
    return error_set(error, NULL, "--%s takes a number from %g%s to %g%s, not '%s'",
                     option_described(id)->name, least, sign, most, sign, text);
}

static bool read_binades(const struct invocation *invocation, unsigned *binades, struct error *error)
{
    enum { MOST_BINADES = 64 };
    int64_t number;
    if (!options_number(invocation, OPTION_NEAR, 0, &number, error))
        return false;
    if (options_has(invocation, OPTION_NEAR) && (number < 1 || number > MOST_BINADES))
        return error_set(error, NULL, "--near takes 1 to %d powers of two", MOST_BINADES);
    *binades = (unsigned)number;
    return true;
}

/* What the log shall have. */
static bool read_log(struct denormals_choice *choice, const struct invocation *invocation,
                     struct error *error)
{
    struct denormal_options *watching = &choice->watching;
    bool wants_part = options_has(invocation, OPTION_LOG_ARRAY) || options_has(invocation, OPTION_LOG_AROUND);
    choice->log = options_value(invocation, OPTION_LOG);
    watching->has_log = choice->log != NULL;
    watching->log_array = options_value(invocation, OPTION_LOG_ARRAY);
    if (wants_part && !choice->log)
        return error_set(error, NULL, "--array and --around say what the log has: add --log FILE");
    if (!choice->log)
        return true;
    if (options_has(invocation, OPTION_COUNTS))
        return error_set(error, NULL,
                         "--log needs to follow values, and --counts does not: choose one of them");
    if (!*choice->log || !strcmp(choice->log, "-"))
        return error_set(error, NULL, "--log takes the name of a file");
    if (watching->log_array && !*watching->log_array)
        return error_set(error, NULL, "--array takes the name of an array");
    if (choice->database && output_is_same(choice->database, choice->log))
        return error_set(error, NULL, "--log and --output need two files: the log is text");
    if (!options_number(invocation, OPTION_LOG_AROUND, 0, &watching->log_around, error))
        return false;
    if (options_has(invocation, OPTION_LOG_AROUND) &&
        (watching->log_around < 1 || watching->log_around > UINT32_MAX))
        return error_set(error, NULL, "--around takes 1 to %u", UINT32_MAX);
    return output_may_replace(choice->log, error);
}

static bool read_watching(struct denormals_choice *choice, const struct invocation *invocation,
                          struct error *error)
{
    struct denormal_options *watching = &choice->watching;
    bool is_trace = choice->word == denormals_TRACE, is_exact = options_has(invocation, OPTION_EXACT);
    double percent;
    if (is_exact && options_has(invocation, OPTION_BUDGET))
        return error_set(error, NULL,
                         "choose one of --exact and --budget: exact counts cannot be limited in time");
    if (!read_real(invocation, OPTION_BUDGET, 5, 0.1, 100, &percent, error) ||
        !read_real(invocation, OPTION_PHASE_EVERY, 0, 0.001, 1e6, &watching->phase_seconds, error) ||
        !read_binades(invocation, &watching->binades, error))
        return false;
    for (size_t i = 1; i < invocation->operands.count; i++)
        *(const char **)array_push(&choice->words) = options_operand(invocation, i);
    *(const char **)array_push(&choice->words) = NULL;
    watching->words = choice->words.data;
    watching->tool = is_trace ? denormal_tool_TRACER : denormal_tool_PROFILER;
    watching->mode = !is_trace ? is_exact ? denormal_mode_EXACT : denormal_mode_SAMPLED
                     : options_has(invocation, OPTION_COUNTS) ? denormal_mode_COUNTS
                                                              : denormal_mode_ORIGINS;
    watching->budget = percent / 100;
    watching->has_children = options_has(invocation, OPTION_CHILDREN);
    watching->is_diverted = options_has(invocation, OPTION_JSON) || options_has(invocation, OPTION_CSV);
    watching->is_quiet = options_has(invocation, OPTION_QUIET);
    choice->database = options_value(invocation, OPTION_OUTPUT);
    if (choice->database && !strcmp(choice->database, "-"))
        return error_set(error, NULL, "--output writes a database, which cannot go to standard output");
    if (options_has(invocation, OPTION_CYCLES) && !choice->database)
        return error_set(error, NULL, "--cycles needs --output: it adds cycles to the database");
    if (options_has(invocation, OPTION_MACHINE) && !options_has(invocation, OPTION_CYCLES))
        return error_set(error, NULL, "--machine needs --cycles");
    const char *layout = options_value(invocation, OPTION_LAYOUT);
    if (layout && !(choice->layout = denormal_layout_read(layout, error)))
        return false;
    if (layout)
        output_spare(layout);
    watching->layout = choice->layout;
    return read_log(choice, invocation, error);
}

static bool read_telling(struct denormals_choice *choice, const struct invocation *invocation,
                         struct error *error)
{
    /* Rows of each table: as many as fit a screen; as many as an HTML page handles quickly. */
    enum { TEXT_ROWS = 10, HTML_ROWS = 100 };
    bool is_html = options_has(invocation, OPTION_HTML);
    int64_t top;
    struct stat facts;
    if (is_html && (options_has(invocation, OPTION_JSON) || options_has(invocation, OPTION_CSV)))
        return error_set(error, NULL, "choose one of --html, --json and --csv");
    if (options_has(invocation, OPTION_TOP) &&
        (options_has(invocation, OPTION_JSON) || options_has(invocation, OPTION_CSV)))
        return error_set(error, NULL,
                         "--top applies to text and --html; --json and --csv always have all rows");
    if (!options_number(invocation, OPTION_TOP, is_html ? HTML_ROWS : TEXT_ROWS, &top, error) ||
        !options_number(invocation, OPTION_RUN, 0, &choice->run, error))
        return false;
    if (top < 1)
        return error_set(error, NULL, "--top takes 1 or more");
    if (options_has(invocation, OPTION_RUN) && choice->run < 1)
        return error_set(error, NULL, "--run takes 1 or more");
    choice->top = (size_t)top;
    if (!options_number(invocation, OPTION_LOG_ENTRY, 0, &choice->entry, error))
        return false;
    if (choice->word == denormals_GRAPH && choice->entry < 1)
        return error_set(error, NULL,
                         "denormals graph draws what led to one value: name an entry with --value N (assay "
                         "denormals log FILE.db lists them)");
    choice->maps = options_value(invocation, OPTION_MAPS);
    if (choice->maps && (!*choice->maps || (!stat(choice->maps, &facts) && !S_ISDIR(facts.st_mode))))
        return error_set(error, choice->maps, "--maps takes a folder");
    return true;
}

bool denormals_read_options(struct denormals_choice *choice, const struct invocation *invocation,
                            struct error *error)
{
    *choice = (struct denormals_choice){.words = ARRAY_OF(const char *)};
    if (!find_word(options_operand(invocation, 0), &choice->word, error) ||
        !check_owners(choice->word, invocation, error) || !read_telling(choice, invocation, error))
        return false;
    if (choice->word == denormals_PROFILE || choice->word == denormals_TRACE)
        return read_watching(choice, invocation, error);
    return invocation->operands.count == 2 ||
           error_set(error, NULL, "denormals %s takes one database; %s is a second one", words[choice->word],
                     options_operand(invocation, 2));
}
