import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** The license texts of other people's packages whose code is in the bundles, for the file that goes with them. */
export async function thirdPartyLicenses(outputs) {
  const folders = new Set(outputs.flatMap(({ modules }) => Object.keys(modules).flatMap(packageFolder)));
  const texts = await Promise.all([...folders].map(licenseOf));
  if (texts.length === 0) return "The bundled code of this package contains no packages of others.\n";
  const about = "The bundled code of this package contains the packages below, under these licenses.\n";
  return [about, ...texts.toSorted()].join(`\n${"-".repeat(80)}\n\n`);
}

/** For third-party modules; our own packages are not below `node_modules`, which only has links to them. */
function packageFolder(module) {
  const [folder] = /^.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+/.exec(module) ?? [];
  return folder === undefined ? [] : [folder];
}

async function licenseOf(folder) {
  const { name, version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const files = await readdir(folder);
  const file = files.find((each) => /^licen[cs]e/i.test(each));
  const readme = files.find((each) => /^readme/i.test(each));
  // Some packages have their license at the end of the README.
  const text =
    file !== undefined
      ? await readFile(join(folder, file), "utf8")
      : readme && /^#+ *licen[cs]e\s*$([\s\S]*)/im.exec(await readFile(join(folder, readme), "utf8"))?.[1];
  if (!text?.trim()) throw new Error(`${name} is bundled, but ${folder} has no license text.`);
  return `${name} ${version} (${license})\n\n${text.trim()}\n`;
}
