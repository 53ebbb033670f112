/* SPDX-License-Identifier: MIT
 *
 * The orders of events of an agent's scripts: every permutation of chosen sets, and long random
 * walks from seeds. What must hold stands in unit/orders-model.h and -events.h.
 *
 * orders-test [SEED]: the walks of one seed alone. SOAK=1: longer sets and walks.
 */
#include "unit/orders-events.h"

/* ---- permutations: one script, an agent of its own each time ---- */

/* Letters of a set, each an event:
 * w wake, d delivered, l could not be delivered, F says that it failed, G that it finished,
 * x its process exits, k it crashes, W wait, S stop, C the newest watch is cancelled, L list,
 * o output, c call, a answer, r refusal, A its turn is abandoned, s its turn is settled, R its turn
 * is resumed, Z its agent is closed, t time for a wake to pass, T time for a yield */
static struct mwatch *newest;

static void keep(struct mwatch *w)
{
    newest = w;
}

static void happen_to(struct side *side, char event)
{
    switch (event) {
    case 'W':
        keep(use_tool(side, AGENT_WAIT, 1, -1, 1));
        break;
    case 'S':
        keep(use_tool(side, AGENT_STOP, 1, 0, 1));
        break;
    case 'L':
        keep(use_tool(side, AGENT_LIST, 0, -1, 1));
        break;
    case 'Z':
        close_side(side);
        break;
    default:
        assert(event == '?');
    }
}

static void happen(struct side *side, char event)
{
    switch (event) {
    case 'w':
        wake_agent(1);
        break;
    case 'd':
    case 'l':
        deliver(1, event == 'd');
        break;
    case 'F':
    case 'G':
        say_end(1, event == 'F' ? WIRE_END_FAILED : WIRE_END_FINISHED);
        break;
    case 'x':
    case 'k':
        die(1, event == 'x' ? 0 : SIGSEGV);
        break;
    case 'o':
        write_some(1, 50);
        break;
    case 'c':
        call_tool_of(1);
        break;
    case 'a':
    case 'r':
        answer(0, event == 'r');
        break;
    case 'C':
        cancel(newest);
        break;
    case 'A':
        abandon_turn(1);
        break;
    case 's':
        settle_turn(1);
        break;
    case 'R':
        resume_turn(1);
        break;
    case 't':
        stage_pass(&stage, 1000);
        break;
    case 'T':
        stage_pass(&stage, 30000);
        break;
    default:
        if (side->agent != NULL) {
            happen_to(side, event);
        }
    }
}

/* How the script stands before the events come. */
enum { IS_LEFT = 1, IS_PRIMARY = 2, TURNS_LOOP = 4, HAS_WAKE = 8, VARIANTS = 16 };

static void play_order(const char *order, int variant)
{
    static struct side *lead; /* that there is a primary one */
    struct side *side = open_side((variant & IS_PRIMARY) != 0);

    lead = (variant & IS_PRIMARY) != 0 ? NULL : open_side(true);
    open_turn();
    keep(use_tool(side, AGENT_RUN, 0, (variant & IS_LEFT) != 0 ? 0 : -1, 1));
    stage_pass(&stage, 1);
    if ((variant & HAS_WAKE) != 0) {
        wake_agent(1);
        stage_turn(&stage);
    }
    for (const char *at = order; *at != '\0'; at++) {
        happen(side, *at);
        if ((variant & TURNS_LOOP) != 0) {
            stage_turn(&stage);
            check_kept(side);
        }
    }
    stage_turn(&stage);
    settle_all(side);
    close_side(side);
    if (lead != NULL) {
        close_side(lead);
    }
    stage_pass(&stage, 3000);
    T_OK(side->is_closed && stage.agents->first == NULL && stage.play.host->runs == NULL);
    check_returned();
    while (n_calls > 0) {
        answer(0, 0);
    }
    model_clear();
}

static int n_orders;

static void report(const char *order, int variant, int failures)
{
    if (t_failures > failures) {
        fprintf(stderr, "^ in the order %s, variant %d\n", order, variant);
    }
}

static void permute(char *set, size_t at)
{
    size_t len = strlen(set);

    if (t_failures > 20) {
        return;
    }
    if (at == len) {
        for (int variant = 0; variant < VARIANTS; variant++) {
            int failures = t_failures;

            play_order(set, variant);
            report(set, variant, failures);
            n_orders++;
        }
        return;
    }
    for (size_t i = at; i < len; i++) {
        char first = set[at];

        set[at] = set[i];
        set[i] = first;
        permute(set, at + 1);
        set[i] = set[at];
        set[at] = first;
    }
}

static void play_sets(const char *const *sets)
{
    model_open();
    for (; *sets != NULL; sets++) {
        char set[16];

        snprintf(set, sizeof set, "%s", *sets);
        permute(set, 0);
    }
    model_close();
}

/* ---- walks: several agents, scripts and turns ---- */

static uint64_t seed;

static unsigned roll(unsigned n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % n;
}

static int some_script(void)
{
    return n_scripts == 0 ? 0 : n_scripts - (int)roll(n_scripts < 8 ? (unsigned)n_scripts : 8);
}

static uint64_t some_turn(void)
{
    return n_turns == 0 || roll(3) == 0 ? 0 : n_turns - roll(n_turns < 3 ? (unsigned)n_turns : 3);
}

