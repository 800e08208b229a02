// In C, because a signal handler must not allocate or lock (signal-safety(7)), and Swift does not guarantee either.
#include "CTerminal.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
enum { signal_count = sizeof signals / sizeof signals[0] };

static struct sigaction former_actions[signal_count];
static struct termios shown, hidden;
static int terminal = -1;

static void show_first(int number);

static void watch(int index) {
    struct sigaction action = {0};
    action.sa_handler = show_first;
    // When the program was stopped and continues, so does the read.
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (int other = 0; other < signal_count; other++) sigaddset(&action.sa_mask, signals[other]);
    sigaction(signals[index], &action, NULL);
}

static int is_ignored(int index) {
    return !(former_actions[index].sa_flags & SA_SIGINFO) && former_actions[index].sa_handler == SIG_IGN;
}

static void show_first(int number) {
    int former_error = errno;
    int index = 0;
    while (index < signal_count - 1 && signals[index] != number) index++;
    // Discards what was typed of the secret, so that it does not become other input.
    tcsetattr(terminal, TCSAFLUSH, &shown);
    sigaction(number, &former_actions[index], NULL);
    raise(number);
    sigset_t just_this;
    sigemptyset(&just_this);
    sigaddset(&just_this, number);
    // The original action runs here. Most signals end the program.
    pthread_sigmask(SIG_UNBLOCK, &just_this, NULL);
    watch(index);
    tcsetattr(terminal, TCSAFLUSH, &hidden);
    errno = former_error;
}

int terminal_hide(int descriptor) {
    if (tcgetattr(descriptor, &shown) != 0) return -1;
    hidden = shown;
    hidden.c_lflag &= ~(tcflag_t)ECHO;
    terminal = descriptor;
    for (int index = 0; index < signal_count; index++) {
        sigaction(signals[index], NULL, &former_actions[index]);
        // Ignored signals remain ignored, as under nohup(1).
        if (!is_ignored(index)) watch(index);
    }
    tcsetattr(descriptor, TCSAFLUSH, &hidden);
    return 0;
}

void terminal_show(void) {
    tcsetattr(terminal, TCSAFLUSH, &shown);
    for (int index = 0; index < signal_count; index++) sigaction(signals[index], &former_actions[index], NULL);
}

static char *volatile notice;
static volatile sig_atomic_t listener = -1;

static void say_notice(int number) {
    int former_error = errno;
    int descriptor = listener;
    if (descriptor >= 0) {
        listener = -1;
        (void)!write(descriptor, "", 1);
        errno = former_error;
        return;
    }
    char *line = notice;
    if (line) (void)!write(STDERR_FILENO, line, strlen(line));
    // The signal is blocked here, and ends the program once this returns.
    signal(number, SIG_DFL);
    raise(number);
    errno = former_error;
}

void terminal_say_at_interrupt(const char *line) {
    char *copy = strdup(line);
    if (!copy) return;
    // A handler may be reading the former line, which is therefore not freed.
    notice = copy;
    struct sigaction former;
    sigaction(SIGINT, NULL, &former);
    if (!(former.sa_flags & SA_SIGINFO) && former.sa_handler == SIG_IGN) return;
    struct sigaction action = {0};
    action.sa_handler = say_notice;
    // A read at the terminal goes on after a Ctrl-C that only tells a listener.
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

void terminal_tell_at_interrupt(int descriptor) { listener = descriptor; }
