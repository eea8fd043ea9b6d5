#include "script/judge.h"

#include "base/apart.h"
#include "model/isa.h"
#include "code/quality/added.h"
#include "script/judge_pack.h"
#include "script/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LEAST_SECONDS = 0.01;

/* One file that is asked about path after path. */
struct asked {
    const struct script_judging *judging;
    const struct analysis *analysis;
    struct addition found;
    uint32_t loop, path; /* that it is asked about */
    double seconds;      /* that it may use */
    struct tally {
        double used;        /* seconds */
        unsigned odd_count; /* values that are no numbers: nan or inf */
    } tally;
    char *odd; /* words about the first of these */
    struct store *store;
};

static const struct model *give_model(void *context, struct error *error)
{
    (void)error;
    const struct script_judging *judging = context;
    return judging->model;
}

/* A report has one machine for each instruction set. */
static const struct machine *give_machine(void *context, const char *name, enum isa isa, struct error *error)
{
    const struct script_judging *judging = context;
    for (unsigned i = 0; i < isa_COUNT; i++) {
        const struct machine *machine = judging->machines->of[i];
        if (machine && (name ? !strcmp(name, machine->name) || !strcmp(name, machine->base_name)
                             : !isa || machine_runs(machine, isa)))
            return machine;
    }
    error_set(
        error, NULL,
        name
            ? "%s is not the machine of this report, which is the only one that its metrics and rules can ask"
            : "the report has no machine for this code%s",
        name ? name : "");
    return NULL;
}

static void take_evidence(lua_State *lua, int at, const struct asked *asked, struct array *evidence)
{
    luaL_checktype(lua, at, LUA_TTABLE);
    lua_Integer count = (lua_Integer)lua_rawlen(lua, at);
    if (count > JUDGE_MOST_EVIDENCE)
        luaL_error(lua, "evidence: at most %d instructions, not %I", JUDGE_MOST_EVIDENCE, count);
    for (lua_Integer i = 1; i <= count; i++) {
        const char *table = "instructions";
        lua_rawgeti(lua, at, i);
        int64_t id = lua_isinteger(lua, -1) ? lua_tointeger(lua, -1) : rows_id(lua, lua_gettop(lua), &table);
        lua_pop(lua, 1);
        if (strcmp(table, "instructions") || id <= 0 || id >= (int64_t)asked->judging->model->code.count)
            luaL_error(lua, "evidence: item %I is not an instruction", i);
        *(uint32_t *)array_push(evidence) = (uint32_t)id;
    }
    array_sort_numbers(evidence);
}

static char *copied(lua_State *lua, int at)
{
    size_t size;
    const char *text = lua_tolstring(lua, at, &size);
    if (size > JUDGE_MOST_TEXT)
        luaL_error(lua, "a text of a rule may have %d bytes, not %I", JUDGE_MOST_TEXT, (lua_Integer)size);
    return memory_copy_text(text, strnlen(text, size));
}

static void take_remedy(lua_State *lua, struct array *remedies)
{
    struct added_remedy *remedy = array_add(remedies);
    int at = lua_gettop(lua);
    if (lua_istable(lua, at)) {
        if (lua_getfield(lua, at, "option") == LUA_TSTRING)
            remedy->option = copied(lua, -1);
        if (lua_getfield(lua, at, "text") == LUA_TSTRING)
            remedy->text = copied(lua, -1);
    } else if (lua_type(lua, at) == LUA_TSTRING) {
        remedy->text = copied(lua, at);
    }
    if (!remedy->text) {
        remedies->count--;
        free(remedy->option);
        luaL_error(lua, "a remedy is a text, or a table with text and option");
    }
    lua_settop(lua, at);
}

static double number_of(lua_State *lua, int at, const char *name)
{
    int type = lua_getfield(lua, at, name);
    double number = type == LUA_TNUMBER ? lua_tonumber(lua, -1) : NAN;
    if (type != LUA_TNIL && !(number > 0 && isfinite(number)))
        luaL_error(lua, "%s: a number above 0 is needed", name);
    lua_pop(lua, 1);
    return number;
}

static enum advice_level level_of(lua_State *lua, int at, enum advice_level usual)
{
    int type = lua_getfield(lua, at, "level");
    unsigned level = 0;
    const char *word = type == LUA_TSTRING ? lua_tostring(lua, -1) : NULL;
    while (word && level < advice_level_COUNT && strcmp(word, advice_level_word(level)))
        level++;
    if (type != LUA_TNIL && (!word || level == advice_level_COUNT))
        luaL_error(lua, "level: gain, potential, hint or expert is needed");
    lua_pop(lua, 1);
    return word ? (enum advice_level)level : usual;
}

