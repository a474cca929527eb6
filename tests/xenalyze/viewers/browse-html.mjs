// SPDX-License-Identifier: GPL-2.0-or-later
//
// browse-html.mjs PAGE PROFILE: opens the page in Chromium without a window,
// uses mouse and keyboard, and fails at the first thing that is wrong.  The
// profile is a folder of Chromium.
import assert from "node:assert";
import { closeChromium, complaints, evaluate, openPage, requests, send,
         startChromium, until } from "./chromium.mjs";

const [page, profile] = process.argv.slice(2);

startChromium(profile);

// --- the user ---------------------------------------------------------------

const frame = () => evaluate("new Promise((done) => requestAnimationFrame(" +
                             "() => requestAnimationFrame(() => done(0))))");
const text = (id) => evaluate(`document.getElementById("${id}").textContent`);

async function press(key, modifiers = 0) {
    const typed = key.length === 1 || key === "Enter"
        ? { text: key === "Enter" ? "\r" : key } : {};

    await send("Input.dispatchKeyEvent", { type: "keyDown", key, modifiers,
                                           ...typed });
    await send("Input.dispatchKeyEvent", { type: "keyUp", key, modifiers });
    await frame();
}

async function type(word) {
    for (const key of word)
        await press(key);
}

async function mouse(kind, x, y, more = {}) {
    await send("Input.dispatchMouseEvent", { type: kind, x, y,
                                             button: "left", ...more });
    await frame();
}

// The middle of an element, plus an offset.
async function place(selector, dx = 0, dy = 0) {
    const [x, y] = await evaluate(`(() => {
        const r = document.querySelector("${selector}").getBoundingClientRect();
        return [r.left + r.width / 2, r.top + r.height / 2];
    })()`);

    return [x + dx, y + dy];
}

// "0.1 s - 0.2 s (...)" as numbers
async function range() {
    const found = (await text("range")).match(/^([0-9.]+) s . ([0-9.]+) s/);

    assert(found, await text("range"));
    return [Number(found[1]), Number(found[2])];
}

const span = async () => { const [a, b] = await range(); return b - a; };

// A sum over the picture: it changes if the picture does.
const sum = () => evaluate(`(() => {
    const text = document.getElementById("picture").toDataURL();
    let n = 0;
    for (let i = 0; i < text.length; i++)
        n = (n * 31 + text.charCodeAt(i)) | 0;
    return n;
})()`);

// --- the checks -------------------------------------------------------------

async function open() {
    await openPage(`file://${page}`, { width: 1200, height: 900 });
    await until("document.documentElement?.dataset.state === 'ready'",
                "the page does not start");
    await frame();
}

async function checkZoom() {
    const whole = await span(), first = await sum();
    const [x, y] = await place("#view");

    await mouse("mouseWheel", x, y, { deltaX: 0, deltaY: -300 });
    const zoomed = await span();

    assert(zoomed < 0.9 * whole, `the wheel zooms: ${zoomed}`);
    assert.notEqual(await sum(), first, "the picture changes");
    await evaluate("document.getElementById('view').focus()");
    await press("+");
    assert(await span() < zoomed, "+ zooms in");
    const [from] = await range();

    await press("ArrowRight");
    assert((await range())[0] > from, "the right arrow moves");
    await mouse("mousePressed", x, y, { clickCount: 1, buttons: 1 });
    await mouse("mouseMoved", x + 200, y, { buttons: 1 });
    await mouse("mouseReleased", x + 200, y, { clickCount: 1 });
    assert((await range())[0] < from + 0.1 * zoomed, "a drag moves");
    const moved = await span();

    await press("-");
    assert(await span() > moved, "- zooms out");
    await press("Home");
    assert.equal(await span(), whole, "Home shows all");
    assert.equal(await sum(), first, "the picture is the first one again");
    // Mark a span on the axis.
    const top = await evaluate("document.getElementById('view')" +
                               ".getBoundingClientRect().top");

    await mouse("mousePressed", x, top + 10, { clickCount: 1, buttons: 1 });
    await mouse("mouseMoved", x + 100, top + 10, { buttons: 1 });
    await mouse("mouseReleased", x + 100, top + 10, { clickCount: 1 });
    assert(await span() < 0.3 * whole, "a marked span is shown");
    await evaluate("document.getElementById('whole').click()");
    await frame();
    assert.equal(await span(), whole);
}

