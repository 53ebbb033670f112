/* SPDX-License-Identifier: MIT
 *
 * torno: the command. One table of subcommands; each lives in a file of its own.
 */
#include "base/mem.h"
#include "cli/cli.h"
#include "cli/version.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

enum { LEAST_STACK = 64 * 1024 };

struct command {
    const char *name;
    int (*main)(int argc, char **argv);
};

static const struct command commands[] = {
    {"run", run_main},
    {"tools", tools_main},
    {"doctor", doctor_main},
    {"keep", keep_main},
};

static const char help[] =
    "torno runs the code that an AI agent writes, in a process behind walls that\n"
    "reaches the agent's tools and nothing else.\n"
    "\n"
    "  torno run [--mcp FILE] SCRIPT.js     run one script\n"
    "  torno tools [--mcp FILE] [WORDS]     show the tools that a script would see\n"
    "  torno doctor                         what works here, what to change\n"
    "  torno --version                      version, engine, protocol and walls\n"
    "  torno COMMAND --help                 the options of one command\n"
    "\n"
    "A script is JavaScript, the body of an async function:\n"
    "\n"
    "  const r = await tools[\"files.read_text_file\"]({ path: \"a.txt\" });\n"
    "  console.log(r.text.length);\n"
    "  return r.text.toUpperCase();\n"
    "\n"
    "FILE is the mcpServers JSON that editors and desktop agents already have.\n"
    "Manual: man torno\n";

static int run_command(const char *name, int argc, char **argv)
{
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
        if (strcmp(name, commands[i].name) == 0) {
            return commands[i].main(argc, argv);
        }
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        return cli_help(help);
    }
    if (strcmp(name, "--version") == 0) {
        return version_main();
    }
    return cli_usage("%s is not a command of torno, which has run, tools, doctor, --version and "
                     "--help",
                     name);
}

/* A standard descriptor that is closed would be given to the next thing opened, and a script's
 * output would go there: it gets a /dev/null that refuses what it is for. */
static void fill_stdio(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd) {
            _exit(CLI_USAGE);
        }
    }
}

int main(int argc, char **argv)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct rlimit stack;
    sigset_t none;

    fill_stdio();
    /* Whoever started us may have blocked signals, and then no child's end would be heard. */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    /* A reader that went away, or a limit (ulimit -f), is an error of a write, which can be told,
     * not a sudden death. */
    sigaction(SIGPIPE, &ignore, NULL);
    sigaction(SIGXFSZ, &ignore, NULL);
    if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur < LEAST_STACK) {
        return cli_usage("the limit on the stack (ulimit -s) is %llu KiB, and torno needs %d KiB",
                         (unsigned long long)stack.rlim_cur / 1024, LEAST_STACK / 1024);
    }
    if (argc < 2) {
        return cli_usage("a command is missing: torno run, tools, doctor, --version or --help");
    }
    return run_command(argv[1], argc - 1, argv + 1);
}
