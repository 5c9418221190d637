// What the real OpenCode loads is what Hugo showed, hashed and locked, whatever registries and caches say.
import { expect, setDefaultTimeout, test } from "bun:test";
import { createServer } from "node:http";
import { listenOnLoopback } from "@atomic/testing/loopback";
import { type NpmRegistry, npmRegistry } from "@atomic/testing/npm-registry";
import { debugConfig } from "@atomic/testing/opencode";
import { type Project, tmpProject } from "@atomic/testing/project";
import { remove } from "../../src/commands/remove.ts";
import { verify } from "../../src/commands/verify.ts";
import { hugoIn, pinIn } from "./hugo-project.ts";
import { input } from "./workspace.ts";

setDefaultTimeout(180_000);

const config = '{\n  "$schema": "https://opencode.ai/config.json" // mine\n}\n';
const cache = "~/.cache/opencode/packages/@org/review@1.0.0/node_modules/@org/review";

/** A plugin whose only agent says whose code it is. */
function code(whose: string): string {
  return `export default { id: "@org/review", server: async () => ({
    config: async (config) => { config.agent = { ...config.agent, reviewer: { prompt: "${whose}", description: "Reviews" } }; },
  }) };\n`;
}

function publish(registry: NpmRegistry, whose: string): void {
  registry.publish({
    name: "@org/review",
    version: "1.0.0",
    manifest: { type: "module", main: "index.js", bin: { review: "run.sh" } },
    files: {
      "workflow.json": '{ "agents": ["reviewer"] }\n',
      "agents/reviewer.md": "---\ndescription: Reviews\n---\nReview.\n",
      "run.sh": "#!/bin/sh\n",
      "index.js": code(whose),
    },
  });
}

async function loadedBy(project: Project): Promise<string | undefined> {
  await project.skipPluginInstall();
  return (await debugConfig(project)).agent?.reviewer?.prompt;
}

test("a package that the user's own registry has in another form is loaded as the project's registry gave it", async () => {
  await using ours = await npmRegistry();
  await using theirs = await npmRegistry();
  publish(ours, "shown");
  publish(theirs, "evil");
  await using project = await tmpProject({
    registry: theirs,
    files: { "opencode.json": config, ".npmrc": `@org:registry=${ours.url}\n` },
  });
  const hugo = hugoIn(project);
  await hugo.install("@org/review");
  expect(await loadedBy(project)).toBe("shown");
  expect(theirs.requests.map(({ path }) => path).filter((path) => path.includes("review"))).toEqual([]);

  const { workflows } = await verify.run(hugo.context, { ...input, name: undefined });
  expect(workflows).toMatchObject([{ name: "review", differences: [] }]);
  await remove.run(hugo.context, { ...input, name: ["review"] });
  expect(await project.read("opencode.json")).toBe(config);
});

