// Magnus Opus as its users get it: published, installed by Hugo, loaded by OpenCode.
import { beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { bundlePackages } from "@atomic/testing/bundle-packages";
import { modelServer } from "@atomic/testing/model-server";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { opencodeServe } from "@atomic/testing/opencode";
import { tmpProject } from "@atomic/testing/project";
import { publishFolder } from "@atomic/testing/publish-folder";
import { isOnPath } from "../../packages/magnus-opus/src/on-path.ts";
import { hugo, tryHugo } from "./hugo.ts";

const magnus = join(import.meta.dirname, "../../packages/magnus-opus");

beforeAll(() => bundlePackages("hugo-pm", "magnus-opus"));

test("Hugo installs it from its folder in a clone, where the registry has no package of ours", async () => {
  await using registry = await npmRegistry();
  await using project = await tmpProject({ registry });
  expect(await hugo(project, "install", magnus, "--yes")).toStartWith('Installed workflow "magnus-opus" v0.1.0 ');
  expect(registry.requests.map(({ path }) => path)).toEqual([]);
  expect(await tryHugo(project, ["health"])).toMatchObject({ code: 0 });
}, 120_000);

/** What is printed between backticks and looks like something to type. */
const commandsIn = (text: string): string[] =>
  [...text.matchAll(/`(\/[a-z-]{3,}(?: [^`\n]*)?|(?:hugo|opencode|magnus-opus|npm|npx|node) [^`\n]+)`/g)].map(
    ([, typed = ""]) => typed,
  );

/** Every text of the plugin, wherever it is printed. */
function ownTexts(): string {
  const files = readdirSync(magnus, { recursive: true, encoding: "utf8" });
  const isText = /^(?:src\/(?!cli\/).*\.ts|(?:words|commands|agents)\/.*\.md)$/;
  const texts = files.filter((file) => isText.test(file.replaceAll("\\", "/")));
  // In a source, the backticks of a text are escaped, and comments are not printed.
  return texts
    .map((file) =>
      readFileSync(join(magnus, file), "utf8")
        .replaceAll("\\`", "`")
        .replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, ""),
    )
    .join("\n");
}

test("every command in a text of the plugin exists: in OpenCode, in Hugo, or in OpenCode's shell", async () => {
  await using project = await tmpProject();
  const { commands } = JSON.parse(readFileSync(join(magnus, "workflow.json"), "utf8")) as { commands: string[] };
  const printed = [...new Set(commandsIn(ownTexts()).filter((typed) => !typed.includes("${")))];
  const slash = printed.filter((typed) => typed.startsWith("/")).map((typed) => /^\/([\w-]*)/.exec(typed)![1]!);
  const ofOpencode = ["sessions", "review", "help"];
  expect([...new Set(slash)].filter((name) => ![...commands, ...ofOpencode].includes(name))).toEqual([]);
  expect(slash.length).toBeGreaterThan(20);
  const inShell = printed.filter((typed) => !typed.startsWith("/"));
  expect(inShell.toSorted()).toEqual([
    ...["hugo health magnus-opus", "hugo install magnus-opus", "hugo update magnus-opus"],
    // These two only where the program is on the PATH.
    ...["magnus-opus --help", "magnus-opus approve <run>", "npm install --global magnus-opus"],
    ...["npm install -g opencode-ai", "npm install -g opencode-ai@latest"],
    ...["opencode auth login", "opencode debug config --print-logs", "opencode models"],
  ]);
  const help = await hugo(project, "update", "--help");
  expect(help).toContain("Usage: hugo update [name…]");
  expect(help).toContain("--global");
});

test("Hugo installs it, OpenCode loads it, a person approves in a shell; Hugo removes it again", async () => {
  await using registry = await npmRegistry();
  await using project = await tmpProject({ registry });
  const files = await publishFolder(registry, project, magnus);
  expect(files).toEqual(
    expect.arrayContaining(["bin/magnus-opus.js", "dist/bundle/plugin.js", "dist/bundle/graph.js", "workflow.json"]),
  );

  expect(await hugo(project, "install", "magnus-opus", "--yes")).toStartWith(
    'Installed workflow "magnus-opus" v0.1.0 (11 agents, 7 skills, 17 commands, 1 workflow)\n',
  );
  expect(await tryHugo(project, ["health"])).toMatchObject({ code: 0 });

  {
    await using model = await modelServer();
    // As on a machine that has nothing of ours but what Hugo installs.
    const PATH = (process.env.PATH ?? "").split(delimiter).filter((folder) => !isOnPath("magnus-opus", folder));
    await using server = await opencodeServe(project, { model, env: { PATH: PATH.join(delimiter) } });
    const session = await server.session();
    const start = { command: "implement", arguments: "" };
    model.expect("Start a run").tool("magnus_start", start).then.tool("magnus_next").then.reply("begun");
    await server.client.session.command(
      { sessionID: session.id, command: "implement", arguments: "a page with a form" },
      { throwOnError: true },
    );
    model.expect("too early").tool("write", { filePath: "src/early.ts", content: "" }).then.reply("refused");
    await session.prompt("too early", { agent: "build" });
    const said = JSON.stringify(await session.messages());
    expect(said).toContain("Magnus Opus refused write in the architecture phase (gate: user_approval)");
    model.expect(/typed `\/magnus-help/).reply("helped");
    model.expect(/typed `\/magnus-status/).reply("shown");
    for (const command of ["magnus-help", "magnus-status"])
      await server.client.session.command({ sessionID: session.id, command, arguments: "" }, { throwOnError: true });
    const texts = (await session.messages()).flatMap(({ parts }) =>
      parts.flatMap((part) =>
        part.type === "text" ? [part.text] : part.type === "tool" ? [JSON.stringify(part.state)] : [],
      ),
    );
    const printed = [...new Set(commandsIn(texts.join("\n")))];
    expect(printed.filter((typed) => !typed.startsWith("/"))).toEqual(["npm install --global magnus-opus"]);
    const { data: known } = await server.client.command.list({}, { throwOnError: true });
    const names = printed.flatMap((typed) => /^\/([\w-]+)/.exec(typed)?.[1] ?? []);
    expect(names.filter((name) => !known.some((command) => command.name === name))).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(["approve", "waive"]));
    const waived = await project.run([
      "node",
      join(magnus, "bin/magnus-opus.js"),
      "waive",
      "impl",
      "user_approval",
      "a test",
    ]);
    expect(waived).toMatchObject({ code: 0 });
    model.expect("and now").tool("magnus_status").then.reply("seen");
    const answer = await session.prompt("and now", { agent: "orchestrator" });
    expect(answer.text).toBe("seen");
    const status = JSON.stringify((await session.messages()).at(-2));
    expect(status).toContain("Waiting for:");
    expect(status).not.toContain("the user's approval");
  }

  await hugo(project, "remove", "magnus-opus");
  expect(await project.tree()).not.toContain(".opencode/hugo.json");
}, 180_000);
