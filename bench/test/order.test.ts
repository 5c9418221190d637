import { expect, test } from "bun:test";
import { shuffledOrder } from "../harness/order.ts";

const rounds = Array.from({ length: 60 }, (_, round) => round);

test("every contestant runs exactly once in each round", () => {
  for (const round of rounds) expect(shuffledOrder(5, 1, round).toSorted()).toEqual([0, 1, 2, 3, 4]);
});

test("the same seed gives the same order again", () => {
  expect(rounds.map((round) => shuffledOrder(4, 7, round))).toEqual(rounds.map((round) => shuffledOrder(4, 7, round)));
});

test("another seed gives other orders", () => {
  expect(rounds.map((round) => shuffledOrder(4, 7, round))).not.toEqual(rounds.map((r) => shuffledOrder(4, 8, r)));
});

test("everybody starts some rounds and follows everybody else in some", () => {
  const orders = rounds.map((round) => shuffledOrder(3, 1, round).join(""));
  expect(new Set(orders)).toEqual(new Set(["012", "021", "102", "120", "201", "210"]));
});

test("warm-up rounds, counted from zero down, are shuffled too", () => {
  expect(shuffledOrder(3, 1, -2).toSorted()).toEqual([0, 1, 2]);
});
