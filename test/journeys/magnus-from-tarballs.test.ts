// Magnus Opus as a stranger gets it: installed by Hugo, loaded by the real OpenCode, and run headless by `atomic run implement`.
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { modelServer } from "@atomic/testing/model-server";
import { forgetTarballs, logIn, stranger, walks } from "./stranger.ts";

setDefaultTimeout(300_000);
afterAll(forgetTarballs);

describe.each(walks())("$name", (walk) => {
  test("Hugo installs it, OpenCode loads it, and Atomic runs its graph", async () => {
    await using model = await modelServer();
    await using person = await stranger(walk, { "package.json": { name: "shop", private: true } });
    expect(await person.sh("npm install -g hugo-pm @atomic/cli magnus-opus && hugo-pm setup")).toMatchObject({
      code: 0,
    });
    expect(await person.sh("hugo install magnus-opus --yes")).toMatchObject({ code: 0 });
    await logIn(person, walk, model);

    const { code, stdout, stderr } = await person.sh("hugo health");
    expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("magnus-opus v0.1.0  loaded");

    model.expect("Feature: a page with a form").reply("planned").times(2);
    const run = await person.sh("atomic run implement --no-wait --type=MIXED 'a page with a form'");
    expect(run.stderr).toContain("Architecture Planning still lacks implementation-plan.md");
    model.verify();
  });
});
