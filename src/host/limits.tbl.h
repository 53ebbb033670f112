/* SPDX-License-Identifier: MIT
 *
 * The limits of a run, once for the settings, the command line, its help and the manual.
 * LIMIT(name, unit, default, min, max, sentence). Units: "ms" and "bytes" take suffixes on the
 * command line, "" is a count. A value out of range is refused by name, never clamped.
 */
/* clang-format off */
LIMIT(max_calls_out,    "",      16,          1,     256,           "calls of a script that are out at once; more wait in the script")
LIMIT(max_args_bytes,   "bytes", 4194304,     2,     16777216,      "JSON text of one call's arguments")
LIMIT(max_args_values,  "",      100000,      1,     1000000,       "JSON values in one call's arguments")
LIMIT(call_timeout,     "ms",    300000,      0,     86400000,      "wait for one call's answer; 0: no end")
LIMIT(memory,           "bytes", 134217728,   4194304, 2147483648,  "the script's memory")
LIMIT(lifetime,         "ms",    3600000,     1,     86400000,      "wall time of a script")
LIMIT(cpu_time,         "ms",    0,           0,     86400000,      "processor time of a script; 0: no bound")
LIMIT(stop_grace,       "ms",    2000,        0,     60000,         "from a stop to the kill")
LIMIT(max_frame,        "bytes", 26214400,    262144, 26214400,      "one message of the script's process")
LIMIT(max_result_depth, "",      2000,        1,     2000,          "nesting of a result")
LIMIT(output_head,      "",      8000,        0,     1000000,       "characters kept from the start of the output")
LIMIT(output_tail,      "",      8000,        0,     1000000,       "characters kept from the end of the output")
LIMIT(max_code,         "bytes", 1048576,     1,     1048576,       "the script's source")
LIMIT(max_wakes,        "",      100,         0,     1000,          "messages of a script to its agent; 0: it can send none")
LIMIT(wake_spacing,     "ms",    1000,        1,     60000,         "from one of these messages to the next")
LIMIT(timers,           "",      1,           0,     1,             "1: scripts have setTimeout, setInterval and sleep; 0: they do not")
/* clang-format on */
