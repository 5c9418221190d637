import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import type { TerminalApi } from "@atomic/workflows/internal/view/terminal-api";
import { takenNames } from "../../src/opencode/taken-names.ts";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** Everything that is ready has run. */
const settled = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));

type Listed = Awaited<ReturnType<TerminalApi["client"]["command"]["list"]>>;

/** OpenCode's answers come when the test gives them. */
function opencode() {
  const asked: ReturnType<typeof Promise.withResolvers<Listed>>[] = [];
  let dispose = (): void => undefined;
  let disposed = (): void => undefined;
  const list = (): Promise<Listed> => {
    const answer = Promise.withResolvers<Listed>();
    asked.push(answer);
    return answer.promise;
  };
  const api = {
    client: { command: { list } },
    keymap: { on: () => () => undefined, getCommandEntries: () => [] },
    event: {
      on: (_type: string, run: () => void) => {
        disposed = run;
        return () => undefined;
      },
    },
    lifecycle: {
      onDispose: (run: () => void) => {
        dispose = run;
      },
    },
  };
  return {
    api: api as unknown as TerminalApi,
    asked,
    restart: () => disposed(),
    dispose: () => dispose(),
    answer: async (at: number, name: string) => {
      asked[at]?.resolve({ data: [{ name }] });
      await settled();
    },
  };
}

const guard = (run: () => void | Promise<void>): void => void Promise.resolve(run()).catch(() => undefined);

test("when OpenCode does not say which commands it has, it is asked again", async () => {
  const { api, asked, answer, dispose } = opencode();
  const taken = takenNames(api, guard, () => undefined);
  asked[0]?.resolve({ error: "busy" });
  await settled();
  expect(taken.isComplete()).toBe(false);
  jest.advanceTimersByTime(10_000);
  expect(asked).toHaveLength(2);
  await answer(1, "Deploy");
  expect([taken.isComplete(), taken.has("deploy")]).toEqual([true, true]);
  dispose();
});

test("the last question counts, whichever is answered last", async () => {
  const { api, restart, answer } = opencode();
  const taken = takenNames(api, guard, () => undefined);
  restart();
  await answer(1, "new");
  await answer(0, "old");
  expect([taken.has("new"), taken.has("old")]).toEqual([true, false]);
});
