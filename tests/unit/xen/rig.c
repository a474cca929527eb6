/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The test rig; rig.h describes its script language.
 *
 * Checks of single records use a plain `if`: libcheck logs each of its own
 * assertions to a file, and there are millions of records.
 */
#include "tests/unit/xen/rig.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the ring --------------------------------------------------------- */

void rig_attach(struct rig *rig, unsigned int cpu)
{
    *rig = (struct rig){};
    ck_assert_int_eq(kit_open(&rig->reader, cpu), 0);
}

void rig_start(struct rig *rig, unsigned int pages)
{
    ck_assert_int_eq(kit_start_simple(1), 0);
    ck_assert_int_eq(kit_set_size(pages), 0);
    xensim_capture_console();
    rig_attach(rig, 0);
}

uint32_t rig_unread(const struct rig *rig)
{
    const struct t_buf *ring = rig->reader.ring;
    uint32_t twice = 2 * rig->reader.size;

    return (ring->prod + twice - ring->cons) % twice;
}

uint32_t rig_place(const struct rig *rig)
{
    return rig->reader.ring->prod % rig->reader.size;
}

/* Emit a record of so many bytes. */
static void emit_bytes(struct rig *rig, unsigned int bytes, bool timed)
{
    unsigned int head = timed ? 12 : 4;

    if ( bytes < head || bytes > head + 28 || bytes % 4 )
        ck_abort_msg("no record has %u bytes", bytes);
    kit_emit(++rig->emitted, (bytes - head) / 4, timed);
}

/* Emit records of so many bytes in total, none of which needs padding. */
static void emit_exactly(struct rig *rig, uint32_t bytes)
{
    while ( bytes )
    {
        uint32_t to_end = rig->reader.size - rig_place(rig);
        uint32_t most = min(bytes, to_end), n = min(most, 32U);

        emit_bytes(rig, n, false);
        bytes -= n;
    }
}

/* ---- reading ---------------------------------------------------------- */

/* Append a token to the text, or increment its count. */
static void add_token(struct rig *rig, const char *token)
{
    size_t left = sizeof(rig->text) - rig->used;
    char *at = rig->text + rig->used;

    if ( !strcmp(token, rig->token) )
    {
        rig->times++;
        return;
    }
    if ( rig->times > 1 )
        rig->used += snprintf(at, left, "*%u", rig->times);
    left = sizeof(rig->text) - rig->used;
    at = rig->text + rig->used;
    rig->used += snprintf(at, left, "%s%s", rig->used ? " " : "", token);
    if ( rig->used >= sizeof(rig->text) )
        ck_abort_msg("too long: %s", rig->text);

    snprintf(rig->token, sizeof(rig->token), "%s", token);
    rig->times = 1;
}

static void end_text(struct rig *rig)
{
    if ( rig->times > 1 )
        snprintf(rig->text + rig->used, sizeof(rig->text) - rig->used, "*%u",
                 rig->times);
}

static void check_emitted(struct rig *rig, const struct kit_record *record)
{
    uint32_t number;

    if ( record->event != KIT_EVENT )
        ck_abort_msg("event %#x at %u is not ours", record->event, record->at);
    rig->record = *record;
    rig->read++;
    if ( !record->words )
        return; /* too small for a number */

    if ( !kit_is_emitted(record, &number) )
        ck_abort_msg("record at %u is torn", record->at);
    if ( number <= rig->last_number )
        ck_abort_msg("record %u comes after %u", number, rig->last_number);
    rig->last_number = number;
}

static void take_records(struct rig *rig, const struct kit_record *record,
                         bool silent)
{
    uint32_t value = record->bytes;
    char letter = 'r', token[16];

    if ( record->event == TRC_TRACE_WRAP_BUFFER )
        letter = 'p';
    else if ( record->event == TRC_LOST_RECORDS )
    {
        letter = 'L';
        value = record->word[0];
        rig->lost += value;
        rig->lost_record = *record;
    }
    else
        check_emitted(rig, record);

    if ( silent )
        return;
    if ( record->timed && islower(letter) )
        letter = toupper(letter);
    snprintf(token, sizeof(token), "%c%u", letter, value);
    add_token(rig, token);
}

