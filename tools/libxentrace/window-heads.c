/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "libxentrace/window-heads.h"

#include <assert.h>
#include <stdbool.h>

#define SHORT_STEP (16u << 10)

static size_t limit_size(const struct xt_source *s, uint64_t at, size_t size)
{
    return s->size - at < size ? s->size - at : size;
}

void xt_window_heads_fini(struct xt_window_heads *h)
{
    xt_window_bytes_fini(&h->bytes[0]);
    xt_window_bytes_fini(&h->bytes[1]);
}

static bool has_head(const struct xt_window_bytes *b, const struct xt_source *s,
                     uint64_t at)
{
    return xt_window_bytes_find(b, at, limit_size(s, at, XT_HEAD_BYTES));
}

/* Many heads are near each other: read the next ones, too. */
static size_t choose_size(const struct xt_window_heads *h,
                          const struct xt_source *s, uint64_t at)
{
    bool is_near = at >= h->at && at - h->at <= SHORT_STEP;

    return limit_size(s, at, is_near ? XT_WINDOW_BYTES_MANY : XT_HEAD_BYTES);
}

/* Use the other buffer, which may have the head of the window before. */
static bool load_head(struct xt_window_heads *h, const struct xt_source *s,
                      uint64_t at)
{
    struct xt_window_bytes *b = &h->bytes[!h->last];

    h->last = !h->last;
    b->most = XT_WINDOW_BYTES_MANY;
    return has_head(b, s, at) ||
           xt_window_bytes_load(b, s, at, choose_size(h, s, at));
}

const unsigned char *xt_window_heads_at(struct xt_window_heads *h,
                                        const struct xt_source *s, uint64_t at)
{
    const struct xt_window_bytes *b = &h->bytes[h->last];

    assert(at <= s->size && h->last < 2);
    if ( !has_head(b, s, at) )
    {
        if ( !load_head(h, s, at) )
            return NULL;
        b = &h->bytes[h->last];
    }
    h->at = at;
    return b->buffer + (at - b->at);
}
