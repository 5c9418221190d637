import { afterEach, expect, test } from "bun:test";
import { choosePoints, sweepPoints, sweepTimeout } from "@atomic/testing/faults";
import { defaultFaults, type FileOperation } from "@atomic/testing/faults/run-traced";
import fc from "fast-check";

function operations(count: number): FileOperation[] {
  return Array.from({ length: count }, (_, index) => ({
    number: index + 1,
    pid: 1,
    tid: 1,
    path: "/file",
    ...(index % 2 === 0 ? { call: "fsync" } : { call: "write", bytes: index }),
  }));
}

test("all points are every operation with every fault, and short ones where two bytes are written", () => {
  const points = choosePoints(operations(6), ["kill", "short"], "all");
  expect(points.map(({ fault, operation }) => `${fault} ${operation.number}`)).toEqual([
    ...["kill 1", "kill 2", "kill 3", "kill 4", "kill 5", "kill 6"],
    ...["short 4", "short 6"],
  ]);
});

test("a sample of every third visits all operations between its faults", () => {
  const points = choosePoints(operations(30), ["kill", "enospc", "eio"], { every: 3 });
  expect(points).toHaveLength(30);
  expect(new Set(points.map(({ operation }) => operation.number)).size).toBe(30);
});

test("a sample has no more points a fault than asked for, none twice, and is the same every time", () => {
  fc.assert(
    fc.property(fc.nat(80), fc.integer({ min: 1, max: 20 }), (count, max) => {
      const all = operations(count);
      const points = choosePoints(all, defaultFaults, { max });
      expect(points).toEqual(choosePoints(all, defaultFaults, { max }));
      for (const fault of defaultFaults) {
        const numbers = points.filter((point) => point.fault === fault).map(({ operation }) => operation.number);
        expect(new Set(numbers).size).toBe(numbers.length);
        if (fault !== "short") expect(numbers.length).toBe(Math.min(max, count));
      }
    }),
  );
});

test("a sample reaches into every part of a long command", () => {
  const numbers = choosePoints(operations(100), ["kill"], { max: 5 }).map(({ operation }) => operation.number);
  expect(numbers.map((number) => Math.floor((number - 1) / 20))).toEqual([0, 1, 2, 3, 4]);
});

const { SWEEP } = process.env;
afterEach(() => {
  if (SWEEP === undefined) delete process.env.SWEEP;
  else process.env.SWEEP = SWEEP;
});

test("SWEEP=full asks for every point, anything else for a sample", () => {
  process.env.SWEEP = "full";
  expect(sweepPoints()).toBe("all");
  expect(sweepTimeout()).toBe(1_800_000);
  delete process.env.SWEEP;
  expect(sweepPoints()).toEqual({ max: 8 });
  expect(sweepTimeout()).toBe(60_000);
  expect(sweepPoints({ every: 5 })).toEqual({ every: 5 });
});
