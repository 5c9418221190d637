// One unchanged workflow on each agent that a user may have.
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type ModelServer, modelServer } from "@atomic/testing/model-server";
import type { Project } from "@atomic/testing/project";
import { within } from "@atomic/testing/waiting";
import { atomic, buildAtomic } from "./atomic.ts";
import { hosts, type JourneyHost, threeHostsProject, userEnv } from "./three-hosts.ts";

setDefaultTimeout(180_000);
beforeAll(buildAtomic);

for (const host of hosts) {
  if (host.missing !== undefined) console.warn(`skipped: the workflow on ${host.name}: ${host.missing}`);
  describe.skipIf(host.missing !== undefined)(`on ${host.name}`, () => {
    // One process for both runs, as hosts take long to start.
    test("a run is cancelled from elsewhere; the next is approved from elsewhere and comes to its end", async () => {
      await using model = await modelServer();
      await using project = await threeHostsProject(model);
      for (const prompt of together) model.expect(prompt).reply("hm").hang();
      model.expect("Look at the tide.").reply("high tide");
      model.expect("Look at the wind.").reply("fair wind");
      expectLog(model, project, host);
      for (const stroke of [1, 2, 3, 4, 5]) model.expect(`Row stroke ${stroke}.`).reply(`stroke ${stroke}`);
      const asked = Promise.all(together.map((prompt) => model.waitFor(prompt, { deadline: 30_000 })));
      const programs = ["node", "work.js", host.name, "lost", "made"];
      const working = await project.start(programs, { env: userEnv(project, model) });

      await cancels(project, await asked);
      const [, lost = ""] = await working.printed(/^ended lost (.*)$/m, 30_000);
      expect(JSON.parse(lost)).toMatchObject({ kind: "cancelled" });

      await working.printed(/event wait-started approval/, 30_000);
      expect(await project.read("log.md")).toBe("Weather: fair\n");
      expect(await atomic(project, "approve", "made")).toMatchObject({ code: 0, stderr: "" });
      const [, made = ""] = await working.printed(/^ended made (.*)$/m, 30_000);
      expect(JSON.parse(made)).toMatchObject(arrived);
      expect(said(model, "Row stroke 5.")).toContain("stroke 4");
      expect(await working.exited).toMatchObject({ code: 0 });
    });
  });
}

const together = ["Look at the tide.", "Look at the wind.", "Note the weather"];

const arrived = {
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
};

/** All agents are stopped within two seconds after the command. */
async function cancels(project: Project, requests: readonly { readonly ended: Promise<string> }[]): Promise<void> {
  expect(await atomic(project, "cancel", "lost")).toMatchObject({ code: 0, stderr: "" });
  const outcomes = await within(2_000, Promise.all(requests.map(({ ended }) => ended)));
  expect(outcomes).toEqual(["aborted", "aborted", "aborted"]);
}

function expectLog(model: ModelServer, project: Project, { read, edit }: JourneyHost): void {
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
