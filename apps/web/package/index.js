// Tarn in JavaScript: worlds of fluids from scene texts. Types and comments of all calls: index.d.ts.

const isNode = typeof process === "object" && !!process.versions?.node && typeof window === "undefined";
const VIEW_TYPES = [Float32Array, Uint32Array, Uint8Array];
const BODY_FLOATS = 17;
const SHAPES = ["point", "line", "disc", "sphere", "box", "capsule", "cylinder", "hull"];
const FLAGS = ["time_cut", "not_converged", "capacity_full", "clamped", "compressed"];

// Threads share memory: pages get that only when they are cross-origin isolated.
export function canUseThreads() {
    return isNode || (typeof crossOriginIsolated === "boolean" && crossOriginIsolated);
}

// The module is a classic script, because its threads load it as one. It leaves its factory in globalThis.
async function factoryAt(url, name) {
    if (isNode) {
        const [{ createRequire }, { fileURLToPath }] = await Promise.all([import("node:module"), import("node:url")]);
        return createRequire(import.meta.url)(fileURLToPath(url));
    }
    await import(/* @vite-ignore */ /* webpackIgnore: true */ url.href);
    return globalThis[Symbol.for(name)];
}

export async function load({ threads, base: given = "./wasm/" } = {}) {
    const base = new URL(given, given === "./wasm/" || isNode ? import.meta.url : document.baseURI);
    const cores = isNode ? (await import("node:os")).cpus().length : navigator.hardwareConcurrency;
    const wanted = Math.max(1, Math.min(Math.floor(threads ?? Math.min(cores, 4)) || 1, 16));
    const workers = canUseThreads() ? wanted : 1;
    const file = workers > 1 ? "tarn-threads" : "tarn";
    const script = new URL(`${file}.js`, base);
    const options = { poolSize: workers - 1, locateFile: (name) => new URL(name, base).href };
    if (isNode) {
        const { readFile } = await import("node:fs/promises");
        const { fileURLToPath } = await import("node:url");
        options.wasmBinary = await readFile(new URL(`${file}.wasm`, base));
        options.locateFile = (name) => fileURLToPath(new URL(name, base));
        options.mainScriptUrlOrBlob = fileURLToPath(script);
    } else {
        options.mainScriptUrlOrBlob = script.href;
    }
    const factory = await factoryAt(script, file);
    return new Tarn(await factory(options), workers);
}

export class TarnError extends Error {
    constructor(message) {
        super(message);
        this.name = "TarnError";
        const place = /^(.*?):(\d+):(\d+): /.exec(message);
        if (place) {
            this.line = Number(place[2]);
            this.column = Number(place[3]);
        }
    }
}

class Tarn {
    #module;

