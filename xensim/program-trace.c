/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All texts are mappings: those of events, and those with ids that no event
 * has.
 */
#include "xensim/program-trace.h"

#include "xensim/file-metadata.h"
#include "xensim/runtime/runtime.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define MAGIC UINT64_C(0xf2b177cb0aa429b4)
#define VERSION 4u
#define MAPPING UINT64_C(0)
#define ID_DECLARE UINT64_C(0xffffffffffff0001)
#define ID_CLOCK UINT64_C(0xffffffffffff0002)
#define ID_PROCESS UINT64_C(0xffffffffffff0003)
#define TEXT_MAX 256u

static void write_mapping(uint64_t id, const char *text, FILE *out)
{
    uint64_t head[] = { MAPPING, id };
    uint32_t length = strlen(text);

    ASSERT(length);
    fwrite(head, sizeof(head), 1, out);
    fwrite(&length, sizeof(length), 1, out);
    fwrite(text, length, 1, out);
}

static void write_events(FILE *out)
{
    const char *name, *declaration;
    char text[TEXT_MAX];

    for ( unsigned int i = 0; (name = workload_program_event(i, &declaration));
          i++ )
    {
        write_mapping(i, name, out);
        snprintf(text, sizeof(text), "%u %s", i, declaration);
        write_mapping(ID_DECLARE, text, out);
    }
}

static void write_host(const struct options *o, FILE *out)
{
    unsigned char boot[16];
    char text[TEXT_MAX], uuid[33];

    file_metadata_boot_id(o, boot);
    for ( unsigned int i = 0; i < sizeof(boot); i++ )
        snprintf(uuid + 2 * i, 3, "%02x", boot[i]);
    snprintf(text, sizeof(text), "pid 1000 host %.64s boot %s program qemu",
             o->host_name, uuid);
    write_mapping(ID_PROCESS, text, out);
    snprintf(text, sizeof(text), "0 %" PRIu64, file_metadata_date(o));
    write_mapping(ID_CLOCK, text, out);
}

int program_trace_begin(const struct options *o, FILE *out)
{
    const uint64_t header[] = { UINT64_MAX, MAGIC, VERSION };

    fwrite(header, sizeof(header), 1, out);
    write_host(o, out);
    write_events(out);
    return ferror(out) ? -EIO : 0;
}
