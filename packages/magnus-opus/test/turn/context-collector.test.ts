import { expect, test } from "bun:test";
import { ContextCollector, type ContextEntry } from "../../src/turn/context-collector.ts";

const entry = (content: string, more: Partial<ContextEntry> = {}): ContextEntry => ({
  ...{ source: "rules", id: content, content, priority: "normal", ...more },
});

function taken(entries: readonly ContextEntry[], most?: number): string {
  const collector = new ContextCollector();
  for (const each of entries) collector.register("a", each);
  return collector.take("a", most);
}

test("the most important comes first, and among equals what was there first", () => {
  const [low, critical, high] = (["low", "critical", "high"] as const).map((priority) => entry(priority, { priority }));
  expect(taken([entry("one"), low!, critical!, entry("two"), high!])).toBe("critical\n\nhigh\n\none\n\ntwo\n\nlow");
});

test("the same id from the same source replaces it; from another source it is another", () => {
  const same = [entry("old", { id: "x" }), entry("new", { id: "x" })];
  expect(taken([...same, entry("other", { id: "x", source: "b" })])).toBe("new\n\nother");
  expect(taken([entry("1", { source: "a", id: "b:c" }), entry("2", { source: "a:b", id: "c" })])).toBe("1\n\n2");
});

test("sessions do not share anything", () => {
  const collector = new ContextCollector();
  collector.register("a", entry("for a"));
  expect(collector.take("b")).toBe("");
  expect(collector.take("a")).toBe("for a");
});

test("what is in the conversation is not repeated, until it changes or the conversation is summarized", () => {
  const collector = new ContextCollector();
  const again = (content: string): string => {
    collector.register("a", entry(content, { id: "x" }));
    return collector.take("a");
  };
  expect([again("one"), again("one"), again("two"), again("two")]).toEqual(["one", "", "two", ""]);
  collector.forgetGiven("a");
  expect(again("two")).toBe("two");
  collector.forget("a");
  expect(collector.take("a")).toBe("");
});

test("it is bounded: what does not fit waits, the least important longest, and what never fits is dropped", () => {
  const collector = new ContextCollector();
  const [first, second] = ["x", "y"].map((letter) => letter.repeat(40));
  collector.register("a", entry(second!, { priority: "low" }));
  collector.register("a", entry(first!));
  collector.register("a", entry("z".repeat(400), { priority: "critical" }));
  expect([collector.take("a", 15), collector.take("a", 15), collector.take("a", 15)]).toEqual([first!, second!, ""]);
});
