// Follows a guide in a project's terminal, as its reader would.
import type { Project } from "@atomic/testing/project";
import { terminal } from "@atomic/testing/terminal";

/** What Hugo and Atomic ask. */
const question = /^(?:Go ahead\? \[y\/N[^\]]*\]| {2}(?:yes|numbers?|keep)\b.*:) ?$/m;

interface Reader {
  /** Lists have other bullets in a terminal with colours. */
  readonly hasColour?: boolean;
  readonly cwd: string;
  /** What the reader says if the command asks. */
  readonly answer: string;
}

/** What is on the screen when a command has ended. */
export async function typed(
  project: Project,
  command: string,
  { cwd, answer, hasColour = false }: Reader,
): Promise<string> {
  // A reader's registry is in the .npmrc in their home folder.
  const { npm_config_registry: _npm, BUN_CONFIG_REGISTRY: _bun, ...own } = project.env;
  const env = {
    ...own,
    PATH: `${project.path("~/bin")}:${project.env.PATH}`,
    PWD: cwd,
    ...(!hasColour && { NO_COLOR: "1" }),
    TERM: "xterm-256color",
    PAGER: "cat",
  };
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  await using screen = await terminal(["env", "-i", ...variables, "sh", "-c", command], { cols: 120, rows: 50, cwd });
  const asked = screen.waitFor(question, { deadline: 100_000 }).then(
    () => screen.type(`${answer}\r`),
    // It ended without a question.
    () => undefined,
  );
  // A program that serves something is stopped as its last line says.
  const served = screen.waitFor(/press Ctrl-C to stop/, { deadline: 100_000 }).then(
    () => screen.type("\x03"),
    () => undefined,
  );
  await screen.exit;
  await Promise.all([asked, served]);
  return screen.history().join("\n").trimEnd();
}
