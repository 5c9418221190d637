// Makes a fresh clone ready: dependencies, real binaries, build. Quick when nothing changed.
// Runs before `npm test`, `npm start` and friends on nothing but Node and npm, so it may import nothing that npm installs.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { oneAtATime } from "./one-at-a-time.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const heavyFolder = join("packages", "testing", "heavy");
const runnersFolder = join("packages", "testing", "runners");

function setup({ heavy, runners }) {
  step("dependencies", manifests(), [npm("install")], () => existsSync(join(root, "node_modules", ".bin", "tsc")));
  repairBinary("bun", ["bun", "install.js"]);
  repairBinary("opencode", ["opencode-ai", "postinstall.mjs"]);
  linkShortCommand();
  if (heavy) installHeavyHosts();
  if (runners) installApart("test runners", runnersFolder);
  run("build", [process.execPath, join("scripts", "build.mjs")], { quiet: true });
}

/** Runs the commands once for each content of `inputs`; a stamp in .build remembers the last one that went well. */
function step(label, inputs, commands, stillThere) {
  const stamp = join(root, ".build", `setup-${label.replaceAll(" ", "-")}`);
  const wanted = createHash("sha256").update(process.version);
  for (const file of inputs) wanted.update(file).update(readFileSync(join(root, file)));
  const hash = wanted.digest("hex");
  if (stillThere() && existsSync(stamp) && readFileSync(stamp, "utf8") === hash) return;
  for (const command of commands) run(label, command);
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, hash);
}

/** Every package.json that npm reads for the workspaces. */
function manifests() {
  const packages = readdirSync(join(root, "packages")).map((name) => join("packages", name, "package.json"));
  return ["package.json", join("bench", "package.json"), ...packages].filter((file) => existsSync(join(root, file)));
}

/** With install scripts switched off (a common npm setting) these packages leave a stub of a few hundred bytes. */
function repairBinary(bin, script) {
  const isStub = statSync(join(root, "node_modules", ".bin", bin)).size < 100_000;
  if (isStub) run(`repair ${bin}`, [process.execPath, join(root, "node_modules", ...script)]);
}

/** `hugo-pm` declares no command `hugo`, since the site generator has one. In the clone the name is free. */
function linkShortCommand() {
  const link = join(root, "node_modules", ".bin", "hugo");
  if (!existsSync(link)) symlinkSync("hugo-pm", link);
}

function installHeavyHosts() {
  if (process.env.SKIP_HEAVY_HOSTS === "1") {
    say("agent SDKs", "skipped, SKIP_HEAVY_HOSTS=1: the Claude and Copilot tests will be skipped too");
    return;
  }
  installApart("agent SDKs", heavyFolder);
}

/** Packages outside the workspaces, in a folder of their own. */
function installApart(label, folder) {
  const manifest = join(folder, "package.json");
  if (!existsSync(join(root, manifest))) return;
  step(label, [manifest], [npm("install", "--prefix", join(root, folder), "--workspaces=false")], () =>
    existsSync(join(root, folder, "node_modules")),
  );
}

// Inside an npm script npm names its own entry point; elsewhere it is on the PATH.
function npm(...args) {
  const entry = process.env.npm_execpath;
  return [...(entry?.endsWith(".js") ? [process.execPath, entry] : ["npm"]), ...args, "--no-audit", "--no-fund"];
}

function run(label, [command, ...args], { quiet = false } = {}) {
  const started = Date.now();
  if (!quiet) say(label, "…");
  const result = spawnSync(command, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"], env: plainEnv() });
  if (result.error) fail(label, result.error.message);
  if (result.status !== 0) fail(label, `${[command, ...args].join(" ")} ended with ${result.signal ?? result.status}`);
  const seconds = (Date.now() - started) / 1000;
  if (!quiet || seconds > 1) say(label, `done in ${seconds.toFixed(1)} s`);
}

/** npm hands its own options down as variables; `npm test --workspace x` must not become `npm install --workspace x`. */
function plainEnv() {
  const inherited = Object.entries(process.env);
  return Object.fromEntries(
    inherited.filter(([name]) => !/^npm_config_(workspace|workspaces|prefix|global)$/i.test(name)),
  );
}

function say(label, text) {
  process.stderr.write(`setup: ${label}: ${text}\n`);
}

function fail(label, why) {
  say(label, `failed: ${why}`);
  process.exit(1);
}

oneAtATime(
  join(root, ".build", "setup.lock"),
  (owner) => say("busy", `process ${owner} is setting up this clone; waiting for it to finish …`),
  () => setup({ heavy: process.argv.includes("--heavy"), runners: process.argv.includes("--runners") }),
);
