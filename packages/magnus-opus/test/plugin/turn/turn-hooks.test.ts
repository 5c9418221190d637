import { expect, test } from "bun:test";
import { tmpProject } from "@atomic/testing/project";
import { Magnus } from "../../../src/plugin/live/magnus.ts";
import type { TurnHook } from "../../../src/plugin/turn/turn-hook.ts";
import { TurnHooks } from "../../../src/plugin/turn/turn-hooks.ts";
import { type TurnHookName, turnHookNames } from "../../../src/turn/hook-names.ts";
import { opencodeClient } from "../live/opencode-client.ts";

type TurnHookMakers = Readonly<Record<TurnHookName, () => TurnHook>>;

const every = (make: (name: TurnHookName) => TurnHook): TurnHookMakers =>
  Object.fromEntries(turnHookNames.map((name) => [name, () => make(name)])) as unknown as TurnHookMakers;
const call = { tool: "grep", sessionID: "ses_root" };

/** What the model reads of a tool that returned "found", and what the person is shown. */
async function read(all: TurnHookMakers, settings: object = {}) {
  await using project = await tmpProject({ files: { ".opencode/magnus-opus.json": settings } });
  const client = opencodeClient(project.dir);
  const hooks = new TurnHooks(new Magnus(client), { all, budget: 20 });
  const result = { output: "found" };
  await hooks.afterTool(call, result);
  await hooks.onMessage({ sessionID: "ses_root" }, { message: {}, parts: [] });
  hooks.onEvent({ type: "session.deleted", properties: { info: { id: "ses_root" } } });
  return { output: result.output, shown: client.shown };
}

test("they run in their order, each on what the one before it returned", async () => {
  const { output } = await read(every((name) => ({ afterTool: ({ output: before }) => `${before} ${name}` })));
  expect(output).toBe(["found", ...turnHookNames].join(" "));
});

test.each([...turnHookNames])("%s can be disabled, and the others stay", async (disabled) => {
  const all = every((name) => ({ afterTool: ({ output: before }) => `${before} ${name}` }));
  const { output } = await read(all, { disabled_hooks: [disabled] });
  expect(output).toBe(["found", ...turnHookNames.filter((name) => name !== disabled)].join(" "));
});

test("a hook that fails, in whatever way, is named, and nothing else happens", async () => {
  const fail = () => {
    throw new Error("broken");
  };
  const reject = async () => fail();
  for (const how of [fail, reject]) {
    const { output, shown } = await read(every(() => ({ afterTool: how, onMessage: how, onEvent: fail })));
    expect(output).toBe("found");
    for (const name of turnHookNames)
      expect(shown).toContain(`The hook ${name} failed: broken. "disabled_hooks": ["${name}"] switches it off.`);
  }
});

test("a hook that hangs is given up, and what it returns later is dropped", async () => {
  const late = Promise.withResolvers<string>();
  const { output, shown } = await read(every(() => ({ afterTool: () => late.promise })));
  late.resolve("too late");
  await late.promise;
  expect(output).toBe("found");
  expect(shown[0]).toContain("it took longer than 20 ms");
});
