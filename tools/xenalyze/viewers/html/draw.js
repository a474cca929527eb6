// SPDX-License-Identifier: GPL-2.0-or-later
// The picture.  Slices are drawn into an array of pixels, so a frame costs the
// same for any number of slices per pixel; text goes on top.
//
// A column of pixels that several slices share is a stack: the height of a
// colour is its share of the time, and at least one pixel in rows of states.

const AXIS_HEIGHT = 26;
const FONT = '12px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", ' +
             '"DejaVu Sans", sans-serif';

// What is visible: times, and the place of the picture in CSS pixels.
const view = {
    from: facts.from, to: facts.to, top: 0, width: 0, height: 0, scale: 1,
    left: 120,                  // width of the labels
};

const picture = byId("picture");
const ink = picture.getContext("2d", { alpha: false });
let image = null, pixels = null;

const plotWidth = () => Math.max(1, view.width - view.left);
const timeOf = (x) => view.from + (x - view.left) / plotWidth() *
                      (view.to - view.from);
const placeOf = (time) => view.left + (time - view.from) /
                          (view.to - view.from) * plotWidth();

// --- pixels ----------------------------------------------------------------

function fillRect(x0, x1, y0, y1, pixel) {
    const width = image.width;

    x0 = Math.max(0, x0);
    x1 = Math.min(width, x1);
    y0 = Math.max(0, y0);
    y1 = Math.min(image.height, y1);
    if (x1 === x0 + 1)
        for (let y = y0; y < y1; y++)
            pixels[y * width + x0] = pixel;
    else if (x1 > x0)
        for (let y = y0; y < y1; y++)
            pixels.fill(pixel, y * width + x0, y * width + x1);
}

function hatchRect(x0, x1, y0, y1, pixel) {
    const size = Math.round(6 * view.scale), width = image.width;

    x1 = Math.min(width, x1);
    y1 = Math.min(image.height, y1);
    for (let y = Math.max(0, y0); y < y1; y++)
        for (let x = Math.max(0, x0); x < x1; x++)
            if ((x + y) % size < size / 2)
                pixels[y * width + x] = pixel;
}

// The stack of one column, or of columns with the same shares.
const stack = { nr: 0, keys: new Int32Array(64), weights: new Float64Array(64) };

function addShare(key, weight) {
    let i = 0;

    while (i < stack.nr && stack.keys[i] !== key)
        i++;
    if (i === stack.nr) {
        if (i === stack.keys.length)
            return;
        stack.keys[i] = key;
        stack.weights[i] = 0;
        stack.nr++;
    }
    stack.weights[i] += weight;
}

function sortStack() {
    const { keys, weights } = stack;

    for (let i = 1; i < stack.nr; i++)
        for (let k = i; k > 0 && keys[k] < keys[k - 1]; k--) {
            const key = keys[k], weight = weights[k];

            keys[k] = keys[k - 1];
            weights[k] = weights[k - 1];
            keys[k - 1] = key;
            weights[k - 1] = weight;
        }
}

// A stack with a least height grows as a whole, so shares stay comparable.
function growStack(height, least) {
    const { nr, weights } = stack;
    let sum = 0;

    for (let i = 0; i < nr; i++)
        sum += weights[i];
    if (sum * height >= least)
        return;
    for (let i = 0; i < nr; i++)
        weights[i] = sum ? weights[i] * least / (sum * height)
                         : least / height / nr;
}

// Draws the stack from the bottom, and clears it.
function flushStack(x0, x1, y0, y1, row) {
    const height = y1 - y0, least = row.least ? 0 : 1;
    let sum = 0, bottom = y1;

    if (!stack.nr)
        return;
    if (row.least)
        growStack(height, row.least * view.scale);
    if (stack.nr > 1)
        sortStack();
    for (let i = 0; i < stack.nr; i++) {
        const before = Math.round(sum * height);

        sum = Math.min(1, sum + stack.weights[i]);
        const size = Math.max(least, Math.round(sum * height) - before);

        fillRect(x0, x1, Math.max(y0, bottom - size), bottom,
                 row.paint(stack.keys[i]));
        bottom = Math.max(y0 + 1, bottom - size);
    }
    stack.nr = 0;
}

// --- tracks ----------------------------------------------------------------

const labels = [];              // of wide slices

// mask: the bits of a key that select its colour
function addSlice(level, i, weight, mask) {
    const key = level.keys[i];

    if (key >= 0) {
        addShare(key & mask, weight);
        return;
    }
    const parts = level.parts, p = -1 - key;
    const length = level.to[i] - level.from[i];

    for (let k = p + 2; k < p + 2 + 2 * parts[p + 1]; k += 2)
        addShare(parts[k] & mask, length ? weight * parts[k + 1] / length : 0);
}

