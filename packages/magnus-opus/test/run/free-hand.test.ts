import { expect, test } from "bun:test";
import { mayRunPrograms } from "../../src/run/tool-kind.ts";

const bash = (command: unknown): boolean => mayRunPrograms("bash", { command }, []);

test("a shell that does more than read leaves an agent's hands free", () => {
  expect(["git log | head", "ls src"].map(bash)).toEqual([false, false]);
  expect(["npm test", "curl localhost", "(sleep 9 &)", undefined].map(bash)).toEqual([true, true, true, true]);
  expect(mayRunPrograms("bash", null, [])).toBe(true);
});

test("so do tests, which an agent may have written, and tools that nobody knows", () => {
  expect(["run_tests", "playwright_click"].map((tool) => mayRunPrograms(tool, {}, []))).toEqual([true, true]);
  expect(mayRunPrograms("figma_get", {}, ["figma_*"])).toBe(false);
});

test("what only reads, writes one file or asks does not", () => {
  const tools = ["read", "edit", "write", "task", "submit_review", "magnus_next"];
  expect(tools.filter((tool) => mayRunPrograms(tool, {}, []))).toEqual([]);
});
