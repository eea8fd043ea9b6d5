#include "quality/compiler.h"

void compiler_find(struct compiler *compiler, const struct model *model, uint32_t function)
{
    (void)model;
    (void)function;
    *compiler = (struct compiler){0};
}

void compiler_parse(struct compiler *compiler, const char *producer, const char *flags, const char *language)
{
    (void)producer;
    (void)flags;
    (void)language;
    *compiler = (struct compiler){0};
}

bool compiler_has(const struct compiler *compiler, const char *option)
{
    (void)compiler;
    (void)option;
    return false;
}
