// What OpenCode's own config contains once the plugin is loaded.
import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { modelServer } from "@atomic/testing/model-server";
import { opencodeBinary } from "@atomic/testing/opencode/binary";
import { opencodeConfig } from "@atomic/testing/opencode/config";
import { tmpProject } from "@atomic/testing/project";
import { packageRoot } from "../../../src/package-root.ts";
import { builtinServerNames } from "../../../src/plugin/setup/mcp-servers.ts";
import { pluginSource } from "../opencode-with-magnus.ts";

test("the config hook brings every agent, every command, and the MCP servers that the settings name", async () => {
  await using model = await modelServer();
  const settings = { enabled_mcps: builtinServerNames };
  await using project = await tmpProject({
    files: {
      "opencode.json": { ...opencodeConfig(model), plugin: [pluginSource] },
      ".opencode/magnus-opus.json": settings,
    },
    env: { FIGMA_ACCESS_TOKEN: "token" },
  });
  const { code, stdout, stderr } = await project.run([opencodeBinary, "debug", "config"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const { agent, command, mcp } = JSON.parse(stdout) as Record<"agent" | "command" | "mcp", object>;
  const names = (folder: string) => readdirSync(join(packageRoot, folder)).map((name) => name.replace(/\.md$/, ""));
  expect(Object.keys(agent)).toEqual(expect.arrayContaining(names("agents")));
  expect(Object.keys(command)).toEqual(expect.arrayContaining(names("commands")));
  expect(Object.keys(mcp).toSorted()).toEqual([...builtinServerNames].toSorted());
}, 60_000);
