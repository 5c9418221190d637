import { describe, expect, test } from "bun:test";
import type { LockedFile } from "@atomic/workflows/internal/hugo-lock/lock";
import { chooseName, type DeliveryOptions, decide, type Newcomer } from "../../src/delivery/decide.ts";
import type { DeliveryDecision } from "../../src/delivery/decision.ts";
import { selectContents } from "../../src/packages/selection.ts";
import type { Candidate } from "../../src/trust/candidate.ts";
import { WorkspaceDraft } from "../../src/workspace/draft.ts";
import { lockedRequest } from "../../src/workspace/request.ts";
import type { WorkspaceSnapshot } from "../../src/workspace/snapshot.ts";
import { refusal } from "../refusal.ts";
import { agent, copyPackage, pluginPackage } from "./candidates.ts";
import { after, type Memory, memoryView } from "./memory-view.ts";

const install: DeliveryOptions = {
  source: "@org/review",
  target: { packageName: "@org/review" },
  folder: "/p/.opencode/.hugo/store/review-0123/node_modules/@org/review",
  isEnabled: true,
  modified: "merge",
  restoreDeleted: true,
};
const update: DeliveryOptions = { ...install, restoreDeleted: false };
const files = { "agents/reviewer.md": agent("One.\n\nTwo.\n\nThree."), "commands/review.md": "Look.\n" };
const base = copyPackage("1.0.0", files);

/** What is there after a first package was installed, with what the user made of it. */
function installed(
  candidate: Candidate,
  edits: Readonly<Record<string, string | undefined>> = {},
  options = install,
): WorkspaceSnapshot {
  const decision = decide(memoryView(), candidate, options);
  const disk = new Map(
    decision.files.flatMap((change) => (change.kind === "write" ? [[change.path, textOf(change)]] : [])),
  );
  for (const [path, text] of Object.entries(edits)) text === undefined ? disk.delete(path) : disk.set(path, text);
  const memory: Memory = {
    lock: decision.lock,
    configs: Object.fromEntries([...decision.configs].map(([path, text]) => [path, text ?? ""])),
    files: Object.fromEntries(disk),
    bases: decision.bases.map(({ bytes }) => Buffer.from(bytes).toString()),
  };
  return memoryView(memory);
}

function textOf({ bytes }: { readonly bytes: Uint8Array }): string {
  return Buffer.from(bytes).toString();
}

/** The name that a package would get. */
function nameOf(
  view: WorkspaceSnapshot,
  source: string,
  newcomer: Newcomer,
  options: { readonly force?: boolean; readonly replace?: boolean } = {},
): string {
  return chooseName(view, lockedRequest({ source }, view.place), newcomer, {
    force: false,
    replace: false,
    ...options,
  });
}

function verdicts({ steps }: DeliveryDecision): Record<string, string> {
  return Object.fromEntries(steps.map(({ destination, verdict }) => [destination, verdict]));
}

function written({ files }: Pick<DeliveryDecision, "files">): Record<string, string> {
  return Object.fromEntries(
    files.map((change) => [change.path, change.kind === "delete" ? "(deleted)" : textOf(change)]),
  );
}

function recorded({ lock }: DeliveryDecision, name = "review"): Record<string, LockedFile["kind"]> {
  const delivery = lock.workflows.get(name)?.delivery;
  const kinds = delivery?.kind === "copy" ? [...delivery.files].map(([path, { kind }]) => [path, kind]) : [];
  return Object.fromEntries(kinds);
}

describe("the first installation", () => {
  test("of a plugin writes its pin and everything known about it", () => {
    const candidate = pluginPackage("1.0.0");
    const { lock, configs, files } = decide(memoryView(), candidate, install);
    expect(lock.workflows.get("review")).toEqual({
      package: "@org/review",
      source: "@org/review",
      version: "1.0.0",
      integrity: "sha512-1.0.0",
      tree: candidate.hash,
      delivery: { kind: "plugin" },
      agents: ["reviewer"],
      commands: [],
      skills: [],
    });
    expect([...configs.keys()]).toEqual(["/p/opencode.json"]);
    expect(files).toEqual([]);
  });

  test("of a copy writes its files, keeps their bases, and leaves the configs alone", () => {
    const decision = decide(memoryView(), base, install);
    expect(written(decision)).toEqual(files);
    expect(decision.bases.map(({ bytes }) => Buffer.from(bytes).toString()).sort()).toEqual(
      Object.values(files).sort(),
    );
    expect(decision.configs.size).toBe(0);
  });

  test("leaves a file that Hugo did not write alone, and records that it is missing", () => {
    const view = memoryView({ files: { "agents/reviewer.md": "mine" } });
    const decision = decide(view, base, install);
    expect(verdicts(decision)).toEqual({ "agents/reviewer.md": "skipped", "commands/review.md": "added" });
    expect(recorded(decision)).toEqual({ "agents/reviewer.md": "skipped", "commands/review.md": "installed" });
  });

  test("adopts a file that is already what it should be", () => {
    const decision = decide(memoryView({ files }), base, install);
    expect(verdicts(decision)).toEqual({ "agents/reviewer.md": "adopted", "commands/review.md": "adopted" });
    expect(decision.files).toEqual([]);
  });

  test("is refused over a file of another workflow, by that workflow's name", () => {
    const other = copyPackage("1.0.0", { "agents/reviewer.md": agent("Other.") }, "other");
    const error = refusal(() => decide(installed(other), base, install));
    expect(error.message).toBe('.opencode/agents/reviewer.md already exists from workflow "other"');
  });

  test("takes only what was chosen", () => {
    const selection = ["commands/review"];
    const decision = decide(memoryView(), selectContents(base, selection), { ...install, selection });
    expect(Object.keys(written(decision))).toEqual(["commands/review.md"]);
    expect(decision.lock.workflows.get("review")).toMatchObject({ selection, agents: [], commands: ["review"] });
  });
});

