import type { Report } from "@atomic/terminal/command";
import { count } from "@atomic/terminal/count";
import type { Page } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import { safe, safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import { versionLabel } from "../../packages/version-label.ts";
import { noticeLines, warning } from "../shared/notes.ts";
import type { Difference, Verified } from "../shared/verify-workflow.ts";
import type { VerifyResult } from "../verify.ts";

export const verifyReport: Report<VerifyResult> = {
  text,
  notes,
  json: ({ workflows, notices }) => ({
    workflows: workflows.map((each) => ({ ...each, verified: each.differences.every(isLocal) })),
    notices,
  }),
  exitCode: ({ workflows }) => (workflows.every(({ differences }) => differences.every(isLocal)) ? 0 : 1),
  error: ({ workflows }) => {
    const failed = workflows.filter(({ differences }) => !differences.every(isLocal));
    const [first] = failed.flatMap(({ differences }) => differences.filter((each) => !isLocal(each)));
    const names = failed.map(({ name }) => name).join(", ");
    return {
      code: "not-as-installed",
      message: `${count(failed.length, "workflow")} not as hugo.json says: ${names}`,
      at: first?.at,
      hint: first?.next === undefined ? undefined : `Next for ${first.workflow}: ${first.next}`,
    };
  },
};

/** Edits of copied files are their user's right. */
function isLocal({ kind }: Difference): boolean {
  return kind.startsWith("file-");
}

function text({ workflows, folder }: VerifyResult, page: Page): string {
  if (workflows.length === 0) return paragraph(nothingToVerify, page, { indent: "" });
  const hashed = workflows.reduce((sum, each) => sum + each.hashed, 0);
  const failed = workflows.filter(({ differences }) => !differences.every(isLocal));
  const verdict =
    failed.length > 0 ? `${count(failed.length, "workflow")} not as hugo.json says` : fineVerdict(workflows);
  const summary = `${count(workflows.length, "workflow")}, ${count(hashed, "file")} hashed: ${verdict}`;
  return workflows.map((each) => sheet(each, folder, page)).join("") + paragraph(summary, page, { indent: "  " });
}

function fineVerdict(workflows: VerifyResult["workflows"]): string {
  const edits = workflows.reduce((sum, { differences }) => sum + differences.length, 0);
  return edits === 0 ? "all as hugo.json says" : `all as hugo.json says but for ${count(edits, "file")} of yours`;
}

const nothingToVerify = "No workflows are installed, so there is nothing to verify.";

function sheet({ name, version, differences }: Verified, folder: string, page: Page): string {
  const paint = painter(page.colour);
  const isFine = differences.every(isLocal);
  const mark = isFine ? paint("green", "✓") : paint("red", "✗");
  const lines = differences.map((difference) => {
    const { at, detail } = difference;
    const shown = isLocal(difference) ? `${folder}/${at}` : at;
    const where = paint(isLocal(difference) ? "yellow" : "red", safeLine(shown));
    return paragraph(`${where}: ${safeLine(detail)}`, page, { lead: "  ", indent: "    " });
  });
  const title = paragraph(safe`${name} ${versionLabel(version)}`, page, { lead: `${mark} `, indent: "  " });
  return title + lines.join("");
}

function notes({ workflows, notices }: VerifyResult, page: Page): string {
  const steps = workflows.flatMap(({ differences }) =>
    differences.flatMap(({ workflow, next }) => (next === undefined ? [] : [`${workflow}: ${next}`])),
  );
  return [...[...new Set(steps)].map((step) => warning(`Next for ${step}`, page)), ...noticeLines(notices, page)].join(
    "",
  );
}
