#include "watch/sample/activities.h"

#include <fnmatch.h>

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
#include "watch/sample/activities.def"
#undef ACTIVITY
#undef HELPER
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (fits(rules[i].library, library) && fits(rules[i].function, function))
            return rules[i].activity;
    return run_activity_COMPUTE;
}

bool activity_is_helper(const char *library)
{
    static const char *const helpers[] = {
#define ACTIVITY(library, function, activity)
#define HELPER(library) library,
#include "watch/sample/activities.def"
#undef ACTIVITY
#undef HELPER
    };
    for (size_t i = 0; i < sizeof helpers / sizeof *helpers; i++)
        if (fits(helpers[i], library))
            return true;
    return false;
}
