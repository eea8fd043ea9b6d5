/* Events by libpfm4.  The library is initialised once and never ended, because others may hold its texts. */
#include "run/sample/counters.h"

#include <perfmon/pfmlib_perf_event.h>
#include <string.h>

static bool begin(void)
{
    static int state; /* 0: not tried, 1: works, -1: does not */
    if (!state)
        state = pfm_initialize() == PFM_SUCCESS ? 1 : -1;
    return state > 0;
}

bool counters_encode(const char *event, struct sample_wish *wish, const char **why)
{
    struct perf_event_attr attributes = {.size = sizeof attributes};
    pfm_perf_encode_arg_t encoding = {.attr = &attributes, .size = sizeof encoding};
    if (!begin()) {
        *why = "libpfm4 cannot be used here";
        return false;
    }
    int result = pfm_get_os_event_encoding(event, PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &encoding);
    if (result != PFM_SUCCESS) {
        *why = pfm_strerror(result);
        return false;
    }
    wish->type = attributes.type;
    wish->config = attributes.config;
    wish->config1 = attributes.config1;
    wish->config2 = attributes.config2;
    return true;
}

bool counters_have_unit(const char *unit, const char **words)
{
    for (int i = 0; begin() && i < PFM_PMU_MAX; i++) {
        pfm_pmu_info_t info = {.size = sizeof info};
        if (pfm_get_pmu_info((pfm_pmu_t)i, &info) != PFM_SUCCESS || !info.is_present ||
            strcmp(info.name, unit))
            continue;
        *words = info.desc;
        return true;
    }
    return false;
}
