// A clone's .npmrc decides where packages come from, and may ask for your tokens: you approve that once per project.
import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { readTextForEdit } from "@atomic/durable-files/files/read-for-edit";
import { transaction } from "@atomic/durable-files/transaction/transaction";
import { AgentRefused } from "@atomic/terminal/agent-at-keyboard";
import type { Approval, Context, User } from "../../context.ts";
import { HugoError } from "../../errors.ts";
import { acceptedReports, reportHash } from "../../report-hash.ts";
import { redact } from "../redact.ts";
import { objectOrEmpty } from "./packument.ts";
import {
  isRegistryKey,
  type ProjectSettings,
  type RegistrySettings,
  readRegistrySettings,
  type UnapprovedSetting,
} from "./settings.ts";

type Answer = "approved" | "declined" | "nobody";

/** The settings for a request. Asks before a registry that only the project has chosen gets a name or a token. */
export async function registrySettings(context: Context): Promise<RegistrySettings> {
  const { files, environment, project } = readRegistrySettings(context);
  if (project === undefined) return { values: new Map([...files, ...environment]), notices: [] };
  const { name, unapproved } = project;
  const notices = [...project.notices];
  const values = new Map(project.values);
  const answer = unapproved.length === 0 ? "approved" : await answerOnce(context, project, notices);
  if (answer !== "approved") {
    // Without it, a private name would go to the public registry.
    if (unapproved.some(({ key }) => isRegistryKey(key))) throw refusal(context, project, answer);
    for (const { key } of unapproved) values.delete(key);
  }
  // Also of what you approved earlier or with --yes: the packages and your token go there.
  for (const setting of unapproved) {
    notices.push(
      answer === "approved"
        ? `Because of this project's ${name}, ${meaningOf({ ...setting, insteadOf: undefined })}`
        : `A line in ${name} was ignored, because you have not approved it: ${capitalized(meaningOf(setting))}.`,
    );
  }
  return { values: new Map([...files, ...values, ...environment]), notices };
}

/** What was answered in this command: several requests ask one question. */
const answers = new WeakMap<User, Map<string, Promise<Answer>>>();

async function answerOnce(context: Context, project: ProjectSettings, notices: string[]): Promise<Answer> {
  const known = answers.get(context.user) ?? new Map<string, Promise<Answer>>();
  answers.set(context.user, known);
  const key = `${project.file}\n${fingerprint(project)}`;
  const answer = known.get(key) ?? ask(context, project, notices);
  known.set(key, answer);
  return await answer;
}

async function ask(context: Context, project: ProjectSettings, notices: string[]): Promise<Answer> {
  const { user } = context;
  const memory = new ApprovedProjects(context);
  if (memory.has(project)) return "approved";
  const request = questionAbout(project);
  try {
    user.refuseAgent?.(`"${request.title}"`);
  } catch (error) {
    const isNeeded = project.unapproved.some(({ key }) => isRegistryKey(key));
    if (isNeeded || !(error instanceof AgentRefused)) throw error;
    return "nobody";
  }
  // You have not seen the question, so the next command without --yes asks it.
  const hash = reportHash(request);
  if (user.yes === true || (typeof user.yes === "string" && user.yes.split(",").includes(hash))) {
    acceptedReports(user).add(hash);
    return "approved";
  }
  const answer = await user.approve(request);
  if (answer !== "approved") return answer;
  try {
    await memory.add(project);
  } catch (error) {
    if (!(error instanceof DurableError)) throw error;
    notices.push(`Your approval of ${project.name} could not be saved, so Hugo will ask again: ${error.message}`);
  }
  return answer;
}

function questionAbout({ name, unapproved }: ProjectSettings): Approval {
  return {
    title: `Use the registry settings in this project's ${name}`,
    capabilities: [],
    notes: [
      ...unapproved.map((setting) => `${capitalized(meaningOf(setting))}.`),
      "If you did not write this project, its author chose this. Hugo asks again only if these lines change.",
    ],
  };
}

function meaningOf({ key, text, variables, insteadOf }: UnapprovedSetting): string {
  const yours = `your ${variables.join(" and ")}`;
  if (isRegistryKey(key)) {
    const packages = key === "registry" ? "packages" : `packages in ${key.slice(0, key.indexOf(":"))}`;
    const sent = variables.length === 0 ? "" : `, which gets ${yours}`;
    const instead = insteadOf === undefined ? "" : `, not from ${redact(insteadOf)}`;
    return `${packages} come from ${redact(text)}${sent}${instead}`;
  }
  const place = key.slice("//".length, key.lastIndexOf(":"));
  return variables.length > 0
    ? `${yours} is sent to ${place}`
    : `Hugo logs in to ${place} with credentials from this file`;
}

function capitalized(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

function refusal({ user }: Context, project: ProjectSettings, answer: "declined" | "nobody"): HugoError {
  const { file, name } = project;
  // Everything that the approval is about, as in the question: also which of your variables are sent.
  const what = project.unapproved.map(meaningOf).join("; ");
  const instead = "To decide it for all projects, set the registry in ~/.npmrc.";
  if (answer === "declined") {
    return new HugoError("declined", {
      message: `This project's ${name} was declined: ${what}`,
      at: file,
      hint: `Nothing was changed. ${instead}`,
    });
  }
  // Commands that change nothing have no --yes.
  const isForAll = project.unapproved.some(({ key }) => key === "registry");
  const otherwise =
    user.yes === undefined
      ? `${isForAll ? ", or set npm_config_registry to the address that you want" : ""}`
      : typeof user.yes === "string"
        ? `, or add this hash to --yes if you trust this project: ${reportHash(questionAbout(project))}`
        : ", or with --yes if you trust this project";
  return new HugoError("not-approved", {
    message: `This project's ${name} needs your approval, but this is not an interactive terminal: ${what}`,
    at: file,
    hint: `Run the command in a terminal${otherwise}. ${instead}`,
  });
}

/** Everything that was approved: other lines need another approval. */
function fingerprint({ unapproved }: ProjectSettings): string {
  const lines = unapproved.map(({ key, text, insteadOf }) => [key, text, insteadOf]);
  return `sha256:${createHash("sha256").update(JSON.stringify(lines)).digest("hex")}`;
}

/** In your own state folder, where no project can approve itself. */
class ApprovedProjects {
  readonly #folder: string;
  readonly #file: string;

  constructor({ home, env }: Pick<Context, "home" | "env">) {
    const { XDG_STATE_HOME: state } = env;
    this.#folder = join(state && isAbsolute(state) ? state : join(home, ".local/state"), "hugo");
    this.#file = join(this.#folder, "approved-registries.json");
  }

  has(project: ProjectSettings): boolean {
    return this.#read().projects[project.file] === fingerprint(project);
  }

  async add(project: ProjectSettings): Promise<void> {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const { projects, hash } = this.#read();
    const content = { version: 1, projects: { ...projects, [project.file]: fingerprint(project) } };
    await transaction(this.#folder, [
      { path: this.#file, content: `${JSON.stringify(content, null, 2)}\n`, expect: hash, mode: 0o600 },
    ]);
  }

  #read() {
    const { text, hash } = readTextForEdit(this.#file);
    try {
      return { projects: objectOrEmpty(objectOrEmpty(JSON.parse(text || "{}")).projects), hash };
    } catch (error) {
      // Without a readable record, nothing is approved; the next approval writes it anew.
      if (error instanceof SyntaxError) return { projects: {} as Readonly<Record<string, unknown>>, hash };
      throw error;
    }
  }
}
