// SPDX-License-Identifier: GPL-2.0-or-later
// Colours of the pictures of plot/: neighbouring domains alternate between
// bluish and yellowish hues, and vcpus of a domain differ in lightness, so
// readers with red-green blindness tell them apart.

const HUES = [
    [0x005a9c, 0x6db8e8], [0xb85c00, 0xffbe66], [0x5b2a86, 0xb89ae0],
    [0x6b6b00, 0xc9c94a], [0x006f85, 0x5cc4dc], [0xb5502a, 0xf0a888],
    [0x3444b0, 0x93a3f0], [0x8a6700, 0xe8c33c],
];

const STATE_NAMES = facts.states;
const STATE_COLOURS = [null, "running", "waiting", "blocked", "offline",
                       "elsewhere", "unknown"];

// In the legend.
const STATE_TEXTS = [null, "running", "waiting: ready to run, without a pcpu",
                     "blocked: sleeps until an event",
                     "offline: paused, parked or not started",
                     "on a pcpu that is not selected",
                     "unknown: no records"];

const toCss = (rgb) => `#${rgb.toString(16).padStart(6, "0")}`;

// A pixel of a picture: the bytes red, green, blue, alpha.
const toPixel = (rgb) => (0xff000000 | (rgb & 0xff) << 16 | (rgb & 0xff00) |
                          rgb >> 16 & 0xff) >>> 0;

function mixColours(dark, light, share) {
    let rgb = 0;

    for (const shift of [16, 8, 0]) {
        const a = dark >> shift & 255, b = light >> shift & 255;

        rgb |= Math.round(a + (b - a) * share) << shift;
    }
    return rgb;
}

// Is dark text legible on the colour?
const isLight = (rgb) => 0.299 * (rgb >> 16) + 0.587 * (rgb >> 8 & 255) +
                         0.114 * (rgb & 255) > 140;

const theme = {};

function readTheme() {
    const style = getComputedStyle(document.documentElement);
    const names = ["card", "ink", "soft", "line", "faint", "accent", "running",
                   "waiting", "blocked", "offline", "elsewhere", "unknown",
                   "lost", "exit", "dim"];

    for (const name of names) {
        const text = style.getPropertyValue(`--${name}`).trim();

        theme[name] = parseInt(text.slice(1), 16);
        theme[`${name}Css`] = text;
    }
}

const hueOf = (domain) => HUES[domain % HUES.length];

// Colours of exit reasons, by number: shades of all hues.
function exitColour(number) {
    if (!number)
        return theme.unknown;
    const [dark, light] = HUES[(number * 5 + 2) % HUES.length];

    return mixColours(dark, light, 0.2 + 0.6 * (number * 3 % 5) / 4);
}
