import { escapeForTerminal } from "@atomic/terminal/hidden-characters";
import { readOpencodeFrontmatter } from "@atomic/workflows/internal/entities/tools/opencode-frontmatter";
import type { Permission } from "@atomic/workflows/internal/permission/rules";
import { HugoError } from "../../errors.ts";
import { type ContentEntity, type WorkflowContent, workflowModules } from "../../packages/manifest/content.ts";
import { skillFile } from "../../packages/manifest/entity-names.ts";
import type { Manifest } from "../../packages/manifest.ts";
import { prefixed, withPrefix } from "../../packages/prefix.ts";
import type { ResolvedPackage } from "../../packages/resolved-package.ts";
import { type PackageTree, pathsBelow, textOf } from "../../packages/tree.ts";
import { type DeliveredMarkdown, deliverMarkdown } from "./deliver-markdown.ts";
import type { MarkdownFile, Remark } from "./markdown-file.ts";
import { type RenamedParts, renameReferences } from "./own-references.ts";

/** A file of a package on its way into `.opencode`. */
export interface CopiedFile {
  readonly source: string;
  readonly bytes: Uint8Array;
  readonly executable: boolean;
}

/** The files to copy from a package, after translation. */
export interface FilesToDeliver {
  /** By destination below `.opencode`. */
  readonly files: Map<string, CopiedFile>;
  /** What is different in OpenCode, and harmless. */
  readonly notes: readonly TranslationNote[];
  /** What must not be copied, because in OpenCode it could do more than its file says. */
  readonly stopped: readonly StoppedFile[];
  /** The models that were replaced, as the user's settings say. */
  readonly models: ReadonlyMap<string, string>;
}

/** What the user decided about a package's files. With it, the lock gives the same bytes on every machine. */
export interface TranslationTerms {
  /** See `withPrefix`. The manifest already has the names in OpenCode. */
  readonly prefix?: string | undefined;
  /** See `UserSettings`. */
  readonly models?: ReadonlyMap<string, string> | undefined;
}

export interface TranslationNote {
  /** Path in the package. */
  readonly source: string;
  /** `file:line:col` in the package. */
  readonly at: string;
  readonly message: string;
}

export interface StoppedFile {
  /** Path in the package. */
  readonly source: string;
  readonly destination: string;
  /** What it belongs to, such as `agents/reviewer`. A skill is stopped with all its files, for one reason. */
  readonly entity: string;
  /** `file:line:col` in the package, of the restriction that would be lost. */
  readonly at: string;
  readonly because: string;
  readonly hint: string;
}

/** A resolved package together with what OpenCode gets from it. */
export interface TranslatedPackage extends ResolvedPackage {
  /** Of the whole package, whatever was selected. */
  readonly translation: PackageTranslation;
}

/**
 * What OpenCode gets from a package: files for Claude Code are translated once, on first use. Only agents are
 * translated again for each set of user permissions that limits them.
 *
 * @example
 * const { files, notes, stopped } = new PackageTranslation(readManifest(tree), tree).deliver();
 */
export class PackageTranslation {
  readonly manifest: Manifest;
  readonly tree: PackageTree;
  readonly #terms: TranslationTerms;
  readonly #renamed: RenamedParts | undefined;
  readonly #known = new Map<string, DeliveredMarkdown>();

  constructor(manifest: Manifest, tree: PackageTree, terms: TranslationTerms = {}) {
    this.manifest = withPrefix(manifest, terms.prefix);
    this.tree = tree;
    this.#terms = terms;
    const renamed = (entities: readonly ContentEntity[]): Map<string, string> =>
      new Map(entities.map(({ name }) => [name, prefixed(terms.prefix, name)]));
    const { agents, commands, skills } = manifest;
    if (terms.prefix !== undefined) {
      this.#renamed = { agents: renamed(agents), all: renamed([...agents, ...commands, ...skills]) };
    }
  }

