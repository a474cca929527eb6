/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Private to the files of a picture:
 *
 *     picture.c         collects the marks, writes the file
 *     plot-timeline.c   facts to bars
 *     plot-losses.c     losses in a picture of dots
 *     plot-view.c       the choice of series and rows; plot-names.c their names
 *     plot-axis.c       positions and ticks; plot-address.c those of addresses
 *     plot-palette.c    colours for light and dark pages
 *     plot-legend.c     the lines of the legend
 *     plot-draw.c       the drawing: axes, legend, dots; plot-rows.c rows of
 *                       bars; plot-cells.c heat maps; plot-tips.c tooltips
 *     plot-svg.c, plot-cairo.c   the pens; plot-gnuplot.c writes a script
 */
#ifndef XENALYZE_PLOT_PLOT_DRAW_H
#define XENALYZE_PLOT_PLOT_DRAW_H

#include "xenalyze/plot/picture.h"

/* --- the view ------------------------------------------------------------- */

/* In pixels.  The height depends on the number of rows. */
#define PLOT_WIDTH 1720
#define PLOT_LEFT 212
#define PLOT_RIGHT 1412         /* then the legend */
#define PLOT_TOP 64
#define PLOT_BELOW 76           /* for the axis of time */
#define PLOT_COLUMNS (PLOT_RIGHT - PLOT_LEFT)
#define PLOT_LINES 700

#define PLOT_SERIES 28u         /* in the legend; the last may be "others" */
#define PLOT_MAX_ROWS 512u
#define PLOT_NAME 24u
#define PLOT_HEAT_ROWS 64u      /* from this many pcpus on, a heat map */

/* A colour, 0xrrggbb, on a light and on a dark page. */
struct plot_paint
{
    uint32_t light, dark;
};

#define PLOT_STEPS 10u          /* colours on a scale */

/* Indexes of paints. */
enum plot_role
{
    PAINT_PAGE,
    PAINT_INK,
    PAINT_GRID,
    PAINT_GROUND,               /* background of a row */
    PAINT_NO_DATA,
    PAINT_LOST,
    PAINT_IDLE,
    PAINT_SCALE,                /* the first of PLOT_STEPS */
    PAINT_SERIES = PAINT_SCALE + PLOT_STEPS,    /* plus the index of a series */
    PLOT_PAINTS = PAINT_SERIES + PLOT_SERIES,
};

struct plot_mark
{
    int64_t from, to;           /* nanoseconds; equal: a dot */
    int64_t value;              /* for bars: the row */
    int64_t covered;            /* for bars: their length, if merged the sum;
                                   for dots: their number */
    uint32_t series;
};

/* Time in which a pcpu lost records. */
struct plot_loss
{
    int64_t from, to;           /* nanoseconds */
};

struct plot_series
{
    char name[PLOT_NAME];
    uint64_t key;
    struct plot_paint paint;
};

struct plot_row
{
    char name[PLOT_NAME];
    uint64_t key;               /* the first pcpu or vcpu */
    uint32_t members;           /* pcpus or vcpus that share the row */
    bool starts_group;          /* the first vcpu of another domain */
};

/* A line of the legend; the index PLOT_PAINTS marks a heading. */
struct plot_line
{
    char name[PLOT_NAME];
    unsigned int paint;
};

#define PLOT_LINES_OF_LEGEND (PLOT_SERIES + 4u)

/* An axis of addresses has pieces with gaps between them. */
#define PLOT_PIECES 7u

struct plot_piece
{
    uint64_t low, high;
    double bottom, top;         /* pixels */
};

struct plot_view
{
    const struct plot_about *about;
    const char *name;           /* name of the trace */
    const char *selection;      /* after the title; or NULL */
    const struct xt_domain_names *names;        /* or NULL */
    struct plot_mark *marks;
    size_t nr_marks;
    const struct plot_loss *losses;     /* for dots; sorted, without overlaps */
    size_t nr_losses;
    struct plot_series series[PLOT_SERIES];
    unsigned int nr_series;
    struct plot_row rows[PLOT_MAX_ROWS];
    unsigned int nr_rows;
    struct plot_line legend[PLOT_LINES_OF_LEGEND];
    unsigned int nr_lines;
    enum plot_theme theme;
    int column;                 /* width in pixels of a column of rows */
    bool heat;                  /* rows are coloured by how busy they are */
    bool grouped;               /* rows are named by domain */
    bool cells;                 /* dots are too many: squares instead ... */
    bool density;               /* ... coloured by the number of points */
    uint64_t step_base;         /* steps of density are powers of it ... */
    unsigned int nr_steps;      /* ... and at most PLOT_STEPS */
    bool has_gaps;              /* rows have times without data */
    int64_t first, last;        /* nanoseconds; first < last */
    int64_t least, most;        /* values; least < most */
    bool bars;
    bool log;                   /* the axis of values is logarithmic */
    int bottom;                 /* of the plot area, in pixels */
    struct plot_piece pieces[PLOT_PIECES];
    unsigned int nr_pieces;     /* 0: not an axis of addresses */
};

