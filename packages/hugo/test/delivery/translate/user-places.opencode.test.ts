// A user's permissions for all agents may stand in many places. Hugo and the registry must know all that OpenCode knows.
import { expect, setDefaultTimeout, test } from "bun:test";
import { modelServer } from "@atomic/testing/model-server";
import { opencodeServe } from "@atomic/testing/opencode";
import { decisionsOf, type PermissionCall, permissionProbe } from "@atomic/testing/opencode/decisions";
import { skipPluginInstall } from "@atomic/testing/opencode/plugin-install";
import { tmpProject } from "@atomic/testing/project";
import { initializeWorkflowsSDK } from "@atomic/workflows/internal/entities/initialize";
import { decidePermission } from "@atomic/workflows/internal/hosts/permission-policy";
import { decide } from "@atomic/workflows/internal/permission/decide";
import { type Permission, rulesOf } from "@atomic/workflows/internal/permission/rules";
import { userPermission } from "../../../src/delivery/user-permission.ts";
import { placeFor } from "../../../src/workspace/place.ts";
import { readSnapshot } from "../../../src/workspace/snapshot.ts";
import { quietContext } from "../../commands/quiet-context.ts";

setDefaultTimeout(300_000);

const config = (permission: object): string =>
  JSON.stringify({ $schema: "https://opencode.ai/config.json", permission });
const agent = (permission: Permission = {}): string =>
  `---\ndescription: Works\npermission: ${JSON.stringify(permission)}\n---\nBody\n`;

const files = {
  "opencode.json": config({ bash: { "*": "allow", "git *": "deny" }, edit: "deny" }),
  ".opencode/opencode.json": config({ webfetch: "deny" }),
  "pkg/app/opencode.json": config({ edit: "{env:EDITING}", list: "{file:./list.txt}", bash: { "ls *": "ask" } }),
  "pkg/app/list.txt": "deny\n",
  "pkg/app/.opencode/opencode.json": config({ webfetch: "allow", todowrite: "ask" }),
  "pkg/app/.opencode/agents/mine.md": agent(),
  "~/.config/opencode/agents/everywhere.md": agent({ "*": "deny", bash: "allow" }),
  "~/.config/opencode/agents/in-both.md": agent({ "*": "deny", bash: "allow" }),
  "pkg/app/.opencode/agents/in-both.md": agent({ "*": "deny", bash: "ask" }),
  "managed/opencode.json": config({ task: "deny", skill: "allow" }),
};
const calls: readonly PermissionCall[] = [
  // OpenCode asks: as the key of an object, `7` comes before `*`.
  ["lsp", "7"],
  ...["git status", "ls src", "rm x"].map((each) => ["bash", each] as const),
  ...["edit", "list", "webfetch", "todowrite", "task", "skill", "grep", "glob", "websearch", "read"].map(
    (name) => [name, "x"] as const,
  ),
];

test("wherever a user's rules are, Hugo and the registry decide as the real OpenCode does", async () => {
  await using project = await tmpProject({ files });
  await using model = await modelServer();
  const env = {
    ...project.env,
    EDITING: "ask",
    OPENCODE_CONFIG_CONTENT: config({ task: "ask", grep: "{env:EDITING}" }),
    OPENCODE_PERMISSION: '{ "skill": "ask", "glob": { "*": "ask", "x": "deny" }, "lsp": { "*": "ask", "7": "deny" } }',
    OPENCODE_TEST_MANAGED_CONFIG_DIR: project.path("managed"),
  };
  const directory = project.path("pkg/app");
  for (const folder of [project.path(".opencode"), `${directory}/.opencode`]) await skipPluginInstall(folder);
  await using server = await opencodeServe(project, { model, plugins: [permissionProbe], env });
  const real = await decisionsOf(server, model, "mine", calls, { directory });
  expect(new Set(real)).toEqual(new Set(["allow", "ask", "deny"]));
  expect(real[0]).toBe("ask");
  const paired = (actions: readonly string[]): string[] => calls.map((call, i) => `${call.join(" ")}: ${actions[i]}`);

  const place = placeFor(quietContext(directory, { home: project.home, env }), { global: false });
  const rules = rulesOf(userPermission(await readSnapshot(place)));
  expect(paired(calls.map(([name, subject]) => decide(rules, name, subject)))).toEqual(paired(real));

  const registry = await initializeWorkflowsSDK({ projectPath: directory, userPath: project.home, env });
  const file = registry.getAgent("mine")?.restrictions;
  const elsewhere = calls.map(([tool, detail]) =>
    decidePermission({ user: "allow", file }, { tool, detail, folder: directory, root: project.dir }),
  );
  expect(paired(elsewhere)).toEqual(paired(real));

  // An agent's own rules come last, and none could say "nothing but bash, and that as the project says".
  const decided = async (name: string) =>
    await decisionsOf(
      server,
      model,
      name,
      [
        ["bash", "git status"],
        ["edit", "x"],
      ],
      { directory },
    );
  expect(await decided("everywhere")).toEqual(["allow", "deny"]);
  // Of a namesake in the project each permission counts instead.
  expect(await decided("in-both")).toEqual(["ask", "deny"]);
});
