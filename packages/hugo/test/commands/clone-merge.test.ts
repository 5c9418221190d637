import { expect, setDefaultTimeout, test } from "bun:test";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { type Project, tmpProject } from "@atomic/testing/project";
import { diff } from "../../src/commands/diff.ts";
import { update } from "../../src/commands/update.ts";
import { verify } from "../../src/commands/verify.ts";
import { agent, copy, type Hugo, hugoIn } from "./hugo-project.ts";

setDefaultTimeout(180_000);

const common = { global: false, dryRun: false, yes: false, name: undefined };
const writer = ".opencode/agents/writer.md";
const body = (one: string, two: string, three: string): string => agent(`${one}\n\n${two}\n\n${three}`);
const version = (number: string, one: string, three = "Three.") =>
  copy(number, { "agents/writer.md": body(one, "Two.", three), "commands/note.md": "Note it.\n" });

async function verified(hugo: Hugo): Promise<number> {
  return verify.report.exitCode(await verify.run(hugo.context, common));
}

/** What a teammate gets: all that version control has. */
async function cloneOf(project: Project, registry: Awaited<ReturnType<typeof npmRegistry>>): Promise<Project> {
  const clone = await tmpProject({ registry });
  await project.run(["cp", "-R", ".opencode", clone.dir]);
  await clone.remove(".opencode/.hugo");
  return clone;
}

test("after --skip-modified, a clone verifies and merges the next update like the original", async () => {
  await using registry = await npmRegistry();
  registry.publish(version("1.0.0", "One."));
  await using project = await tmpProject({ registry });
  const hugo = hugoIn(project);
  await hugo.install("@org/notes");
  await project.write(writer, body("One.", "Two.", "Mine."));
  registry.publish(version("1.1.0", "Uno."));
  await hugo.update([], { skipModified: true, allowNew: true });

  await using clone = await cloneOf(project, registry);
  const teammate = hugoIn(clone);
  await teammate.ci();
  expect([await verified(hugo), await verified(teammate)]).toEqual([0, 0]);
  const edits = async (who: Hugo): Promise<unknown> => (await diff.run(who.context, common)).files;
  expect(await edits(teammate)).toEqual(await edits(hugo));

  registry.publish(version("1.2.0", "Eins."));
  for (const who of [hugo, teammate]) {
    const { updated } = await who.update([], { allowNew: true });
    expect(updated[0]?.files.find(({ destination }) => destination === "agents/writer.md")?.verdict).toBe("merged");
  }
  expect(await clone.read(writer)).toBe(body("Eins.", "Two.", "Mine."));
  expect(await clone.read(".opencode/hugo.json")).toBe(await project.read(".opencode/hugo.json"));
  // The old base is not needed anymore.
  expect(await project.exists(".opencode/hugo-bases")).toBe(false);
});

test("after a conflict, open or resolved, a clone verifies like the original", async () => {
  await using registry = await npmRegistry();
  registry.publish(version("1.0.0", "One."));
  await using project = await tmpProject({ registry });
  const hugo = hugoIn(project);
  await hugo.install("@org/notes");
  await project.write(writer, body("Mine.", "Two.", "Three."));
  registry.publish(version("1.1.0", "Uno."));
  const result = await hugo.update([], { allowNew: true, exitCode: true });
  expect(update.report.exitCode(result)).toBe(1);
  expect(update.report.exitCode({ ...result, isStrict: false })).toBe(0);
  const { updated } = result;
  expect(updated[0]?.files.find(({ destination }) => destination === "agents/writer.md")?.verdict).toBe("conflict");

  {
    await using clone = await cloneOf(project, registry);
    const teammate = hugoIn(clone);
    await teammate.ci();
    expect(await verified(teammate)).toBe(0);
    expect((await diff.run(teammate.context, common)).files).toEqual((await diff.run(hugo.context, common)).files);
  }
  const [beside] = (await project.tree(".opencode/agents")).filter((path) => path !== "writer.md");
  await project.run(["mv", `.opencode/agents/${beside}`, writer]);
  await using clone = await cloneOf(project, registry);
  const teammate = hugoIn(clone);
  await teammate.ci();
  expect(await verified(teammate)).toBe(0);
  registry.publish(version("1.2.0", "Uno.", "Drei."));
  for (const who of [hugo, teammate]) await who.update([], { allowNew: true });
  expect(await clone.read(writer)).toBe(body("Uno.", "Two.", "Drei."));
  expect(await clone.read(".opencode/hugo.json")).toBe(await project.read(".opencode/hugo.json"));
});

test.each([false, true])(
  "verify and ci say what helps if the old release is gone, and it does (skipped: %p)",
  async (skipModified) => {
    await using registry = await npmRegistry();
    registry.publish(version("1.0.0", "One."));
    await using project = await tmpProject({ registry });
    const hugo = hugoIn(project);
    await hugo.install("@org/notes");
    await project.write(writer, body("Mine.", "Two.", "Three."));
    await project.remove(".opencode/.hugo");
    registry.unpublish("@org/notes", "1.0.0");
    registry.publish(version("1.1.0", "Uno."));
    await hugo.update([], { allowNew: true, skipModified });

    const nextStep = async (): Promise<string | undefined> => {
      const { workflows } = await verify.run(hugo.context, common);
      const [found] = workflows.flatMap(({ differences }) => differences.filter(({ kind }) => kind === "base-missing"));
      const { notices, failed } = await hugo.ci();
      expect(failed).toEqual([]);
      if (found?.next === undefined) expect(notices).toEqual([]);
      else
        expect(notices.join()).toBe(
          `The original content of ${writer} is gone, and notes v1.1.0 does not contain it. Next: ${found.next}.`,
        );
      return found?.next;
    };
    const beside = `${writer}.hugo-new`;
    if (skipModified) {
      expect(await nextStep()).toBe("`hugo install --force @org/notes`");
      await hugo.install("@org/notes", { force: true, allowNew: true });
    }
    expect(await nextStep()).toBe(`resolve the conflict: merge ${beside} into your file, then delete it`);
    await project.remove(beside);
    expect(await nextStep()).toBeUndefined();
    expect(await verified(hugo)).toBe(0);
    expect(await project.read(writer)).toBe(body("Mine.", "Two.", "Three."));
  },
);
