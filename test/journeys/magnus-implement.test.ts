// One feature, from the request to its summary, as the user sees it. The transcript is beside this file.
import { beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundlePackages } from "@atomic/testing/bundle-packages";
import { OpencodeWithMagnus } from "../../packages/magnus-opus/test/plugin/opencode-with-magnus.ts";
import * as agents from "../../packages/magnus-opus/test/plugin/scripted-agents.ts";
import { transcriptOf } from "./magnus-transcript.ts";

const magnus = join(import.meta.dirname, "../../packages/magnus-opus");

beforeAll(() => bundlePackages("magnus-opus"));

test("a feature is planned, approved, built test first, reviewed and accepted", async () => {
  await using opencode = await OpencodeWithMagnus.open({}, [pathToFileURL(join(magnus, "dist/bundle/plugin.js")).href]);
  const { model } = opencode;
  agents.orchestratorPlans(model, "implement", ["plan-reviewer"]);
  agents.architect(model);
  model
    .expect("can you start already?")
    .tool("task", agents.task("backend", "start early"))
    .then.reply("The plan has to be approved first.");
  agents.orchestratorBuilds(model, ["backend", "reviewer"]);
  agents.judge(model, "plan-reviewer", "reviews/plan-review/one.md");
  agents.testFirst(model);
  agents.judge(model, "reviewer", "reviews/code-review/one.md");
  agents.orchestratorEnds(model);
  agents.cleaner(model);

  const session = await opencode.session();
  await opencode.type(session, "implement", "a Convex mutation that stores profiles, with an index");
  await opencode.server.reopen(session).prompt("can you start already?", { agent: "orchestrator" });
  await opencode.type(session, "approve");
  await opencode.type(session, "approve");

  const { status, workflow, refusals, evidence, visits, folder } = opencode.state(session);
  expect([status.kind, workflow, refusals]).toEqual(["done", "API_FOCUSED", 1]);
  expect(evidence.map(({ counts }) => counts?.failed)).toEqual([1, 0]);
  expect(visits.map(({ phase }) => phase as string)).not.toContain("design-validation");
  expect(await opencode.project.read(`${folder}/final-summary.md`)).toStartWith("# final-summary.md");
  const transcript = await transcriptOf(opencode, session);
  const kept = Bun.file(join(import.meta.dirname, "magnus-implement.txt"));
  if (process.env.UPDATE_TRANSCRIPTS === "1") await kept.write(transcript);
  expect(transcript).toBe(await kept.text());
}, 120_000);
