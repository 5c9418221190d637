// Our reducer, suggestions and rows, drawn by OpenTUI.
import { BoxRenderable, createCliRenderer, TextRenderable } from "@opentui/core";
import { shared } from "./shared-line.mjs";

const { emptyState, reduce, world } = await shared(Number(process.argv[2]));
const renderer = await createCliRenderer({ exitOnCtrlC: true, useAlternateScreen: false, useMouse: false });
const box = new BoxRenderable(renderer, { id: "all", flexDirection: "column" });
const line = new TextRenderable(renderer, { id: "line", content: "> Type a task" });
const rows = Array.from({ length: 8 }, (_, at) => new TextRenderable(renderer, { id: `row-${at}`, content: "" }));
for (const each of [line, ...rows]) box.add(each);
renderer.root.add(box);
let state = emptyState;
const show = () => {
  const { mode, text } = state;
  line.content = `> ${text === "" ? "Type a task" : text}`;
  const shown = mode.kind === "suggesting" ? mode.matches : [];
  for (const [at, row] of rows.entries()) {
    const entry = shown[at];
    row.content =
      entry === undefined ? "" : `  /${entry.name.padEnd(20)} ${entry.hint.padEnd(24)} ${entry.description}`;
  }
};
renderer.keyInput.on("keypress", ({ name, sequence }) => {
  const input = name === "backspace" ? { kind: "press", key: "backspace" } : { kind: "text", text: sequence };
  state = reduce(state, input, world).state;
  show();
});
show();