/* Read up to n records. */
static void read_records(struct rig *rig, unsigned int n, bool silent)
{
    struct kit_record record;
    struct kit_reader *r = &rig->reader;

    kit_snapshot(r);
    while ( n-- && kit_next(r, &record) )
        take_records(rig, &record, silent);
    if ( r->fault[0] )
        ck_abort_msg("%s", r->fault);
    kit_consume(r);
}

/* ---- the language ----------------------------------------------------- */

/* Convert a number of bytes; a negative one counts from the end. */
static uint32_t counted_in(const struct rig *rig, long n)
{
    ck_assert_int_le(labs(n), rig->reader.size);
    return n < 0 ? rig->reader.size + n : n;
}

static void play_goto(struct rig *rig, long n, bool given)
{
    uint32_t size = rig->reader.size, way;

    ck_assert(given);
    read_records(rig, ~0U, true);
    way = (counted_in(rig, n) + size - rig_place(rig)) % size;
    while ( way )
    {
        uint32_t part = min(way, 1024U);

        emit_exactly(rig, part);
        read_records(rig, ~0U, true);
        way -= part;
    }
}

/* Without a number: fill the ring completely. */
static void play_fill(struct rig *rig, long n, bool given)
{
    uint32_t to = given ? counted_in(rig, n) : rig->reader.size;

    ck_assert_uint_ge(to, rig_unread(rig));
    emit_exactly(rig, to - rig_unread(rig));
}

static void play_read(struct rig *rig, long n, bool given)
{
    if ( rig->used )
        add_token(rig, "|");
    read_records(rig, given ? n : ~0U, false);
}

static void play_untimed(struct rig *rig, long n, bool given)
{
    ck_assert(given);
    emit_bytes(rig, n, false);
}

static void play_timed(struct rig *rig, long n, bool given)
{
    ck_assert(given);
    emit_bytes(rig, n, true);
}

static const struct
{
    char letter;
    void (*play)(struct rig *rig, long n, bool given);
} words[] = {
    { 'r', play_untimed },
    { 'R', play_timed },
    { '@', play_goto },
    { '=', play_fill },
    { '?', play_read },
};

/* Play one word, a letter with an optional number.  Returns its end. */
static const char *play_word(struct rig *rig, const char *word)
{
    char *end;
    long n = strtol(word + 1, &end, 10);
    unsigned int i;

    for ( i = 0; i < ARRAY_SIZE(words) && words[i].letter != *word; i++ )
        ;
    if ( i == ARRAY_SIZE(words) )
        ck_abort_msg("no such word: %s", word);
    words[i].play(rig, n, end > word + 1);
    return end;
}

const char *rig_play(struct rig *rig, const char *script)
{
    rig->used = rig->times = 0;
    rig->text[0] = rig->token[0] = '\0';

    while ( *(script += strspn(script, " ")) )
        script = play_word(rig, script);
    end_text(rig);

    return rig->text;
}

const char *rig_script(const char *format, ...)
{
    static char scripts[4][256];
    static unsigned int turn;
    char *script = scripts[turn++ % 4];
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(script, sizeof(scripts[0]), format, args);
    va_end(args);
    if ( n >= (int)sizeof(scripts[0]) )
        ck_abort_msg("too long: %s", script);

    return script;
}

/* ---- conclusions ------------------------------------------------------ */

void rig_balance(struct rig *rig)
{
    /* One more record flushes the pending LOST record. */
    rig_play(rig, "? R12 ?");
    ck_assert_uint_eq(rig->emitted, rig->read + rig->lost);
}

unsigned int rig_virqs(void)
{
    static unsigned long seen;
    unsigned long before = seen;

    xensim_run_tasklets();
    seen = xensim_virqs();
    return seen - before;
}

void rig_console(const char *line, unsigned int n)
{
    const char *text = xensim_capture_console(), *at = strstr(text, line);
    unsigned int lines = 0;

    for ( const char *c = text; *c; c++ )
        lines += *c == '\n';
    ck_assert_msg(lines == n, "%u lines, not %u: %s", lines, n, text);
    if ( !n )
        return;
    ck_assert_msg(at != NULL, "not on the console: %s\n%s", line, text);
    ck_assert_msg(!strstr(at + 1, line), "twice: %s", text);
}

int rig_main(TCase *tests)
{
    Suite *suite = suite_create("xen");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tests);
    tcase_set_timeout(tests, 500);
    srunner_set_fork_status(runner, CK_FORK); /* one machine per process */
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);

    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