/* What a rule returned, at the top of the stack. */
static void take_remark(lua_State *lua, struct asked *asked)
{
    int at = lua_gettop(lua);
    if (!lua_toboolean(lua, at))
        return;
    if (lua_type(lua, at) != LUA_TSTRING && !lua_istable(lua, at))
        luaL_error(lua, "a rule returns nothing, a text or a table, not a %s", luaL_typename(lua, at));
    struct added_remark *remark = array_add(&asked->found.remarks);
    *remark = (struct added_remark){.loop = asked->loop,
                                    .path = asked->path,
                                    .level = asked->analysis->level,
                                    .cycles = NAN,
                                    .gain = NAN,
                                    .evidence = ARRAY_OF(uint32_t),
                                    .remedies = ARRAY_OF(struct added_remedy)};
    if (!lua_istable(lua, at)) {
        remark->text = copied(lua, at);
        return;
    }
    if (lua_getfield(lua, at, "text") != LUA_TSTRING)
        luaL_error(lua, "what a rule found needs a text");
    remark->text = copied(lua, -1);
    remark->cycles = number_of(lua, at, "cycles");
    remark->gain = number_of(lua, at, "gain");
    remark->level = level_of(lua, at, remark->level);
    lua_getfield(lua, at, "is_upper");
    remark->is_upper = lua_toboolean(lua, -1);
    if (lua_getfield(lua, at, "evidence") != LUA_TNIL)
        take_evidence(lua, lua_gettop(lua), asked, &remark->evidence);
    int remedies = lua_getfield(lua, at, "remedies") == LUA_TNIL ? 0 : lua_gettop(lua);
    if (remedies) {
        luaL_checktype(lua, remedies, LUA_TTABLE);
        lua_Integer count = (lua_Integer)lua_rawlen(lua, remedies);
        if (count > JUDGE_MOST_REMEDIES)
            luaL_error(lua, "remedies: at most %d, not %I", JUDGE_MOST_REMEDIES, count);
        for (lua_Integer i = 1; i <= count; i++) {
            lua_rawgeti(lua, remedies, i);
            take_remedy(lua, &remark->remedies);
            lua_settop(lua, remedies);
        }
    }
    lua_settop(lua, at);
}

/* The first value that is none, at the top of the stack above its loop; the function that gave it is at 1. */
static void note_odd_value(lua_State *lua, struct asked *asked, double value)
{
    lua_Debug function;
    int loop = lua_gettop(lua) - 1;
    lua_pushvalue(lua, 1);
    lua_getinfo(lua, ">S", &function);
    lua_pushcfunction(lua, place_of);
    lua_pushvalue(lua, loop);
    const char *place = lua_pcall(lua, 1, 1, 0) == LUA_OK ? lua_tostring(lua, -1) : NULL;
    asked->odd = memory_format("%s:%d: gave %s for the loop at %s", asked->analysis->path,
                               function.linedefined > 0 ? function.linedefined : 1,
                               isnan(value) ? "nan"
                               : value > 0  ? "inf"
                                            : "-inf",
                               place ? place : "?");
}

static void take_value(lua_State *lua, struct asked *asked)
{
    if (lua_isnil(lua, -1))
        return;
    if (lua_type(lua, -1) != LUA_TNUMBER)
        luaL_error(lua, "a metric returns a number or nil, not a %s", luaL_typename(lua, -1));
    double value = lua_tonumber(lua, -1);
    if (isfinite(value))
        *(struct added_value *)array_push(&asked->found.values) =
            (struct added_value){asked->loop, asked->path, value};
    else if (!asked->tally.odd_count++)
        note_odd_value(lua, asked, value);
}

/* Arguments: what the file returned, and struct asked. */
static int ask_paths(lua_State *lua)
{
    struct asked *asked = lua_touserdata(lua, 2);
    if (!lua_isfunction(lua, 1))
        return luaL_error(lua, "%s: must return a function of a loop and its path, not a %s",
                          asked->analysis->path, luaL_typename(lua, 1));
    const char *where = asked->analysis->where;
    lua_pushfstring(lua, "select * from loop_metrics where (%s\n)", where ? where : "1");
    sqlite3_stmt *paths = rows_prepare(lua, lua_tostring(lua, 3));
    sqlite3_stmt *loops = rows_prepare(lua, "select * from loops where id = ?1");
    int top = lua_gettop(lua);
    while (rows_step(lua, paths)) {
        asked->loop = (uint32_t)sqlite3_column_int64(paths, 0);
        asked->path = (uint32_t)sqlite3_column_int64(paths, 1);
        sqlite3_reset(loops);
        sqlite3_bind_int64(loops, 1, asked->loop);
        if (!rows_step(lua, loops))
            continue;
        rows_push(lua, loops, "loops"); /* stays below the result, for messages */
        lua_pushvalue(lua, 1);
        lua_pushvalue(lua, -2);
        rows_push(lua, paths, "loop_metrics");
        lua_call(lua, 2, 1);
        if (asked->analysis->kind == KIND_RULE)
            take_remark(lua, asked);
        else
            take_value(lua, asked);
        lua_settop(lua, top);
    }
    return 0;
}

