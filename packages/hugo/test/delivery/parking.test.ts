import { describe, expect, test } from "bun:test";
import type { LockedFile } from "@atomic/workflows/internal/hugo-lock/lock";
import { hashOf } from "../../src/packages/hash.ts";
import { besideOf, type FileStep, parkedPath, planParking, planReturn } from "../../src/workspace/copied-files.ts";
import { refusal } from "../refusal.ts";
import { describeStep } from "./describe-step.ts";

const path = "agents/reviewer.md";
const beside = besideOf(path);
const installed = (base: string): LockedFile => ({ kind: "installed", source: path, base: hashOf(base) });
const skipped: LockedFile = { kind: "skipped", source: path };
const v1 = "one\ntwo\nthree\n";
const v2 = "one\ntwo\nTHREE\n";
const edited = "ONE\ntwo\nthree\n";
const clash = "one\ntwo\ntres\n";

describe("disabling a copied workflow", () => {
  const parked = parkedPath("review", path);
  const file = (text: string, executable = false) => ({ bytes: Buffer.from(text), executable });
  const recorded = new Map([[path, installed(v1)]]);
  const given = (disk: Record<string, ReturnType<typeof file>>, others: string[] = []) => ({
    workflow: "review",
    recorded,
    disk: new Map(Object.entries(disk)),
    othersOf: () => others,
  });
  const moved = (from: string, to: string, text: string) => `write ${to}=${JSON.stringify(text)}; delete ${from}`;

  test("parks its files, local edits included", () => {
    expect(planParking(given({ [path]: file(edited) })).map(describeStep)).toEqual([
      `parked; ${moved(path, parked, edited)}; base`,
    ]);
  });

  test("also parks the version next to a file", () => {
    const steps = planParking(given({ [path]: file(clash), [beside]: file(v2) }));
    expect(steps.map(describeStep)).toEqual([
      `parked; ${moved(path, parked, clash)}; ${moved(beside, `${parked}.hugo-new`, v2)}; base`,
    ]);
  });

  test("leaves a file that another workflow still uses", () => {
    const [step] = planParking(given({ [path]: file(v1) }, ["b"]));
    expect(step).toMatchObject({ verdict: "parked", because: "shared", changes: [{ kind: "write", path: parked }] });
  });

  test.each([
    ["deleted", { [`${parked}.hugo-new`]: file("edited") }, "kept-deleted"],
    ["put back by hand", { [parked]: file(v1), [path]: file(v1), [`${parked}.hugo-new`]: file("edited") }, "adopted"],
    ["parked", { [parked]: file(v1), [`${parked}.hugo-new`]: file("edited") }, "restored"],
  ])("brings the version beside a file back though the file is %s", (_, disk, verdict) => {
    const [step] = planReturn(given(disk));
    expect(step?.verdict).toBe(verdict as FileStep["verdict"]);
    expect(describeStep(step!)).toContain(moved(`${parked}.hugo-new`, beside, "edited"));
  });

  test("never overwrites a version beside a file", () => {
    const disk = { [parked]: file(v1), [`${parked}.hugo-new`]: file("edited"), [beside]: file("other") };
    expect(refusal(() => planReturn(given(disk))).message).toContain(`.opencode/${beside} is in the way`);
    const [step] = planReturn(given({ ...disk, [beside]: file("edited") }));
    expect(step?.changes.map(({ kind, path: at }) => `${kind} ${at}`)).toContain(`delete ${parked}.hugo-new`);
  });

  test("has nothing to do for a file that is deleted or was skipped", () => {
    expect(planParking(given({})).map(describeStep)).toEqual(["parked; base"]);
    expect(planParking({ ...given({}), recorded: new Map([[path, skipped]]) })).toEqual([]);
  });

  test("stops when something is left over where it would park", () => {
    const error = refusal(() => planParking(given({ [path]: file(v1), [parked]: file("old") })));
    expect(error).toMatchObject({ code: "file-taken", at: `.opencode/${parked}` });
  });

  test("and enabling it brings the same bytes back", () => {
    const before = { [path]: file(edited, true), [beside]: file(v2) };
    const apply = (disk: Map<string, ReturnType<typeof file>>, steps: readonly FileStep[]) => {
      const next = new Map(disk);
      for (const change of steps.flatMap(({ changes }) => changes)) {
        if (change.kind === "delete") next.delete(change.path);
        else next.set(change.path, { bytes: Buffer.from(change.bytes), executable: change.executable });
      }
      return next;
    };
    const off = given(before);
    const parkedDisk = apply(off.disk, planParking(off));
    expect([...parkedDisk.keys()]).toEqual([parked, `${parked}.hugo-new`]);
    const back = planReturn({ ...off, disk: parkedDisk });
    expect(apply(parkedDisk, back)).toEqual(new Map(Object.entries(before)));
  });

  test("and enabling it keeps a deleted file deleted", () => {
    expect(planReturn(given({})).map(describeStep)).toEqual(["kept-deleted; base"]);
  });

  test("and enabling it adopts the identical file", () => {
    expect(planReturn(given({ [path]: file(v1), [parked]: file(v1) })).map(describeStep)).toEqual([
      `adopted; delete ${parked}; base`,
    ]);
  });

  test.each<[string[], string]>([
    [[], "not created by Hugo"],
    [["b"], 'belongs to workflow "b"'],
  ])("and enabling it stops at another file in its place (owners %j)", (others, problem) => {
    const error = refusal(() => planReturn(given({ [path]: file("other"), [parked]: file(v1) }, others)));
    expect(error.code).toBe("file-taken");
    expect(error.message).toContain(problem);
  });
});
