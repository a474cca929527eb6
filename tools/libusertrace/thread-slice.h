/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LIBUSERTRACE_THREAD_SLICE_H
#define LIBUSERTRACE_THREAD_SLICE_H

/*
 * Ask for short time slices for the calling thread, so that it runs soon after
 * a wake-up.  Its share of the CPU stays the same.
 */
void ut_thread_shorten_slice(void);

#endif /* LIBUSERTRACE_THREAD_SLICE_H */
