// A unified diff, with the lines that came and went. All of it is text by others: it is only ever put in as text.

import { element } from "../words.js";

const MOST_LINES = 1500;
const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
const TOLD = /^(old mode|new mode|deleted file|new file|copy from|copy to|rename from|similarity|Binary files)/;

/** @param named whether each file is named above its lines */
export function diffLines(text, label, { named = false } = {}) {
  const lines = element("div", { className: "diff-lines" });
  const all = text.split("\n");
  if (all.at(-1) === "") all.pop();
  lines.append(...read(all.slice(0, MOST_LINES), named));
  if (all.length > MOST_LINES) lines.append(line("place", `… and ${all.length - MOST_LINES} more lines`));
  const box = element("pre", { className: "code diff", tabIndex: 0 }, lines);
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", label);
  return box;
}

function* read(all, named) {
  let before = 0; // lines of the hunk that are still to come: a removed line may look like a heading
  let after = 0;
  let file = null;
  for (const text of all) {
    const hunk = before <= 0 && after <= 0 && text.match(HUNK);
    if (hunk) {
      before = Number(hunk[1] ?? 1);
      after = Number(hunk[2] ?? 1);
      yield line("place", text);
    } else if (before > 0 || after > 0 || text.startsWith("\\")) {
      if (!/^[+\\]/.test(text)) before -= 1;
      if (!/^[-\\]/.test(text)) after -= 1;
      yield line({ "+": "added", "-": "removed", "\\": "place" }[text[0]] ?? "", text);
    } else if (text.startsWith("diff ")) {
      file = line("file", text.replace(/^diff --git a\//, "").replace(/^diff --(cc|combined) /, ""));
      if (named) yield file;
    } else if (/^(\+\+\+ b|--- a)\//.test(text) || text.startsWith("rename to ")) {
      if (file) file.textContent = text.replace(/^(\+\+\+ b|--- a)\/|^rename to /, "");
    } else if (text.startsWith("@@@") || !/^(index|---|\+\+\+|similarity|diff) ?/.test(text)) {
      yield line(TOLD.test(text) || text.startsWith("@@@") ? "place" : combined(text), text);
    }
  }
}

/** A line of a merge: a sign for each side. */
const combined = (text) => (/^ ?\+/.test(text) ? "added" : /^ ?-/.test(text) ? "removed" : "");

const line = (kind, text) => element("span", { className: kind }, text || " ");
