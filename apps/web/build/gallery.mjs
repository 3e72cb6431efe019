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

function card({ name, title, about }) {
    return `<li class="card"><a href="scene.html#scene=${name}" data-text="${escapeHtml(`${title} ${about} ${name}`.toLowerCase())}">
<img src="pictures/${name}.webp" width="560" height="315" alt="" loading="lazy" decoding="async">
<span class="card-title">${escapeHtml(title)}</span>
<span class="card-about">${escapeHtml(about)}</span></a></li>`;
}

export function galleryHtml(families) {
    return families.map(({ title, scenes }, n) => `<section class="family" aria-labelledby="family-${n}">
<h2 id="family-${n}">${escapeHtml(title)} <span class="count">${scenes.length}</span></h2>
<ul class="cards">${scenes.map(card).join("\n")}</ul></section>`).join("\n");
}