async function checkSearch(label) {
    const before = await sum();

    await press("/");
    assert.equal(await evaluate("document.activeElement.id"), "search");
    await type(label);
    assert.match(await text("matches"), /^[1-9][0-9]* rows?$/);
    assert.notEqual(await sum(), before, "others are dimmed");
    await press("Enter");
    assert.match(await text("matches"), /^1 of /);
    assert.equal(await text("chosen"), label);
    await press("Escape");
    assert.equal(await text("matches"), "");
    assert.equal(await text("chosen"), "");
    assert.equal(await evaluate("document.activeElement.id"), "view");
    await type("/no such vcpu");
    assert.equal(await text("matches"), "no row");
    await press("Escape");
}

async function checkSlices() {
    await press("ArrowDown");
    assert.match(await text("chosen"), /^(\w+:)?pcpu \d+$/);
    await press(".");
    const first = await text("chosen");

    assert.match(first, /^(\w+:)?pcpu \d+: .* begin [0-9.]+ s · length /);
    await press(".");
    assert.notEqual(await text("chosen"), first, "the next slice");
    await press(",");
    assert.equal(await text("chosen"), first, "the slice before");
    await press("Enter");
    assert(await span() < 0.5, "Enter zooms to the slice");
    await press("Home");
    // The first row below the axis and the title.
    const [x] = await place("#view");
    const y = 62 + await evaluate("document.getElementById('view')" +
                                  ".getBoundingClientRect().top");

    await mouse("mouseMoved", x, y, { button: "none" });
    assert.equal(await evaluate("document.getElementById('tip').hidden"),
                 false);
    assert.match(await text("tip"), /^(\w+:)?pcpu 0/);
    await press("Escape");
}

// The height of what the layer of marks has, in pixels.
const marksHeight = () => evaluate(`(() => {
    const marks = document.getElementById("marks");
    const copy = document.createElement("canvas");
    copy.width = marks.width;
    copy.height = marks.height;
    const ink = copy.getContext("2d", { willReadFrequently: true });
    ink.drawImage(marks, 0, 0);
    const { data } = ink.getImageData(0, 0, copy.width, copy.height);
    let n = 0;
    for (let y = 0; y < copy.height; y++) {
        const row = data.subarray(4 * y * copy.width,
                                  4 * (y + 1) * copy.width);
        n += row.some((byte, i) => i % 4 === 3 && byte > 0);
    }
    return n;
})()`);

// The frame of a chosen slice is as high as its row; an arrow from the waker
// to a wait, or to the run after it, comes from another row.
async function checkWakers(label) {
    const rowHeight = 30;
    let found = 0;

    // The pointer has a line as high as the view.
    await mouse("mouseMoved", 3, 3, { button: "none" });
    await press("Escape");
    await press("Home");
    while (!(await text("chosen")).startsWith(label))
        await press("ArrowDown");
    for (let i = 0; i < 20; i++) {
        await press(".");
        await press("Enter");
        const what = await text("chosen"), height = await marksHeight();

        if (!/woken by /.test(what)) {
            assert(height <= rowHeight, `${what}: ${height} pixels`);
            continue;
        }
        found++;
        assert.match(what, /: waiting |: running .* waited before /);
        if (/: waiting /.test(what))
            assert(height > rowHeight, `${what}: ${height} pixels`);
    }
    await press("Escape");
    await press("Home");
    return found;
}

// Links in tables, the verdict, and text that came from the trace.
async function checkTables() {
    const tables = await evaluate("document.querySelectorAll('table').length");

    assert(tables >= 2, `${tables} tables`);
    if (await evaluate("!!document.querySelector('button.link')")) {
        await evaluate("document.querySelector('button.link').click()");
        await frame();
        assert.match(await text("chosen"), /: .* begin /);
    }
    assert.equal(await evaluate("document.scripts.length"), 3);
    assert.equal(await evaluate("document.images.length"), 0);
    assert.equal(await evaluate("document.title"),
                 `${await text("trace")} \u2013 Xen trace`);
    assert.equal(await evaluate(`[...document.querySelectorAll(
        "button, input, canvas, [role=application], section")].filter((e) =>
            !e.textContent.trim() && !e.ariaLabel && !e.labels?.length &&
            !e.getAttribute("aria-labelledby") && !e.ariaHidden).length`), 0,
                 "all have names");
}

