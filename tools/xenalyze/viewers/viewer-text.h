/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names in files for viewers.  A name from a trace, or of a file, may have any
 * bytes; a viewer gets valid UTF-8 without control characters.
 */
#ifndef XENALYZE_VIEWERS_VIEWER_TEXT_H
#define XENALYZE_VIEWERS_VIEWER_TEXT_H

#include <stddef.h>
#include <stdio.h>

#define VIEWER_TEXT_MAX 512u

/*
 * Copy a text of any bytes.  U+FFFD replaces invalid bytes, control characters
 * and characters that change the direction of the text; a longer text is cut
 * and ends in "...".  Returns `out`.
 */
const char *viewer_clean_text(const char *text, char out[VIEWER_TEXT_MAX]);

/* Write a JSON string; also "<" is escaped, so no text ends an HTML script. */
void viewer_write_json(FILE *out, const char *text);

/* Write a frame of a collapsed stack, where ";" separates frames. */
void viewer_write_frame(FILE *out, const char *text);

#endif /* XENALYZE_VIEWERS_VIEWER_TEXT_H */
