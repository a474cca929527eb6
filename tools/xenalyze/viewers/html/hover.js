// SPDX-License-Identifier: GPL-2.0-or-later
// The slice under the pointer, its text, and the chosen slice.

const marks = byId("marks");
const markInk = marks.getContext("2d");
const tip = byId("tip");

// The chosen row and slice.
const chosen = { row: -1, track: null, slice: null };

const LOST_EVENTS = 1;          // a key of events

const nameKey = {
    run: (key) => vcpus[key - 1] ? vcpus[key - 1].label : "others",
    state: (key) => key & 7 ? STATE_NAMES[key & 7] : "others",
    exits: (key) => facts.names[key] || "others",
    events: (key) => isolateName(facts.event_names[key] || "others"),
};

const NOTHING_TEXTS = { run: "idle", state: "no data", exits: "no VM exit",
                        events: "no event" };

// Behind the label of a row with several slices in a pixel.
const KIND_TEXTS = { run: "vcpus", state: "states", exits: "VM exits",
                     events: "events" };

function kindOf(row, track) {
    return row.kind === "pcpu" ? "run" : row.kind === "thread" ? "events"
        : track === row.state ? "state" : "exits";
}

// A loss at this time; pixel: ns per pixel.
function findLoss(row, time, pixel) {
    if (row.kind !== "pcpu" || row.loss.isEmpty)
        return null;
    const level = row.loss.level(0), i = level.find(time - pixel);

    return i < level.length && level.from[i] <= time + pixel ? level.slice(i)
                                                              : null;
}

// The exact slice at a time, or what is condensed in the pixel.
function findSlice(track, time, pixel) {
    const level = track.level(0);
    let i = level.find(time);

    // Zero-length slices, and slices narrower than a pixel, are nearby.
    if (i === level.length || level.from[i] > time) {
        const near = level.find(time - 2 * pixel);

        if (near < level.length && level.from[near] <= time + 2 * pixel)
            i = near;
        else
            return null;
    }
    const slice = level.slice(i);

    slice.index = i;
    if (slice.to - slice.from >= pixel || !slice.isExact)
        return slice;
    // Several slices in one pixel: their sum, on a coarser level.
    const coarse = track.level(pixel);
    const k = coarse.find(time);

    if (coarse === level || k === coarse.length || coarse.from[k] > time)
        return slice;
    return Object.assign(coarse.slice(k), { index: -1 });
}

function describeShares(slice, name) {
    const length = slice.to - slice.from;
    const shown = slice.shares.slice(0, 5).map(([key, ns]) =>
        [name(key), `${formatDuration(ns)}, ` +
                    formatPercent(length ? ns / length : 0)]);

    if (slice.shares.length > 5)
        shown.push(["and more", ""]);
    return shown;
}

// A title and pairs of a term and its text.
function describeSlice(row, track, slice) {
    const kind = kindOf(row, track), name = nameKey[kind];
    const length = slice.to - slice.from;
    const pairs = [];
    let title = row.label;

    if (slice.isExact) {
        const key = slice.shares[0][0];

        title += `: ${kind === "exits" ? "VM exit, " : ""}${name(key)}`;
        if (kind === "state" && (key & 7) === RUNNING && key >> 3)
            pairs.push(["on", pcpuLabel((key >> 3) - 1)]);
    } else
        title += `: ${KIND_TEXTS[kind]}`;
    pairs.push(["begin", formatMoment(slice.from, Math.max(length, 1000))]);
    if (kind !== "events")
        pairs.push(["length", length || kind !== "exits"
            ? formatDuration(length) : "unknown"],
                   ...describeWake(findWake(row, track, slice)));
    const args = kind === "events" && slice.isExact && row.args &&
        slice.index >= 0 ? row.args[slice.index] : "";

    if (args)
        pairs.push([slice.shares[0][0] === LOST_EVENTS ? "lost" : "arguments",
                    isolateName(args)]);
    if (!slice.isExact && kind === "events")
        pairs.push(["events", formatCount(slice.count)],
                   ["names", slice.shares.map(([key]) => name(key))
                       .join(", ")]);
    else if (!slice.isExact)
        pairs.push(["slices", `${formatCount(slice.count)}, too short for ` +
                              "this scale"], ...describeShares(slice, name));
    return { title, pairs };
}

function describeLoss(row, loss) {
    return {
        title: `${row.label}: records lost`,
        pairs: [["records", formatCount(loss.count)],
                ["begin", formatMoment(loss.from, loss.to - loss.from + 1000)],
                ["length", formatDuration(loss.to - loss.from)]],
    };
}

