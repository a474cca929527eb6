// SPDX-License-Identifier: GPL-2.0-or-later
// Wake-ups: an arrow from the waker to the vcpu that it woke, for the slice
// under the pointer and for the chosen one.  Only a single wait has a waker,
// since condensed slices have sums only; so at most two arrows are drawn.

const WAITING = 2, RUNNING = 1; // states, as in facts.states
const ARROW_HEAD = 5;           // CSS pixels

// The wait of a slice of states that is single; null: another state, or sums.
function waitAt(level, i) {
    if (i < 0 || i >= level.length || level.keys[i] < 0 ||
        (level.keys[i] & 7) !== WAITING)
        return null;
    return { from: level.from[i], to: level.to[i], origin: level.keys[i] >> 3 };
}

// The wait that ends where a run of the vcpu begins, or null.
function waitBefore(v, time) {
    if (!v || v.state.isEmpty)
        return null;
    const level = v.state.level(0), i = level.find(time);
    const wait = i < level.length && level.from[i] === time &&
        level.keys[i] >= 0 && (level.keys[i] & 7) === RUNNING
        ? waitAt(level, i - 1) : null;

    return wait && wait.to === time ? wait : null;
}

// The wake-up of a slice: the vcpu, its wait, and its waker as {label, row};
// null: no wait.  A waker without a row has row null; waker null: unknown.
function findWake(row, track, slice) {
    if (!slice || !slice.isExact || track === row.exits ||
        row.kind === "thread")
        return null;
    const key = slice.shares[0][0];
    const v = row.kind === "pcpu" ? vcpus[key - 1] : row;
    const isWait = row.kind === "vcpu" && (key & 7) === WAITING;
    const wait = isWait ? { from: slice.from, to: slice.to, origin: key >> 3 }
        : row.kind === "pcpu" || (key & 7) === RUNNING
            ? waitBefore(v, slice.from) : null;

    return wait && { v, wait, isWait, waker: findWaker(wait.origin) };
}

// html.h has the numbers of origins.
function findWaker(origin) {
    const number = (origin >> 1) - 1;

    if (!origin)
        return null;
    if (origin & 1)
        return { label: `an interrupt on ${pcpuLabel(number)}`,
                 row: pcpus.find(({ id }) => id === number) || null };
    const v = vcpus[number];

    return v ? { label: v.label, row: v.top === undefined ? null : v } : null;
}

function describeWake(wake) {
    const pairs = [];

    if (wake && !wake.isWait)
        pairs.push(["waited before",
                    formatDuration(wake.wait.to - wake.wait.from)]);
    if (wake && wake.waker)
        pairs.push(["woken by", wake.waker.label]);
    return pairs;
}

// --- drawing ---------------------------------------------------------------

const middleOf = (row) => AXIS_HEIGHT + row.top - view.top +
    (row.height > PCPU_HEIGHT ? 2 + STATE_HEIGHT / 2 : row.height / 2);

// A line with a border, so it is visible on all colours.
function strokeTwice() {
    markInk.strokeStyle = theme.cardCss;
    markInk.lineWidth = 4;
    markInk.stroke();
    markInk.strokeStyle = theme.inkCss;
    markInk.lineWidth = 1.5;
    markInk.stroke();
}

function drawArrowLine(x, y0, y1, end) {
    const head = y1 > y0 ? ARROW_HEAD : -ARROW_HEAD;

    markInk.beginPath();
    markInk.arc(x, y0, 2, 0, 2 * Math.PI);
    markInk.moveTo(x, y0);
    markInk.lineTo(x, y1);
    markInk.moveTo(x - ARROW_HEAD, y1 - head);
    markInk.lineTo(x, y1);
    markInk.lineTo(x + ARROW_HEAD, y1 - head);
    // On to the begin of the run.
    markInk.moveTo(x, y1);
    markInk.lineTo(end, y1);
    markInk.moveTo(end, y1 - 4);
    markInk.lineTo(end, y1 + 4);
    strokeTwice();
}

// Beside the line, or left of it at the right border.
function drawArrowLabel(text, x, y) {
    markInk.font = FONT;
    const shown = fitText(text, view.width - view.left - 24, 1);
    const width = markInk.measureText(shown).width + 12;
    const left = x + 8 + width > view.width ? x - 8 - width : x + 8;
    const top = Math.max(AXIS_HEIGHT + 2, Math.min(view.height - 22, y - 10));

    markInk.fillStyle = theme.cardCss;
    markInk.strokeStyle = theme.lineCss;
    markInk.lineWidth = 1;
    markInk.beginPath();
    markInk.rect(Math.max(view.left + 2, left), top, width, 20);
    markInk.fill();
    markInk.stroke();
    markInk.fillStyle = theme.inkCss;
    markInk.textBaseline = "middle";
    markInk.fillText(shown, Math.max(view.left + 2, left) + 6, top + 10.5);
}

function drawWake(row, track, slice) {
    const wake = row && track && slice ? findWake(row, track, slice) : null;

    if (!wake || !wake.waker || wake.v.top === undefined)
        return;
    const { v, wait, waker } = wake;
    const x = placeOf(wait.from), end = placeOf(wait.to);
    const y1 = middleOf(v);
    const y0 = waker.row && waker.row !== v ? middleOf(waker.row)
        : y1 - VCPU_HEIGHT;

    if (x < view.left || x > view.width)
        return;
    drawArrowLine(x, y0, y1, Math.min(view.width, end));
    drawArrowLabel(`${waker.label} wakes ${v.label}, which waits ` +
                   formatDuration(wait.to - wait.from), x, (y0 + y1) / 2);
}