const darken = (pixel) => (0xff000000 | pixel >>> 1 & 0x7f7f7f |
                           (pixel >>> 2 & 0x3f3f3f)) >>> 0;

// The key that fills nearly all of a slice; -1: none.
function mainKey(level, i) {
    const key = level.keys[i], parts = level.parts, p = -1 - key;
    const length = level.to[i] - level.from[i];

    if (key >= 0)
        return key;
    for (let k = p + 2; k < p + 2 + 2 * parts[p + 1]; k += 2)
        if (parts[k + 1] > 0.9 * length)
            return parts[k];
    return -1;
}

// One label for neighbouring slices with the same key.
const group = { key: -1, x0: 0, x1: 0, covered: 0 };

function endGroup(y0, y1, row) {
    const width = group.x1 - group.x0;

    if (group.key >= 0 && width > 30 * view.scale &&
        group.covered > 0.8 * width)
        labels.push({ x0: group.x0, x1: group.x1, y0, y1,
                      text: row.name(group.key),
                      colour: row.colour(group.key) });
    group.key = -1;
}

function addToGroup(level, i, x0, x1, y0, y1, row) {
    const key = mainKey(level, i);
    const isNear = x0 - group.x1 < 3 * view.scale;

    if (key === group.key && isNear) {
        group.x1 = x1;
        group.covered += x1 - x0;
    } else if (x1 - x0 >= view.scale || !isNear) {
        endGroup(y0, y1, row);
        Object.assign(group, { key, x0, x1, covered: x1 - x0 });
    }
}

// Columns that one slice fills alone.
function drawWide(level, i, x0, x1, y0, y1, row) {
    const key = level.keys[i];

    if (key < 0) {
        addSlice(level, i, 1, row.mask);
        flushStack(x0, x1, y0, y1, row);
        return;
    }
    fillRect(x0, x1, y0, y1, row.paint(key));
    // Runs of the same vcpu, one after the other, are apart.
    if (x1 - x0 > 8 * view.scale)
        fillRect(x0, x0 + 1, y0, y1, darken(row.paint(key)));
}

// row: {mask, paint(key) a pixel, colour(key) rgb, name(key) text or null}
function drawTrack(track, y0, y1, row) {
    const left = Math.round(view.left * view.scale);
    const width = image.width - left;
    const perTime = width / (view.to - view.from);
    const level = track.level(1 / perTime);
    let column = -1;

    for (let i = level.find(view.from); i < level.length; i++) {
        const a = Math.max(0, (level.from[i] - view.from) * perTime);
        const b = Math.min(width, (level.to[i] - view.from) * perTime);

        if (level.from[i] > view.to || a >= width)
            break;
        const first = Math.floor(a), last = Math.floor(b);

        if (row.name)
            addToGroup(level, i, left + a, left + b, y0, y1, row);

        if (first !== column) {
            flushStack(left + column, left + column + 1, y0, y1, row);
            column = first;
        }
        if (first === last) {
            addSlice(level, i, b - a, row.mask);
            continue;
        }
        addSlice(level, i, first + 1 - a, row.mask);
        flushStack(left + first, left + first + 1, y0, y1, row);
        drawWide(level, i, left + first + (a > first ? 1 : 0), left + last, y0,
                 y1, row);
        column = last;
        if (b > last)
            addSlice(level, i, b - last, row.mask);
    }
    flushStack(left + column, left + column + 1, y0, y1, row);
    if (row.name)
        endGroup(y0, y1, row);
}

function drawLosses(track, y0, y1) {
    const left = Math.round(view.left * view.scale);
    const perTime = (image.width - left) / (view.to - view.from);
    const level = track.level(1 / perTime);
    const pixel = toPixel(theme.lost);

    for (let i = level.find(view.from); i < level.length; i++) {
        if (level.from[i] > view.to)
            break;
        const x0 = left + Math.max(0, Math.floor((level.from[i] - view.from) *
                                                 perTime));
        const x1 = left + Math.ceil((level.to[i] - view.from) * perTime);

        hatchRect(x0, x1, y0, y1, pixel);
        fillRect(x0, x0 + 1, y0, y1, pixel);
    }
}

// --- rows ------------------------------------------------------------------

const statePixels = [];
let vcpuPixels, exitPixels, eventPixels;