/* --- plot-keys.c ---------------------------------------------------------- */

/*
 * A map from 64-bit keys to dense numbers, with a weight for each key.  Beyond
 * a limit of 65,536, all further keys share the last number.
 */
struct plot_keys
{
    uint64_t *keys, *weights;   /* by number */
    uint32_t *table;            /* hash table: number + 1, or 0 */
    uint32_t nr, room;
    uint32_t last;              /* the number that was returned last */
    bool failed;                /* out of memory */
};

/* The number of a key, added if new.  `weight` is added to the key's. */
uint32_t plot_keys_add(struct plot_keys *k, uint64_t key, uint64_t weight);
void plot_keys_fini(struct plot_keys *k);

struct plot
{
    struct plot_about about;
    struct plot_mark *marks;
    size_t room;
    struct plot_loss *losses;
    size_t nr_losses, losses_room;
    uint64_t losses_gap;        /* losses so close together are joined */
    struct plot_keys series, rows;
    struct plot_view view;
    bool closed;
    bool failed;                /* out of memory */
};

/* --- picture.c ------------------------------------------------------------ */

/*
 * The kinds of series: the owner of points, or a kind of bar.  Kinds from
 * PLOT_OF_STATE on are never joined with others.
 */
enum plot_kind
{
    PLOT_OF_VCPU,
    PLOT_OF_DOMAIN,
    PLOT_OF_IRQ,
    PLOT_OF_STATE,
    PLOT_OF_IDLE,
    PLOT_OF_LOST,
    PLOT_OF_OTHERS,             /* the id is their number */
};

#define PLOT_KEY(kind, id) ((uint64_t)(kind) << 48 | (id))
#define PLOT_VCPU_ID(domain, vcpu)                                          \
    ((uint64_t)((domain) & 0xffff) << 16 | ((vcpu) & 0xffff))

/* Rows and series are identified, and sorted, by keys. */
void plot_add_row(struct plot *p, uint64_t row);
void plot_add_bar(struct plot *p, uint64_t row, uint64_t key, int64_t from,
                  int64_t to);

/* --- plot-view.c ---------------------------------------------------------- */

/* Choose the series in the legend and the rows; renumber the marks to match.
   0 or -ENOMEM. */
int plot_choose_series(struct plot *p);

/* --- plot-names.c --------------------------------------------------------- */

/* `names`: the names of domains, or NULL. */
void plot_name_series(char name[PLOT_NAME], uint64_t key,
                      const struct xt_domain_names *names);
void plot_name_row(struct plot_row *row, enum plot_unit unit, uint64_t first,
                   uint64_t last, const struct xt_domain_names *names);

/* --- plot-palette.c ------------------------------------------------------- */

/* Returns the paint of a vcpu: `shade` is 0, dark, to 1, light. */
struct plot_paint plot_domain_paint(unsigned int domain, double shade);
/* Returns the paint of a domain with this index. */
struct plot_paint plot_whole_domain_paint(unsigned int domain);
struct plot_paint plot_state_paint(unsigned int state);

/* Returns the paint of a series; `domain` is the index of the domain, or of the
   irq.  Dots, unlike bars, have no pale colours. */
struct plot_paint plot_series_paint(uint64_t key, unsigned int domain,
                                    double shade, bool dots);

struct plot_paint plot_paint(const struct plot_view *v, unsigned int paint);

/* Returns the colour of a paint on the page of the theme. */
uint32_t plot_colour(const struct plot_view *v, unsigned int paint);

/* --- plot-legend.c -------------------------------------------------------- */

void plot_make_legend(struct plot_view *v);

/* --- plot-axis.c ---------------------------------------------------------- */

/* The height of the picture in pixels. */
int plot_height(const struct plot_view *v);

/* True if the values are positive and range over decades. */
bool plot_wants_log(const struct plot_view *v);

/* Positions in the picture, in pixels. */
double plot_x(const struct plot_view *v, int64_t time);
double plot_y(const struct plot_view *v, int64_t value);
double plot_row_top(const struct plot_view *v, unsigned int row);

struct plot_tick
{
    double at;                  /* position in pixels */
    double value;
    char text[PLOT_NAME];
};

#define PLOT_TICKS 24u

/* Returns the unit of the ticks of time: "s", "ms" ... */
const char *plot_time_unit(const struct plot_view *v);

/* A value with its unit; times with three digits. */
void plot_format_value(const struct plot_view *v, char text[PLOT_NAME],
                       int64_t value);

