import { expect, test } from "bun:test";
import { ModelGate } from "@atomic/testing/model/gate";

const here = new AbortController().signal;

/** Records who passed, in order. */
function queue(gate: ModelGate, ...names: string[]): { passed: string[]; all: Promise<unknown> } {
  const passed: string[] = [];
  const pass = async (name: string) => {
    await gate.pass(here);
    passed.push(name);
  };
  const all = Promise.all(names.map(pass));
  return { passed, all };
}

test("a permit released in advance is kept for the next stream", async () => {
  const gate = new ModelGate();
  gate.release();
  const { passed, all } = queue(gate, "first", "second");
  await gate.reached();
  expect(passed).toEqual(["first"]);
  gate.release();
  await all;
  expect(passed).toEqual(["first", "second"]);
});

test("streams pass the gate in the order of their arrival", async () => {
  const gate = new ModelGate();
  const { passed, all } = queue(gate, "first", "second", "third");
  gate.release(2);
  await gate.reached();
  gate.release();
  await all;
  expect(passed).toEqual(["first", "second", "third"]);
});

test("an open gate stays open", async () => {
  const gate = new ModelGate();
  gate.open();
  const { passed, all } = queue(gate, "now");
  await all;
  await gate.pass(here);
  expect(passed).toEqual(["now"]);
});

test("a stream that stops waiting uses no permit", async () => {
  const gate = new ModelGate();
  const leaving = new AbortController();
  const gaveUp = gate.pass(leaving.signal);
  await gate.reached();
  leaving.abort();
  await gaveUp;
  gate.release();
  const { passed, all } = queue(gate, "stays");
  await all;
  expect(passed).toEqual(["stays"]);
});

test("a stream whose client has left does not wait", async () => {
  const left = new ModelGate().pass(AbortSignal.abort()).then(() => "left");
  const aTurnLater = new Promise((resolve) => setImmediate(resolve, "waits"));
  expect(await Promise.race([left, aTurnLater])).toBe("left");
});

test("a test can wait for the next arrival before there is one", async () => {
  const gate = new ModelGate();
  const arrival = gate.reached();
  const { all } = queue(gate, "someone");
  await arrival;
  gate.open();
  await all;
});
