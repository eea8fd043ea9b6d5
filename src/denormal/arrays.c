/* The arrays of a program, from its variables, as a list for the tracer. */
#include "denormal/parts.h"

bool denormal_write_arrays(const struct model *model, const char *path, struct error *error)
{
    (void)model;
    return error_set(error, path, "cannot be written yet");
}
