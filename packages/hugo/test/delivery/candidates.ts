import { type Candidate, readCandidate } from "../../src/trust/candidate.ts";
import { tree } from "../tree.ts";

type Files = Readonly<Record<string, string>>;

/** A package that is delivered by copying: conventional folders and no manifest. */
export function copyPackage(version: string, files: Files, packageName = "@org/review"): Candidate {
  const packageJson = JSON.stringify({ name: packageName, version });
  return readCandidate({ packageName, version }, tree({ "package.json": packageJson, ...files }));
}

/** A package that is a plugin with one agent. */
export function pluginPackage(version: string, files: Files = {}, packageName = "@org/review"): Candidate {
  return readCandidate(
    { packageName, version, integrity: `sha512-${version}` },
    tree({
      "package.json": JSON.stringify({ name: packageName, version, main: "index.js" }),
      "workflow.json": JSON.stringify({ agents: ["reviewer"], commands: [], skills: [] }),
      "index.js": "export default async () => ({})",
      "agents/reviewer.md": agent("Reviews."),
      ...files,
    }),
  );
}

export function agent(text: string): string {
  return `---\ndescription: Looks at code\nmode: subagent\n---\n\n${text}\n`;
}
