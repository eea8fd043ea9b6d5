/* Exceptions that leave functions, and coroutines that switch stacks. Prints "name calls". */
#include <cstdio>
#include <stdexcept>
#include <ucontext.h>

static volatile long thrown, caught, steps;

extern "C" __attribute__((noinline)) int thrower(int x)
{
    thrown = thrown + 1;
    if (x % 4 == 0)
        throw std::runtime_error("four");
    return x;
}
extern "C" __attribute__((noinline)) int middle(int x)
{
    return thrower(x) + 1;
}
extern "C" __attribute__((noinline)) int catcher(int x)
{
    caught = caught + 1;
    try {
        return middle(x);
    } catch (const std::exception &) {
        return -1;
    }
}

static ucontext_t outside, inside;
static char stack[256 * 1024];

extern "C" __attribute__((noinline)) void step(int x)
{
    steps = steps + 1;
    if (x % 2)
        swapcontext(&inside, &outside); /* in the middle of a call */
}
extern "C" __attribute__((noinline)) void coroutine()
{
    for (int i = 0; i < 100; i++)
        step(i);
}
extern "C" __attribute__((noinline)) void resume()
{
    swapcontext(&outside, &inside);
}

int main()
{
    int sum = 0;
    for (int i = 0; i < 400; i++)
        sum += catcher(i);
    getcontext(&inside);
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = sizeof stack;
    inside.uc_link = &outside;
    makecontext(&inside, coroutine, 0);
    for (int i = 0; i < 51; i++)
        resume();
    std::printf("thrower %ld\ncatcher %ld\nstep %ld\nsum %d\n", (long)thrown, (long)caught, (long)steps, sum < 0);
}
