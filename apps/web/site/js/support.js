// What the playground needs of a browser, and a message that says what is missing.

// The smallest module with a SIMD instruction: (module (func (result v128) i32.const 0 i8x16.splat))
const SIMD = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11]);

// As page.c asks for it: the module gets this context, because making a second one takes a moment.
const CONTEXT = { alpha: false, depth: false, stencil: false, antialias: false, powerPreference: "high-performance" };

function missingGraphics(canvas) {
    const gl = canvas.getContext("webgl2", CONTEXT);
    if (!gl) return ["WebGL 2 (graphics)"];
    const missing = ["EXT_color_buffer_float", "OES_texture_float_linear"].filter((name) => !gl.getExtension(name));
    return missing.map((name) => `the WebGL extension ${name}`);
}

export class Missing extends Error {
    constructor(list) {
        super(`This browser lacks ${list.join(" and ")}.`);
        this.list = list;
    }
}

// What is missing to draw on this canvas, as a list of names; empty if all is there.
export function missing(canvas) {
    const list = [];
    if (typeof WebAssembly !== "object") list.push("WebAssembly");
    else if (!WebAssembly.validate(SIMD)) list.push("WebAssembly SIMD");
    return list.concat(missingGraphics(canvas));
}

export function canUseThreads() {
    return self.crossOriginIsolated === true && typeof SharedArrayBuffer === "function";
}

// Shows the message in place of the picture.
export function showMissing(host, list) {
    const box = document.createElement("div");
    box.className = "notice-box";
    box.setAttribute("role", "alert");
    const title = document.createElement("h2");
    title.textContent = "This browser cannot run the playground";
    const text = document.createElement("p");
    text.textContent = `It lacks ${list.join(" and ")}. Firefox, Chrome, Edge (from 2021) and Safari (from 16.4) have ` +
        "all of it; on older machines graphics acceleration may be switched off in the settings.";
    box.append(title, text);
    host.replaceChildren(box);
}
