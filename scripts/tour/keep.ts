// `npm start -- --keep`: the project stays, with a shell that has its home and the programs of this clone.
import { chmod } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Project } from "@atomic/testing/project";

interface Kept {
  /** Ralph's run. */
  readonly runId: string;
  /** Magnus Opus's run. */
  readonly name: string;
}

/** Returns what to print. */
export async function keepProject(project: Project, { runId, name }: Kept): Promise<string> {
  const folder = dirname(project.dir);
  const page = join(folder, "timeline.html");
  const { code, stderr } = await project.run(["magnus-opus", "timeline", name, "--html", page]);
  if (code !== 0) throw new Error(`magnus-opus timeline exited with ${code}:\n${stderr}`);
  const shell = join(folder, "shell");
  await project.write(shell, shellScript(project));
  await chmod(shell, 0o755);
  await project.keep();
  return `
The project is kept. Open a shell in it, which has its home and its programs:

  ${shell}

Five things to try there:

  git diff HEAD               what the agents wrote
  hugo status                 which files of the workflows you have changed
  hugo undo                   takes the last installation back
  atomic show ${runId.padEnd(16)}what Ralph did, with the kill in the middle
  magnus-opus status          what Magnus Opus did, phase by phase

The whole run as a page for your browser:

  ${page}

To delete all of it: rm -r ${folder}
`;
}

function shellScript({ dir, env }: Project): string {
  const { PATH = "", ...others } = env;
  const kept = Object.entries(others).filter(([key]) =>
    /^(?:HOME|XDG_\w+|TMPDIR|OPENCODE_\w+|npm_config_\w+)$/.test(key),
  );
  const lines = [...kept, ["PATH", PATH]].map(([key, value]) => `export ${key}='${value?.replaceAll("'", "'\\''")}'`);
  return `#!/bin/sh\n${lines.join("\n")}\ncd '${dir.replaceAll("'", "'\\''")}' && exec "\${SHELL:-/bin/sh}" "$@"\n`;
}
