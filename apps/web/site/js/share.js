// A link that carries the scene, changed parameters and the camera in its fragment:
//     scene.html#scene=flagship&set=wave.damping=0.2&set=view.yaw=20&camera=1,2,3,0,0,0,26
// A text of one's own goes along compressed, as text=...

const TEXT_LIMIT = 1 << 20; // of a decompressed text [bytes]: links are not trusted

export function readLink(fragment = location.hash) {
    const given = new URLSearchParams(fragment.replace(/^#/, "").replaceAll("+", "%2B"));
    return { scene: given.get("scene"), camera: given.get("camera") ?? "", changes: given.getAll("set").join("\n"),
        text: given.get("text") };
}

export function writeLink({ scene, changes = "", camera = "", text = null }) {
    const escape = (value) => encodeURIComponent(value).replace(/%(2C|5B|5D|3A|2F)/g, decodeURIComponent);
    const parts = [`scene=${escape(scene)}`];
    for (const change of changes.split("\n").filter(Boolean)) parts.push(`set=${escape(change)}`);
    if (camera) parts.push(`camera=${escape(camera)}`);
    if (text) parts.push(`text=${text}`);
    return `#${parts.join("&")}`;
}

async function through(stream, bytes, limit = Infinity) {
    const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
    const parts = [];
    for (let size = 0; ;) {
        const { done, value } = await reader.read();
        if (done) return new Blob(parts);
        size += value.length;
        if (size > limit) throw new Error("The text in this link is too long.");
        parts.push(value);
    }
}

export async function packText(text) {
    const packed = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(text));
    const bytes = new Uint8Array(await packed.arrayBuffer());
    let binary = "";
    for (const byte of bytes) binary += String.fromCharCode(byte);
    return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

export async function unpackText(packed) {
    const binary = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
    return (await through(new DecompressionStream("deflate-raw"), bytes, TEXT_LIMIT)).text();
}

// Copies a text; falls back to showing it, where the clipboard is not allowed.
export async function copy(text) {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        return false;
    }
}
