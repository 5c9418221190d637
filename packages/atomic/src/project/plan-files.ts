// What `atomic init` writes, decided from what is there.
import { DurableError } from "@atomic/durable-files/errors";
import { editJsonc } from "@atomic/durable-files/jsonc/edit";
import { parseJsonc } from "@atomic/durable-files/jsonc/parse";
import { placeOf } from "@atomic/durable-files/jsonc/position";
import { toValue } from "@atomic/durable-files/jsonc/value";
import { type EntityNames, printEntityNames } from "@atomic/workflows/internal/graph/entity-names-file";
import { planTsconfig, type TsconfigChain } from "./tsconfig.ts";

/** Paths from the project, as people and tools write them. */
export const projectPaths = {
  workflows: ".atomic/workflows",
  firstWorkflow: ".atomic/workflows/release.ts",
  names: ".atomic/entity-names.d.ts",
  ownTsconfig: ".atomic/tsconfig.json",
  tsconfig: "tsconfig.json",
  packageJson: "package.json",
} as const;

export interface FoundProject {
  readonly packageJson: string | undefined;
  /** What a package.json farther up lists, as in the root of a monorepo. */
  readonly listedAbove: ReadonlySet<string>;
  readonly tsconfig: TsconfigChain | undefined;
  readonly hasOwnTsconfig: boolean;
  readonly hasWorkflows: boolean;
  /** Whether the file of names is there and has these names. */
  readonly hasNames: boolean;
}

export interface ProjectContent {
  readonly names: EntityNames;
  readonly firstWorkflow: string;
  readonly tsconfig: string;
  /** The dev dependencies, with their versions. */
  readonly packages: Readonly<Record<string, string>>;
}

export interface ProjectFile {
  readonly path: string;
  readonly did: "created" | "changed" | "kept";
  /** Its new text; undefined if it is kept. */
  readonly text?: string;
  /** What was added, or why nothing was. */
  readonly remark: string;
}

export function planFiles(found: FoundProject, content: ProjectContent): readonly ProjectFile[] {
  const { firstWorkflow, workflows, names, ownTsconfig, tsconfig, packageJson } = projectPaths;
  const kept = (path: string, remark: string): ProjectFile => ({ path, did: "kept", remark });
  const first: ProjectFile = found.hasWorkflows
    ? kept(workflows, "has workflows already")
    : { path: firstWorkflow, did: "created", text: content.firstWorkflow, remark: "a first workflow" };
  const types: ProjectFile = found.hasNames
    ? kept(names, "has all names")
    : { path: names, did: "created", text: printEntityNames(content.names), remark: "names as types" };
  const plan = found.tsconfig && planTsconfig(found.tsconfig);
  let config: ProjectFile = { path: ownTsconfig, did: "created", text: content.tsconfig, remark: "for your editor" };
  if (plan?.kind === "apart")
    config = { ...config, remark: `for your editor; tsconfig.json stays as it is: ${plan.because}` };
  if (plan?.kind === "include")
    config = { path: tsconfig, did: "changed", text: plan.text, remark: "includes .atomic" };
  if (plan?.kind === "covered") config = kept(tsconfig, "includes .atomic already");
  if (found.hasOwnTsconfig) config = kept(ownTsconfig, "already there");
  return [first, types, config, withPackages(found, content.packages, packageJson)];
}

const dependencyKinds = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];

function withPackages(
  { packageJson: text, listedAbove }: FoundProject,
  packages: ProjectContent["packages"],
  path: string,
): ProjectFile {
  if (text !== undefined) refuseJsonc(text, path);
  const present = text === undefined ? new Set<string>() : packagesIn(text, path);
  const missing = Object.entries(packages).filter(([name]) => !present.has(name) && !listedAbove.has(name));
  const added = `devDependencies, for your editor and CI: ${missing.map(([name]) => name).join(", ")}`;
  if (missing.length === 0) return { path, did: "kept", remark: "already has its dev dependencies" };
  if (text === undefined) {
    const created = { private: true, devDependencies: Object.fromEntries(missing) };
    return { path, did: "created", text: `${JSON.stringify(created, null, 2)}\n`, remark: added };
  }
  const edits = missing.map(
    ([name, range]) => ({ op: "set", path: ["devDependencies", name], value: range, sorted: true }) as const,
  );
  return { path, did: "changed", text: editJsonc(text, edits, { file: path }), remark: added };
}

/** Node and npm read only plain JSON, so a package.json with more than that would not work afterwards either. */
function refuseJsonc(text: string, file: string): void {
  parseJsonc(text, { file });
  const marks = text.matchAll(/"(?:[^"\\]|\\.)*"|\/[/*]|,(?=\s*[}\]])/g);
  const found = [...marks].find(([mark]) => !mark.startsWith('"'));
  if (found === undefined) return;
  const at = placeOf(text, { start: found.index }, file);
  throw new DurableError("syntax", {
    message: `${at}: ${found[0] === "," ? "a comma before the closing bracket" : "a comment"} is not allowed in package.json`,
    at,
    hint: "Remove it, then try again. Nothing was changed.",
  });
}

/** The packages that a package.json lists. */
export function packagesIn(text: string, file: string): ReadonlySet<string> {
  const { root } = parseJsonc(text, { file });
  const value = root === undefined ? null : toValue(root);
  const manifest = (typeof value === "object" && value !== null ? value : {}) as Readonly<Record<string, unknown>>;
  const lists = dependencyKinds.map((kind) => manifest[kind]);
  return new Set(lists.flatMap((list) => (typeof list === "object" && list !== null ? Object.keys(list) : [])));
}
