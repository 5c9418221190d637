import { expect, test } from "bun:test";
import type { RegistryVersions } from "../../src/sources/fetched.ts";
import { ALLOW_NEW, chooseVersion } from "../../src/sources/registry/choose-version.ts";
import { refusal } from "../refusal.ts";

const HOUR = 3_600_000;
const now = Date.UTC(2026, 0, 10);
const day = { now, minimumAge: 24 * HOUR, remedy: ALLOW_NEW };

/** Versions with their age in hours, `?` for unknown. */
function known(ages: Readonly<Record<string, number | "?">>, more: Partial<RegistryVersions> = {}): RegistryVersions {
  const versions = Object.keys(ages);
  const times = versions.flatMap((version) => {
    const age = ages[version];
    return typeof age === "number" ? [[version, new Date(now - age * HOUR)] as const] : [];
  });
  const tags = new Map([["latest", versions.at(-1) ?? ""]]);
  return { name: "review", versions, tags, times: new Map(times), deprecated: new Map(), ...more };
}

const latest = { kind: "tag", text: "latest" } as const;
const range = (text: string) => ({ kind: "range", text }) as const;

test.each([
  ["the newest that is old enough", { "1.0.0": 99, "1.1.0": 25, "1.2.0": 23 }, latest, "1.1.0"],
  ["an age that is just enough", { "1.0.0": 24 }, latest, "1.0.0"],
  ["no prerelease in place of a young latest", { "1.0.0": 99, "1.1.0-rc.1": 50, "1.1.0": 1 }, latest, "1.0.0"],
  [
    "the newest of a range that is old enough",
    { "1.0.0": 99, "1.1.0": 50, "2.0.0": 50, "1.2.0": 1 },
    range("^1"),
    "1.1.0",
  ],
  ["one of known age before one of unknown age", { "1.0.0": 99, "1.1.0": "?" }, latest, "1.0.0"],
] as const)("%s is chosen", (_what, ages, wanted, version) => {
  expect(chooseVersion(known(ages), wanted, day).version).toBe(version);
});

test("a range uses the latest release if it can, as npm does, and otherwise no deprecated one", () => {
  const ages = { "1.0.0": 99, "1.1.0": 99, "1.2.0": 99, "1.3.0": 99 };
  const tags = new Map([["latest", "1.1.0"]]);
  expect(chooseVersion(known(ages, { tags }), range("^1.0.0"), day).version).toBe("1.1.0");
  expect(chooseVersion(known(ages, { tags }), range(">=1.2.0"), day).version).toBe("1.3.0");
  const deprecated = new Map([["1.3.0", "broken"]]);
  expect(chooseVersion(known(ages, { tags, deprecated }), range(">=1.2.0"), day).version).toBe("1.2.0");
});

test("another tag than latest is not replaced by something else", () => {
  const tags = new Map([
    ["latest", "1.0.0"],
    ["next", "2.0.0"],
  ]);
  const error = refusal(() =>
    chooseVersion(known({ "1.0.0": 99, "2.0.0": 1 }, { tags }), { kind: "tag", text: "next" }, day),
  );
  expect(error).toMatchObject({
    code: "release-too-new",
    message: "review 2.0.0 was published 60 minutes ago; Hugo waits 24 hours before installing a new release",
    hint: "It will be old enough at 2026-01-10 23:00 UTC. To install it now, add --allow-new.",
  });
});

test.each([
  [{ "1.0.0": 99 }, "Its only version is 1.0.0."],
  [{ "1.0.0": 99, "1.1.0": 99 }, "Its newest versions are 1.1.0, 1.0.0."],
])("of %j, the versions are named", (ages, hint) => {
  expect(refusal(() => chooseVersion(known(ages), { kind: "version", text: "9.0.0" }, day)).hint).toBe(hint);
});

test("a clock that is behind makes a release young, not old", () => {
  expect(refusal(() => chooseVersion(known({ "1.0.0": -5 }), latest, day)).message).toContain(
    "was published just now;",
  );
});

test("without a minimum age every release is accepted, of known age or not", () => {
  expect(chooseVersion(known({ "1.0.0": "?" }), latest, { ...day, minimumAge: 0 })).toEqual({
    version: "1.0.0",
    notices: [],
  });
});

test("an unknown age is refused with the way out", () => {
  expect(refusal(() => chooseVersion(known({ "1.0.0": "?" }), latest, day))).toMatchObject({
    code: "release-too-new",
    hint: "To install it anyway, add --allow-new, or set HUGO_MINIMUM_RELEASE_AGE=0 for this registry.",
  });
});
