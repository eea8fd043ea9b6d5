/* Opens the user's browser. */
#ifndef CLI_BROWSER_H
#define CLI_BROWSER_H
#include <stdbool.h>

/* Opens an address in the browser of $BROWSER, or else by xdg-open, and does not wait for it.  Only where
   there is a display; false: nothing was started. */
bool browser_open(const char *address);
#endif
