// Our reducer, suggestions and rows, drawn by Ink.

import { Box, render, Text, useInput } from "ink";
import { createElement as h, useState } from "react";
import { shared } from "./shared-line.mjs";

const { emptyState, reduce, world } = await shared(Number(process.argv[2]));

function Prompt() {
  const [state, setState] = useState(emptyState);
  useInput((text, key) => {
    const input = key.backspace || key.delete ? { kind: "press", key: "backspace" } : { kind: "text", text };
    setState((before) => reduce(before, input, world).state);
  });
  const { mode, text } = state;
  const rows = mode.kind === "suggesting" ? mode.matches.slice(0, 8) : [];
  const list = rows.map(({ name, hint, description }, at) =>
    h(
      Box,
      { key: name },
      h(Box, { width: 22 }, h(Text, { bold: at === mode.selected }, `/${name}`)),
      h(Box, { width: 25 }, h(Text, { dimColor: true }, hint)),
      h(Text, { dimColor: at !== mode.selected }, description),
    ),
  );
  return h(Box, { flexDirection: "column" }, h(Text, null, `> ${text === "" ? "Type a task" : text}`), ...list);
}

render(h(Prompt), { exitOnCtrlC: true });
