/* What a metric or rule found, on its way out of the process that asked it (base/apart.h). That process ran a
   stranger's text, so what comes is believed no more than a file: every number is looked at. */
#ifndef SCRIPT_JUDGE_PACK_H
#define SCRIPT_JUDGE_PACK_H
#include "code/quality/added.h"

#include <stdio.h>

enum { JUDGE_MOST_TEXT = 10000, JUDGE_MOST_EVIDENCE = 10000, JUDGE_MOST_REMEDIES = 20 };

void judge_pack(FILE *out, const struct addition *found, const char *odd);
/* Adds values and remarks to found; *odd, to be freed, may become NULL. false: the bytes are no such thing,
   and what was added up to there is valid. */
bool judge_unpack(const char *bytes, size_t size, const struct model *model, struct addition *found,
                  char **odd);
#endif
