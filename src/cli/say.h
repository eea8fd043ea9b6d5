/* Messages: one line on standard error that begins with the name of the program. They quote files and other
   programs, so control characters are shown as escapes. */
#ifndef CLI_SAY_H
#define CLI_SAY_H

void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
#endif
