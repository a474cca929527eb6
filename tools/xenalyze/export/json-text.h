/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Strings of JSON, for the room's own files.
 */
#ifndef XENALYZE_EXPORT_JSON_TEXT_H
#define XENALYZE_EXPORT_JSON_TEXT_H

#include <stdio.h>

/* With quotes around; any bytes but NUL. */
void json_write_string(FILE *out, const char *text);

/* The version of the document that json.c writes and schema.c describes. */
#define JSON_VERSION 2

#endif /* XENALYZE_EXPORT_JSON_TEXT_H */
