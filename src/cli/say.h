/* Messages: one line on standard error that begins with the name of the program.  Texts of files and of other
   programs are in them, so whatever could drive a terminal is shown as an escape. */
#ifndef CLI_SAY_H
#define CLI_SAY_H

void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
#endif
