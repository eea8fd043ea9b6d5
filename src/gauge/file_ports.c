#include "gauge/file_parts.h"

struct gauge_found_ports gauge_ports_for(const struct gauge_evidence *evidence, const char *form)
{
    (void)evidence, (void)form;
    return (struct gauge_found_ports){.is_found = false};
}
