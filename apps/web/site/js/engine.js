// Loads the WebAssembly module and calls apps/play/play.h by name: engine.play("step") is tarn_play_step(play).

import { canUseThreads } from "./support.js";

const MAX_THREADS = 8;

// What the calls take after the play and return: b bool, i int, n number, s string, "" nothing. The first letter is what
// they return. JSON is parsed.
const CALLS = {
    open_text: "bss", edit: "bs", check: "bss", text: "s", name: "s", title: "s", about: "s", error: "s",
    error_line: "i", error_column: "i", error_text: "s", notice: "s",
    pause: "_b", is_paused: "b", set_speed: "_n", speed: "n", step: "b", step_back: "b", steps_back: "i", restart: "b",
    run_to: "ini", time: "n", dt: "n", step_count: "i", hash_text: "s",
    pointer: "_iinnii", wheel: "_nnn", fly: "_nnn", orbit: "_nn", pan: "_nn", zoom: "_n", camera_reset: "_",
    camera: "s", set_camera: "bs", set_tool: "bs", tool: "s", active_tool: "s", hint: "s", tools_json: "j",
    set_tool_size: "_n", set_tool_strength: "_n", tool_size: "n", tool_strength: "n",
    set: "bss", set_number: "bsin", reset: "bs", reset_all: "b", value: "ss", params_version: "i", params_json: "j",
    changes: "s", set_changes: "bs", status_json: "j", words: "s", command: "s", debug_json: "j", set_debug: "bsb",
};
const TYPES = { b: "boolean", i: "number", n: "number", s: "string", j: "string", _: null };

export class Engine {
    #module;
    #play = 0;

    constructor(module, threads) {
        this.#module = module;
        this.threads = threads;
    }

    // threads: how many at most; one where the page is not cross-origin isolated.
    static async load({ threads = Math.min(navigator.hardwareConcurrency || 1, MAX_THREADS) } = {}) {
        const used = canUseThreads() ? Math.max(1, threads) : 1;
        const file = used > 1 ? "playground-threads" : "playground";
        const base = new URL("../wasm/", import.meta.url);
        const script = new URL(`${file}.js`, base).href;
        const link = Object.assign(document.createElement("link"), { rel: "preload", as: "fetch", crossOrigin: "anonymous",
            href: new URL(`${file}.wasm`, base).href });
        document.head.append(link); // beside the script, not after it
        await import(script);
        const module = await globalThis[Symbol.for(file)]({ poolSize: used - 1, mainScriptUrlOrBlob: script,
            locateFile: (name) => new URL(name, base).href });
        performance.mark("tarn: module");
        return new Engine(module, used);
    }

    open(canvas, width, height) {
        this.#play = this.#module.ccall("page_open", "number", ["string", "number", "number", "number"],
            [`#${canvas.id}`, this.threads, width, height]);
        if (!this.#play) throw new Error(this.pageError());
    }

    // Calls tarn_play_NAME with the open play.
    play(name, ...values) {
        const signature = CALLS[name];
        const types = [...signature.slice(1)].map((letter) => TYPES[letter]);
        const result = this.#module.ccall(`tarn_play_${name}`, TYPES[signature[0]], ["number", ...types], [this.#play, ...values]);
        return signature[0] === "j" ? JSON.parse(result) : result;
    }

    // The same for calls that can fail: throws the error with its place.
    must(name, ...values) {
        if (this.play(name, ...values)) return;
        const error = new Error(this.play("error"));
        error.line = this.play("error_line");
        error.column = this.play("error_column");
        error.text = this.play("error_text");
        throw error;
    }

    frame(seconds) { return this.#module.ccall("page_frame", "number", ["number"], [seconds]) === 1; }
    redraw() { return this.#module._page_redraw() === 1; }
    resize(width, height) { return this.#module._page_resize(width, height) === 1; }
    pageError() { return this.#module.ccall("page_error", "string", [], []); }
    stepMs() { return this.#module._page_step_ms(); }
    drawMs() { return this.#module._page_draw_ms(); }
}
