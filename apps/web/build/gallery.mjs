// Families of scenes from docs/gallery.md, which scripts/gallery.sh makes and a test keeps current.

const ENTRY = /!\[[^\]]*\]\((images\/[^)]+)\)<br>\*\*([^*]+)\*\* (.*?)<br>`tarn run (\w+) /g;

export function galleryOf(markdown) {
    const families = markdown.split(/^## /m).slice(1).map((section) => ({
        title: section.slice(0, section.indexOf("\n")).trim(),
        scenes: [...section.matchAll(ENTRY)].map(([, picture, title, about, name]) => ({ name, title, about, picture })),
    })).filter((family) => family.scenes.length > 0);
    if (families.length === 0) throw new Error("docs/gallery.md holds no scenes that can be read");
    return families;
}

export function escapeHtml(text) {
    return text.replace(/[&<>"]/g, (one) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[one]);
}

// A sentence of the docs for a page: powers raised, and "2-D" on one line.
export function proseHtml(text) {
    const powers = { "^2": "²", "^3": "³" };
    return escapeHtml(text.replace(/\^[23]\b/g, (one) => powers[one]).replace(/([23])-D\b/g, "$1\u2011D"));
}

function card({ name, title, about }) {
    return `<li class="card"><a href="scene.html#scene=${name}" data-text="${escapeHtml(`${title} ${about} ${name}`.toLowerCase())}">
<img src="pictures/${name}.webp" width="560" height="315" alt="" loading="lazy" decoding="async">
<span class="card-title">${proseHtml(title)}</span>
<span class="card-about">${proseHtml(about)}</span></a></li>`;
}

export function galleryHtml(families) {
    return families.map(({ title, scenes }, n) => `<section class="family" aria-labelledby="family-${n}">
<h2 id="family-${n}">${proseHtml(title)} <span class="count">${scenes.length}</span></h2>
<ul class="cards">${scenes.map(card).join("\n")}</ul></section>`).join("\n");
}
