import { expect, test } from "bun:test";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { tmpProject } from "@atomic/testing/project";
import { updateReport } from "../../src/report/update.ts";
import { agent, copy, hugoIn } from "../operations/arrivals.ts";

const plain = { colour: false } as const;
const title = "What it can do now and could not before:\n";

test("what a person has just declined is not shown to them again", async () => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", { "agents/a.md": agent("Hi.") }));
  await using project = await tmpProject({ registry });
  const hugo = hugoIn(project);
  await hugo.install("@org/notes");
  registry.publish(copy("1.1.0", { "agents/a.md": agent("Hi."), "commands/run.md": "Look at !`make all`.\n" }));

  hugo.answer = "declined";
  const declined = await hugo.update([], { allowNew: true });
  expect(updateReport.text(declined, plain)).toBe("");
  expect(updateReport.notes(declined, plain)).toBe("notes was not updated: it was declined. Nothing was changed.\n");
  expect(updateReport.json(declined)).toMatchObject({
    failed: [{ name: "notes", code: "not-approved", answer: "declined", capabilities: [{ detail: "make all" }] }],
  });

  hugo.answer = "nobody";
  const unanswered = updateReport.notes(await hugo.update([], { allowNew: true }), plain);
  expect(unanswered).toContain(`is there to be asked\n${title}  runs shell  commands/run.md  make all\n`);
  expect(unanswered).toEndWith("then say --yes. Nothing was changed.\n");
});
