/* The reference of what scripts may call. */
#include "script/script.h"

const struct script_entry script_entries[] = {
#define CALL(name, function, arguments, gives, doc) {NULL, #name, arguments, gives, doc},
#include "script/calls.def"
#undef CALL
#define METHOD(table, name, result, sql, doc) {#table, #name, "", #result, doc},
#include "script/methods.def"
#undef METHOD
};
const unsigned script_entry_count = sizeof script_entries / sizeof *script_entries;
