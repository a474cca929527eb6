/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Linear search: a table of words is small, and read for an error message only.
 * A prefix counts as an edit distance of 1.
 */
#include "common/closest-word.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "common/edit-distance.h"

#define MIN_PREFIX 3u           /* bytes; a shorter prefix suits any word */
#define LIST_MAX 200u           /* bytes of a list in a message */

void closest_word_init(struct closest_word *c, const char *word, size_t length)
{
    assert(word);
    *c = (struct closest_word){
        .word = word, .length = length, .distance = EDIT_DISTANCE_CLOSE,
    };
}

/* Edit distance; above EDIT_DISTANCE_CLOSE if the strings are not similar. */
static unsigned int measure_distance(const struct closest_word *c,
                                     const char *entry)
{
    unsigned int d = EDIT_DISTANCE_CLOSE + 1;

    if ( strlen(entry) > EDIT_DISTANCE_MAX ||
         c->length > EDIT_DISTANCE_MAX + EDIT_DISTANCE_CLOSE )
        return d;
    if ( c->length >= MIN_PREFIX &&
         !strncmp(entry, c->word, c->length) )
        return strlen(entry) > c->length;
    d = edit_distance(c->word, c->length, entry);
    return 2 * d >= c->length ? EDIT_DISTANCE_CLOSE + 1 : d;
}

/* Length of the prefix that both strings share. */
static size_t measure_prefix(const struct closest_word *c, const char *entry)
{
    size_t n = 0;

    while ( n < c->length && entry[n] && entry[n] == c->word[n] )
        n++;
    return n;
}

void closest_word_compare(struct closest_word *c, const char *entry)
{
    unsigned int d = measure_distance(c, entry);
    size_t prefix = measure_prefix(c, entry);

    if ( d > EDIT_DISTANCE_CLOSE || d > c->distance ||
         (d == c->distance && c->best && prefix <= c->prefix) )
        return;
    c->distance = d;
    c->prefix = prefix;
    c->best = entry;
}

int closest_word_find(const char *const *words, const char *word,
                      size_t length)
{
    for ( int i = 0; words[i]; i++ )
        if ( strlen(words[i]) == length && !memcmp(words[i], word, length) )
            return i;
    return -1;
}

static void join_words(const char *const *words, char text[LIST_MAX])
{
    size_t used = 0;

    text[0] = '\0';
    for ( size_t i = 0; words[i] && used < LIST_MAX; i++ )
        used += snprintf(text + used, LIST_MAX - used, "%s%s", i ? ", " : "",
                         words[i]);
}

int closest_word_refuse(const char *const *words, const char *what,
                        const char *word, struct err *e)
{
    struct closest_word c;
    char list[LIST_MAX];

    join_words(words, list);
    if ( !word )
        return err_usage(e, "%s: give one of %s", what, list);
    assert(closest_word_find(words, word, strlen(word)) < 0);
    closest_word_init(&c, word, strlen(word));
    for ( size_t i = 0; words[i]; i++ )
        closest_word_compare(&c, words[i]);
    if ( !c.best )
        return err_usage(e, "%s %.40s: it is one of %s", what, word, list);
    return err_usage(e, "%s %.40s: is %s meant? It is one of %s", what, word,
                     c.best, list);
}