describe("what is already installed", () => {
  test("is refused", () => {
    const error = refusal(() => nameOf(installed(base), "@org/review", base));
    expect([error.code, error.exitCode]).toEqual(["already-installed", 1]);
    expect(error.hint).toContain("hugo install --force @org/review");
  });

  test("is refused under the name of another package, even by force", () => {
    const other = copyPackage("1.0.0", files, "@other-org/review");
    const there = installed(other, {}, { ...install, source: "@other-org/review" });
    const error = refusal(() => nameOf(there, "@org/review", base, { force: true }));
    expect(error.message).toBe(
      'Workflow name "review" conflicts with already-installed workflow from package "@other-org/review".',
    );
    expect(error.hint).toBe(
      "To have both: `hugo install @org/review --as org-review`. To use this one instead: `hugo install @org/review --replace`. Nothing was changed.",
    );
    expect([error.code, error.exitCode]).toEqual(["name-taken", 3]);
    expect(nameOf(there, "@org/review", base, { replace: true })).toBe("review");
    expect(nameOf(there, "@org/review", { ...base, name: "mine" })).toBe("mine");
  });

  test("is complete after a forced install: deleted files return, edits stay", () => {
    const mine = files["agents/reviewer.md"].replace("Two.", "Mine.");
    const view = installed(base, { "agents/reviewer.md": mine, "commands/review.md": undefined });
    expect(nameOf(view, "@org/review@^2.0.0", base, { force: true })).toBe("review");
    const decision = decide(view, base, install);
    expect(written(decision)).toEqual({ "commands/review.md": "Look.\n" });
    expect(verdicts(decision)).toEqual({ "agents/reviewer.md": "unchanged", "commands/review.md": "added" });
  });

  test("is enabled by force, with the edits that were parked with it", () => {
    const parked = installed(base, {}, { ...install, isEnabled: false });
    const mine = files["agents/reviewer.md"].replace("Two.", "Mine.");
    const view: WorkspaceSnapshot = memoryView({
      lock: parked.lock,
      files: { "hugo-disabled/review/agents/reviewer.md": mine, "hugo-disabled/review/commands/review.md": "Look.\n" },
      bases: Object.values(files),
    });
    const next = copyPackage("1.1.0", { ...files, "agents/reviewer.md": agent("One!\n\nTwo.\n\nThree.") });
    const draft = after(view, decide(view, next, install)).changes("install");
    expect(written({ files: draft?.files ?? [] })).toEqual({
      "agents/reviewer.md": agent("One!\n\nMine.\n\nThree."),
      "commands/review.md": "Look.\n",
      "hugo-disabled/review/agents/reviewer.md": "(deleted)",
      "hugo-disabled/review/commands/review.md": "(deleted)",
    });
    expect(draft?.lock.workflows.get("review")?.delivery).toMatchObject({ parked: false });
  });
});

