// What paths are relative to: in OpenCode, the repository's root, whichever folder you work in.
import { expect, setDefaultTimeout, test } from "bun:test";
import { modelServer } from "@atomic/testing/model-server";
import { opencodeServe } from "@atomic/testing/opencode";
import { skipPluginInstall } from "@atomic/testing/opencode/plugin-install";
import { tmpProject } from "@atomic/testing/project";
import { initializeWorkflowsSDK } from "../../src/entities/initialize.ts";
import { opencodeRoot } from "../../src/entities/worktree.ts";
import { decidePermission } from "../../src/hosts/permission-policy.ts";
import type { Action } from "../../src/permission/rules.ts";

setDefaultTimeout(300_000);

const rules = { "*": "deny", "src/*": "allow", "pkg/app/docs/*": "allow", "*/notes/*": "allow", "*.secret": "deny" };
const agent = `---\ndescription: Works\npermission: ${JSON.stringify({ edit: rules })}\n---\nBody\n`;
const paths = ["src/a.ts", "docs/a.md", "y/notes/a.md", "src/a.secret", "a.ts"];

test.each([
  ["at the root of a repository", true, "."],
  ["below the root", true, "pkg/app"],
  ["outside of git", false, "."],
])("%s, the same files may be edited on another host as in OpenCode", async (_where, git, folder) => {
  await using project = await tmpProject({ git, files: { ".opencode/agents/mine.md": agent, "pkg/app/x": "" } });
  await using model = await modelServer();
  await skipPluginInstall(project.path(".opencode"));
  await using server = await opencodeServe(project, { model });
  const directory = project.path(folder);
  const registry = await initializeWorkflowsSDK({ projectPath: project.dir, userPath: project.home });
  const file = registry.getAgent("mine")?.restrictions;
  const decided: [path: string, opencode: Action, ours: Action][] = [];
  for (const path of paths) {
    const prompt = `Write ${path} in ${folder}, ${git}.`;
    model
      .expect(prompt)
      .tool("write", { filePath: `${directory}/${path}`, content: "x" })
      .then.reply("done");
    const session = await server.session({ title: prompt, directory });
    await session.prompt(prompt, { agent: "mine" });
    const [state] = (await session.messages()).flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "tool" ? [part.state] : [])),
    );
    const opencode = state?.status === "completed" ? "allow" : "deny";
    const request = { tool: "edit", detail: path, folder: directory, root: opencodeRoot(directory) };
    const ours = decidePermission({ user: "allow", file }, request);
    decided.push([path, opencode, ours]);
  }
  expect(decided.filter(([, opencode, ours]) => opencode !== ours)).toEqual([]);
  expect(decided.map(([, opencode]) => opencode)).toContain("allow");
});
