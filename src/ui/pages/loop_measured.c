/* What runs and probes measured of a loop. */
#include "ui/pages/loop.h"

void loop_page_measured(struct loop_page *page)
{
    (void)page;
}
