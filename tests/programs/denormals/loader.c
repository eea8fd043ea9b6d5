/* loader LIBRARY HOW: loads it and calls it; then it unloads it, or crashes. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **words)
{
    if (count < 3)
        return 2;
    void *library = dlopen(words[1], RTLD_NOW);
    if (!library)
        return 3;
    void (*work)(int) = (void (*)(int))dlsym(library, "plugin_work");
    if (!work)
        return 4;
    work(40);
    if (strcmp(words[2], "crash") == 0)
        abort();
    return dlclose(library);
}
