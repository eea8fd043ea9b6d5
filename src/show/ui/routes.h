/* Which page answers an address. */
#ifndef SHOW_UI_ROUTES_H
#define SHOW_UI_ROUTES_H
#include "show/ui/request.h"

/* path: without its query, from the slash on.  Sets *number (0: an address of no program) and *rest, which
   points into path.  NULL: nothing is there; *other_method: but there would be with another method. */
ui_page *ui_route(const char *method, const char *path, unsigned *number, const char **rest,
                  bool *other_method);
#endif
