import { expect, test } from "bun:test";
import { parseEngineUrl } from "../src/engine-url.ts";

test.each([
  ["postgres://ada@db/atomic", { schema: "atomic", mode: undefined, connection: "postgres://ada@db/atomic" }],
  [
    "postgresql://db:6432/x?schema=team&mode=pooled",
    { schema: "team", mode: "pooled", connection: "postgresql://db:6432/x" },
  ],
  ["postgres://db/x?sslmode=verify-full", { connection: "postgres://db/x?sslmode=verify-full" }],
] as const)("%s", (url, expected) => {
  expect(parseEngineUrl(url)).toMatchObject(expected);
});

test.each([
  ["not a url", "is not a URL"],
  ["mysql://db/x", "only postgres:// is known"],
  ["postgres://ada:secret@db/x", "contains a password"],
  ["postgres://db/x?password=secret", "contains a password"],
  ["postgres://db/x?schema=a;drop", "not a plain name"],
  ["postgres://db/x?schema=A", "not a plain name"],
  ["postgres://db/x?mode=fast", "is not known"],
])("%s is refused", (url, why) => {
  expect(() => parseEngineUrl(url)).toThrow(why);
  if (url.includes("secret")) expect(() => parseEngineUrl(url)).not.toThrow("secret");
});
