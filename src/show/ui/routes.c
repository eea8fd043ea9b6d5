#include "show/ui/routes.h"

#include "show/ui/pages/pages.h"

#include <stdlib.h>
#include <string.h>

enum scope { scope_ALL, scope_PROGRAM };

static const struct route {
    const char *method;
    enum scope scope;
    const char *prefix;
    ui_page *page;
} routes[] = {
#define ROUTE(method, scope, prefix, page) {#method, scope_##scope, prefix, page},
#include "show/ui/routes.def"
#undef ROUTE
};
enum { ROUTES = sizeof routes / sizeof *routes };

static bool fits(const struct route *route, const char *path)
{
    size_t length = strlen(route->prefix);
    bool takes_more = length && route->prefix[length - 1] == '/';
    return takes_more ? !strncmp(path, route->prefix, length) : !strcmp(path, route->prefix);
}

ui_page *ui_route(const char *method, const char *path, unsigned *number, const char **rest,
                  bool *other_method)
{
    char *end = NULL;
    const struct route *best = NULL;
    path += *path == '/';
    unsigned long first = *path >= '1' && *path <= '9' ? strtoul(path, &end, 10) : 0;
    enum scope scope = end && *end == '/' && first <= 9999 ? scope_PROGRAM : scope_ALL;
    *number = scope == scope_PROGRAM ? (unsigned)first : 0;
    *other_method = false;
    if (scope == scope_PROGRAM)
        path = end + 1;
    for (unsigned i = 0; i < ROUTES; i++) {
        const struct route *route = &routes[i];
        if (route->scope != scope || !fits(route, path))
            continue;
        if (strcmp(route->method, method))
            *other_method = true;
        else if (!best || strlen(route->prefix) > strlen(best->prefix))
            best = route;
    }
    *rest = best ? path + strlen(best->prefix) : path;
    return best ? best->page : NULL;
}
