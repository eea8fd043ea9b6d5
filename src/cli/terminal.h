/* Output on a terminal. Names and texts in it come from untrusted files, and all output passes through here:
   control sequences become visible escapes. Only the colours of show/report/common/style.c pass, if the
   output is coloured. A file or a pipe receives every byte unchanged. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H
#include "show/report/common/style.h"

/* A stream in front of out, which stays open; close it with fclose.  NULL if memory is short. */
FILE *terminal_open(FILE *out, bool has_color);
#endif
