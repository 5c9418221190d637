import { expect, test } from "bun:test";
import { type WithoutOurs, withoutOurs } from "../../src/setup/our-part.ts";

const yours = { kind: "yours" } as const;
const text = (left: string): WithoutOurs => ({ kind: "text", text: left });
const made = '{ "private": true, "devDependencies": { "@atomic/cli": "^1" } }';
const listed = (...names: readonly string[]): string => `{ "include": ${JSON.stringify(names)} }`;

test.each<[string, string, string | null, string, string, WithoutOurs]>([
  ["a file of ours goes", ".atomic/workflows/release.ts", null, "ours", "ours", { kind: "gone" }],
  ["a file of ours that you changed is yours", ".atomic/workflows/release.ts", null, "ours", "mine", yours],
  ["a file that was there is as before", "package.json", "{}", made, made, text("{}")],
  [
    "a package.json of ours that was only laid out anew goes",
    "package.json",
    null,
    made,
    `${made}\n`,
    { kind: "gone" },
  ],
  [
    "a package.json of ours keeps what you added",
    "package.json",
    null,
    made,
    '{ "private": true, "name": "x", "devDependencies": { "@atomic/cli": "^1", "yours": "1" } }',
    text('{ "private": true, "name": "x", "devDependencies": { "yours": "1" } }'),
  ],
  [
    "a version that you changed is yours",
    "package.json",
    "{}",
    made,
    '{ "devDependencies": { "@atomic/cli": "^2" } }',
    yours,
  ],
  ["a package.json that no longer parses is yours", "package.json", "{}", made, "{ x", yours],
  [
    "a list that was made goes",
    "tsconfig.json",
    "{}",
    listed("**/*", ".atomic/**/*"),
    '{ "extends": "a", "include": ["**/*", ".atomic/**/*"] }',
    text('{ "extends": "a" }'),
  ],
  [
    "of a list that you changed, only ours goes",
    "tsconfig.json",
    "{}",
    listed("**/*", ".atomic/**/*"),
    listed("src", ".atomic/**/*"),
    text(listed("src")),
  ],
  [
    "an entry that you removed is gone already",
    "tsconfig.json",
    listed("src"),
    listed("src", ".atomic/**/*"),
    listed("lib"),
    yours,
  ],
])("%s", (_, path, before, after, now, expected) => {
  expect(withoutOurs({ path, before, after }, now)).toEqual(expected);
});
