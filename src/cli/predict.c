/* assay predict */
#include "cli/predict.h"

#include "cli/commands.h"

int command_predict(const struct invocation *invocation, struct error *error)
{
    if (options_has(invocation, OPTION_HISTORY))
        return predict_history(invocation, error);
    error_set(error, NULL, "predict takes --history");
    return 2;
}
