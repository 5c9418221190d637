// Which names of workflows are commands in OpenCode's prompt, and which keys start them.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { isHere, OpencodeTerminal } from "./opencode-terminal.ts";

setDefaultTimeout(240_000);

const says = (name: string): string => `import { defineGraph, toolNode } from "@atomic/workflows";
export default defineGraph({ name: "${name}", description: "Ours: ${name}" }, (graph) =>
  graph.start(toolNode({ id: "say", run: () => "hi" })));
`;
const named = (...names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [`.atomic/workflows/${name}.ts`, says(name)]));

const files = {
  ...named("commit", "fix", "Release", "deploy", "pdf", "undo", "compact", "magnus-plan"),
  ".claude/commands/fix.md": "---\ndescription: Fixes an issue\nargument-hint: <issue>\n---\nFix $ARGUMENTS\n",
  ".opencode/commands/deploy.md": "---\ndescription: Theirs\n---\nDeploy $ARGUMENTS\n",
  ".opencode/skills/pdf/SKILL.md": "---\nname: pdf\ndescription: Reads PDFs\n---\nRead.\n",
};

let oc: OpencodeTerminal;
beforeAll(async () => {
  if (!isHere) return;
  oc = await OpencodeTerminal.open({ plugins: ["@atomic/cli", "magnus-opus"], files, cols: 140 });
  await oc.type("/run");
  await oc.see("Run a workflow");
  oc.term.press("ctrl+u");
  await oc.gone("┃  /");
});
afterAll(async () => {
  if (isHere) await oc[Symbol.asyncDispose]();
});

/** The rows of suggestions for what is typed, and nothing typed afterwards. */
async function suggested(text: string, seen: string | RegExp): Promise<readonly string[]> {
  await oc.type(text);
  await oc.see(seen);
  const rows = oc.term.screen().flatMap((row) => (/┃ (\/\S+ .*?)\s*(?:┃|$)/.exec(row) ?? []).slice(1));
  oc.term.press("ctrl+u");
  await oc.gone("┃  /");
  return rows.filter((row) => row.startsWith(`${text} `));
}

test.if(isHere)("a name that only another tool's files have is the workflow's", async () => {
  for (const name of ["commit", "fix", "Release"]) {
    expect(await suggested(`/${name}`, `Ours: ${name} (workflow)`)).toEqual([expect.stringContaining("(workflow)")]);
    await oc.type(`/${name} now`);
    await oc.see(`/${name} now`);
    oc.term.press("enter");
    await oc.see(new RegExp(`${name} [a-z]+-[a-z]+ is done`));
    await oc.toastsGone();
  }
});

test.if(isHere)(
  "a name that OpenCode or a plugin has is theirs, also before a session, and a message says so",
  async () => {
    // From before it is typed: the message goes by itself.
    const said = oc.see("OpenCode or a plugin has its own /magnus-plan.");
    expect(await suggested("/magnus-plan", /\/magnus-plan /)).toEqual([expect.not.stringContaining("(workflow)")]);
    await said;
    await oc.toastsGone();
    expect(await suggested("/deploy", "Theirs")).toEqual([expect.stringContaining("Theirs")]);
    await oc.toastsGone();
    for (const name of ["undo", "compact", "pdf"]) {
      await oc.type(`/${name} `);
      await oc.see(`own /${name}.`);
      expect(oc.term.screen().join("\n")).not.toContain(`Ours: ${name}`);
      oc.term.press("ctrl+u");
      await oc.gone("┃  /");
      await oc.toastsGone();
    }
    await oc.type("/run undo");
    await oc.see("/run undo");
    oc.term.press("enter");
    await oc.see(/undo [a-z]+-[a-z]+ is done/);
    await oc.toastsGone();
  },
);

test.if(isHere)("in a session, each of its commands is listed once", async () => {
  oc.model.expect("Hello there").reply("Hello yourself.");
  await oc.type("Hello there");
  oc.term.press("enter");
  await oc.see("Hello yourself.");
  for (const name of ["undo", "compact"]) {
    expect(await suggested(`/${name}`, new RegExp(`/${name} `))).toEqual([expect.not.stringContaining("(workflow)")]);
  }
  oc.model.verify();
});

test.if(isHere)("what is typed in shell mode is the shell's", async () => {
  const before = oc.runIds();
  await oc.type("!");
  await oc.see("exit shell mode");
  await oc.type("/run undo");
  await oc.see("/run undo");
  oc.term.press("enter");
  await oc.see("$ /run undo");
  expect(oc.runIds()).toEqual(before);
});

test.if(isHere)("a workflow chosen in the palette takes what is in the prompt as its arguments", async () => {
  const choose = async (): Promise<void> => {
    oc.term.press("ctrl+p");
    await oc.see("Search");
    await oc.type("Atomic: run commit");
    await oc.see(/Atomic: run commit.*\n(?:.*\n)*.*Atomic: run commit/);
    oc.term.press("enter");
    await oc.gone("Search");
  };
  await oc.type("fix the login");
  await oc.see("fix the login");
  await choose();
  await oc.see("/commit fix the login");
  oc.term.press("ctrl+u");
  await oc.gone("/commit");
  await oc.type("!");
  await oc.see("exit shell mode");
  await oc.type("ls");
  await oc.see(/┃ {2}ls/);
  await choose();
  await oc.see(/You[\s┃]+are[\s┃]+in[\s┃]+shell[\s┃]+mode\./);
  await oc.see(/┃ {2}ls/);
  oc.term.press("ctrl+u");
  await oc.gone("┃  ls");
  oc.term.press("escape");
  await oc.gone("exit shell mode");
});

test.if(isHere)("the user's key starts the run, not the one that breaks the line", async () => {
  const keybinds = { input_submit: "ctrl+s", input_newline: "return" };
  const tui = JSON.stringify({ $schema: "https://opencode.ai/tui.json", keybinds });
  await using own = await OpencodeTerminal.open({
    plugins: ["@atomic/cli"],
    files: { ...named("greet"), "~/.config/opencode/tui.json": tui },
    cols: 140,
  });
  const { term } = own;
  await own.type("/gre");
  await own.see("Ours: greet (workflow)");
  term.press("ctrl+u");
  await own.gone("┃  /");
  await own.type("/greet you");
  await own.see("/greet you");
  term.press("enter");
  await own.type("there");
  // On a line of its own.
  await own.see(/┃ {2}there/);
  expect(own.runIds()).toEqual([]);
  term.press("ctrl+s");
  await own.see(/greet [a-z]+-[a-z]+ is done/);
  expect(own.runIds()).toHaveLength(1);
  own.model.verify();
});
