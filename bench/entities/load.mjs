// One job in a fresh process, on Node or on Bun: `load.mjs <job> <project> <number of files>`. Plain JavaScript, because Node 20
// runs nothing else, and everything is imported late, because importing is part of the job.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const [, , job, project, count] = process.argv;

const jobs = {
  nothing: () => count,
  registry: async () => {
    const { createEntityRegistry } = await import("@atomic/workflows/entities");
    createEntityRegistry();
    return count;
  },
  atomic: async () => {
    const { initializeWorkflowsSDK } = await import("@atomic/workflows/entities");
    const registry = await initializeWorkflowsSDK({ projectPath: project, userPath: join(dirname(project), "home") });
    const withName = (type, name) => (registry.get(type, name) === undefined ? 0 : 1);
    const found = withName("command", "group-0:claude-command-0") + withName("agent", "claude-agent-000001");
    return found === 2 ? registry.entries().filter(({ source }) => source.location !== "builtin").length : 0;
  },
  "gray-matter": async () => {
    const { default: matter } = await import("gray-matter");
    // With options it does not remember texts that it has seen.
    return parseEach((text) => matter(text, {}).data);
  },
  "js-yaml": async () => {
    const { load } = await import("js-yaml");
    return parseEach((text) => load(frontmatterOf(text)));
  },
  yaml: async () => {
    const { parse } = await import("yaml");
    return parseEach((text) => parse(frontmatterOf(text)));
  },
  read: () => parseEach(() => ({ metadata: true })),
  "read-promises": async () => {
    const { readFile } = await import("node:fs/promises");
    const files = listFiles(project);
    let next = 0;
    const read = async () => {
      while (next < files.length) await readFile(files[next++], "utf8");
    };
    await Promise.all(Array.from({ length: 32 }, read));
    return files.length;
  },
};

const loaded = await jobs[job]();
if (Number(loaded) !== Number(count)) throw new Error(`${job} found ${loaded} of ${count} files`);

function parseEach(parse) {
  const files = listFiles(project);
  return files.filter((file) => parse(readFileSync(file, "utf8")).metadata !== undefined).length;
}

function frontmatterOf(text) {
  return text.slice(4, text.indexOf("\n---\n", 4));
}

function listFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return listFiles(path);
    return entry.name.endsWith(".md") ? [path] : [];
  });
}
