// The real Claude, with a private home and the scripted model.
import { randomUUID } from "node:crypto";
import { heavyHost, offline } from "@atomic/testing/heavy";
import { markedProcesses } from "@atomic/testing/marked-processes";
import { type ModelServer, modelServer } from "@atomic/testing/model-server";
import { type Project, tmpProject } from "@atomic/testing/project";
import { claudeHost } from "../../src/hosts/claude.ts";
import type { Host } from "../../src/hosts/host.ts";
import { type HostFixture, processesWith } from "./host-fixture.ts";
import { modelScript } from "./model-script.ts";

export interface ClaudeFixture extends HostFixture {
  readonly model: ModelServer;
  readonly project: Project;
  /** The whole environment of Claude. */
  readonly env: Readonly<Record<string, string>>;
}

export async function claudeFixture(): Promise<ClaudeFixture> {
  const sdk = heavyHost("claude");
  if (!sdk.available) throw new Error(sdk.reason);
  const [model, project, processes] = [await modelServer(), await tmpProject(), await markedProcesses()];
  await allowEverything(project);
  const hosts: Host[] = [];
  const env = { ...claudeEnv(model), ...project.env, ...processes.env };
  return {
    model,
    project,
    env,
    async host() {
      const host = await claudeHost({ load: sdk.load, env });
      hosts.push(host);
      return host;
    },
    session: { folder: project.dir, model: "sonnet" },
    script: modelScript(model, ({ path, content }) => ({ name: "Write", args: { file_path: path, content } })),
    isUsageStored: true,
    unknownId: randomUUID(),
    tools: { read: "Read", write: "Write" },
    otherModel: { option: "claude-other-1", requested: "claude-other-1" },
    processes: () => processesWith(Object.entries(processes.env)[0]?.join("=") ?? ""),
    async [Symbol.asyncDispose]() {
      for (const host of hosts) await host.dispose();
      await processes[Symbol.asyncDispose]();
      await project[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}

/** By the rules of its settings, and it is asked all the same. */
async function allowEverything(project: Project): Promise<void> {
  const allow = ["Bash", "Edit", "Read(//**)", "Write"];
  await project.write(
    ".claude/settings.json",
    JSON.stringify({ permissions: { allow, deny: ["Bash(rmdir:*)"], defaultMode: "acceptEdits" } }),
  );
  // Claude obeys what the settings of a project allow once the user trusts its folder.
  const trusted = { [project.dir]: { hasTrustDialogAccepted: true } };
  await project.write("~/.claude.json", JSON.stringify({ projects: trusted }));
}

function claudeEnv(model: ModelServer): Record<string, string> {
  return {
    ...offline,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: "none",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_AUTOUPDATER: "1",
  };
}
