/* An analysis in Lua: a script with the header of an analysis.  What it returns is a list of rows. */
#include "script/script.h"

#include <string.h>

/* Macros that the header says the analysis cannot do without. */
static bool has_selection(const struct analysis *analysis, const struct store_choice *choice,
                          struct error *error)
{
    const int64_t chosen[STORE_MACRO_COUNT] = {choice ? choice->function : 0, choice ? choice->loop : 0,
                                               choice ? choice->block : 0, choice ? choice->program : 0};
    static const char *const options[STORE_MACRO_COUNT] = {"--function", "--loop", "--block", "--program"};
    for (unsigned i = 0; i < STORE_MACRO_COUNT; i++)
        if (analysis->needs[i] == NEED_REQUIRED && !chosen[i])
            return error_set(error, analysis->name, "needs %s", options[i]);
    return true;
}

bool script_analysis(const struct script_host *host, const struct analysis *analysis,
                     const struct analysis_value *values, size_t value_count, store_print *print,
                     void *context, struct error *error)
{
    if (!analysis_takes(analysis, values, value_count, error) ||
        !has_selection(analysis, host->choice, error))
        return false;
    struct script *script = script_open(host, error);
    for (size_t i = 0; script && i < analysis->parameters.count; i++) {
        const struct analysis_parameter *parameter = array_at(&analysis->parameters, i);
        script_set(script, parameter->name, analysis_value_of(parameter, values, value_count));
    }
    bool done =
        script && script_run_text(script, analysis->path, analysis->text, strlen(analysis->text), error);
    sqlite3_stmt *rows = done ? script_rows(script, error) : NULL;
    done = done && !error->set && (!rows || print(context, rows, error));
    script_close(script);
    return done;
}
