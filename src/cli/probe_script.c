/* A plan in Lua (assay probe --plan FILE.lua): the script runs over the tables before the program does, and
   makes wishes (assay.probe). If it returns a function, that is called when the run is over and its tables
   are there. */
#include "cli/probe.h"
#include "cli/scripts.h"

#include <stdlib.h>
#include <string.h>

struct probe_script {
    struct scripts scripts; /* first: the host's context is one of both */
    struct printing printing;
    struct store_choice choice;
    struct probe_choice *wishes;
    struct script *script;
    const char *path;
};

static bool take_wish(void *context, const char *word, const char *text, const char *origin,
                      struct error *error)
{
    struct probe_choice *wishes = ((struct probe_script *)context)->wishes;
    if (!strcmp(word, "no-clock"))
        return wishes->has_no_clock = true;
    if (!strcmp(word, "keep-all"))
        return wishes->keeps_all = true;
    return probe_choice_word(wishes, word, text, origin, error);
}

struct probe_script *probe_script_plan(struct session *session, struct probe_command *command,
                                       struct error *error)
{
    struct probe_script *made = memory_get(sizeof *made);
    *made = (struct probe_script){.printing = {.session = session},
                                  .choice = {.may_be_null = ~0u},
                                  .wishes = &command->choice,
                                  .path = command->script};
    struct script_host host;
    bool done = session_answer(session, error);
    if (done) {
        scripts_begin(&made->scripts, session, &made->printing, &made->choice, &host);
        host.probe = take_wish;
        autofree char *text = script_read(command->script, error);
        made->script = text ? script_open(&host, error) : NULL;
        done = made->script && script_run_text(made->script, command->script, text, strlen(text), error);
        session_release_interrupts();
    }
    if (done && !command->choice.wishes.count)
        done = error_set(error, command->script, "chose nothing to probe: assay.probe{loop = …} chooses");
    if (done)
        return made;
    probe_script_end(made);
    return NULL;
}

bool probe_script_digests(const struct probe_script *script)
{
    return script && script_returned_function(script->script);
}

bool probe_script_digest(struct probe_script *script, struct error *error)
{
    if (!script_call_returned(script->script, script->path, error))
        return false;
    sqlite3_stmt *rows = script_rows(script->script, error);
    return !error->set && (!rows || printing_rows(&script->printing, rows, error));
}

void probe_script_end(struct probe_script *script)
{
    if (!script)
        return;
    script_close(script->script);
    if (script->scripts.session)
        scripts_end(&script->scripts);
    free(script);
}
