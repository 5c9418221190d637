import type { Report } from "@atomic/terminal/command";
import { count } from "@atomic/terminal/count";
import { formatMessage } from "@atomic/terminal/failure";
import type { Page } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import { safe, safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import { versionLabel } from "../../packages/version-label.ts";
import type { InfoResult } from "../info.ts";
import { errorOf, type Failed } from "../shared/failed.ts";
import { circumstanceNotes, warning } from "../shared/notes.ts";
import { asDelivered, titledCapabilities } from "./capabilities.ts";
import { translationWarnings } from "./file-outcomes.ts";
import { formatPairs, type Pair } from "./pairs.ts";

export const infoReport: Report<InfoResult> = {
  text,
  notes,
  json: (result) => result,
  exitCode: ({ problem }) => problem?.exitCode ?? 0,
  error: ({ problem }) => errorOf(problem === undefined ? [] : [problem], "cannot be installed"),
};

function text(info: InfoResult, page: Page): string {
  const paint = painter(page.colour);
  const title = paint("bold", safe`${info.name} ${versionLabel(info.version)}`);
  const facts: readonly (readonly [string, string])[] = [
    ["about", info.description ?? ""],
    ["package", info.package],
    ["source", info.source === info.package ? "" : info.source],
    ["version", versionLabel(info.version) === `v${info.version}` ? "" : info.version],
    ["content", info.hash],
    ["integrity", info.integrity ?? ""],
    ["installed", info.installed === undefined ? "no" : installed(info.installed)],
    ["delivery", delivery(info)],
    ["agents", info.agents.join(", ")],
    ["commands", info.commands.map((name) => `/${name}`).join(", ")],
    ["skills", info.skills.join(", ")],
    ["workflows", info.workflows?.join(", ") ?? ""],
    ["size", `${count(info.files, "file")}, ${count(info.bytes, "byte")}`],
  ];
  const known = facts.filter(([, value]) => value !== "");
  const lead = "  ";
  const pairs = known.map(
    ([name, value]): Pair => ({ lead, subject: name, subjectColour: "dim", text: safeLine(value) }),
  );
  return `${paragraph(title, page, { indent: "  " })}${formatPairs(pairs, page)}${titledCapabilities(asDelivered(info.capabilities, info.delivery.kind), { isMore: false }, page)}`;
}

function installed({ version, enabled }: NonNullable<InfoResult["installed"]>): string {
  return `${versionLabel(version)}, ${enabled ? "enabled" : "disabled"}`;
}

function delivery({ delivery, manifest }: InfoResult): string {
  const contents = manifest === "folders" ? "contents from its folders" : `contents from ${manifest}`;
  if (delivery.kind === "copy") return `copied to OpenCode's folders, ${contents}`;
  return `a plugin that OpenCode loads (${delivery.entry}), ${contents}`;
}

function cannotBeInstalled(problem: Failed, page: Page): string {
  const lead = `${painter(page.colour)("yellow", "Warning:")} It cannot be installed: `;
  return formatMessage(problem, page, lead) + paragraph(safeLine(problem.hint), page, { lead: "  ", indent: "    " });
}

function notes(info: InfoResult, page: Page): string {
  const { problem } = info;
  return [
    problem === undefined ? "" : cannotBeInstalled(problem, page),
    ...info.collisions.map(({ message }) => warning(message, page)),
    translationWarnings(info, page),
    ...circumstanceNotes({ dryRun: false, notices: info.notices }, page),
  ].join("");
}
