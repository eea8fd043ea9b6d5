/* In the place of this room where there is no libmicrohttpd. */
#include "base/built.h"
#include "show/ui/ui.h"

#include <stddef.h>

/* Addresses and tokens are not looked at: ui_start refuses them all. */
bool ui_is_own_address(const char *text, bool *is_own)
{
    (void)text;
    *is_own = true;
    return true;
}

bool ui_is_token(const char *text)
{
    (void)text;
    return true;
}

struct ui *ui_start(const struct ui_options *options, struct error *error)
{
    (void)options;
    feature_missing(feature_UI, error);
    return NULL;
}

const char *ui_link(const struct ui *ui)
{
    (void)ui;
    return NULL;
}

void ui_stop(struct ui *ui)
{
    (void)ui;
}