    constructor(module, threads) {
        this.#module = module;
        this.threads = threads;
        if (!module._tarn_js_open(threads)) throw new TarnError(this.#string(module._tarn_js_error()));
        this.version = this.#string(module._tarn_js_version());
    }

    createWorld(scene, { name = "scene", set = {} } = {}) {
        const m = this.#module;
        const text = typeof scene === "string" ? scene : JSON.stringify(scene);
        const pairs = Object.entries(set);
        const sets = pairs.map(([path, value]) => `${path}\0${asText(value)}\0`).join("");
        const blocks = [text, name, sets].map((part) => this.#newString(part));
        const handle = m._tarn_js_create(blocks[0].at, blocks[0].size, blocks[1].at, blocks[2].at, pairs.length);
        for (const block of blocks) m._free(block.at);
        if (!handle) throw new TarnError(this.#string(m._tarn_js_error()));
        return new World(m, handle, (at) => this.#string(at));
    }

    close() { // ends the threads; worlds must be destroyed before
        this.#module.PThread?.terminateAllThreads();
    }

    #string(at) {
        return readString(bytesOf(this.#module), at);
    }

    #newString(text) {
        const encoded = new TextEncoder().encode(text);
        const at = this.#module._malloc(encoded.length + 1);
        const bytes = bytesOf(this.#module);
        bytes.set(encoded, at);
        bytes[at + encoded.length] = 0;
        return { at, size: encoded.length };
    }
}

class World {
    #module;
    #handle;
    #scratch = 0;
    #room = 0;
    #string;

    constructor(module, handle, string) {
        this.#module = module;
        this.#handle = handle;
        this.#string = string;
        this.solvers = Array.from({ length: module._tarn_js_solver_count(handle) }, (_, n) => ({
            name: string(module._tarn_js_solver_name(handle, n)),
            kind: string(module._tarn_js_solver_kind(handle, n)),
            views: this.#viewNames(n),
        }));
    }

    get title() { return this.#string(this.#module._tarn_js_title(this.#live())); }
    get time() { return this.#module._tarn_js_time(this.#live()); }
    get dt() { return this.#module._tarn_js_dt(this.#live()); }

    get hash() {
        const at = this.#scratchOf(8);
        this.#module._tarn_js_hash(this.#live(), at);
        const [low, high] = new Uint32Array(bufferOf(this.#module), at, 2);
        return high.toString(16).padStart(8, "0") + low.toString(16).padStart(8, "0");
    }

    step(dt = -1) {
        const m = this.#module;
        if (!m._tarn_js_step(this.#live(), dt)) throw new TarnError(this.#string(m._tarn_js_error()));
        const [advanced, dropped, substeps, bits] =
            new Float64Array(bufferOf(m), m._tarn_js_report(this.#handle), 4);
        return { advanced, dropped, substeps, flags: FLAGS.filter((_, n) => bits & (1 << n)) };
    }

    view(solver, name) {
        const n = this.#indexOf(solver);
        const which = this.solvers[n].views.indexOf(name);
        if (which < 0) {
            throw new TarnError(`solver '${this.solvers[n].name}' has no view '${name}'; ` +
                `it has ${this.solvers[n].views.join(", ") || "none"}`);
        }
        const buffer = bufferOf(this.#module);
        const at = this.#module._tarn_js_view(this.#live(), n, which);
        const [, data, type, nx, ny, nz, row, slab] = new Int32Array(buffer, at, 8);
        const [x, y, z, dx] = new Float32Array(buffer, at + 32, 4);
        const length = nx && ny && nz ? (nz - 1) * slab + (ny - 1) * (ny > 1 ? row : 0) + nx : 0;
        const values = data ? new VIEW_TYPES[type](buffer, data, length) : null;
        return { values, nx, ny, nz, row, slab, origin: [x, y, z], dx };
    }

    surface(points, { solver = null, height = true, depth = false, normal = false, velocity = false } = {}) {
        const m = this.#module;
        const n = Math.floor(points.length / 2);
        const at = this.#scratchOf(4 * n * 10);
        const input = new Float32Array(bufferOf(m), at, 2 * n);
        for (let p = 0; p < n; ++p) {
            input[p] = points[2 * p];
            input[n + p] = points[2 * p + 1];
        }
        const place = (column, wanted) => (wanted ? at + 4 * n * column : 0);
        const places = [place(2, height), place(3, depth), place(4, normal), place(7, velocity)];
        const of = solver === null ? -1 : this.#indexOf(solver);
        if (!m._tarn_js_surface(this.#live(), of, n, at, at + 4 * n, ...places)) {
            throw new TarnError(solver === null ? "no solver of this world has a surface"
                : `solver '${this.solvers[of].name}' has no surface`);
        }
        const read = (start, size) => (start ? new Float32Array(bufferOf(m), start, size) : null);
        return { height: read(places[0], n), depth: read(places[1], n), normal: read(places[2], 3 * n),
            velocity: read(places[3], 3 * n) };
    }

    surfaceHeight(x, z, solver = null) {
        return this.surface([x, z], { solver }).height[0];
    }

    pour(x, z, radius, volume, solver = null) {
        return this.#module._tarn_js_pour(this.#live(), solver === null ? -1 : this.#indexOf(solver), x, z, radius, volume);
    }

    bodies() {
        const m = this.#module;
        const n = m._tarn_js_body_count(this.#live());
        const at = n ? m._tarn_js_bodies(this.#handle) : 0;
        const rows = new Float32Array(bufferOf(m), at, n * BODY_FLOATS);
        return Array.from({ length: n }, (_, b) => {
            const part = (from, count) => rows.subarray(b * BODY_FLOATS + from, b * BODY_FLOATS + from + count);
            return { position: part(0, 3), rotation: part(3, 4), velocity: part(7, 3), angularVelocity: part(10, 3),
                shape: SHAPES[part(13, 1)[0]] ?? "other", size: part(14, 3) };
        });
    }

    save() {
        const m = this.#module;
        const size = m._tarn_js_save(this.#live(), 0, 0);
        const at = m._malloc(size);
        const done = at && m._tarn_js_save(this.#handle, at, size);
        const snapshot = done ? bytesOf(m).slice(at, at + size) : null;
        m._free(at);
        if (!snapshot) throw new TarnError(this.#string(m._tarn_js_error()));
        return snapshot;
    }

    load(snapshot) {
        const m = this.#module;
        const at = m._malloc(snapshot.length);
        bytesOf(m).set(snapshot, at);
        const done = m._tarn_js_load(this.#live(), at, snapshot.length);
        m._free(at);
        if (!done) throw new TarnError(this.#string(m._tarn_js_error()));
    }

    destroy() {
        if (!this.#handle) return;
        this.#module._tarn_js_destroy(this.#handle);
        this.#module._free(this.#scratch);
        this.#handle = this.#scratch = this.#room = 0;
    }

    #live() {
        if (!this.#handle) throw new TarnError("this world was destroyed");
        return this.#handle;
    }

    #indexOf(solver) {
        const n = typeof solver === "number" ? solver : this.solvers.findIndex((one) => one.name === solver);
        if (!this.solvers[n]) {
            throw new TarnError(`no solver '${solver}'; there are ${this.solvers.map((one) => one.name).join(", ")}`);
        }
        return n;
    }

    #viewNames(n) {
        const names = [];
        for (;;) {
            const at = this.#module._tarn_js_view(this.#handle, n, names.length);
            const name = new Int32Array(bufferOf(this.#module), at, 1)[0];
            if (!name) return names;
            names.push(this.#string(name));
        }
    }

    #scratchOf(bytes) { // a block for results that only grows
        if (bytes > this.#room) {
            this.#module._free(this.#scratch);
            this.#scratch = this.#module._malloc(bytes);
            this.#room = bytes;
        }
        return this.#scratch;
    }
}

// The heap may have grown since the last look, so every view starts from here.
function bufferOf(module) {
    return module.wasmMemory?.buffer ?? module.HEAPU8.buffer;
}

function bytesOf(module) {
    return new Uint8Array(bufferOf(module));
}

function readString(bytes, at) {
    return new TextDecoder().decode(bytes.slice(at, bytes.indexOf(0, at))); // a copy: decoders refuse shared memory
}

function asText(value) { // as --set of the command line takes it
    return typeof value === "string" ? value : Array.isArray(value) ? value.join(",") : JSON.stringify(value);
}
