// Puts the playground together: `node apps/web/build.mjs WASM_FOLDER OUT_FOLDER`, from the root of the repository.
//
// Everything that stands elsewhere is taken from there: scenes from scenes/, their families and sentences from
// docs/gallery.md, pictures from docs/images, figures from docs/performance.md, the package from apps/web/package.

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { figuresOf, figuresHtml } from "./build/figures.mjs";
import { galleryHtml, galleryOf } from "./build/gallery.mjs";
import { codeHtml } from "./build/code.mjs";

const [wasm, out] = process.argv.slice(2);
const WEB = "apps/web";
const read = (path) => readFileSync(path, "utf8");
const version = /TARN_VERSION_MAJOR (\d+)[\s\S]*MINOR (\d+)[\s\S]*PATCH (\d+)/.exec(read("include/tarn/base.h")).slice(1).join(".");

// A picture in two sizes, made again only if it is newer than what was made of it. One call, because reading it takes as
// long as writing both.
function picture(from, small, large) {
    if ([small, large].every((to) => existsSync(to) && statSync(to).mtimeMs > statSync(from).mtimeMs)) return;
    const scaled = (to, width, quality) => ["-vf", `scale='min(${width},iw)':-2:flags=lanczos`,
        "-c:v", "libwebp", "-quality", String(quality), "-compression_level", "2", to];
    execFileSync("ffmpeg", ["-v", "error", "-y", "-i", from, ...scaled(small, 560, 72), ...scaled(large, 1280, 80)]);
}

function pictures(families) {
    mkdirSync(join(out, "pictures"), { recursive: true });
    for (const { name, picture: file } of families.flatMap((family) => family.scenes))
        picture(join("docs", file), join(out, "pictures", `${name}.webp`), join(out, "pictures", `${name}_large.webp`));
}

function scenes(families) {
    mkdirSync(join(out, "scenes"), { recursive: true });
    const list = families.flatMap(({ title, scenes: some }) =>
        some.map(({ name, title: scene, about }) => ({ name, title: scene, about, family: title })));
    for (const { name } of list) cpSync(join("scenes", `${name}.json`), join(out, "scenes", `${name}.json`));
    writeFileSync(join(out, "scenes", "index.json"), JSON.stringify(list));
}

function pages(families) {
    const count = families.reduce((sum, family) => sum + family.scenes.length, 0);
    const parts = { version, count, gallery: galleryHtml(families), figures: figuresHtml(figuresOf(read("docs/performance.md"))),
        hello: codeHtml(read("examples/hello.c")), page: codeHtml(read(`${WEB}/package/examples/hello.html`)),
        head: read(`${WEB}/site/parts/head.html`).trim(), header: read(`${WEB}/site/parts/header.html`).trim(),
        footer: read(`${WEB}/site/parts/footer.html`).trim() };
    for (const file of readdirSync(`${WEB}/site`).filter((name) => name.endsWith(".html"))) {
        const fill = (text) => text.replace(/\{\{(\w+)\}\}/g, (whole, name) => parts[name] ?? whole);
        const text = fill(fill(read(`${WEB}/site/${file}`))); // parts may hold parts
        if (/\{\{\w+\}\}/.test(text)) throw new Error(`${file}: ${/\{\{\w+\}\}/.exec(text)[0]} is not known`);
        writeFileSync(join(out, file), text);
    }
    for (const folder of ["css", "js"]) cpSync(`${WEB}/site/${folder}`, join(out, folder), { recursive: true });
    cpSync(`${WEB}/site/icon.svg`, join(out, "icon.svg"));
}

// The package as npm packs it, and beside it what its examples need.
function packages() {
    cpSync(`${WEB}/package`, join(out, "package"), { recursive: true, filter: (path) => !path.endsWith(".c") });
    mkdirSync(join(out, "package", "wasm"), { recursive: true });
    for (const file of readdirSync(wasm).filter((name) => /^tarn(-threads)?(\.worker)?\.(js|wasm)$/.test(name)))
        cpSync(join(wasm, file), join(out, "package", "wasm", file));
    writeFileSync(join(out, "package", "wasm", "package.json"), '{ "type": "commonjs" }\n'); // for node
    const about = JSON.parse(read(`${WEB}/package/package.json`));
    writeFileSync(join(out, "package", "package.json"), `${JSON.stringify({ ...about, version }, null, 4)}\n`);
    cpSync("LICENSE", join(out, "package", "LICENSE"));
    const scenes = join(out, "package", "scenes");
    mkdirSync(scenes, { recursive: true });
    for (const name of ["pool_drops", "dam_break_2d"]) cpSync(`scenes/${name}.json`, join(scenes, `${name}.json`));
}

function modules() {
    mkdirSync(join(out, "wasm"), { recursive: true });
    for (const file of readdirSync(wasm).filter((name) => /^playground.*\.(js|wasm)$/.test(name) && !name.includes(".post.")))
        cpSync(join(wasm, file), join(out, "wasm", file));
}

// Text and modules are stored compressed as well: the server sends those.
function compress(folder) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) {
            if (entry.name !== "node_modules") compress(path);
        } else if ([".html", ".css", ".js", ".json", ".wasm", ".svg"].includes(extname(path))) {
            const packed = `${path}.br`;
            if (existsSync(packed) && statSync(packed).mtimeMs > statSync(path).mtimeMs) continue;
            const bytes = readFileSync(path);
            // 9 of 11: the last two levels take half a minute for a module and save 5 %
            writeFileSync(packed, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
            writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
        }
    }
}

const families = galleryOf(read("docs/gallery.md"));
mkdirSync(out, { recursive: true });
for (const old of ["js", "css", "package", "scenes"]) rmSync(join(out, old), { recursive: true, force: true });
scenes(families);
pictures(families);
pages(families);
modules();
packages();
compress(out);
const transfer = ["playground.wasm", "playground-threads.wasm", "playground.js"]
    .map((name) => join(out, "wasm", `${name}.br`)).filter(existsSync).map((path) => `${path.split("/").pop()} ${(statSync(path).size / 1e6).toFixed(2)} MB`);
console.log(`web: ${families.flatMap((family) => family.scenes).length} scenes in ${out}; ${transfer.join(", ")}`);
