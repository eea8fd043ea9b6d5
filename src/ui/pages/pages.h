/* The pages of routes.def: a file each. */
#ifndef UI_PAGES_PAGES_H
#define UI_PAGES_PAGES_H
#include "ui/request.h"

#define ROUTE(method, scope, prefix, page) ui_page page;
#include "ui/routes.def"
#undef ROUTE
#endif
