#include "optimise/extract_parts.h"
bool extract_fortran(const struct compilation *compilation, unsigned line, struct extract *extract,
                     struct error *error)
{
    (void)line;
    (void)extract;
    return error_set(error, compilation->source, "Fortran is not read yet");
}
