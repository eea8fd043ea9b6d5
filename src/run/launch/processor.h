/* The processor that programs run on. */
#ifndef RUN_LAUNCH_PROCESSOR_H
#define RUN_LAUNCH_PROCESSOR_H
#include "model/model.h"

/* Of this machine, as the system names it; 0: unknown. */
string_id launch_processor(struct model *model);
/* To be freed; NULL: unknown. */
char *launch_processor_name(void);
#endif
