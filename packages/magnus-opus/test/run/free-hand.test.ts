import { expect, test } from "bun:test";
import { mayRunPrograms } from "../../src/run/tool-kind.ts";

const bash = (command: unknown): boolean => mayRunPrograms("bash", { command }, []);

test("a shell command that does more than read may run programs", () => {
  expect(["git log | head", "ls src"].map(bash)).toEqual([false, false]);
  expect(["npm test", "curl localhost", "(sleep 9 &)", undefined].map(bash)).toEqual([true, true, true, true]);
  expect(mayRunPrograms("bash", null, [])).toBe(true);
});

test("so may tests, which an agent may have written, and unknown tools", () => {
  expect(["run_tests", "playwright_click"].map((tool) => mayRunPrograms(tool, {}, []))).toEqual([true, true]);
  expect(mayRunPrograms("figma_get", {}, ["figma_*"])).toBe(false);
});

test("tools that only read, write one file or ask may not", () => {
  const tools = ["read", "edit", "write", "task", "submit_review", "magnus_next"];
  expect(tools.filter((tool) => mayRunPrograms(tool, {}, []))).toEqual([]);
});
