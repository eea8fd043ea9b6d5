/* Reads what the runtime wrote. */
#include "denormal/parts.h"

bool denormal_profile_modules(const char *path, struct array *modules, struct error *error)
{
    (void)modules;
    return error_set(error, path, "cannot be read yet");
}

bool denormal_profile_add(struct model *model, const char *path, const struct denormal_recording *recording,
                          struct error *error)
{
    (void)model;
    (void)recording;
    return error_set(error, path, "cannot be read yet");
}