static struct store *open_store(const struct model *model, struct error *error)
{
    struct store *store = store_open_model(model, error);
    if (store)
        sqlite3_limit(store_connection(store), SQLITE_LIMIT_LENGTH, JUDGE_MEMORY / 4);
    return store;
}

static struct addition addition_of(const struct analysis *analysis)
{
    return (struct addition){.name = analysis->name,
                             .title = analysis->title,
                             .meaning = analysis->does,
                             .file = analysis->path,
                             .is_rule = analysis->kind == KIND_RULE,
                             .values = ARRAY_OF(struct added_value),
                             .remarks = ARRAY_OF(struct added_remark)};
}

static bool ask_here(struct asked *asked, struct error *error)
{
    const struct analysis *analysis = asked->analysis;
    struct script_host host = {.store = asked->store,
                               .model = give_model,
                               .machine = give_machine,
                               .context = (void *)asked->judging,
                               .memory = JUDGE_MEMORY,
                               .seconds = asked->seconds};
    struct script *script = script_open(&host, error);
    for (size_t i = 0; script && i < analysis->parameters.count; i++) {
        const struct analysis_parameter *parameter = array_at(&analysis->parameters, i);
        script_set(script, parameter->name, parameter->initial);
    }
    bool done = script &&
                script_run_text(script, analysis->path, analysis->text, strlen(analysis->text), error) &&
                script_call(script, analysis->path, ask_paths, asked, error);
    asked->tally.used = script ? script_seconds(script) : 0;
    script_close(script);
    return done;
}

static bool ask_and_pack(void *context, FILE *out, struct error *error)
{
    struct asked *asked = context, own = *asked; /* both are in one process, if that is apart already */
    bool done = ask_here(&own, error);
    if (done)
        judge_pack(out, &own.found, own.odd);
    asked->tally = own.tally;
    addition_free(&own.found);
    free(own.odd);
    return done;
}

enum { SPARE_SECONDS = 2 }; /* the script counts the time, too, and says so in better words */

/* The whole time, if its process did not come to its end, or says nonsense. */
static void believe_used(struct asked *asked, bool is_done)
{
    if (!(asked->tally.used >= 0 && asked->tally.used <= asked->seconds + SPARE_SECONDS) ||
        (!is_done && asked->tally.used == 0))
        asked->tally.used = asked->seconds;
}

/* In a process of its own. */
static bool ask_apart(struct asked *asked, struct error *error)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&bytes, &size);
    if (!out)
        return error_set_errno(error, NULL, "no memory");
    bool done = apart_run(&(struct apart){.work = ask_and_pack,
                                          .context = asked,
                                          .out = out,
                                          .result = &asked->tally,
                                          .result_size = sizeof asked->tally,
                                          .what = "it",
                                          .most_output = JUDGE_MEMORY,
                                          .seconds = (unsigned)asked->seconds + SPARE_SECONDS},
                          error);
    done = !fclose(out) && done;
    believe_used(asked, done);
    done = done && (judge_unpack(bytes, size, asked->judging->model, &asked->found, &asked->odd) ||
                    error_set(error, NULL, "its process answered nonsense"));
    free(bytes);
    return done;
}

/* An answer from elsewhere begins with this. */
struct answer_head {
    struct tally tally;
    uint32_t is_done; /* what was found follows, else the words of an error */
};

static bool read_answer(struct asked *asked, const struct array *bytes, struct error *error)
{
    struct answer_head head;
    if (bytes->count < sizeof head)
        return error_set(error, NULL, "its process answered nothing");
    memcpy(&head, bytes->data, sizeof head);
    const char *rest = (const char *)bytes->data + sizeof head;
    size_t size = bytes->count - sizeof head;
    asked->tally = head.tally;
    if (!head.is_done)
        return error_set(error, NULL, "%.*s",
                         (int)strnlen(rest, size < sizeof error->text ? size : sizeof error->text), rest);
    return judge_unpack(rest, size, asked->judging->model, &asked->found, &asked->odd) ||
           error_set(error, NULL, "its process answered nonsense");
}