  /**
   * The files to copy, by destination. Refuses what OpenCode would crash on or misread, all of it at once. The same
   * package under the same limit always gives the same bytes, so updates merge.
   *
   * @param limit The user's permissions for all agents, which get no more; OpenCode would let the agents' rules win.
   * @param content The selected part of the package.
   */
  deliver(limit?: Permission, content?: WorkflowContent): FilesToDeliver {
    const { problems, ...delivered } = this.look(limit, content);
    const [first] = problems;
    if (first === undefined) return delivered;
    const parts = problems.map(({ at, message }) => ({ at, message: safe(message) }));
    const message = parts.map((part) => `${part.at}: ${part.message}`).join("; ");
    throw new HugoError("content-invalid", { message, at: first.at, hint: first.hint, parts });
  }

  /** The same for read-only callers: refused files stay as they are. */
  look(
    limit: Permission = {},
    content: WorkflowContent = this.manifest,
  ): FilesToDeliver & { readonly problems: readonly Remark[] } {
    const files = filesToCopy(content, this.tree);
    const notes: TranslationNote[] = [];
    const stopped: StoppedFile[] = [];
    const problems: Remark[] = [];
    const inner = new Map(content.skills.map(({ name, path }) => [skillFile(path), name]));
    const models = new Map<string, string>();
    for (const [destination, copied] of [...files]) {
      const entity = entityAt(destination, inner.get(copied.source));
      // A stopped skill has already removed its files.
      if (entity === undefined || !files.has(destination)) continue;
      const delivered = this.#translate(destination, copied, entity, limit);
      if (delivered.kind === "refused") problems.push(delivered.problem);
      if (delivered.kind === "stopped") {
        const { at, message, hint } = delivered.reason;
        // A skill is stopped with all its files.
        const isWhole = entity.type === "skill" && !entity.isInner;
        const lost = isWhole ? [...files.keys()].filter((each) => each.startsWith(`${entity.id}/`)) : [destination];
        for (const each of lost) {
          const source = files.get(each)?.source ?? each;
          stopped.push({ source, destination: each, entity: entity.id, at, because: safe(message), hint });
          files.delete(each);
        }
      }
      if (delivered.kind === "translated") {
        // Keep the package's bytes if nothing changed.
        const bytes = Buffer.from(delivered.text);
        if (!bytes.equals(copied.bytes)) files.set(destination, { ...copied, bytes });
        const { source } = copied;
        notes.push(...delivered.notes.map(({ at, message }) => ({ source, at, message: safe(message) })));
        if (delivered.model !== undefined) models.set(...delivered.model);
      }
    }
    return { files, notes, stopped, models, problems };
  }

  #translate(destination: string, { source }: CopiedFile, entity: Entity, limit: Permission): DeliveredMarkdown {
    const key = entity.type === "agent" ? JSON.stringify([destination, limit]) : destination;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const { type, name, isInner } = entity;
    const text = textOf(this.tree, source);
    let delivered: DeliveredMarkdown;
    if (text === undefined) {
      const hint = "Only the package's author can fix it.";
      delivered = { kind: "refused", problem: { at: `${source}:1:1`, message: "It is not UTF-8 text", hint } };
    } else if (isInner && name === "") {
      delivered = innerSkill(source, text);
    } else {
      const { from } = this.manifest;
      const isMarketplace = from === "marketplace" && this.tree.has(".claude-plugin/marketplace.json");
      const isClaudes = from === "claude-plugin" || isMarketplace || source.startsWith(".claude/");
      const { prefix, models } = this.#terms;
      const own = prefix === undefined ? {} : { ownName: name.slice(prefix.length + 1) };
      const file: MarkdownFile = { type, name, ...own, source, text, isClaudes };
      delivered = deliverMarkdown(file, { limit, models });
      if (this.#renamed !== undefined && delivered.kind === "translated") {
        const { notes, ...before } = delivered;
        const after = renameReferences(file, delivered.text, this.#renamed);
        delivered = after.kind === "stopped" ? after : { ...before, ...after, notes: [...notes, ...after.notes] };
      }
    }
    this.#known.set(key, delivered);
    return delivered;
  }
}

