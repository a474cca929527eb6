/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of temporary files, and of folders of such files, that a signal
 * removes, if its default action ends the process.  A signal that the program
 * ignores or handles itself is left alone.  SIGKILL and crashes leave what is
 * there.
 *
 * All functions are thread-safe.  A child process does not remove the files of
 * its parent.
 */
#ifndef COMMON_SIGNAL_UNLINK_H
#define COMMON_SIGNAL_UNLINK_H

/* Names at the same time; further names are not removed. */
#define SIGNAL_UNLINK_MAX 16

/* The name of what exists; borrowed until signal_unlink_free(). */
void signal_unlink_add(const char *path);

/* Free a name, added or not, or NULL; the file or folder stays. */
void signal_unlink_free(char *path);

#endif /* COMMON_SIGNAL_UNLINK_H */
