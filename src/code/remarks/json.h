/* JSON as it comes: a token at a time, in constant memory. */
#ifndef CODE_REMARKS_JSON_H
#define CODE_REMARKS_JSON_H
#include "code/remarks/parts.h"

enum json_token {
    json_WRONG, /* the error is set */
    json_END,   /* after the value */
    json_OBJECT,
    json_OBJECT_END,
    json_ARRAY,
    json_ARRAY_END,
    json_NAME, /* of a member; its value comes next */
    json_TEXT,
    json_OTHER, /* a number, true, false or null */
};

struct json {
    struct stream *stream;
    struct short_text text; /* of a name, a text or another value; cut where it is longer */
    unsigned depth;         /* of objects and arrays that are open */
    bool is_object[MOST_NESTED];
    bool has_value; /* the innermost one has one, so a comma or the end comes next */
    bool has_name;  /* a value comes next */
};

void json_begin(struct json *json, struct stream *stream);
enum json_token json_next(struct json *json);
#endif
