// Program text as HTML with a little color: comments, strings, keywords and numbers.

import { escapeHtml } from "./gallery.mjs";

const PARTS = /(\/\/[^\n]*|<!--[\s\S]*?-->)|("(?:[^"\\\n]|\\.)*"|`[^`]*`)|\b(const|let|for|if|return|import|from|await|async|function|int|float|void|new|typedef|struct|include)\b|\b(\d[\d.]*f?)\b/g;

export function codeHtml(text) {
    let html = "", last = 0;
    for (const part of text.trim().matchAll(PARTS)) {
        const kind = ["comment", "string", "keyword", "number"][part.slice(1).findIndex((group) => group !== undefined)];
        html += `${escapeHtml(text.slice(last, part.index))}<span class="code-${kind}">${escapeHtml(part[0])}</span>`;
        last = part.index + part[0].length;
    }
    return html + escapeHtml(text.trim().slice(last));
}
