// SPDX-License-Identifier: GPL-2.0-or-later
// Tracks: slices of a row in levels of detail.  The bytes are described in
// html-track.h.  A level is decoded when it is first drawn.

function decodeBase64(text) {
    if (Uint8Array.fromBase64)
        return Uint8Array.fromBase64(text);
    const chars = atob(text);
    const bytes = new Uint8Array(chars.length);

    for (let i = 0; i < bytes.length; i++)
        bytes[i] = chars.charCodeAt(i);
    return bytes;
}

const trackBytes = decodeBase64(byId("tracks").textContent);

// A level's slices: from[i] to to[i]; keys[i] is the key of an exact slice, or
// -1 - p for a condensed one, with [count, number of keys, key, ns, ...] at p
// of `parts`.
class Level {
    constructor([quantum, offset, size, length]) {
        Object.assign(this, { quantum, offset, size, length });
        this.from = null;
    }

    decode() {
        const bytes = trackBytes, parts = [];
        let at = this.offset, time = 0;

        function next() {
            let byte = bytes[at++];

            if (byte < 128)
                return byte;
            let value = byte & 127, unit = 128;

            do {
                byte = bytes[at++];
                value += (byte & 127) * unit;
                unit *= 128;
            } while (byte >= 128);
            return value;
        }

        this.from = new Float64Array(this.length);
        this.to = new Float64Array(this.length);
        this.keys = new Int32Array(this.length);
        this.parts = parts;
        for (let i = 0; i < this.length; i++) {
            const gap = next(), length = next();

            this.from[i] = time += Math.floor(gap / 2);
            this.to[i] = time += length;
            if (gap % 2 === 0) {
                this.keys[i] = next();
                continue;
            }
            this.keys[i] = -1 - parts.length;
            const count = next(), nr = next();

            parts.push(count, nr);
            for (let k = 0; k < 2 * nr; k++)
                parts.push(next());
        }
        if (at !== this.offset + this.size)
            throw new Error("the data of a track are damaged");
    }

    // The first slice that ends behind this time.
    find(time) {
        let low = 0, high = this.length;

        while (low < high) {
            const middle = (low + high) >> 1;

            if (this.to[middle] > time)
                high = middle;
            else
                low = middle + 1;
        }
        return low;
    }

    // {from, to, count, shares: [[key, ns], ...]}, the greatest share first.
    slice(i) {
        const from = this.from[i], to = this.to[i], key = this.keys[i];
        const parts = this.parts, shares = [];

        if (key >= 0)
            return { from, to, count: 1, isExact: true,
                     shares: [[key, to - from]] };
        const p = -1 - key;

        for (let k = 0; k < parts[p + 1]; k++)
            shares.push([parts[p + 2 + 2 * k], parts[p + 3 + 2 * k]]);
        shares.sort((a, b) => b[1] - a[1]);
        return { from, to, count: parts[p], isExact: false, shares };
    }
}

class Track {
    constructor(levels) {
        this.levels = levels.map((level) => new Level(level));
    }

    get isEmpty() {
        return !this.levels.length;
    }

    // The coarsest level that is exact enough for pixels of this many ns.
    level(pixel) {
        let i = this.levels.length - 1;

        while (i > 0 && this.levels[i].quantum > pixel)
            i--;
        if (!this.levels[i].from)
            this.levels[i].decode();
        return this.levels[i];
    }
}