static bool ask_elsewhere(struct asked *asked, struct error *error)
{
    const struct judge_elsewhere *elsewhere = asked->judging->elsewhere;
    struct array bytes = ARRAY_OF(char);
    bool done = elsewhere->ask(elsewhere->context, asked->analysis, asked->seconds, &bytes, error) &&
                read_answer(asked, &bytes, error);
    believe_used(asked, done);
    array_free(&bytes);
    return done;
}

void script_judge_answer(const struct script_judging *judging, const struct analysis *analysis,
                         double seconds, FILE *out)
{
    struct error error = {0};
    struct asked asked = {.judging = judging,
                          .analysis = analysis,
                          .seconds = seconds,
                          .store = open_store(judging->model, &error),
                          .found = addition_of(analysis)};
    struct answer_head head = {.is_done = asked.store && ask_here(&asked, &error)};
    head.tally = asked.tally;
    fwrite(&head, sizeof head, 1, out);
    if (head.is_done)
        judge_pack(out, &asked.found, asked.odd);
    else
        fputs(error.text, out);
    addition_free(&asked.found);
    free(asked.odd);
    store_close(asked.store);
}

static bool ask_file(struct asked *asked, struct error *error)
{
    const struct judge_elsewhere *elsewhere = asked->judging->elsewhere;
    const struct analysis *analysis = asked->analysis;
    if (analysis->error.set)
        return error_set(error, NULL, "%s", analysis->error.text);
    if (asked->seconds < LEAST_SECONDS)
        return error_set(error, analysis->path, "not asked: the files before it used up the time of all");
    if (!elsewhere)
        return ask_apart(asked, error);
    return elsewhere->is_foreign(elsewhere->context, analysis) ? ask_elsewhere(asked, error)
                                                               : ask_here(asked, error);
}

static void note(struct model *model, char *words, struct array *failures)
{
    if (model->programs.count > 1)
        model_note_problem(model, 1, problem_kind_SCRIPT, NO_ADDRESS, 1, words);
    if (failures)
        *(char **)array_push(failures) = words;
    else
        free(words);
}

static void note_failure(struct model *model, const struct analysis *analysis, const char *text,
                         struct array *failures)
{
    bool is_named = strstr(text, analysis->path);
    char *words = memory_format("%s%s%s (this %s is left out)", is_named ? "" : analysis->path,
                                is_named ? "" : ": ", text, analysis->kind == KIND_RULE ? "rule" : "metric");
    note(model, words, failures);
}

static void note_odd_values(struct model *model, const struct asked *asked, struct array *failures)
{
    char others[40] = "";
    if (asked->tally.odd_count > 1)
        snprintf(others, sizeof others, " and for %u more", asked->tally.odd_count - 1);
    note(model, memory_format("%s%s, which is not a number (no value there)", asked->odd, others), failures);
}

static bool is_meant_for(const struct analysis *analysis, const struct model *model)
{
    bool is_meant = !analysis->isas;
    for (uint32_t id = 1; id < model->programs.count; id++)
        is_meant = is_meant || (analysis->isas & 1u << model_program(model, id)->isa);
    return is_meant;
}

void script_judge(const struct script_judging *judging, struct array *failures)
{
    struct array additions = ARRAY_OF(struct addition);
    struct store *store = NULL;
    struct model *model = judging->model;
    double left = judging->seconds > 0 ? judging->seconds : JUDGE_SECONDS, most = left / 2;
    for (size_t i = 0; i < judging->analyses->count; i++) {
        const struct analysis *analysis = array_at(judging->analyses, i);
        struct error error = {0};
        if (analysis->kind == KIND_ANALYSIS || !is_meant_for(analysis, model))
            continue;
        if (!store)
            store = open_store(model, &error);
        struct asked asked = {.judging = judging,
                              .seconds = fmin(most, left),
                              .analysis = analysis,
                              .store = store,
                              .found = addition_of(analysis)};
        bool is_done = store && ask_file(&asked, &error);
        left -= asked.tally.used;
        if (is_done) {
            *(struct addition *)array_push(&additions) = asked.found;
            if (asked.tally.odd_count && asked.odd)
                note_odd_values(model, &asked, failures);
        } else {
            addition_free(&asked.found);
            note_failure(model, analysis, error.text, failures);
        }
        free(asked.odd);
    }
    store_close(store);
    quality_add(model, &additions);
    for (size_t i = 0; i < additions.count; i++)
        addition_free(array_at(&additions, i));
    array_free(&additions);
}
