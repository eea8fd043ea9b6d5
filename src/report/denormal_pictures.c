/* Maps, films and the graph of the story as files. */
#include "report/denormal.h"

bool report_denormal_pictures(const struct denormal_view *view, const char *folder, size_t *count,
                              struct error *error)
{
    (void)view;
    *count = 0;
    return error_set(error, folder, "pictures cannot be written yet");
}
