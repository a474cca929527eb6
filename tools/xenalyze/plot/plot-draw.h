/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between the files of a picture: plot.c (collects), plot-timeline.c (bars of
 * facts), plot-view.c (who is shown), plot-axis.c (where things are, and what
 * stands beside them), plot-draw.c (what is drawn), and those who can draw:
 * plot-svg.c, plot-png.c, and plot-gnuplot.c, which has others draw.
 */
#ifndef XENALYZE_PLOT_PLOT_DRAW_H
#define XENALYZE_PLOT_PLOT_DRAW_H

#include "xenalyze/plot/picture.h"

/* --- what is shown -------------------------------------------------------- */

/* Pixels; how high it is depends on how many rows there are. */
#define PLOT_WIDTH 1600
#define PLOT_LEFT 212
#define PLOT_RIGHT 1412         /* the legend is beyond */
#define PLOT_TOP 64
#define PLOT_BELOW 76           /* the axis of time */
#define PLOT_COLUMNS (PLOT_RIGHT - PLOT_LEFT)
#define PLOT_LINES 700

#define PLOT_SERIES 28u         /* that have a name; the last: all others */
#define PLOT_MAX_ROWS 512u
#define PLOT_NAME 24u

struct plot_mark
{
    int64_t from, to;           /* nanoseconds; equal: a dot */
    int64_t value;              /* of bars: the row */
    int64_t covered;            /* nanoseconds of from..to that it is there */
    uint32_t series;
};

struct plot_series
{
    char name[PLOT_NAME];
    uint32_t colour;            /* 0xrrggbb */
};

struct plot_row
{
    char name[PLOT_NAME];
};

/* Of an axis of addresses. */
#define PLOT_PIECES 7u

struct plot_piece
{
    uint64_t low, high;
    double bottom, top;         /* pixels */
};

struct plot_view
{
    const struct plot_about *about;
    const char *name;           /* of the trace */
    struct plot_mark *marks;
    size_t nr_marks;
    struct plot_series series[PLOT_SERIES];
    unsigned int nr_series;
    struct plot_row rows[PLOT_MAX_ROWS];
    unsigned int nr_rows;
    double per_row;             /* so many share one */
    int64_t first, last;        /* nanoseconds; first < last */
    int64_t least, most;        /* values; least < most */
    bool bars;
    bool log;                   /* the axis of values */
    int bottom;                 /* of the area, in pixels */
    struct plot_piece pieces[PLOT_PIECES];
    unsigned int nr_pieces;     /* 0: no addresses */
};

/* --- plot-keys.c ---------------------------------------------------------- */

/* Keys, each with a dense number; those that come too late share the last. */
struct plot_keys
{
    uint64_t *keys, *weights;   /* by number; how much there is of it */
    uint32_t *table;            /* a hash: number + 1, or 0 */
    uint32_t nr, room, last;
    bool failed;                /* out of memory */
};

/* The number of a key, a new one if it has none; weight is added to it. */
uint32_t plot_keys_take(struct plot_keys *k, uint64_t key, uint64_t weight);
void plot_keys_fini(struct plot_keys *k);

struct plot
{
    struct plot_about about;
    struct plot_mark *marks;
    size_t room;
    struct plot_keys series, rows;
    struct plot_view view;
    bool closed;
    bool failed;                /* out of memory */
};

/* --- plot.c --------------------------------------------------------------- */

/* Who a series is: what a point says, or one of the others. */
enum plot_kind
{
    PLOT_OF_VCPU,
    PLOT_OF_DOMAIN,
    PLOT_OF_IRQ,
    PLOT_OF_STATE,
    PLOT_OF_ALL,
    PLOT_OF_LOST,
    PLOT_OF_OTHERS,
};

#define PLOT_KEY(kind, id) ((uint64_t)(kind) << 48 | (id))
#define PLOT_VCPU_ID(domain, vcpu)                                          \
    ((uint64_t)((domain) & 0xffff) << 16 | ((vcpu) & 0xffff))

/* Rows and series are told apart by keys, which also put them in order. */
void plot_row(struct plot *p, uint64_t row);
void plot_bar(struct plot *p, uint64_t row, uint64_t key, int64_t from,
              int64_t to);

/* --- plot-view.c ---------------------------------------------------------- */

/* Who has a name, and which rows there are; marks are renumbered so. */
int plot_choose(struct plot *p);

/* --- plot-names.c --------------------------------------------------------- */

void plot_name_series(struct plot_series *series, uint64_t key,
                      unsigned int place);
void plot_name_row(struct plot_row *row, enum plot_unit unit, uint64_t first,
                   uint64_t last);

/* --- plot-axis.c ---------------------------------------------------------- */

/* How high the picture is. */
int plot_height(const struct plot_view *v);

/* Should the axis of such values be logarithmic? */
bool plot_wants_log(const struct plot_view *v);

/* Places in the picture. */
double plot_x(const struct plot_view *v, int64_t time);
double plot_y(const struct plot_view *v, int64_t value);
double plot_row_top(const struct plot_view *v, unsigned int row);

struct plot_tick
{
    double at;                  /* pixels */
    char text[PLOT_NAME];
};

#define PLOT_TICKS 24u

unsigned int plot_time_ticks(const struct plot_view *v,
                             struct plot_tick ticks[PLOT_TICKS]);
unsigned int plot_value_ticks(const struct plot_view *v,
                              struct plot_tick ticks[PLOT_TICKS]);

/* --- plot-address.c ------------------------------------------------------- */

/* Find out which pieces the axis has.  0 or -ENOMEM. */
int plot_address_pieces(struct plot_view *v);

double plot_address_y(const struct plot_view *v, uint64_t value);
unsigned int plot_address_ticks(const struct plot_view *v,
                                struct plot_tick ticks[PLOT_TICKS]);

/* --- plot-draw.c ---------------------------------------------------------- */

enum plot_anchor { PLOT_START, PLOT_MIDDLE, PLOT_END };

/* Whoever can draw; a rectangle is x, y (of its top), width, height. */
struct plot_pen
{
    void *state;
    void (*rectangle)(void *state, double x, double y, double w, double h,
                      uint32_t colour);
    void (*text)(void *state, double x, double y, enum plot_anchor anchor,
                 uint32_t colour, const char *text);
};

/* 0 or -ENOMEM; the latter only what is in rows, rectangles without text. */
int plot_draw(const struct plot_view *v, const struct plot_pen *pen);
int plot_draw_rows(const struct plot_view *v, const struct plot_pen *pen);

/* 0 or -ENOMEM; whether `out` took it the caller looks. */
int plot_svg(const struct plot_view *v, FILE *out);
int plot_png(const struct plot_view *v, FILE *out);
int plot_gnuplot(const struct plot_view *v, FILE *out);

/* --- plot-letters.c ------------------------------------------------------- */

#define PLOT_LETTER 12          /* pixels from letter to letter */
#define PLOT_LETTER_HEIGHT 14

typedef void letter_dot_fn(void *state, int x, int y);

/* The dots of a text whose upper left corner is 0, 0. */
void plot_letters(const char *text, letter_dot_fn *dot, void *state);

#endif /* XENALYZE_PLOT_PLOT_DRAW_H */
