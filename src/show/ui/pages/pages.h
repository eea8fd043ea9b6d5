/* The pages of routes.def: a file each. */
#ifndef SHOW_UI_PAGES_PAGES_H
#define SHOW_UI_PAGES_PAGES_H
#include "show/ui/request.h"

#define ROUTE(method, scope, prefix, page) ui_page page;
#include "show/ui/routes.def"
#undef ROUTE
#endif
