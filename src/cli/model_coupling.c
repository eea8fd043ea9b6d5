/* assay model coupling FILE: kernels measured apart and together. */
#include "base/interrupt.h"
#include "base/output.h"
#include "cli/model.h"
#include "cli/session.h"
#include "show/report/modelling/coupling.h"

enum { LONGEST = 3 };

int model_coupling(const struct invocation *invocation, struct error *error)
{
    struct session session;
    struct coupling coupling = {0};
    const char *path = options_operand(invocation, 1),
               *stored_path = options_value(invocation, OPTION_STORED);
    if (path)
        output_spare(path);
    if (stored_path)
        output_spare(stored_path);
    if (!session_begin(&session, invocation, error))
        return session_end(&session, 2, error);
    if (!path || invocation->operands.count > 2) {
        error_set(error, NULL, "assay model coupling takes one file that names kernels (docs/coupling.md)");
        return session_end(&session, 2, error);
    }
    interrupt_catch();
    uint32_t longest = stored_path ? 1 : LONGEST; /* stored chains are not measured */
    struct array stored = ARRAY_OF(struct coupling_chain);
    bool is_fine = coupling_read(path, &coupling, error) &&
                   (!stored_path || coupling_read_stored(stored_path, &coupling, &stored, error)) &&
                   coupling_measure(&coupling, longest, error);
    bool is_partial = interrupt_came() && coupling.done < coupling.passes;
    interrupt_release();
    if (is_fine && is_partial)
        session_say(&session, "stopped by Ctrl-C after %u of %u passes: spreads are those of fewer passes",
                    coupling.done, coupling.passes);
    if (is_fine)
        report_coupling(&coupling, longest, stored_path ? &stored : NULL, stored_path, &session.style,
                        session.out);
    array_free(&stored);
    coupling_free(&coupling);
    return session_end(&session, is_partial ? MODEL_STOPPED : is_fine ? 0 : 2, error);
}
