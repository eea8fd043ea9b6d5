/* What assay denormals is asked for.  Its three words share a command, and most options belong to one or two
   of them: an option that would do nothing is an error, because whoever gave it expects something. */
#include "cli/denormals.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const words[] = {"profile", "trace", "report"};
enum { WORDS = sizeof words / sizeof *words };

enum {
    ON_PROFILE = 1 << denormals_PROFILE,
    ON_TRACE = 1 << denormals_TRACE,
    ON_REPORT = 1 << denormals_REPORT
};

static const struct {
    enum option_id option;
    unsigned words;  /* that take it */
    const char *why; /* not, by the others */
} owners[] = {
    {OPTION_FORCE, ON_PROFILE | ON_TRACE, "report replaces nothing but the file of --output"},
    {OPTION_BUDGET, ON_PROFILE, "only profile can be told how much it may slow the program down"},
    {OPTION_EXACT, ON_PROFILE, "the tracer counts all events anyway"},
    {OPTION_COUNTS, ON_TRACE, "only trace follows values, and can leave that out"},
    {OPTION_NEAR, ON_TRACE, "only trace sees results that are not denormal"},
    {OPTION_PHASE_EVERY, ON_PROFILE | ON_TRACE, "phases belong to the run"},
    {OPTION_CHILDREN, ON_TRACE, "profile watches them always"},
    {OPTION_MAPS, ON_TRACE | ON_REPORT, "maps come from trace"},
    {OPTION_CYCLES, ON_PROFILE | ON_TRACE, "cycles belong to the database that a run is written to"},
    {OPTION_MACHINE, ON_PROFILE | ON_TRACE, "cycles belong to the database that a run is written to"},
    {OPTION_RUN, ON_REPORT, "runs have numbers in a database"},
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
    return error_set(error, NULL, "denormals begins with profile, trace or report, not '%s'", given);
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

/* A decimal number within limits; the fallback where the option is not given.  Percents may bear their sign.
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

static bool read_watching(struct denormals_choice *choice, const struct invocation *invocation,
                          struct error *error)
{
    struct denormal_options *watching = &choice->watching;
    bool is_trace = choice->word == denormals_TRACE, is_exact = options_has(invocation, OPTION_EXACT);
    double percent;
    if (is_exact && options_has(invocation, OPTION_BUDGET))
        return error_set(error, NULL, "choose one of --exact and --budget: exact counts take what they take");
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
        return error_set(error, NULL, "--output names a database, which cannot go to standard output");
    if (options_has(invocation, OPTION_CYCLES) && !choice->database)
        return error_set(error, NULL, "--cycles is for the database of --output");
    if (options_has(invocation, OPTION_MACHINE) && !options_has(invocation, OPTION_CYCLES))
        return error_set(error, NULL, "--machine is for the cycles of --cycles");
    return true;
}

static bool read_telling(struct denormals_choice *choice, const struct invocation *invocation,
                         struct error *error)
{
    /* Rows of each table: what fits a screen, and what a page is still quick with. */
    enum { TEXT_ROWS = 10, HTML_ROWS = 100 };
    bool is_html = options_has(invocation, OPTION_HTML);
    int64_t top;
    struct stat facts;
    if (is_html && (options_has(invocation, OPTION_JSON) || options_has(invocation, OPTION_CSV)))
        return error_set(error, NULL, "choose one of --html, --json and --csv");
    if (options_has(invocation, OPTION_TOP) &&
        (options_has(invocation, OPTION_JSON) || options_has(invocation, OPTION_CSV)))
        return error_set(error, NULL, "--top is for the text and --html; --json and --csv have all rows");
    if (!options_number(invocation, OPTION_TOP, is_html ? HTML_ROWS : TEXT_ROWS, &top, error) ||
        !options_number(invocation, OPTION_RUN, 0, &choice->run, error))
        return false;
    if (top < 1)
        return error_set(error, NULL, "--top takes 1 or more");
    if (options_has(invocation, OPTION_RUN) && choice->run < 1)
        return error_set(error, NULL, "--run takes 1 or more");
    choice->top = (size_t)top;
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
    if (choice->word != denormals_REPORT)
        return read_watching(choice, invocation, error);
    return invocation->operands.count == 2 ||
           error_set(error, NULL, "denormals report takes one database, not %s too",
                     options_operand(invocation, 2));
}
