import { NAME_PREFIX } from "@atomic/workflows/internal/hugo-lock/lock-parts";
import { HugoError } from "../errors.ts";
import type { ContentEntity, WorkflowContent } from "./manifest/content.ts";

/** Refuses a text that cannot start a name in OpenCode. */
export function checkPrefix(prefix: string): string {
  if (NAME_PREFIX.test(prefix)) return prefix;
  throw new HugoError("name-invalid", {
    message: `${JSON.stringify(prefix)} is not a prefix for names in OpenCode`,
    hint: "Use up to 30 lower-case letters, digits and single hyphens, such as --prefix acme.",
  });
}

/**
 * The name under a prefix.
 *
 * @example
 * prefixed("acme", "review"); // "acme-review"
 */
export function prefixed(prefix: string | undefined, name: string): string {
  return prefix === undefined ? name : `${prefix}-${name}`;
}

/** The contents under their names in OpenCode. */
export function withPrefix<Content extends WorkflowContent>(content: Content, prefix: string | undefined): Content {
  return prefix === undefined ? content : renamed(content, (name) => prefixed(prefix, name));
}

/** The contents under their own names again. */
export function withoutPrefix<Content extends WorkflowContent>(content: Content, prefix: string | undefined): Content {
  return prefix === undefined ? content : renamed(content, (name) => name.slice(prefix.length + 1));
}

function renamed<Content extends WorkflowContent>(content: Content, rename: (name: string) => string): Content {
  const all = (entities: readonly ContentEntity[]): ContentEntity[] =>
    entities.map((entity) => ({
      ...entity,
      name: rename(entity.name),
      ...(entity.within !== undefined && { within: rename(entity.within) }),
    }));
  const member = (path: string): string =>
    path.replace(/^(agents|commands|skills)\/(.+)$/, (_, folder: string, name: string) => `${folder}/${rename(name)}`);
  const { agents, commands, skills, plugins } = content;
  return {
    ...content,
    agents: all(agents),
    commands: all(commands),
    skills: all(skills),
    ...(plugins !== undefined && {
      plugins: plugins.map((plugin) => ({ ...plugin, members: plugin.members.map(member) })),
    }),
  };
}
