/* SPDX-License-Identifier: MIT
 *
 * The events of a host's one stream: EVENT(WORD, name, number, text), the last two what an event's
 * number and text tell, "" for nothing. doc/events.md holds the same table for readers. Names
 * last; a row is never given another meaning.
 */
/* clang-format off */
EVENT(WALLS_UP,    "walls_up",    "",                                       "which walls stand")
EVENT(CELL_READY,  "cell_ready",  "the walls that it claims, a set of bits", "")
EVENT(RUN_STARTED, "run_started", "",                                       "")
EVENT(CALL,        "call",        "the call's id",                          "the tool's name")
EVENT(ANSWERED,    "answered",    "the call's id",                          "how it came out")
EVENT(OUTPUT,      "output",      "bytes",                                  "")
EVENT(WAKE,        "wake",        "the wake's id",                          "its payload, JSON")
EVENT(RUN_ENDED,   "run_ended",   "",                                       "its ending, and the reason")
EVENT(CELL_DIED,   "cell_died",   "its wait status",                        "what the warden says of it")
EVENT(AGENT,       "agent",       "1 opened, 0 closed",                     "the agent's name")
EVENT(SCRIPT,      "script",      "the turn it was started in, 0 for none", "its id; the run is its own")
EVENT(WATCH,       "watch",       "1 run, 2 wait, 3 stop, 4 list",          "the script's id, where there is one yet")
EVENT(RETURN,      "return",      "1 where it is an error",                 "the script's id, where there is one")
EVENT(MESSAGE,     "message",     "1 a notice, 0 a wake",                   "the script's id")
EVENT(TURN,        "turn",        "the turn",                               "opened, resumed, settled or abandoned")
/* clang-format on */