unsigned int plot_time_ticks(const struct plot_view *v,
                             struct plot_tick ticks[PLOT_TICKS]);
unsigned int plot_value_ticks(const struct plot_view *v,
                              struct plot_tick ticks[PLOT_TICKS]);

/* --- plot-address.c ------------------------------------------------------- */

/* Split the axis into pieces.  0 or -ENOMEM. */
int plot_split_addresses(struct plot_view *v);

double plot_address_y(const struct plot_view *v, uint64_t value);
unsigned int plot_address_ticks(const struct plot_view *v,
                                struct plot_tick ticks[PLOT_TICKS]);

/* --- plot-draw.c ---------------------------------------------------------- */

enum plot_anchor { PLOT_START, PLOT_MIDDLE, PLOT_END };

/* A drawing back end.  A rectangle is x, y (of its top), width, height. */
struct plot_pen
{
    void *state;
    void (*rectangle)(void *state, double x, double y, double w, double h,
                      unsigned int paint);
    void (*text)(void *state, double x, double y, enum plot_anchor anchor,
                 const char *text);
    /* Tooltip of a rectangle; NULL: there are none. */
    void (*tip)(void *state, double x, double y, double w, double h,
                const char *text);
};

#define PLOT_TITLE 512u

void plot_format_title(const struct plot_view *v, char title[PLOT_TITLE]);
int plot_draw(const struct plot_view *v, const struct plot_pen *pen);

/* Returns the position of the centre of a dot.  Dots of several series at the
   same place are side by side. */
double plot_dot_y(const struct plot_view *v, const struct plot_mark *m);

/* --- plot-losses.c -------------------------------------------------------- */

/* The strip of losses, in pixels, below the plot area. */
#define PLOT_LOSS_GAP 2
#define PLOT_LOSS_HEIGHT 6

void plot_add_loss(struct plot *p, int64_t from, int64_t to);

/* Join what the picture cannot resolve; the range of time is known. */
void plot_close_losses(struct plot *p);
void plot_draw_losses(const struct plot_view *v, const struct plot_pen *pen);

/* --- plot-rows.c ---------------------------------------------------------- */

/* Histogram of a row: the time of each series in each column, in columns. */
struct plot_shares
{
    float share[PLOT_SERIES][PLOT_COLUMNS];
    float below[PLOT_COLUMNS];  /* sum of the series drawn so far */
};

/* Fill the histogram of a row from the array of marks: those from index *at on.
   Advances *at to the next row. */
void plot_fill_shares(const struct plot_view *v, unsigned int row, size_t *at,
                      struct plot_shares *shares);

/* Returns the height of a row without the space below. */
double plot_row_room(const struct plot_view *v);

/* Draw the bars in rows, which are rectangles.  0 or -ENOMEM. */
int plot_draw_rows(const struct plot_view *v, const struct plot_pen *pen);

/* Choose the width of columns, to bound the number of rectangles.  Returns 0 or
   -ENOMEM. */
int plot_choose_column(struct plot_view *v);

/* Background and names. */
void plot_draw_row_frames(const struct plot_view *v,
                          const struct plot_pen *pen);

/* --- plot-cells.c --------------------------------------------------------- */

#define PLOT_CELL 4             /* pixels */

/* Returns the index of the paint of a step of density. */
unsigned int plot_step_paint(const struct plot_view *v, unsigned int step);

/* Choose between dots and cells.  Returns 0 or -ENOMEM. */
int plot_choose_cells(struct plot_view *v);

/* Draw rows as a heat map, or many dots as squares.  0 or -ENOMEM. */
int plot_draw_heat(const struct plot_view *v, const struct plot_pen *pen);
int plot_draw_cells(const struct plot_view *v, const struct plot_pen *pen);

/* --- plot-tips.c ---------------------------------------------------------- */

/*
 * Call the callback pen->tip() for each bar or dot; if there are too many, for
 * areas, with the sums of the marks there.  Returns 0 or -ENOMEM.
 */
#define PLOT_MAX_TIPS 6000u
#define PLOT_TIP 384u           /* bytes of a tip */

int plot_draw_tips(const struct plot_view *v, const struct plot_pen *pen);

/* --- back ends ------------------------------------------------------------ */

/* Write to `out`, which the caller checks for errors.  0 or -ENOMEM. */
int plot_svg(const struct plot_view *v, FILE *out);
int plot_gnuplot(const struct plot_view *v, FILE *out);
int plot_png(const struct plot_view *v, FILE *out);
int plot_pdf(const struct plot_view *v, FILE *out);

/* Can this program write PNG and PDF?  0, or -EOPNOTSUPP. */
int plot_check_cairo(const char *path, struct err *e);

#endif /* XENALYZE_PLOT_PLOT_DRAW_H */
