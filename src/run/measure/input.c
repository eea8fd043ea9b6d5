/* Standard input of a second run.

   A stream shows before and after the first run whether bytes are waiting and whether somebody may still
   write.  If none were waiting before, and afterwards it is as open and as empty as it was, nothing was read
   from it.  That covers streams that a program merely inherited (from a script, a scheduler, ssh). */
#include "run/measure/input.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

static bool has_data(void)
{
    int bytes = 0;
    return !ioctl(STDIN_FILENO, FIONREAD, &bytes) && bytes > 0;
}

static bool is_over(void)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&input, 1, 0) > 0 && input.revents & POLLHUP;
}

void measure_input_note(struct measure_input *input)
{
    struct stat facts;
    *input = (struct measure_input){0};
    if (fstat(STDIN_FILENO, &facts))
        return;
    input->is_file = S_ISREG(facts.st_mode);
    input->is_stream = S_ISFIFO(facts.st_mode) || S_ISSOCK(facts.st_mode);
    if (input->is_file)
        input->position = lseek(STDIN_FILENO, 0, SEEK_CUR);
    if (input->is_stream) {
        input->had_data = has_data();
        input->is_over = is_over();
    }
}

bool measure_input_again(const struct measure_input *input, bool *is_empty, struct error *error)
{
    *is_empty = input->is_stream || isatty(STDIN_FILENO);
    if (input->is_file && lseek(STDIN_FILENO, input->position, SEEK_SET) < 0)
        return error_set_errno(error, "standard input", "cannot be read again from its start");
    bool is_untouched = !input->had_data && is_over() == input->is_over && !has_data();
    if (input->is_stream && !is_untouched)
        return error_set(error, "standard input",
                         "came through a pipe and was read, so the program cannot be run again with it; give "
                         "it a file (< file)");
    return true;
}