// With several hosts: the tables of each are behind its name, and a link leads to
// a row of the same host, at its time on the timeline; CPUs have its name.
async function checkHosts() {
    const hosts = await evaluate(`JSON.parse(document.getElementById("facts")
        .textContent).hosts.map((h) => [h.label, h.begin, h.wakes])`);

    if (hosts.length < 2)
        return 1;
    const headline = (await text("headline")).split("\n");
    const names = await evaluate(
        "[...document.querySelectorAll('details.host > summary')]" +
        ".map((s) => s.textContent)");

    assert.deepEqual(names, hosts.map(([label]) => `Tables of ${label}`));
    hosts.forEach(([label], i) => assert(headline[i].startsWith(`${label}: `)));
    const [label, begin, wakes] = hosts.at(-1);
    // The latency table has the longest first.
    const [vcpu, , , , , , at] = wakes.sort((a, b) => b[4] - a[4])[0];

    await evaluate(`(() => {
        const host = [...document.querySelectorAll("details.host")].pop();
        host.open = true;
        [...host.querySelectorAll("section")].find((s) => s.querySelector("h2")
            .textContent === "Wake-to-run latency")
            .querySelector("button.link").click();
    })()`);
    await frame();
    const chosen = await text("chosen");
    const [, from] = chosen.match(/begin ([0-9.]+) s/);

    assert(chosen.startsWith(`${label}:${vcpu}: `), chosen);
    assert(Math.abs(from * 1e9 - begin - at) < 1e6, `${chosen}, not ${at}`);
    assert(begin > 0);
    await press(".");
    const run = await text("chosen");

    assert(run.includes(`running · on ${label}:pcpu `), run);
    await press("Escape");
    await press("Home");
    return hosts.length;
}

// A table by its heading, as the texts of its rows; null: none.
const table = (heading) => evaluate(`(() => {
    const section = [...document.querySelectorAll("#tables section")].find(
        (s) => s.querySelector("h2").textContent === "${heading}");
    return section && [...section.querySelectorAll("tr")].map((row) =>
        [...row.cells].map((cell) => cell.textContent));
})()`);

// The matrix has a cell for each column, and its largest cell the strongest
// shade; a piece of a wait zooms the timeline to it.
async function checkWaits() {
    const matrix = await table("Who waited because of whom");

    if (!matrix)
        return "no matrix";
    assert.deepEqual(matrix[0].slice(0, 2), ["Domain", "waited"]);
    assert(matrix[0].length > 3 && matrix.length > 2, "rivals and victims");
    for (const row of matrix)
        assert.equal(row.length, matrix[0].length);
    // Of the first host.
    const shades = await evaluate(`[...document.querySelector(".tables")
        .querySelectorAll(".heat")].map((e) =>
            [e.textContent, e.style.getPropertyValue("--heat")])`);

    for (const [time, shade] of shades)
        assert(time !== "0" || shade === "", `${time} ${shade}`);
    assert.equal(shades.filter(([, shade]) => shade === "70.0%").length, 1);
    await press("Home");
    await evaluate("document.querySelector('.pieces button').click()");
    await frame();
    const [from, to] = await range(), pieces = await text("chosen");

    assert.match(pieces, /: waiting .* length /);
    assert(to - from < 0.05, `a piece is shown: ${from} to ${to}`);
    assert.equal(await evaluate("document.activeElement.id"), "view");
    await press("Home");
    return `matrix of ${matrix.length - 1} domains`;
}

// Paper has light colours, a size of its own, and leaves no trace behind.
async function checkPaper() {
    const before = await sum();

    await send("Emulation.setEmulatedMedia", { features: [
        { name: "prefers-color-scheme", value: "dark" }] });
    await frame();
    const dark = await sum();

    assert.notEqual(dark, before, "the theme changes");
    await evaluate("dispatchEvent(new Event('beforeprint'))");
    assert.equal(await evaluate("getComputedStyle(document.documentElement)" +
                                ".getPropertyValue('--card').trim()"),
                 "#ffffff");
    assert.equal(await evaluate("document.getElementById('picture')" +
                                ".style.width"), "900px");
    await evaluate("dispatchEvent(new Event('afterprint'))");
    await frame();
    assert.equal(await sum(), dark, "the picture is the one before");
    await send("Emulation.setEmulatedMedia", { features: [] });
}

