// Code to read: Python with its words coloured, and what changed from one version to another. All of it is text by
// others: it is only ever put in as text.

import { element } from "../words.js";

const MOST = 60000;
const TOKENS = /("""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(#[^\n]*)|\b(async|await|def|return|for|while|in|if|elif|else|import|from|as|try|except|finally|raise|with|class|and|or|not|is|None|True|False|break|continue|pass|lambda|yield)\b/g;

/** A box with Python code. */
export function code(text) {
  const shown = text.slice(0, MOST);
  const box = element("pre", { className: "code", tabIndex: 0 });
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", "Code");
  let at = 0;
  for (const found of shown.matchAll(TOKENS)) {
    const kind = found[1] ? "string" : found[2] ? "comment" : "keyword";
    box.append(shown.slice(at, found.index), element("span", { className: kind }, found[0]));
    at = found.index + found[0].length;
  }
  box.append(shown.slice(at));
  if (text.length > MOST) box.append("\n…");
  return box;
}

/** A box with a unified diff. */
export function difference(text) {
  const lines = text.slice(0, MOST).split("\n").filter((line) => !/^(---|\+\+\+) /.test(line));
  const box = element("pre", { className: "code", tabIndex: 0 });
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", "Changes of the code");
  for (const line of lines) {
    const kind = { "+": "added", "-": "removed", "@": "place" }[line[0]] ?? "";
    box.append(element("span", { className: kind }, line), "\n");
  }
  return box;
}