/** Files that make a repository a package but are not part of a skill that is the whole repository. */
const PACKAGING = /^(?:\.|package(?:-lock)?\.json$|bun\.lockb?$|hugo-workflow\.json$)/;

/** Which file goes where, by destination below `.opencode`, before anything is translated. */
export function filesToCopy(content: WorkflowContent, tree: PackageTree): Map<string, CopiedFile> {
  const files = new Map<string, CopiedFile>();
  const add = (destination: string, source: string): void => {
    const file = tree.get(source);
    if (file !== undefined) files.set(destination, { source, ...file });
  };
  for (const folder of ["agents", "commands"] as const) {
    for (const { name, path } of content[folder]) add(`${folder}/${name}.md`, path);
  }
  const skills = new Set(content.skills.map(({ name }) => name));
  for (const { name, path, within } of content.skills) {
    // It is copied with the skill that it is inside of.
    if (within !== undefined && skills.has(within)) continue;
    for (const source of pathsBelow(tree, path)) {
      const within = path === "" ? source : source.slice(path.length + 1);
      if (path !== "" || !PACKAGING.test(source)) add(`skills/${name}/${within}`, source);
    }
  }
  // The selected modules and the files next to them that they use.
  const wanted = new Set(content.workflows?.map(({ path }) => path));
  const modules = new Set(workflowModules(tree.keys()).map(({ path }) => path));
  const beside = wanted.size === 0 ? [] : pathsBelow(tree, "workflows");
  for (const path of beside) if (wanted.has(path) || !modules.has(path)) add(path, path);
  return files;
}

interface Entity {
  readonly type: MarkdownFile["type"];
  readonly name: string;
  /** Such as `skills/review`. */
  readonly id: string;
  /** A SKILL.md further down in a skill. Without a name of its own, OpenCode should not load it. */
  readonly isInner: boolean;
}

/**
 * What OpenCode would load a file as; undefined if OpenCode does not look there.
 *
 * @param skill The name of the skill that the file describes, if the package lists it.
 */
function entityAt(destination: string, skill: string | undefined): Entity | undefined {
  const [, folder, name] = /^(agents|commands)\/(.+)\.md$/.exec(destination) ?? [];
  if (folder !== undefined && name !== undefined) {
    return { type: folder === "agents" ? "agent" : "command", name, id: `${folder}/${name}`, isInner: false };
  }
  const [, outer, inner] = /^skills\/([^/]+)\/(.*\/)?SKILL\.md$/.exec(destination) ?? [];
  if (outer === undefined || /(?:^|\/)\./.test(inner ?? "")) return undefined;
  if (inner === undefined) return { type: "skill", name: outer, id: `skills/${outer}`, isInner: false };
  return { type: "skill", name: skill ?? "", id: skill === undefined ? destination : `skills/${skill}`, isInner: true };
}

/** A SKILL.md without a name inside a skill, which OpenCode should skip. */
function innerSkill(source: string, text: string): DeliveredMarkdown {
  const reading = readOpencodeFrontmatter(text);
  const name = reading.kind === "values" ? reading.values.name : undefined;
  if (reading.kind === "values" && typeof name !== "string") return { kind: "translated", text, notes: [] };
  const message =
    reading.kind === "values"
      ? `OpenCode would load it as a separate skill named ${JSON.stringify(name)}`
      : `It is inside another skill, but OpenCode would still read it: ${reading.because}`;
  const hint = "Its author can move this skill out of the other one or rename this file.";
  return { kind: "stopped", reason: { at: `${source}:1:1`, message, hint } };
}

function safe(text: string): string {
  return escapeForTerminal(text, { singleLine: true });
}