// The legend explains the states and exits that the timeline shows.
async function checkLegend() {
    const legend = await text("legend");
    const isLossy = (await text("tables")).match(/Gaps[1-9]/);

    assert.match(legend, /States of vcpusrunningwaiting: ready to run/);
    assert.equal(/hatched: records lost/.test(legend), !!isLossy);
    assert.match(legend, /VM exits, hypercalls\w/);
}

async function checkFrames() {
    await send("Page.navigate", { url: "about:blank" });
    await send("Page.navigate", { url: `file://${page}#measure` });
    await until("!!document.documentElement?.dataset.frames",
                "no frames are measured");
    return evaluate("document.documentElement?.dataset.frames");
}

// Each Enter in the search finds the next event of a name, with arguments, and
// all of a thread come before the next thread.
async function checkEvents() {
    const name = "device_write", seen = [];

    await press("/");
    await type(name);
    assert.match(await text("matches"), /^[1-9][0-9]* rows?$/);
    for (let i = 0; i < 4; i++) {
        await press("Enter");
        seen.push(await text("chosen"));
    }
    for (const what of seen)
        assert.match(what, RegExp(`: ${name} · begin [0-9.]+ s · ` +
                                  "arguments .*0x[0-9a-f]+ = "));
    assert.equal(new Set(seen).size, 4, "four events");
    assert.equal(new Set(seen.map((what) => what.split(":")[0])).size, 1);
    await press("Enter", 8);
    assert.equal(await text("chosen"), seen[2], "Shift goes back");
    await press("Escape");
    await press("Home");
}

// The rows of threads of programs, if there are any: found, chosen, explained.
async function checkThreads() {
    const labels = await evaluate("JSON.parse(document.getElementById('facts')" +
                                  ".textContent).threads.map((t) => t[1])");

    if (!labels.length)
        return 0;
    await press("/");
    await type(labels[0]);
    await press("Enter");
    assert.equal(await text("chosen"), labels[0]);
    await press("Escape");
    await press("ArrowUp");
    await press(".");
    const first = await text("chosen");

    assert(labels.some((label) => first.startsWith(`${label}: `)), first);
    assert.match(first, /: \w+ · begin [0-9.]+ s/);
    assert.doesNotMatch(first, /length/);
    await press(".");
    assert.notEqual(await text("chosen"), first, "the next event");
    await press("Escape");
    assert.match(await text("legend"), /Events of programs/);
    await checkEvents();
    return labels.length;
}

// Last, since it leaves a complaint: a script that is no part of the page.
async function checkPolicy() {
    await evaluate(`(() => {
        const script = document.createElement("script");
        script.textContent = "window.isForeign = true";
        document.body.append(script);
    })()`);
    assert.equal(await evaluate("window.isForeign"), undefined);
    assert.match(complaints.join(" "), /Content Security Policy/);
}

async function check() {
    await open();
    const label = await evaluate("JSON.parse(document.getElementById('facts')" +
                                 ".textContent).vcpus[0][2]");

    await checkZoom();
    await checkSearch(label);
    await checkSlices();
    const woken = await checkWakers(label);

    await checkTables();
    const matrix = await checkWaits();
    const hosts = await checkHosts();
    const threads = await checkThreads();

    await checkLegend();
    await checkPaper();
    const frames = await checkFrames();

    assert.deepEqual(complaints, [], "the page is silent");
    assert.deepEqual(requests.filter((url) => url.split("#")[0] !==
        new URL(`file://${page}`).href && url !== "about:blank"), [],
                     "nothing is requested");
    await checkPolicy();
    console.log(`${label}: ${hosts} hosts, ${woken} wakers, ${matrix}, ` +
                `${threads} threads, frames of the timeline: ${frames}`);
}

try {
    await check();
} catch (error) {
    console.error(error.stack, complaints);
    process.exitCode = 1;
} finally {
    closeChromium();
}
