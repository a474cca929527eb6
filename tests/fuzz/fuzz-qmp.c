/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as input of a QMP client: each message has one reply in JSON, with
 * a value or an error with its class, and with the id of the message.
 */
#include "tests/fuzz/monitored.h"

#include <jansson.h>
#include <string.h>

#include "libusertrace/monitor/frame.h"
#include "libusertrace/monitor/qmp.h"

static void check_error(const json_t *error)
{
    const char *class = json_string_value(json_object_get(error, "class"));
    const char *text = json_string_value(json_object_get(error, "desc"));

    MUST(class && text && text[0]);
    MUST(!strcmp(class, "GenericError") || !strcmp(class, "CommandNotFound"));
}

static void check_answer(const char *line, const json_t *question)
{
    json_t *answer = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    const json_t *error = json_object_get(answer, "error");
    const json_t *id = json_object_get(question, "id");

    MUST(strlen(line) > 2 && !strcmp(line + strlen(line) - 2, "\r\n"));
    MUST(answer && !error == !!json_object_get(answer, "return"));
    if ( error )
        check_error(error);
    if ( id )
        MUST(json_equal(id, json_object_get(answer, "id")));
    json_decref(answer);
}

static void ask(struct mon_qmp *q, const struct mon_frame *f)
{
    json_t *question = json_loadb(f->text, f->nr, JSON_REJECT_DUPLICATES,
                                  NULL);
    char *line = mon_qmp_answer(q, f->text, f->nr);

    MUST(line);
    check_answer(line, question);
    free(line);
    json_decref(question);
    monitored_check();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct mon_frame f;
    struct mon_qmp q = { .is_ready = size % 2 };
    enum mon_step step;

    monitored_begin();
    MUST(!mon_qmp_load(NULL));
    mon_frame_clear(&f);
    for ( size_t i = 0; i < size; i++ )
    {
        step = mon_frame_put_byte(&f, bytes[i]);
        if ( step == MON_TOO_LONG )
            break;
        if ( step == MON_WHOLE )
        {
            ask(&q, &f);
            mon_frame_clear(&f);
        }
    }
    return 0;
}
