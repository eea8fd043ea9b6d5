/* assay model import SCRIPT…: CHIP³S scripts as a model. */
#include "cli/model.h"
#include "cli/session.h"
#include "plan/modelling/language/import.h"

#include <stdlib.h>

int model_import(const struct invocation *invocation, struct error *error)
{
    struct session session;
    struct trust trust;
    struct array notes = ARRAY_OF(char *);
    if (!session_begin(&session, invocation, error))
        return session_end(&session, 2, error);
    if (invocation->operands.count < 2) {
        error_set(
            error, NULL,
            "import takes CHIP3S scripts: assay model import blend_app.la SunUltra10.hmcl -o blend.model");
        return session_end(&session, 2, error);
    }
    const char *const *paths = (const char *const *)invocation->operands.data + 1;
    size_t count = invocation->operands.count - 1;
    trust_begin(&trust, options_has(invocation, OPTION_TRUST));
    for (size_t i = 0; i < count; i++)
        trust_add_file(&trust, paths[i]);
    bool is_fine = language_import(paths, count, &trust, session.out, &notes, error);
    for (size_t i = 0; i < notes.count; i++) {
        if (is_fine)
            session_say(&session, "%s", *ARRAY_AT(char *, &notes, i));
        free(*ARRAY_AT(char *, &notes, i));
    }
    array_free(&notes);
    trust_free(&trust);
    return session_end(&session, is_fine ? 0 : 2, error);
}
