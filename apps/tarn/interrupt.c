// Signals. The flag below is the only global of the command line.

#define _POSIX_C_SOURCE 200809L // sigaction
#include "interrupt.h"
#include <signal.h>
#include <stddef.h>
#include <stdio.h>

static volatile sig_atomic_t caught_signal = 0;

// The first one waits for the end of the step, which may take a while; the second one does not.
static void on_signal(int number)
{
    if (caught_signal != 0) {
        signal(number, SIG_DFL);
        raise(number); // delivered when this handler returns
    }
    caught_signal = number;
}

void interrupt_install(void)
{
    static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction action = { .sa_handler = on_signal };
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        struct sigaction old;
        sigaction(numbers[i], NULL, &old);
        if (old.sa_handler == SIG_IGN) continue; // nohup, or in the background of a script
        sigaction(numbers[i], &action, NULL);
    }
}

bool is_interrupted(void)
{
    return caught_signal != 0;
}

void interrupt_obey(void)
{
    if (caught_signal == 0) return;
    fflush(stdout);
    signal((int)caught_signal, SIG_DFL);
    raise((int)caught_signal);
}
