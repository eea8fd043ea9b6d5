#include "base/sqlite_header.h"

#include "base/regular_file.h"

#include <string.h>
#include <unistd.h>

static uint32_t number_at(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

bool sqlite_header_read(const char *path, struct sqlite_header *header, struct error *error)
{
    static const char magic[16] = "SQLite format 3";
    uint8_t bytes[100] = {0};
    *header = (struct sqlite_header){0};
    int file = regular_file_open(path, &header->size, error);
    if (file < 0)
        return false;
    bool is_good =
        regular_file_read(file, bytes, sizeof bytes) >= 0 || error_set_errno(error, path, "cannot be read");
    close(file);
    uint64_t page_size = (uint64_t)bytes[16] << 8 | bytes[17];
    header->is_database = is_good && !memcmp(bytes, magic, sizeof magic);
    header->is_wal = bytes[18] == 2 || bytes[19] == 2;
    header->whole = (page_size == 1 ? 65536 : page_size) * number_at(bytes + 28);
    header->schema = number_at(bytes + 40);
    header->user_version = number_at(bytes + 60);
    header->application = number_at(bytes + 68);
    return is_good;
}
