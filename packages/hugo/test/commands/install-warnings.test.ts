import { expect, test } from "bun:test";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { tmpProject } from "@atomic/testing/project";
import { hugoIn, plugin } from "./hugo-project.ts";

test("a plugin with an export that is not a function is reported as one that OpenCode will not load", async () => {
  await using registry = await npmRegistry();
  const code = "export const P = async () => ({}); export const VERSION = 3;\n";
  registry.publish(plugin("1.0.0", { "index.js": code }));
  await using project = await tmpProject({ registry });
  const said = 'OpenCode will not load @org/review: index.js exports "VERSION", which is not a function';
  expect((await hugoIn(project).info("@org/review", { allowNew: true })).notices.join()).toContain(said);
  expect((await hugoIn(project).install("@org/review", { allowNew: true })).notices.join()).toContain(said);
});

test("a plugin that your own config lists, too, is reported as loaded twice", async () => {
  await using registry = await npmRegistry();
  registry.publish(plugin("1.0.0"));
  await using project = await tmpProject({
    registry,
    files: { "~/.config/opencode/opencode.json": { plugin: ["@org/review@1.0.0"] } },
  });
  const { notices } = await hugoIn(project).install("@org/review");
  expect(notices).toEqual([
    "OpenCode will load review twice, because ~/.config/opencode/opencode.json lists @org/review@1.0.0. Remove that entry, or do not install it here.",
  ]);
});

test("a plugin without an id is reported as one that OpenCode will not load", async () => {
  await using registry = await npmRegistry();
  const nameless = plugin("1.0.0", { "index.js": "export default { server: async () => ({}) };\n" });
  registry.publish(nameless);
  await using project = await tmpProject({ registry });
  await project.write("review/package.json", { name: "@org/review", version: "1.0.0", main: "index.js" });
  for (const [path, text] of Object.entries(nameless.files ?? {})) await project.write(`review/${path}`, String(text));
  const hugo = hugoIn(project);
  const fromFolder = await hugo.install("./review", { dryRun: true });
  expect(fromFolder.notices.join()).toContain(
    "OpenCode will not load @org/review: the default export of index.js has no",
  );
  const fromRegistry = await hugo.install("@org/review");
  // A dry run also says how to accept it.
  expect(fromRegistry.notices).toEqual(fromFolder.notices.slice(0, -1));
});
