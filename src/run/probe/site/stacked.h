/* Arguments of IA-64 functions, which need no debug information to be found. */
#ifndef RUN_PROBE_SITE_STACKED_H
#define RUN_PROBE_SITE_STACKED_H
#include "model/model.h"

/* Bit n: the function reads r32+n, bit 8+n: f8+n, as its caller left them. */
enum { PROBE_STACKED_GENERAL = 32, PROBE_STACKED_FLOAT = 8, PROBE_STACKED_EACH = 8 };
uint32_t probe_stacked_arguments(const struct model *model, uint32_t function);
#endif
