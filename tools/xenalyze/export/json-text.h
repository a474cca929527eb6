/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON strings; private header of export/.
 */
#ifndef XENALYZE_EXPORT_JSON_TEXT_H
#define XENALYZE_EXPORT_JSON_TEXT_H

#include <stdio.h>

/* Write a quoted string of any bytes but NUL. */
void json_write_string(FILE *out, const char *text);

/* Version of the document: json.c writes the format, schema.c describes it. */
#define JSON_VERSION 2

#endif /* XENALYZE_EXPORT_JSON_TEXT_H */
