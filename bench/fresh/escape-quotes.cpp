/* A text with its quotes escaped, character by character.
   build: g++ -O2
   cure: allocate-once -DCURE=1
   cure: hoist - */
#include <string>
#include "fresh.h"
static std::string text, quoted;
KERNEL std::string kernel(const std::string &text)
{
    std::string to;
#if CURE == 1
    to.reserve(2 * text.size());
#endif
    for (char c : text) {
        if (c == '"' || c == '\\')
            to += '\\';
        to += c;
    }
    return to;
}
void set_up(void)
{
    for (int i = 0; i < 3000; i++)
        text += draw() % 20 ? (char) ('a' + draw() % 26) : '"';
}
void run(void)
{
    quoted = kernel(text);
    total = (double) quoted.size() + quoted[777];
}
RESULT_TOTAL
