/* SPDX-License-Identifier: MIT
 *
 * The ways a run can end: ENDING(WORD, name, exit status of `torno run`, sentence).
 * A stalled script is failed with reason "stalled".
 */
/* clang-format off */
ENDING(FINISHED, "finished", 0,   "the script returned")
ENDING(FAILED,   "failed",   1,   "the script threw, or waited on what nothing can settle (stalled)")
ENDING(OVERSIZE, "oversize", 1,   "its value is past the cap")
ENDING(CRASHED,  "crashed",  3,   "its process died, broke the protocol, or the engine trapped")
ENDING(EXPIRED,  "expired",  4,   "its lifetime or processor time passed")
ENDING(STOPPED,  "stopped",  130, "its agent or host stopped it")
/* clang-format on */
