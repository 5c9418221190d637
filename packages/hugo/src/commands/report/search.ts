import type { Report } from "@atomic/terminal/command";
import { safe } from "@atomic/terminal/safe-text";
import { type Cell, type Column, formatTable } from "@atomic/terminal/table";
import { paragraph } from "@atomic/terminal/wrap";
import { versionLabel } from "../../packages/version-label.ts";
import type { FoundPackage, SearchResult } from "../search.ts";

export const searchReport: Report<SearchResult> = {
  text: ({ packages, words }, page) => {
    if (packages.length > 0) return formatTable(columns, packages.map(row), page);
    const about = words.length === 0 ? "" : safe` about "${words.join(" ")}"`;
    return paragraph(`The registry knows no workflows${about}.`, page, { indent: "  " });
  },
  notes: ({ packages }, page) => paragraph(packages.length === 0 ? unlisted : next, page, { indent: "" }),
  json: ({ words, packages }) => ({ words, packages }),
  exitCode: () => 0,
};

const unlisted = "Packages without the keyword opencode-workflow are not found, but can be installed by their name.";
const next = "`hugo info <package>` shows what is in one before it is installed.";

const columns: readonly Column[] = [
  { title: "Package" },
  { title: "Version" },
  { title: "Published" },
  { title: "Installed" },
  { title: "Description", least: 10 },
];

function row({ name, version, published, installedAs, description }: FoundPackage): Cell[] {
  const installed: Cell = installedAs === undefined ? "" : { text: installedAs, colour: "green" };
  return [name, versionLabel(version), published?.toISOString().slice(0, 10) ?? "", installed, description];
}
