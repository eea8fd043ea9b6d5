#include "run/sample/activities.h"

#include <fnmatch.h>
#include <string.h>

enum { MOST_NAME = 128 }; /* longer names are of templates, which no pattern is about */

/* Without what libraries add to a name: __GI_memcpy inside the C library, free@@GLIBC_2.17, memcpy@plt. */
static void plain_name(const char *function, char *name)
{
    static const char inner[] = "__GI_";
    name[0] = 0;
    if (!function)
        return;
    if (!strncmp(function, inner, sizeof inner - 1))
        function += sizeof inner - 1;
    strncat(name, function, strcspn(function, "@") < MOST_NAME ? strcspn(function, "@") : MOST_NAME);
}

static bool fits(const char *pattern, const char *text)
{
    return !fnmatch(pattern, text ? text : "", 0);
}

enum run_activity activity_of(const char *library, const char *function)
{
    static const struct {
        const char *library, *function;
        enum run_activity activity;
    } rules[] = {
#define ACTIVITY(library, function, activity) {library, function, run_activity_##activity},
#define HELPER(library)
#include "run/sample/activities.def"
#undef ACTIVITY
#undef HELPER
    };
    char name[MOST_NAME + 1];
    plain_name(function, name);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (fits(rules[i].library, library) && fits(rules[i].function, name))
            return rules[i].activity;
    return run_activity_COMPUTE;
}

bool activity_is_helper(const char *library)
{
    static const char *const helpers[] = {
#define ACTIVITY(library, function, activity)
#define HELPER(library) library,
#include "run/sample/activities.def"
#undef ACTIVITY
#undef HELPER
    };
    for (size_t i = 0; i < sizeof helpers / sizeof *helpers; i++)
        if (fits(helpers[i], library))
            return true;
    return false;
}
