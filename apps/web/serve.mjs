// A small static server for the playground: `node serve.mjs FOLDER [PORT]`. Pages are cross-origin isolated, so that
// threads may share memory. Files that build.mjs compressed are sent compressed.

import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".json": "application/json",
    ".wasm": "application/wasm", ".webp": "image/webp", ".png": "image/png", ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8", ".ts": "text/plain; charset=utf-8", ".md": "text/plain; charset=utf-8" };
const ENCODINGS = [["br", ".br"], ["gzip", ".gz"]];
const ISOLATED = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin" };

async function fileAt(path) {
    const found = await stat(path).catch(() => null);
    return found?.isFile() ? { path, size: found.size, tag: `"${found.size}-${Math.floor(found.mtimeMs)}"` } : null;
}

// Which stored form of a file to send: the smallest that the browser takes.
async function variant(file, accepted) {
    for (const [encoding, suffix] of ENCODINGS) {
        if (!accepted.includes(encoding)) continue;
        const packed = await fileAt(file.path + suffix);
        if (packed) return { ...packed, encoding };
    }
    return file;
}

function pathOf(folder, url) { // null: outside the folder, or not decodable
    let name;
    try {
        name = decodeURIComponent(new URL(url, "http://localhost").pathname);
    } catch {
        return null;
    }
    const path = normalize(join(folder, name.endsWith("/") ? `${name}index.html` : name));
    return path.startsWith(folder) && !name.includes("\0") ? path : null;
}

async function answer(folder, isolated, request, response) {
    const headers = { ...(isolated ? ISOLATED : {}), "Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff" };
    if (request.method !== "GET" && request.method !== "HEAD") {
        response.writeHead(405, { ...headers, Allow: "GET, HEAD" }).end();
        return;
    }
    const path = pathOf(folder, request.url);
    const file = path && await fileAt(path);
    if (!file) {
        response.writeHead(404, { ...headers, "Content-Type": "text/plain" }).end("not found\n");
        return;
    }
    const sent = await variant(file, request.headers["accept-encoding"] ?? "");
    Object.assign(headers, { "Content-Type": TYPES[extname(file.path)] ?? "application/octet-stream",
        "Content-Length": sent.size, ETag: sent.tag, Vary: "Accept-Encoding" });
    if (sent.encoding) headers["Content-Encoding"] = sent.encoding;
    if (request.headers["if-none-match"] === sent.tag) {
        delete headers["Content-Length"];
        response.writeHead(304, headers).end();
        return;
    }
    response.writeHead(200, headers);
    if (request.method === "HEAD") response.end();
    else createReadStream(sent.path).pipe(response);
}

// Starts serving. port 0: any free one. isolated false: as a host without the headers would.
export function serve(folder, port = 0, { isolated = true } = {}) {
    const root = resolve(folder);
    const server = createServer((request, response) => {
        answer(root, isolated, request, response).catch(() => response.destroy());
    });
    return new Promise((done, failed) => {
        server.once("error", failed);
        server.listen(port, "127.0.0.1", () => done({ url: `http://localhost:${server.address().port}`, close: () => server.close() }));
    });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const [folder = "build/web", port = "8080"] = process.argv.slice(2);
    const isIsolated = !process.argv.includes("--plain");
    try {
        const { url } = await serve(folder, Number(port), { isolated: isIsolated });
        console.log(`Tarn's playground is at ${url} (Ctrl+C ends it)`);
    } catch (error) {
        console.error(error.code === "EADDRINUSE" ? `serve: port ${port} is in use; try \`make serve PORT=8081\`` : `serve: ${error.message}`);
        process.exit(1);
    }
}