function describePlace(x, y) {
    const row = rows[findRow(y)];
    const pixel = (view.to - view.from) / plotWidth();
    const time = timeOf(x);

    if (!row || row.kind === "title" || x < view.left ||
        y > rows.height - 4)
        return null;
    const loss = findLoss(row, time, pixel);

    if (loss)
        return describeLoss(row, loss);
    const track = trackAt(row, y);
    const slice = track.isEmpty ? null : findSlice(track, time, pixel);

    if (slice)
        return { ...describeSlice(row, track, slice), row, track, slice };
    return { title: row.label, pairs: [[NOTHING_TEXTS[kindOf(row, track)],
                                        ""]] };
}

// --- the tip ---------------------------------------------------------------

function showTip(what, x, y) {
    tip.replaceChildren(make("b", { textContent: what.title }));
    const list = make("dl");

    for (const [term, text] of what.pairs)
        list.append(make("dt", { textContent: term }),
                    make("dd", { textContent: text }));
    tip.append(list);
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    const left = x + 16 + width > innerWidth ? x - 12 - width : x + 16;
    const top = y + 18 + height > innerHeight ? y - 12 - height : y + 18;

    tip.style.transform = `translate(${Math.max(4, left)}px, ` +
                          `${Math.max(4, top)}px)`;
}

function hideTip() {
    tip.hidden = true;
}

// --- marks: the line of the pointer, a marked span, the chosen slice -------

// place: of describePlace(), or null.
const pointer = { x: -1, y: -1, markFrom: null, place: null };

function drawChosen() {
    const row = rows[chosen.row];

    if (!row || !chosen.slice)
        return;
    const x0 = Math.max(view.left, placeOf(chosen.slice.from));
    const x1 = Math.min(view.width, placeOf(chosen.slice.to));
    const y = AXIS_HEIGHT + row.top - view.top;

    if (x1 < view.left || x0 > view.width)
        return;
    markInk.strokeStyle = theme.inkCss;
    markInk.lineWidth = 1.5;
    markInk.strokeRect(x0 - 1, y + 1, Math.max(3, x1 - x0 + 2),
                       row.height - 2);
}

function drawMarks() {
    markInk.setTransform(view.scale, 0, 0, view.scale, 0, 0);
    markInk.clearRect(0, 0, view.width, view.height);
    markInk.save();
    markInk.beginPath();
    markInk.rect(view.left, AXIS_HEIGHT, view.width, view.height);
    markInk.clip();
    drawChosen();
    drawWake(rows[chosen.row], chosen.track, chosen.slice);
    if (pointer.place)
        drawWake(pointer.place.row, pointer.place.track, pointer.place.slice);
    markInk.restore();
    if (pointer.x < view.left)
        return;
    if (pointer.markFrom !== null) {
        const x = placeOf(pointer.markFrom);

        markInk.globalAlpha = 0.22;
        markInk.fillStyle = theme.accentCss;
        markInk.fillRect(Math.min(x, pointer.x), 0, Math.abs(pointer.x - x),
                         view.height);
        markInk.globalAlpha = 1;
    }
    markInk.fillStyle = theme.accentCss;
    markInk.fillRect(Math.round(pointer.x), 0, 1, view.height);
}

// --- choosing --------------------------------------------------------------

function showChosen() {
    const row = rows[chosen.row];
    const text = !row ? "" : !chosen.slice ? row.label
        : ((what) => [what.title, ...what.pairs.map((pair) => pair.join(" "))]
            .join(" \u00b7 "))(describeSlice(row, chosen.track, chosen.slice));

    byId("chosen").textContent = text;
}

function choose(row, track, slice) {
    Object.assign(chosen, { row, track, slice });
    showChosen();
}

// The slice before or behind the chosen one, on the finest level.
function stepSlice(direction) {
    const row = rows[chosen.row];

    if (!row || row.kind === "title")
        return;
    const track = chosen.track || mainTrack(row);

    if (track.isEmpty)
        return;
    const level = track.level(0);
    const time = chosen.slice ? chosen.slice.from
                              : (view.from + view.to) / 2;
    let i = chosen.slice && chosen.slice.index >= 0
        ? chosen.slice.index + direction : level.find(time);

    i = Math.max(0, Math.min(level.length - 1, i));
    choose(chosen.row, track, Object.assign(level.slice(i), { index: i }));
    if (chosen.slice.from < view.from || chosen.slice.to > view.to)
        moveTo(chosen.slice.from - (view.to - view.from) / 3);
}