function preparePaints() {
    const dim = toPixel(theme.dim);

    STATE_COLOURS.forEach((name, i) => {
        statePixels[i] = toPixel(name ? theme[name] : theme.unknown);
    });
    vcpuPixels = new Uint32Array(vcpus.length + 2).fill(toPixel(theme.unknown));
    for (const v of vcpus)
        vcpuPixels[v.number + 1] = search.isActive && !v.isMatch
            ? dim : toPixel(v.colour || 0);
    exitPixels = Uint32Array.from(facts.names, (_, i) =>
        toPixel(exitColour(i)));
    eventPixels = Uint32Array.from(facts.event_names, (_, i) =>
        toPixel(exitColour(i)));
}

const runPaint = {
    mask: -1,
    paint: (key) => vcpuPixels[key],
    colour: (key) => vcpus[key - 1]
        ? search.isActive && !vcpus[key - 1].isMatch ? theme.dim
                                                     : vcpus[key - 1].colour
        : theme.unknown,
    name: (key) => vcpus[key - 1] ? vcpus[key - 1].label : "others",
};

const statePaint = {
    mask: 7,                    // not the pcpu
    paint: (key) => statePixels[key & 7],
    colour: (key) => theme[STATE_COLOURS[key & 7]],
    name: (key) => (key & 7) === 1 && key > 7 ? pcpuLabel((key >> 3) - 1)
        : (key & 7) === 3 ? "" : STATE_NAMES[key & 7],
};

const exitPaint = {
    mask: -1,
    paint: (key) => exitPixels[key],
    colour: exitColour,
    name: null,
    least: 3,                   // height, so that single exits are visible
};

const eventPaint = {
    mask: -1,
    paint: (key) => eventPixels[key],
    colour: exitColour,
    name: null,
    least: 12,
};

function drawRow(row) {
    const at = (y) => Math.round((AXIS_HEIGHT + row.top + y - view.top) *
                                 view.scale);

    if (row.kind === "pcpu") {
        fillRect(Math.round(view.left * view.scale), image.width, at(2),
                 at(row.height - 2), toPixel(theme.faint));
        drawTrackIfAny(row.run, at(2), at(row.height - 2), runPaint);
        if (!row.loss.isEmpty)
            drawLosses(row.loss, at(2), at(row.height - 2));
    } else if (row.kind === "thread")
        drawTrackIfAny(row.events, at(2), at(row.height - 2), eventPaint);
    else if (row.kind === "vcpu" && row.exits.isEmpty)
        drawTrackIfAny(row.state, at(2), at(row.height - 2), statePaint);
    else if (row.kind === "vcpu") {
        drawTrackIfAny(row.state, at(2), at(2 + STATE_HEIGHT), statePaint);
        drawTrackIfAny(row.exits, at(3 + STATE_HEIGHT), at(row.height - 3),
                       exitPaint);
    }
}

function drawTrackIfAny(track, y0, y1, row) {
    if (!track.isEmpty)
        drawTrack(track, y0, y1, row);
}

// --- text ------------------------------------------------------------------

const widths = new Map();

function widthOf(text) {
    let width = widths.get(text);

    if (width === undefined) {
        if (widths.size > 5000)
            widths.clear();
        width = ink.measureText(text).width;
        widths.set(text, width);
    }
    return width;
}

// Cuts a text to a width; "": too narrow for `least` characters.
function fitText(text, room, least) {
    const width = widthOf(text);

    if (width <= room)
        return text;
    const nr = Math.floor(text.length * room / width) - 1;

    return nr < least ? "" : `${text.slice(0, nr)}\u2026`;
}

function drawSliceLabels() {
    const scale = view.scale;

    ink.textBaseline = "middle";
    ink.textAlign = "left";
    for (const { x0, x1, y0, y1, text, colour } of labels) {
        const shown = fitText(text, (x1 - x0) / scale - 8, 6);

        if (!shown || y1 - y0 < 10 * scale)
            continue;
        ink.fillStyle = isLight(colour) ? "#1b1f24" : "#ffffff";
        ink.fillText(shown, x0 / scale + 4, (y0 + y1) / 2 / scale + 0.5);
    }
}

