// The gallery: its cards are in the page already, this only searches them.

const search = document.getElementById("search");
const count = document.getElementById("found");

function filter() {
    const words = search.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const family of document.querySelectorAll(".family")) {
        let some = 0;
        for (const link of family.querySelectorAll(".card a")) {
            const isShown = words.every((word) => link.dataset.text.includes(word));
            link.parentElement.hidden = !isShown;
            some += isShown ? 1 : 0;
        }
        family.hidden = some === 0;
        shown += some;
    }
    count.textContent = words.length === 0 ? "" : `${shown} ${shown === 1 ? "scene" : "scenes"}`;
}
search.addEventListener("input", filter);
filter();
