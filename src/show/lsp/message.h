/* A message of the client, looked into by paths as SQLite has them: "$.params.textDocument.uri". */
#ifndef SHOW_LSP_MESSAGE_H
#define SHOW_LSP_MESSAGE_H
#include "base/memory.h"

#include <sqlite3.h>
#include <stdbool.h>

struct message {
    sqlite3 *connection;
    const char *text;
    size_t size;
};

/* Opens SQLite; once for all messages. false: it cannot. */
bool message_begin(struct message *message);
void message_end(struct message *message);
/* Makes these bytes the message; false: they are no JSON. */
bool message_take(struct message *message, const char *text, size_t size);
/* A string; NULL: there is none. To be freed. */
char *message_text(const struct message *message, const char *path);
/* A number from 0 to most; false: there is none. */
bool message_number(const struct message *message, const char *path, uint32_t most, uint32_t *number);
/* "object", "integer", …; NULL: nothing is there. To be freed. */
char *message_type(const struct message *message, const char *path);
bool message_is_true(const struct message *message, const char *path);
/* A value as JSON; NULL: nothing is there. To be freed. */
char *message_json(const struct message *message, const char *path);
#endif
