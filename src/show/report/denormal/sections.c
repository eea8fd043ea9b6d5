/* Sections as runs show them (sections.sql has them). */
#include "show/report/denormal/parts.h"

#include <stdlib.h>

struct query denormal_section_of(const struct query *section, const struct shown_run *run, bool is_brief)
{
    struct query shown = *section;
    if (section->profiled && !run->is_tracer)
        shown.note = section->profiled;
    if (is_brief) {
        autofree char *name = memory_format("%s_brief", section->name);
        const struct query *brief = query_find(denormal_sections, name);
        shown.sql = brief ? brief->sql : shown.sql;
    }
    return shown;
}
