/* assay denormals: a run of a program is watched, told and kept. */
#include "cli/commands.h"
#include "denormal/denormal.h"
#include "report/denormal.h"

int command_denormals(const struct invocation *invocation, struct error *error)
{
    (void)invocation;
    error_set(error, NULL, "cannot be done yet");
    return 2;
}
