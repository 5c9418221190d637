// One workflow, not changed by a letter, on each agent that a user may have.
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type ModelServer, modelServer } from "@atomic/testing/model-server";
import type { Project } from "@atomic/testing/project";
import { within } from "@atomic/testing/within";
import { buildWorkflows, hosts, userEnv, type VoyageHost, voyageProject } from "./voyage.ts";

setDefaultTimeout(60_000);
beforeAll(buildWorkflows);

for (const host of hosts) {
  if (host.missing !== undefined) console.warn(`skipped: the voyage with ${host.name}: ${host.missing}`);
  describe.skipIf(host.missing !== undefined)(`on ${host.name}`, () => {
    test("three agents at a time, an approval from elsewhere, a loop of five", async () => {
      await using model = await modelServer();
      await using project = await voyageProject(model);
      model.expect("Look at the tide.").reply("high tide");
      model.expect("Look at the wind.").reply("fair wind");
      expectLog(model, project, host);
      for (const stroke of [1, 2, 3, 4, 5]) model.expect(`Row stroke ${stroke}.`).reply(`stroke ${stroke}`);

      const working = await start(project, model, host.name);
      await working.printed(/event wait-started approval/, 30_000);
      expect(await project.read("log.md")).toBe("Weather: fair\n");
      expect((await project.run(["node", "say.js", "v1", "approve", "approval"])).stdout).toBe("kept\n");
      const [, ended = ""] = await working.printed(/^ended (.*)$/m, 30_000);

      expect(JSON.parse(ended)).toMatchObject({
        kind: "done",
        result: {
          value: {
            state: {
              approved: true,
              notes: ["to Skye", "high tide", "fair wind", "noted"],
              strokes: ["stroke 1", "stroke 2", "stroke 3", "stroke 4", "stroke 5"],
            },
            outputs: { end: "5 strokes", loop: { iterations: 5, stopped: "done", complete: true } },
          },
        },
      });
      expect(said(model, "Row stroke 5.")).toContain("stroke 4");
      expect(await working.exited).toMatchObject({ code: 0 });
    });

    test("a cancel from elsewhere stops all agents within two seconds", async () => {
      await using model = await modelServer();
      await using project = await voyageProject(model);
      const prompts = ["Look at the tide.", "Look at the wind.", "Note the weather"];
      for (const prompt of prompts) model.expect(prompt).reply("hm").hang();
      const asked = Promise.all(prompts.map((prompt) => model.waitFor(prompt, { deadline: 30_000 })));

      const working = await start(project, model, host.name);
      const requests = await asked;
      expect(await project.run(["node", "say.js", "v1", "cancel"])).toMatchObject({ code: 0 });
      const outcomes = await within(2_000, Promise.all(requests.map(({ ended }) => ended)));

      expect(outcomes).toEqual(["aborted", "aborted", "aborted"]);
      const [, ended = ""] = await working.printed(/^ended (.*)$/m, 30_000);
      expect(JSON.parse(ended)).toMatchObject({ kind: "cancelled" });
      expect(await working.exited).toMatchObject({ code: 0 });
    });
  });
}

function start(project: Project, model: ModelServer, host: string) {
  return project.start(["node", "work.js", host, "v1"], { env: userEnv(project, model) });
}

function expectLog(model: ModelServer, project: Project, { read, edit }: VoyageHost): void {
  const path = project.path("log.md");
  model
    .expect("Note the weather")
    .tool(...read(path))
    .then.tool(...edit(path, "Weather: unknown", "Weather: fair"))
    .then.reply("noted");
}

/** All that was said to the model with this prompt. */
function said(model: ModelServer, prompt: string): string {
  const request = model.prompts.find(({ user }) => user.includes(prompt));
  return request?.messages.map(({ text }) => text).join("\n") ?? "";
}