static void walk_turns(void)
{
    switch (roll(5)) {
    case 0:
    case 1:
        open_turn();
        break;
    case 2:
        settle_turn(some_turn());
        break;
    case 3:
        abandon_turn(some_turn());
        break;
    default:
        resume_turn(some_turn());
    }
}

static void walk_use(struct side *side)
{
    static const int64_t yields[] = {0, 5, 1500, -1};

    switch (roll(7)) {
    case 0:
    case 1:
    case 2:
        use_tool(side, AGENT_RUN, 0, yields[roll(4)], some_turn());
        break;
    case 3:
    case 4:
        use_tool(side, AGENT_WAIT, some_script(), yields[roll(4)], some_turn());
        break;
    case 5:
        use_tool(side, AGENT_STOP, some_script(), 0, some_turn());
        break;
    default:
        use_tool(side, AGENT_LIST, 0, -1, 0);
    }
}

static void walk_cell(void)
{
    int script = some_script();

    switch (roll(9)) {
    case 0:
    case 1:
        write_some(script, 1 + roll(80));
        break;
    case 2:
    case 3:
        call_tool_of(script);
        break;
    case 4:
        wake_agent(script);
        break;
    case 5:
        say_end(script, WIRE_END_FINISHED);
        break;
    case 6:
        say_end(script, roll(2) == 0 ? WIRE_END_FAILED : WIRE_END_OVERSIZE);
        break;
    case 7:
        die(script, 0);
        break;
    default:
        die(script, roll(4) == 0 ? SIGSEGV : 0);
    }
}

/* One agent in a hundred goes, and another comes. */
static void walk_close(struct side **side)
{
    if (roll(30) == 0) {
        close_side(*side);
        *side = open_side((*side)->is_primary);
    }
}

static void step(struct side **mine, size_t n)
{
    static const int64_t times[] = {1, 4, 500, 1000, 1001, 2000, 31000};
    struct side **side = &mine[roll((unsigned)n)];

    switch (roll(12)) {
    case 0:
    case 1:
    case 2:
        walk_use(*side);
        break;
    case 3:
        cancel(&watches[(n_watches + MODEL_WATCHES - 1 - (int)roll(6)) % MODEL_WATCHES]);
        break;
    case 4:
    case 5:
    case 6:
        walk_cell();
        break;
    case 7:
        deliver(some_script(), roll(4) != 0);
        break;
    case 8:
        answer(roll(MODEL_CALLS), (int)roll(3));
        answer(0, (int)roll(3));
        break;
    case 9:
        walk_turns();
        break;
    case 10:
        stage_pass(&stage, times[roll(ARRAY_SIZE(times))]);
        break;
    default:
        walk_close(side);
    }
    if (roll(2) == 0) {
        stage_turn(&stage);
        check_kept(*side);
    }
}

static void walk(uint64_t from, int n_steps)
{
    int failures = t_failures;
    struct side *mine[3];

    model_open();
    seed = from;
    mine[0] = open_side(roll(2) == 0);
    mine[1] = open_side(false);
    mine[2] = open_side(false);
    for (int i = 0; i < n_steps && t_failures < failures + 20; i++) {
        step(mine, ARRAY_SIZE(mine));
    }
    while (n_calls > 0) {
        answer(0, 0);
    }
    stage_turn(&stage);
    for (size_t i = 0; i < ARRAY_SIZE(mine); i++) {
        settle_all(mine[i]);
    }
    T_OK(stage.play.host->runs == NULL);
    stage_pass(&stage, 31000);
    check_returned();
    for (size_t i = 0; i < ARRAY_SIZE(mine); i++) {
        close_side(mine[i]);
    }
    stage_pass(&stage, 10);
    T_OK(stage.agents->first == NULL);
    model_close();
    if (t_failures > failures) {
        fprintf(stderr, "^ in the walk from seed %" PRIu64 "\n", from);
    }
}

int main(int argc, char **argv)
{
    static const char *const sets[] = {
        "wdFxW", "wdFxS", "FxWCL", "GxWCo", "wdFxC", "oGxSC", "FxAWC", "FxsWd", "kWCAs", "caFxA",
        "crFxW", "wlFxZ", "oFxZW", "wtdwS", "AsRW",  "TWAFx", "WWFxC", "WSCFx", "wdZFx", NULL};
    static const char *const long_sets[] = {"wdFxWCS", "wdFxAWs", "FxZWCSs", NULL};
    bool is_soak = getenv("SOAK") != NULL;
    int n_seeds = is_soak ? 500 : 60;

    if (argc > 1) {
        walk(strtoull(argv[1], NULL, 10), 4000);
        return T_DONE("orders");
    }
    play_sets(sets);
    if (is_soak) {
        play_sets(long_sets);
    }
    T_OK(n_orders >= 500);
    printf("orders: %d orders of events\n", n_orders);
    for (int i = 1; i <= n_seeds && t_failures < 40; i++) {
        walk((uint64_t)i, 4000);
    }
    printf("orders: %" PRIu64 " returns, %" PRIu64 " endings, %" PRIu64 " notices\n",
           n_returns_seen, n_endings_seen, n_notices_seen);
    T_OK(n_notices_seen > 100 && n_returns_seen > 1000 && n_endings_seen > 1000);
    return T_DONE("orders");
}
