/* Machines from texts; cmocka.h is included before. */
#ifndef TESTS_UNIT_MACHINE_TEXT_H
#define TESTS_UNIT_MACHINE_TEXT_H
#include <string.h>

#include "code/machine/machine.h"

/* The text must be good. */
static struct machine *parsed(const char *text)
{
    struct error error = {0};
    struct machine *machine = machine_parse("text", text, strlen(text), &error);
    if (!machine)
        print_error("%s\n", error.text);
    assert_non_null(machine);
    return machine;
}

#endif
