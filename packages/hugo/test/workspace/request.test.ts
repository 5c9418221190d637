import { expect, test } from "bun:test";
import { lockedRequest, requestOf, targetOf } from "../../src/workspace/request.ts";
import { place } from "../delivery/memory-view.ts";
import { emptyPlace, lockWith, pluginWorkflow } from "./support.ts";

test.each([
  ["./notes", "/p", "/p/notes", "./notes"],
  ["../notes", "/p/sub", "/p/notes", "./notes"],
  ["../notes", "/p", "/notes", "../notes"],
  ["../../notes", "/p/sub", "/notes", "../notes"],
  ["file:notes.tgz", "/p/sub", "/p/sub/notes.tgz", "./sub/notes.tgz"],
  ["/elsewhere/notes", "/p", "/elsewhere/notes", "/elsewhere/notes"],
  ["/p/notes", "/p/sub", "/p/notes", "./notes"],
  [".", "/p", "/p", "."],
])("%s in %s is fetched from %s and recorded as %s", (spec, cwd, path, recorded) => {
  const request = requestOf(spec, { cwd }, place);
  expect(request.source).toMatchObject({ kind: "file", path });
  expect(request.recorded).toBe(recorded);
  expect(lockedRequest({ source: recorded }, place).source).toEqual(request.source);
});

test.each(["@org/review", "@org/review@^1.0.0", "github:org/review#v1"])("%s is recorded unchanged", (spec) => {
  const request = requestOf(spec, { cwd: "/anywhere" }, place);
  expect(request.recorded).toBe(spec);
  expect(lockedRequest({ source: spec }, place)).toEqual(request);
});

test("entries are recognized by the repository or folder that a package came from", () => {
  const targetFor = (spec: string, lock = emptyPlace) =>
    targetOf(requestOf(spec, { cwd: "/p" }, place), "mine", "review", lock);
  const about = { packageName: "review", workflow: "mine" };
  expect(targetFor("review")).toEqual(about);
  expect(targetFor("org/review#v1")).toEqual({ ...about, gitUrl: "github:org/review" });
  expect(targetFor("./notes")).toEqual({ ...about, folders: ["/p/notes"] });
  const both = lockWith(emptyPlace, "review", { ...pluginWorkflow("review"), package: "review" });
  expect(targetFor("review", both)).toEqual({ ...about, only: "named" });
  expect(targetFor("./notes", both)).toEqual({ ...about, only: "placed", folders: ["/p/notes"] });
});