test("a registry that answers Hugo and OpenCode differently is asked once, by Hugo", async () => {
  await using good = await npmRegistry();
  await using bad = await npmRegistry();
  publish(good, "shown");
  publish(bad, "evil");
  const askedBy: string[] = [];
  const server = createServer(async (request, response) => {
    const agent = request.headers["user-agent"] ?? "";
    if (request.url?.includes("review")) askedBy.push(agent);
    const answer = await fetch(new URL(request.url ?? "/", agent.startsWith("hugo") ? good.url : bad.url));
    response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
  });
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}/`;
  try {
    const registry = { env: { npm_config_registry: url } };
    await using project = await tmpProject({ registry, files: { "opencode.json": config } });
    await hugoIn(project).install("@org/review");
    expect(await loadedBy(project)).toBe("shown");
    expect(askedBy).toEqual(["hugo-pm"]);
    // The control: an entry by name is what the other answer is for.
    await project.write("opencode.json", { plugin: ["@org/review@1.0.0"] });
    expect(await loadedBy(project)).toBe("evil");
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("a clone says which plugins are missing until hugo ci has run, also to people without Hugo", async () => {
  await using registry = await npmRegistry();
  publish(registry, "shown");
  await using project = await tmpProject({ registry, files: { "opencode.json": config } });
  const hugo = hugoIn(project);
  await hugo.install("@org/review");
  const said = "This plugin of the project is not installed here: @org/review. Run `hugo ci`";
  const check = ".opencode/plugins/hugo-check.js";
  const start = async (): Promise<string> => {
    await project.skipPluginInstall();
    return (await project.run(["opencode", "run", "--model", "no/model", "hello"])).stderr;
  };
  expect(await start()).not.toContain("Hugo: ");
  // What git leaves out of a clone.
  await project.remove(".opencode/.hugo");
  expect(await start()).toContain(`Hugo: ${said}`);
  // `opencode run` ends without waiting for its log.
  const server = await project.start(["sh", "-c", "exec opencode serve --print-logs --port 0 2>&1"]);
  const [, url = ""] = await server.printed(/listening on (http\S+)/, 60_000);
  await fetch(`${url}/config`);
  await server.printed(/level=ERROR .*This plugin of the project is not installed here/, 60_000);
  await server.stop();
  await hugo.ci();
  expect(await start()).not.toContain("Hugo: ");
  expect(await loadedBy(project)).toBe("shown");

  await remove.run(hugo.context, { ...input, name: ["review"] });
  expect(await project.exists(check)).toBe(false);
  await project.write(check, "// Mine\n");
  await hugo.install("@org/review");
  await remove.run(hugo.context, { ...input, name: ["review"] });
  expect(await project.read(check)).toBe("// Mine\n");
});

test("a poisoned cache is reported and not loaded, and verify finds it where it would be", async () => {
  await using registry = await npmRegistry();
  publish(registry, "shown");
  await using project = await tmpProject({ registry, files: { "opencode.json": config } });
  await project.write(`${cache}/package.json`, { name: "@org/review", version: "1.0.0", main: "index.mjs" });
  await project.write(`${cache}/index.mjs`, code("evil"));
  const hugo = hugoIn(project);
  const { notices } = await hugo.install("@org/review");
  expect(notices).toEqual([
    expect.stringMatching(/^OpenCode's own copy of @org\/review 1\.0\.0 is not what the registry has: .* differs\./),
  ]);
  expect(await loadedBy(project)).toBe("shown");

  await project.write("opencode.json", { plugin: ["@org/review@1.0.0"] });
  expect(await loadedBy(project)).toBe("evil");
  const { workflows } = await verify.run(hugo.context, { ...input, name: undefined });
  expect(workflows[0]?.differences.map(({ kind }) => kind)).toContain("cache-changed");
  await hugo.ci();
  expect(await loadedBy(project)).toBe("shown");
});

test("a clone loads the same bytes after `hugo ci`, and nothing at all before it", async () => {
  await using ours = await npmRegistry();
  await using theirs = await npmRegistry();
  publish(ours, "shown");
  publish(theirs, "evil");
  await using project = await tmpProject({ registry: ours, files: { "opencode.json": config } });
  await hugoIn(project).install("@org/review");
  const files = {
    "opencode.json": await project.read("opencode.json"),
    ".opencode/hugo.json": await project.read(".opencode/hugo.json"),
  };

  await using clone = await tmpProject({ registry: theirs, files });
  expect(await loadedBy(clone)).toBeUndefined();
  expect(theirs.requests.filter(({ path }) => path.includes("review"))).toEqual([]);
  const refused = await hugoIn(clone).ci();
  expect(refused.failed).toMatchObject([{ name: "review", code: "integrity-mismatch" }]);
  expect(await loadedBy(clone)).toBeUndefined();

  await clone.write(".npmrc", `@org:registry=${ours.url}\n`);
  await hugoIn(clone).ci();
  expect(await loadedBy(clone)).toBe("shown");
  expect(await clone.read(`${await pinIn(clone)}/index.js`)).toBe(code("shown"));
  expect(await clone.read("opencode.json")).toBe(files["opencode.json"]);
});

test("a tsconfig.json or jsconfig.json of the project replaces no locked dependency", async () => {
  await using registry = await npmRegistry();
  registry.publish({ name: "words", version: "1.0.0", files: { "index.js": 'module.exports = "locked";\n' } });
  registry.publish({
    name: "@org/review",
    version: "1.0.0",
    manifest: { type: "module", main: "index.js", dependencies: { words: "1.0.0" } },
    files: {
      "workflow.json": '{ "agents": ["reviewer"] }\n',
      "agents/reviewer.md": "---\ndescription: Reviews\n---\nReview.\n",
      "index.js": `import words from "words";\n${code("").replace('prompt: ""', "prompt: words")}`,
    },
  });
  const paths = { compilerOptions: { paths: { words: ["./evil/words.js"] } } };
  const files = { "opencode.json": config, "evil/words.js": 'module.exports = "evil";\n', "tsconfig.json": paths };
  await using project = await tmpProject({ registry, files });
  const hugo = hugoIn(project);
  await hugo.install("@org/review");
  expect(await loadedBy(project)).toBe("locked");
  await project.remove("tsconfig.json");
  await project.write("jsconfig.json", { compilerOptions: { baseUrl: "./evil" } });
  expect(await loadedBy(project)).toBe("locked");

  // Stores of earlier versions lack the file that prevents it.
  const own = `${await pinIn(project)}/../../../tsconfig.json`;
  await project.remove(own);
  expect(await loadedBy(project)).toBe("evil");
  const all = { ...input, name: undefined };
  expect((await verify.run(hugo.context, all)).workflows[0]?.differences).toMatchObject([
    {
      kind: "store-changed",
      at: expect.stringMatching(/^\.hugo\/store\/review-[0-9a-f]{16}\/tsconfig\.json$/),
      next: "hugo ci",
    },
  ]);
  await hugo.ci();
  expect((await verify.run(hugo.context, all)).workflows[0]?.differences).toEqual([]);
  expect(await project.read(own)).toBe("{}\n");
});
