// How a repository stands, in words and chips, and which tools are about repositories.

import { chip } from "./panel.js";

export const TOOLS = /^(github|developer)\./;

/** "main, follows origin/main" */
export const onBranch = ({ branch, upstream }) => [branch || "no branch is checked out", upstream && `follows ${upstream}`].filter(Boolean).join(", ");

/** How it stands to the branch it follows, and how much is changed. */
export function stateChips({ ahead, behind, changed, cut, in_progress: busy }) {
  const chips = [];
  if (busy) chips.push(chip(`${busy} under way`, "failed"));
  if (ahead) chips.push(chip(`${ahead} ahead`, "own"));
  if (behind) chips.push(chip(`${behind} behind`, "confirm"));
  chips.push(changed ? chip(`${changed.toLocaleString("en")}${cut ? "+" : ""} changed`, "confirm") : chip("nothing changed"));
  return chips;
}
