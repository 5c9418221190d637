import { describe, expect, test } from "bun:test";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { tmpProject } from "@atomic/testing/project";
import { search } from "../../src/commands/search.ts";
import { contextOf, input, install, pluginWorkflow } from "./workspace.ts";

const page = { colour: false } as const;
const keywords = ["opencode-workflow"];
const time = "2026-03-04T05:06:07.000Z";

describe("search", () => {
  test("finds workflows by their words and says which are installed", async () => {
    await using registry = await npmRegistry();
    registry.publish(
      { name: "@org/review", version: "1.2.0", time, manifest: { keywords, description: "Reviews code" } },
      { name: "review-else", version: "1.0.0", time, manifest: { keywords, description: "Reviews \x1b[31mmore" } },
      { name: "code-review-lib", version: "1.0.0", time, manifest: { description: "Reviews, but is no workflow" } },
    );
    await using project = await tmpProject({ registry });
    await install(project, { review: pluginWorkflow("review") });
    const result = await search.run(contextOf(project), { ...input, words: ["reviews"] });
    expect(search.report.text(result, page)).toBe(`Package      Version  Published   Installed  Description
@org/review  v1.2.0   2026-03-04  review     Reviews code
review-else  v1.0.0   2026-03-04             Reviews \\x1b[31mmore
`);
    expect(search.report.notes(result, page)).toContain("hugo info <package>");
    expect(search.report.json(result)).toMatchObject({ packages: [{ installedAs: "review" }, {}] });
  });

  test("that finds nothing is an answer, with the reason", async () => {
    await using registry = await npmRegistry();
    await using project = await tmpProject({ registry });
    const result = await search.run(contextOf(project), { ...input, words: ["no", "such"] });
    expect(search.report.text(result, page)).toBe(
      'The registry lists no package with the keyword opencode-workflow or opencode-plugin that matches "no such".\n',
    );
    expect(search.report.notes(result, page)).toContain(
      "`hugo info <package or address>` shows whether Hugo can install",
    );
    expect(search.report.exitCode(result)).toBe(0);
  });

  test("says when the registry returned only a part", () => {
    const hit = { name: "a", version: "1.0.0", description: "" };
    const notes = search.report.notes({ words: [], packages: [hit], isCut: true }, page);
    expect(notes).toStartWith("The registry has more matches than it returned; more words narrow the search.\n");
  });
});
