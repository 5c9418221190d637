// Whatever a registry tries, the real OpenCode loads what was shown and nothing else; the same package without the trick is installed.
import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { debugConfig } from "@atomic/testing/opencode";
import { type Project, tmpProject } from "@atomic/testing/project";
import { verify } from "../../src/commands/verify.ts";
import { HugoError } from "../../src/errors.ts";
import { hugoIn } from "../commands/hugo-project.ts";
import { input } from "../commands/workspace.ts";
import { dependencyTricks } from "./dependency-tricks.ts";
import { lyingRegistry } from "./lying-registry.ts";
import { type Lab, plugin } from "./registry-trick.ts";
import { registryTricks } from "./registry-tricks.ts";
import { contents } from "./world.ts";

setDefaultTimeout(300_000);

const tricks = [...registryTricks, ...dependencyTricks];
const nameOf = (i: number): string => `trick-${i}`;

test("there are at least thirty registry tricks, each with its own name", () => {
  expect(tricks.length).toBeGreaterThanOrEqual(30);
  expect(new Set(tricks.map(({ what }) => what)).size).toBe(tricks.length);
});

test("OpenCode loads no byte that was not shown, whatever a registry tries", async () => {
  await using registry = await lyingRegistry();
  const token = "my-token";
  const host = registry.url.replace("http:", "");
  const env = { npm_config_registry: registry.url, [`npm_config_${host}:_authToken`]: token };
  const files = { "opencode.json": "{}\n" };
  await using project = await tmpProject({ registry: { env }, files });
  const marker = project.path("../loaded");
  const loaded = (): string[] => (existsSync(marker) ? readFileSync(marker, "utf8").trim().split("\n") : []);
  const labOf = (name: string): Lab => ({
    registry,
    mark: `import { appendFileSync } from "node:fs"; appendFileSync(${JSON.stringify(marker)}, "${name}\\n");\n`,
  });
  const hugo = hugoIn(project);
  const kept = (): [string, string][] =>
    [...contents(project.path(".opencode"))]
      .filter(([path]) => !/^\.hugo\/(?:lock\/|\.gitignore$)/.test(path))
      .map(([path, bytes]) => [path, bytes.toString("base64")]);
  const set = async (i: number, name: string, isFair: boolean): Promise<void> => {
    const { publish, lie } = tricks[i]!;
    const lab = labOf(name);
    if (publish === undefined) registry.good.publish(plugin(name, lab));
    else publish(name, lab, isFair);
    if (!isFair && lie !== undefined) registry.lie(name, await lie(name, lab));
  };

  for (const i of tricks.keys()) await set(i, `fair-${i}`, true);
  await hugo.install(tricks.map((_, i) => `fair-${i}`));
  const outcomes: Record<string, string> = {};
  for (const [i, { what, says, shows }] of tricks.entries()) {
    const name = nameOf(i);
    await set(i, name, false);
    const before = { kept: kept(), config: await project.read("opencode.json") };
    const error = await hugo.install(name).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (error === undefined) {
      const { title, notes } = hugo.asked.at(-1)!;
      const isShown = title.startsWith(`Install ${name} v1.0.0`) && JSON.stringify(notes).includes(shows?.(name) ?? "");
      outcomes[what] = isShown ? "installed" : `installed without showing ${shows?.(name)}`;
    } else if (error instanceof HugoError) {
      outcomes[what] = says !== undefined && new RegExp(says).test(error.message) ? "refused" : error.message;
      expect({ what, kept: kept(), config: await project.read("opencode.json") }).toEqual({ what, ...before });
    } else throw error;
  }
  expect(outcomes).toEqual(
    Object.fromEntries(tricks.map(({ what, says }) => [what, says === undefined ? "installed" : "refused"])),
  );
  // The other host gets nothing of the user's.
  expect(registry.asked.length).toBeGreaterThan(0);
  expect(registry.asked.filter(({ headers }) => JSON.stringify(headers).includes(token))).toEqual([]);

  const accepted = [...tricks.keys()].filter((i) => tricks[i]!.says === undefined);
  const names = [...tricks.map((_, i) => `fair-${i}`), ...accepted.map(nameOf)];
  const promptsIn = async (project: Project): Promise<Record<string, string | undefined>> => {
    await project.skipPluginInstall();
    const { agent = {} } = await debugConfig(project);
    return Object.fromEntries(Object.entries(agent).map(([name, value]) => [name, value?.prompt]));
  };
  const shown = (list: readonly string[]) => Object.fromEntries(list.map((name) => [name, "shown"]));
  expect(await promptsIn(project)).toEqual(shown(names));
  expect(loaded()).toEqual([]);
  const { workflows } = await verify.run(hugo.context, { ...input, name: undefined });
  expect(workflows.flatMap(({ name, differences }) => (differences.length > 0 ? [name] : []))).toEqual([]);

  // A teammate asks the registry again.
  const both = {
    "opencode.json": await project.read("opencode.json"),
    ".opencode/hugo.json": await project.read(".opencode/hugo.json"),
  };
  await using clone = await tmpProject({ registry: { env }, files: both });
  const { failed } = await hugoIn(clone).ci();
  const refused = accepted.filter((i) => tricks[i]!.ciSays !== undefined);
  expect(failed.map(({ name, message }) => [name, message])).toEqual(
    refused.map((i) => [nameOf(i), expect.stringContaining(tricks[i]!.ciSays!)]),
  );
  expect(await promptsIn(clone)).toEqual(shown(names.filter((name) => !refused.map(nameOf).includes(name))));
  expect(loaded()).toEqual([]);

  // Without Hugo, OpenCode takes what the registry gives it.
  const fooling = [...tricks.keys()].filter((i) => tricks[i]!.fools !== undefined);
  await using alone = await tmpProject({
    registry: { env },
    files: { "opencode.json": { plugin: fooling.map((i) => tricks[i]!.fools!(nameOf(i))) } },
  });
  await promptsIn(alone);
  expect([...new Set(loaded())].sort()).toEqual(fooling.map(nameOf).sort());
  rmSync(marker);
});
