/* What each execution port of a processor is for, in words: "integer additions, multiplications; branches".
 */
#ifndef SHOW_REPORT_PORT_WORDS_H
#define SHOW_REPORT_PORT_WORDS_H
#include "code/machine/machine.h"

/* To be freed; empty where the machine file does not say it. */
char *port_words(const struct machine *machine, unsigned port);
/* "p0", "M1": its name as reports show it; to be freed. */
char *port_name(const struct machine *machine, unsigned port);
#endif
