/* In the place of this room where there is no Lua.  Analyses, metrics and rules in Lua are listed, but not
 * run. */
#include "base/built.h"
#include "script/judge.h"

struct script *script_open(const struct script_host *host, struct error *error)
{
    (void)host;
    feature_missing(feature_LUA, error);
    return NULL;
}

void script_close(struct script *script)
{
    (void)script;
}

void script_set(struct script *script, const char *name, const char *value)
{
    (void)script;
    (void)name;
    (void)value;
}

char *script_read(const char *path, struct error *error)
{
    (void)path;
    feature_missing(feature_LUA, error);
    return NULL;
}

bool script_run_text(struct script *script, const char *name, const char *text, size_t size,
                     struct error *error)
{
    (void)script;
    (void)name;
    (void)text;
    (void)size;
    return feature_missing(feature_LUA, error);
}

sqlite3_stmt *script_rows(struct script *script, struct error *error)
{
    (void)script;
    feature_missing(feature_LUA, error);
    return NULL;
}

bool script_call_returned(struct script *script, const char *name, struct error *error)
{
    (void)script;
    (void)name;
    return feature_missing(feature_LUA, error);
}

double script_seconds(const struct script *script)
{
    (void)script;
    return 0;
}

bool script_returned_function(const struct script *script)
{
    (void)script;
    return false;
}

bool script_analysis(const struct script_host *host, const struct analysis *analysis,
                     const struct analysis_value *values, size_t value_count, store_print *print,
                     void *context, struct error *error)
{
    (void)host;
    (void)analysis;
    (void)values;
    (void)value_count;
    (void)print;
    (void)context;
    return feature_missing(feature_LUA, error);
}

/* One note, whatever the number of files. */
void script_judge(const struct script_judging *judging, struct array *failures)
{
    size_t count = 0;
    for (size_t i = 0; i < judging->analyses->count; i++)
        count += ARRAY_AT(struct analysis, judging->analyses, i)->kind != KIND_ANALYSIS;
    if (!count || !failures)
        return;
    struct error missing = {0};
    feature_missing(feature_LUA, &missing);
    *(char **)array_add(failures) =
        memory_format("%zu %s passed over: %s", count,
                      count == 1 ? "metric or rule is" : "metrics and rules are", missing.text);
}

void script_judge_answer(const struct script_judging *judging, const struct analysis *analysis,
                         double seconds, FILE *out)
{
    (void)judging;
    (void)analysis;
    (void)seconds;
    (void)out;
}