function drawRowLabel(row) {
    const y = AXIS_HEIGHT + row.top - view.top;
    const middle = y + 0.5 + (row.height > PCPU_HEIGHT && row.kind === "vcpu"
        ? 3 + STATE_HEIGHT / 2 : row.height / 2);

    if (row.kind === "title") {
        ink.fillStyle = theme.faintCss;
        ink.fillRect(0, y, view.width, row.height);
        ink.fillStyle = theme.lineCss;
        ink.fillRect(0, y + row.height - 1, view.width, 1);
        let x = 10;

        if (row.colour !== undefined) {
            ink.fillStyle = toCss(row.colour);
            ink.fillRect(x, middle - 6, 11, 11);
            x += 18;
        }
        ink.fillStyle = theme.inkCss;
        ink.font = `600 ${FONT}`;
        const label = row.label.length > 60 ? `${row.label.slice(0, 59)}\u2026`
                                            : row.label;

        ink.fillText(label, x, middle);
        x += ink.measureText(label).width + 10;
        ink.font = FONT;
        ink.fillStyle = theme.softCss;
        ink.fillText(row.note, x, middle);
        return;
    }
    if (row === rows[chosen.row]) {
        ink.fillStyle = theme.accentCss;
        ink.fillRect(0, y + 2, 3, row.height - 4);
    }
    let x = 10;

    if (row.kind === "vcpu") {
        ink.fillStyle = toCss(row.colour);
        ink.fillRect(x, middle - 5, 9, 9);
        x += 15;
    }
    ink.fillStyle = search.isActive && !row.isMatch ? theme.softCss
                                                    : theme.inkCss;
    ink.font = row.isMatch ? `600 ${FONT}` : FONT;
    ink.fillText(fitText(row.label, view.left - x - 8, 1), x, middle);
    ink.font = FONT;
}

function findStep(span, places) {
    const least = span / places;
    let step = 10 ** Math.floor(Math.log10(least));

    for (const factor of [2, 2.5, 2])
        if (step < least)
            step *= factor;
    return Math.max(1, step);
}

function drawAxis() {
    const span = view.to - view.from;
    const step = findStep(span, Math.max(2, plotWidth() / 110));
    const digits = Math.max(0, Math.ceil(-Math.log10(step / 1e9) - 1e-9));

    ink.fillStyle = theme.cardCss;
    ink.fillRect(0, 0, view.width, AXIS_HEIGHT);
    ink.fillStyle = theme.softCss;
    ink.textAlign = "center";
    ink.textBaseline = "middle";
    for (let t = Math.ceil(view.from / step) * step; t <= view.to; t += step) {
        const x = placeOf(t), text = `${(t / 1e9).toFixed(Math.min(9, digits))}`;
        const half = widthOf(text) / 2;

        ink.fillRect(Math.round(x), AXIS_HEIGHT - 5, 1, 5);
        // The first label stays right of the border.
        const at = x - half < view.left ? x + half : x;

        if (x >= view.left && at + half < view.width)
            ink.fillText(text, at, AXIS_HEIGHT / 2 - 1);
    }
    ink.textAlign = "left";
    ink.fillText("seconds", 10, AXIS_HEIGHT / 2 - 1);
    ink.fillStyle = theme.lineCss;
    ink.fillRect(0, AXIS_HEIGHT - 1, view.width, 1);
}

// --- a frame ---------------------------------------------------------------

function forVisibleRows(callback) {
    for (let i = findRow(view.top); i < rows.length; i++) {
        if (rows[i].top > view.top + view.height)
            break;
        callback(rows[i]);
    }
}

function draw() {
    if (!image)
        return;
    labels.length = 0;
    pixels.fill(toPixel(theme.card));
    forVisibleRows(drawRow);
    ink.setTransform(1, 0, 0, 1, 0, 0);
    ink.putImageData(image, 0, 0);
    ink.setTransform(view.scale, 0, 0, view.scale, 0, 0);
    ink.font = FONT;
    drawSliceLabels();
    ink.fillStyle = theme.lineCss;
    ink.fillRect(view.left - 1, 0, 1, view.height);
    forVisibleRows(drawRowLabel);
    drawAxis();
}

function setSize(width, height, scale) {

    view.width = width;
    view.height = height;
    view.scale = scale;
    for (const canvas of [picture, marks]) {
        canvas.width = Math.max(1, Math.round(width * scale));
        canvas.height = Math.max(1, Math.round(height * scale));
        canvas.style.width = `${width}px`;
        canvas.style.height = `${height}px`;
    }
    image = ink.createImageData(picture.width, picture.height);
    pixels = new Uint32Array(image.data.buffer);
    ink.font = FONT;
    widths.clear();
    const widest = Math.max(60, ...rows.map((row) => row.kind === "title" ? 0
        : widthOf(row.label.slice(0, 40))));

    view.left = Math.round(Math.min(widest + 36, 220, width / 3));
}
