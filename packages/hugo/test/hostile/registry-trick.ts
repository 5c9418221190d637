// What registry tricks are made of.
import type { PackageToPublish } from "@atomic/testing/npm-registry";
import type { Asked, Lie, LyingRegistry } from "./lying-registry.ts";

/** Where a trick is set up. */
export interface Lab {
  readonly registry: LyingRegistry;
  /** JavaScript that leaves a mark when it is loaded. */
  readonly mark: string;
}

export interface RegistryTrick {
  /** Completes "a registry with …". */
  readonly what: string;
  /** The packages, by default a plugin. A fair variant is the same without the trick. */
  publish?(name: string, lab: Lab, isFair: boolean): void;
  /** What the registry says that is not so. */
  lie?(name: string, lab: Lab): Promise<Lie> | Lie;
  /** What Hugo says about it. Without it, it installs what it shows. */
  readonly says?: string | RegExp;
  /** What the question names. */
  readonly shows?: (name: string) => string;
  /** OpenCode on its own loads the attacker's code: the entry in its config. */
  readonly fools?: (name: string) => string;
  /** What `hugo ci` says to a teammate, who asks the registry again. */
  readonly ciSays?: string;
}

export const exact = (name: string): string => `${name}@1.0.0`;
export const tool = (name: string): string => `${name}-tool`;

/** Adds an agent whose prompt says whose code it is. */
export function code(name: string, prompt: string, before = ""): string {
  return `${before}export default { id: "${name}", server: async () => ({
    config: async (config) => { config.agent = { ...config.agent, "${name}": { description: "d", prompt: ${prompt} } }; },
  }) };\n`;
}

type Whose = "shown" | "evil";

interface PluginOptions {
  readonly version?: string;
  readonly manifest?: object;
  readonly files?: Readonly<Record<string, string>>;
  /** Takes the prompt from this module. */
  readonly imports?: string;
  readonly whose?: Whose;
}

export function plugin(name: string, { mark }: Pick<Lab, "mark">, options: PluginOptions = {}): PackageToPublish {
  const { version = "1.0.0", manifest, files, imports, whose = "shown" } = options;
  const before = imports === undefined ? "" : `import { whose } from "${imports}";\n`;
  const prompt = imports === undefined ? `"${whose}"` : "whose";
  return {
    name,
    version,
    manifest: { type: "module", main: "plugin.js", ...manifest },
    files: {
      "workflow.json": JSON.stringify({ agents: [name] }),
      [`agents/${name}.md`]: "---\ndescription: d\n---\nHelp.\n",
      "plugin.js": code(name, prompt, whose === "evil" ? mark + before : before),
      ...files,
    },
  };
}

/** A package that a plugin's code imports. */
export function library(
  name: string,
  { mark }: Pick<Lab, "mark">,
  whose: Whose,
  more: Partial<PackageToPublish> = {},
): PackageToPublish {
  return {
    name,
    version: "1.0.0",
    ...more,
    manifest: { type: "module", main: "index.js", ...more.manifest },
    files: { "index.js": `${whose === "evil" ? mark : ""}export const whose = "${whose}";\n`, ...more.files },
  };
}

/** The attacker has the same package with other code. */
export const both = (name: string, lab: Lab): void => {
  lab.registry.good.publish(plugin(name, lab));
  lab.registry.evil.publish(plugin(name, lab, { whose: "evil" }));
};

type Json = Record<string, unknown>;

/** All that a registry says about a package. */
export interface Document extends Json {
  readonly versions: Record<string, Json & { readonly dist: Json }>;
  readonly "dist-tags": Record<string, string>;
}

/** Changes what the registry says about a package. */
export function document(change: (document: Document, asked: Asked) => void): Pick<Required<Lie>, "edit"> {
  return {
    edit: (answer, asked) => {
      if (asked.kind !== "packument" || answer.status !== 200) return;
      const said = JSON.parse(answer.body.toString("utf8")) as Document;
      change(said, asked);
      answer.body = Buffer.from(JSON.stringify(said));
    },
  };
}

/** Adds to what the registry says about version 1.0.0. */
export const release = (more: object): Lie => document(({ versions }) => void Object.assign(versions["1.0.0"]!, more));
export const dist = (more: object): Lie =>
  document(({ versions }) => void Object.assign(versions["1.0.0"]!.dist, more));

export const isHugo = ({ headers }: Asked): boolean => headers["user-agent"] === "hugo-pm";
export const MISMATCH = "does not match the registry's checksum";
