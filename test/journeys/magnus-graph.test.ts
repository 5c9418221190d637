// The graph of Magnus Opus in a project whose user has agents with our names: Hugo installs it, Atomic runs it on the real OpenCode.
import { beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { bundlePackages } from "@atomic/testing/bundle-packages";
import { modelServer } from "@atomic/testing/model-server";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { opencodeBinary } from "@atomic/testing/opencode/binary";
import { opencodeConfig } from "@atomic/testing/opencode/config";
import { tmpProject } from "@atomic/testing/project";
import { publishFolder } from "@atomic/testing/publish-folder";
import { buildAtomic } from "./atomic.ts";
import { hugo } from "./hugo.ts";

const packages = join(import.meta.dirname, "../../packages");

beforeAll(async () => {
  await Promise.all([bundlePackages("hugo-pm", "magnus-opus"), buildAtomic()]);
}, 300_000);

test.each([
  ["the project", [], ".opencode/agents/architect.md"],
  ["your home", ["--global"], "~/.config/opencode/agents/architect.md"],
])(
  "installed in %s: the graph asks our architect, not yours",
  async (_, global, yours) => {
    await using registry = await npmRegistry();
    await using model = await modelServer();
    await using project = await tmpProject({ registry });
    await publishFolder(registry, project, join(packages, "magnus-opus"));
    await project.write("~/.config/opencode/opencode.json", opencodeConfig(model));
    await hugo(project, "install", "magnus-opus", ...global, "--yes");
    await project.write(yours, "---\ndescription: Mine\nmode: subagent\n---\n\nYou design wine cellars.\n");
    await project.write("~/bin/opencode", `#!/bin/sh\nexec '${opencodeBinary}' "$@"\n`);
    await project.run(["chmod", "+x", project.path("~/bin/opencode")]);
    await project.skipPluginInstall();
    model.expect("Feature: a page with a form").reply("planned").times(2);
    const run = ["run", "implement", "--no-wait", "--type=MIXED", "a page with a form"];
    const { stderr } = await project.run(["node", join(packages, "atomic/bin/atomic.js"), ...run], {
      env: { PATH: `${project.path("~/bin")}:${process.env.PATH}` },
    });
    expect(stderr).toContain("Architecture Planning still lacks implementation-plan.md");
    const ours = readFileSync(join(packages, "magnus-opus/agents/architect.md"), "utf8").split("---\n").at(-1)!.trim();
    for (const { system } of model.prompts) {
      expect(system).toContain(ours);
      expect(system).not.toContain("wine");
    }
    model.verify();
  },
  180_000,
);
