/* SPDX-License-Identifier: MIT
 *
 * `torno --version`.
 */
#ifndef CLI_VERSION_H
#define CLI_VERSION_H

/* Prints version, engine, protocol and the walls that stand here; the exit status. */
int version_main(void);

#endif
