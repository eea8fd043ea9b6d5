#include "cli/database_file.h"

#include "base/output.h"
#include "base/path.h"
#include "base/regular_file.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* SQLite keeps the application's number at offset 68 of the file, the most significant byte first. */
static bool is_assay_database(const char *path)
{
    unsigned char header[72];
    int file = regular_file_open(path, NULL, NULL);
    bool full = file >= 0 && regular_file_read(file, header, sizeof header) == sizeof header;
    if (file >= 0)
        close(file);
    return full && !memcmp(header, "SQLite format 3", 16) &&
           ((uint32_t)header[68] << 24 | header[69] << 16 | header[70] << 8 | header[71]) ==
               STORE_APPLICATION_ID;
}

bool database_may_write(const char *path, bool force, struct error *error)
{
    struct stat facts;
    if (!output_may_replace(path, error))
        return false;
    if (stat(path, &facts)) {
        autofree char *folder = path_folder(path);
        bool is_writable = !access(folder, W_OK | X_OK);
        if (!is_writable)
            error_set_errno(error, path, "cannot write");
        return is_writable;
    }
    if (!S_ISREG(facts.st_mode))
        return error_set(error, path, "is not a regular file; choose another name with --output");
    if (force || facts.st_size == 0 || is_assay_database(path))
        return true;
    return error_set(error, path, "exists and is not a database written by Assay; use --force to replace it");
}

struct invocation database_without_output(const struct invocation *invocation)
{
    struct invocation rest = *invocation;
    rest.given = ARRAY_OF(struct given);
    for (size_t i = 0; i < invocation->given.count; i++) {
        const struct given *given = ARRAY_AT(struct given, &invocation->given, i);
        if (given->id != OPTION_OUTPUT)
            *(struct given *)array_add(&rest.given) = *given;
    }
    return rest;
}
