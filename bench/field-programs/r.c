/* R's ways to print, which deSolve calls when something went wrong. */
#include <stdio.h>

#define SAYS(name)                                                                                           \
    void name##_(const char *text)                                                                           \
    {                                                                                                        \
        puts(text);                                                                                          \
    }
SAYS(rprintf)
SAYS(rprintfid)
SAYS(rprintfdi)
SAYS(rprintfdid)
SAYS(rprintfd1)
SAYS(rprintfd2)
SAYS(rprintfi1)
SAYS(rprintfi2)
SAYS(rprintfi3)
SAYS(dblepr)
SAYS(intpr)
SAYS(rexit)
SAYS(rwarn)
