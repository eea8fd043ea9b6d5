/* The processor that programs run on. */
#ifndef WATCH_PROCESSOR_H
#define WATCH_PROCESSOR_H
#include "model/model.h"

/* Of this machine, as the system names it; 0: unknown. */
string_id watch_processor(struct model *model);
/* To be freed; NULL: unknown. */
char *watch_processor_name(void);
#endif
