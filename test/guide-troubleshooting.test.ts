// Every message in the guide to troubleshooting is one that the programs really print: each command is run, and compared.
// `UPDATE=1 bun test test/guide-troubleshooting.test.ts` writes into it what is really printed.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type NpmRegistry, npmRegistry } from "@atomic/testing/npm-registry";
import { type Project, tmpProject } from "@atomic/testing/project";
import { type CertificateKind, rootCertificate, tlsServer } from "@atomic/testing/tls-server";
import { offerAtomic } from "./guides/atomic.ts";
import { installPrograms, offer, removePrograms } from "./guides/installed-programs.ts";
import * as packages from "./guides/packages.ts";
import { parseGuide, withShown } from "./guides/parse-guide.ts";
import { typed } from "./guides/reader.ts";

setDefaultTimeout(180_000);
beforeAll(installPrograms, 180_000);
afterAll(removePrograms);

const root = dirname(import.meta.dir);

const servers = new AsyncDisposableStack();
afterAll(() => servers.disposeAsync());

/** Instead of the registry, with a certificate of this kind. */
async function answersInstead(kind: CertificateKind, project: Project, settings = ""): Promise<void> {
  const { url } = servers.use(await tlsServer(kind, (_, response) => void response.end("{}")));
  await project.write("~/.npmrc", `registry=${url}\n${settings}`);
}

const npmrcOf = (registry: NpmRegistry): string => `${registry.npmrc}audit=false\nfund=false\nloglevel=error\n`;

const meanwhile: Readonly<Record<string, (registry: NpmRegistry, project: Project) => unknown>> = {
  "a company's proxy answers for the registry": (_, project) => answersInstead("unknown authority", project),
  "the certificate has expired": async (_, project) => {
    await project.write("~/company.pem", rootCertificate);
    await answersInstead("expired", project, `cafile=${project.path("~/company.pem")}\n`);
  },
  "the registry answers again": (registry, project) => project.write("~/.npmrc", npmrcOf(registry)),
  "@acme/code-review 1.2.1 is published": (registry) => registry.publish(packages.codeReview121),
  "@acme/notes 1.0.0 is published": (registry) => registry.publish(packages.notes100),
  "the merge is aborted": (_, project) => rmSync(project.path(".opencode/hugo.json")),
  // From here on, the reader's PATH has Node and our programs only.
  "OpenCode is not installed": async (_, project) => {
    const link = 'mkdir "$HOME/only" && ln -s "$(command -v node)" "$HOME/only/node"';
    expect(await project.run(["sh", "-c", link])).toMatchObject({ code: 0 });
  },
};

test("the guide to troubleshooting shows what the programs really print", async () => {
  const file = join(root, "docs/guide/troubleshooting.md");
  const text = readFileSync(file, "utf8");
  await using registry = await npmRegistry();
  await using project = await tmpProject({ registry });
  await offer(project, "hugo");
  await offerAtomic(project);
  await offer(project, "magnus-opus");
  await project.write("~/.npmrc", npmrcOf(registry));
  const really = new Map<number, string>();
  for (const step of parseGuide(text)) {
    if (step.kind === "file") await project.write(step.path, step.text);
    else if (step.kind === "meanwhile") await meanwhile[step.what]!(registry, project);
    else {
      const path = existsSync(project.path("~/only")) ? 'PATH="$HOME/bin:$HOME/only"; ' : "";
      const screen = await typed(project, `${path}${step.typed}`, { cwd: project.dir, answer: "y" });
      const shown = normalized(screen, project, registry);
      really.set(step.line, shown);
      if (!process.env.UPDATE) expect(`$ ${step.typed} ${loose(shown)}`).toBe(`$ ${step.typed} ${loose(step.shown)}`);
    }
  }
  expect(really.size).toBeGreaterThan(20);
  if (process.env.UPDATE) writeFileSync(file, withShown(text, really));
});

/** Replaces what differs between runs and machines with a fixed example. */
function normalized(text: string, project: Project, registry: NpmRegistry): string {
  return text
    .replaceAll(registry.url, "https://npm.acme.example/")
    .replaceAll(/https:\/\/127\.0\.0\.1:\d+\//g, "https://npm.acme.example/")
    .replaceAll(/(?<=The registry )127\.0\.0\.1:(?!9 )\d+/g, "npm.acme.example")
    .replaceAll(project.dir, "/home/me/shop")
    .replaceAll(project.home, "/home/me")
    .replaceAll(/(--yes=)[0-9a-f]{64}(?:-[0-9a-f]{4}){4}/g, "$1…")
    .replaceAll(/20\d\d-\d\d-\d\d \d\d:\d\d UTC/g, "2031-05-04 09:30 UTC")
    .replaceAll(/ +$/gm, "");
}

/** Times differ, and with them where lines are broken. */
function loose(text: string): string {
  return text.replaceAll(/\b\d+(?:\.\d+)?m?s\b/g, "…s").replaceAll(/\s+/g, " ");
}
