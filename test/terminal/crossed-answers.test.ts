// Answers that cross one from elsewhere: no words that you typed are lost without being shown.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { isHere, OpencodeTerminal } from "./opencode-terminal.ts";
import { workflows } from "./workflows.ts";

setDefaultTimeout(240_000);

const title = `import { askUserNode, defineGraph } from "@atomic/workflows";
export default defineGraph({ name: "title" }, (graph) => graph.start(askUserNode({ id: "name", question: "Which title?" })));
`;
const choosing = "enter answer · esc later";
const typing = "enter send · ctrl+j new line · esc later";

let oc: OpencodeTerminal;
beforeAll(async () => {
  if (!isHere) return;
  oc = await OpencodeTerminal.open({
    plugins: ["@atomic/cli"],
    files: { ...workflows, ".atomic/workflows/title.ts": title },
    cols: 140,
  });
});
afterAll(async () => {
  if (isHere) await oc[Symbol.asyncDispose]();
});

/** A run in another shell whose dialog is open, with these words in it. */
async function typed(words: string) {
  const run = await oc.shell("run", "title");
  await oc.see(typing);
  await oc.type(words);
  await oc.see(words);
  const [id = ""] = /(?<=atomic title )[a-z]+-[a-z]+/.exec(oc.term.screen().join("\n")) ?? [];
  return { run, id };
}

async function approve(id: string): Promise<void> {
  expect((await (await oc.shell("approve", id, "Whole")).ended()).code).toBe(0);
}

const notSent = (words: string): RegExp =>
  new RegExp(`not[\\s┃]+sent:[\\s┃]+(?:\\S.* )?${words.replaceAll(" ", "[\\s┃]+")}`);

test.if(isHere)("an answer that comes too late says so, and shows what was not sent", async () => {
  const { run, id } = await typed("Too late");
  // It reads the key before it looks at the run.
  process.kill(oc.term.pid, "SIGSTOP");
  await approve(id);
  oc.term.press("enter");
  process.kill(oc.term.pid, "SIGCONT");
  // Whichever it does first: look at the run, or send the answer.
  await oc.see(/already[\s┃]+been[\s┃]+answered|answered[\s┃]+elsewhere/);
  await oc.see(notSent("Too late"));
  expect((await run.ended()).stdout).toBe("Whole\n");
  await oc.toastsGone();
});

test.if(isHere)("words kept for later are shown when their question is answered elsewhere", async () => {
  const { run, id } = await typed("Kept words");
  oc.term.press("escape");
  await oc.gone(typing);
  await approve(id);
  await oc.see(/answered[\s┃]+elsewhere/);
  await oc.see(notSent("Kept words"));
  expect((await run.ended()).stdout).toBe("Whole\n");
  await oc.toastsGone();
});

test.if(isHere)("the next question waits while words that were not sent are shown", async () => {
  const { run, id } = await typed("Half an answer");
  const other = await oc.shell("run", "confirm");
  await oc.see("· 1 more · /runs");
  await approve(id);
  await oc.see(notSent("Half an answer"));
  const shownAt = performance.now();
  // This only fails if the dialog comes too early, however slow the machine is.
  await oc.see(choosing);
  expect(performance.now() - shownAt).toBeGreaterThanOrEqual(5000);
  oc.term.press("down", "enter");
  expect((await other.ended()).stdout).toBe("sure: true\n");
  expect((await run.ended()).stdout).toBe("Whole\n");
  await oc.toastsGone();
});

test.if(isHere)("words that were sent are not called unsent", async () => {
  const { run } = await typed("My own");
  const before = oc.term.output.length;
  oc.term.press("enter");
  expect((await run.ended()).stdout).toBe("My own\n");
  await oc.gone("atomic title");
  await oc.toastsGone();
  expect(oc.term.output.slice(before)).not.toContain("sent:");
});