describe("an update of a copy", () => {
  const next = copyPackage("1.1.0", {
    "agents/reviewer.md": agent("One!\n\nTwo.\n\nThree."),
    "skills/diff/SKILL.md": "---\nname: diff\ndescription: d\n---\n",
  });

  test("updates, adds and removes", () => {
    const decision = decide(installed(base), next, update);
    expect(verdicts(decision)).toEqual({
      "agents/reviewer.md": "updated",
      "commands/review.md": "removed",
      "skills/diff/SKILL.md": "added",
    });
    expect(decision.lock.workflows.get("review")).toMatchObject({ version: "1.1.0", skills: ["diff"], commands: [] });
  });

  test("puts local edits and new ones together", () => {
    const mine = files["agents/reviewer.md"].replace("Three.", "Mine.");
    const decision = decide(installed(base, { "agents/reviewer.md": mine }), next, update);
    expect(written(decision)["agents/reviewer.md"]).toBe(agent("One!\n\nTwo.\n\nMine."));
  });

  test("lays what cannot be merged beside the file", () => {
    const mine = files["agents/reviewer.md"].replace("One.", "Mine.");
    const decision = decide(installed(base, { "agents/reviewer.md": mine }), next, update);
    expect(verdicts(decision)["agents/reviewer.md"]).toBe("conflict");
    expect(written(decision)["agents/reviewer.md.hugo-new"]).toBe(agent("One!\n\nTwo.\n\nThree."));
  });

  test("skips edited files if the user asks for it", () => {
    const mine = files["agents/reviewer.md"].replace("Three.", "Mine.");
    const decision = decide(installed(base, { "agents/reviewer.md": mine }), next, { ...update, modified: "skip" });
    expect(verdicts(decision)["agents/reviewer.md"]).toBe("skipped");
  });

  test("keeps deleted what the user deleted", () => {
    const decision = decide(installed(base, { "agents/reviewer.md": undefined }), next, update);
    expect(verdicts(decision)["agents/reviewer.md"]).toBe("kept-deleted");
  });

  test("of a disabled one works on the parked files, and nothing appears where OpenCode looks", () => {
    const disabled = { ...update, isEnabled: false };
    const view = installed(base, {}, { ...install, isEnabled: false });
    const decision = decide(view, next, disabled);
    expect(Object.keys(written(decision)).sort()).toEqual([
      "hugo-disabled/review/agents/reviewer.md",
      "hugo-disabled/review/commands/review.md",
      "hugo-disabled/review/skills/diff/SKILL.md",
    ]);
    expect(decision.lock.workflows.get("review")?.delivery).toMatchObject({ kind: "copy", parked: true });
  });
});

describe("a package that changes its delivery", () => {
  test("from copy to plugin leaves only edited files behind", () => {
    const view = installed(base, { "commands/review.md": "Mine.\n" });
    const decision = decide(view, pluginPackage("2.0.0"), update);
    expect(written(decision)).toEqual({ "agents/reviewer.md": "(deleted)" });
    expect(verdicts(decision)).toEqual({ "agents/reviewer.md": "removed", "commands/review.md": "left" });
    expect([...decision.configs.keys()]).toEqual(["/p/opencode.json"]);
    expect(decision.lock.workflows.get("review")?.delivery).toEqual({ kind: "plugin" });
  });

  test("from plugin to copy removes its entry", () => {
    const decision = decide(installed(pluginPackage("1.0.0")), base, update);
    expect([...decision.configs]).toEqual([["/p/opencode.json", undefined]]);
    expect(decision.lock.configs.size).toBe(0);
    expect(written(decision)).toEqual(files);
  });

  test("stays disabled on the way, in both directions", () => {
    const parked = installed(base, {}, { ...install, isEnabled: false });
    const asPlugin = decide(parked, pluginPackage("2.0.0"), { ...update, isEnabled: false });
    expect(asPlugin.configs.size).toBe(0);
    const back = decide(after(parked, asPlugin), base, { ...update, isEnabled: false });
    expect(Object.keys(written(back)).every((path) => path.startsWith("hugo-disabled/review/"))).toBe(true);
  });
});

test("several packages see each other and become one change", () => {
  const drafted = new WorkspaceDraft(memoryView());
  const optionsOf = (name: string): DeliveryOptions => ({
    ...install,
    source: name,
    target: { packageName: name },
    folder: `/p/.opencode/.hugo/store/${name}`,
  });
  drafted.apply(decide(drafted, pluginPackage("1.0.0"), optionsOf("@org/review")));
  drafted.apply(decide(drafted, pluginPackage("1.0.0", {}, "other"), optionsOf("other")));
  drafted.apply(decide(drafted, copyPackage("1.0.0", files, "third"), optionsOf("third")));
  const draft = drafted.changes("install 3");
  expect(JSON.parse(draft?.configs?.get("/p/opencode.json") ?? "")).toMatchObject({
    plugin: ["./.opencode/.hugo/store/@org/review", "./.opencode/.hugo/store/other"],
  });
  expect([...(draft?.lock.workflows.keys() ?? [])]).toEqual(["review", "other", "third"]);
  expect([...(draft?.lock.configs ?? [])]).toEqual([["opencode.json", "file"]]);
  const check = { "plugins/hugo-check.js": expect.stringContaining("Written by Hugo") };
  expect(written({ files: draft?.files ?? [] })).toEqual({ ...files, ...check });
});

test("an empty decision changes nothing", () => {
  expect(new WorkspaceDraft(memoryView()).changes("nothing")).toBeUndefined();
});
