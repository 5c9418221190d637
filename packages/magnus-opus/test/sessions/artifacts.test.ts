import { expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { tmpProject } from "@atomic/testing/project";
import { changedArtifacts } from "../../src/sessions/artifacts.ts";

test("new, changed, empty and missing files are seen; the run's record and links are not", async () => {
  await using project = await tmpProject({
    git: false,
    files: {
      "plan.md": "a plan\n",
      "reviews/code-review/one.md": "fine\n",
      "journal.jsonl": "{}\n",
      "journal.jsonl.driver/lock/1/owner": "me",
      "session-meta.json": "{}",
      ".hidden": "x",
      "empty.md": "",
    },
  });
  symlinkSync("/etc/hostname", project.path("link.md"));
  const seen = changedArtifacts(project.dir, {});
  expect(seen.map(({ path, bytes }) => [path, bytes]).toSorted()).toEqual([
    ["plan.md", 7],
    ["reviews/code-review/one.md", 5],
  ]);
  const known = Object.fromEntries(seen.map(({ path, hash }) => [path, hash]));
  expect(changedArtifacts(project.dir, known)).toEqual([]);
  await project.write("plan.md", "a play\n");
  await project.remove("reviews/code-review/one.md");
  const changes = changedArtifacts(project.dir, { ...known, "empty.md": "sha256:before" });
  expect(changes.map(({ path, bytes }) => [path, bytes]).toSorted()).toEqual([
    ["empty.md", 0],
    ["plan.md", 7],
    ["reviews/code-review/one.md", 0],
  ]);
  expect(changedArtifacts(project.path("nowhere"), {})).toEqual([]);
});
