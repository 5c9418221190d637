// A package's README is also shown outside the repository, where `../../docs` leads nowhere. In a tarball, its links are absolute.
import { posix } from "node:path";

export interface LinkTarget {
  /** Web address of the repository. */
  readonly repository: string;
  /** The tag that the links are about, so that they show the documents of that release. */
  readonly ref: string;
  /** The README's folder in the repository: `packages/hugo`. */
  readonly folder: string;
  /** Of a path in the repository; undefined if nothing is there. */
  readonly kindOf: (path: string) => "file" | "folder" | undefined;
}

export interface AbsoluteReadme {
  readonly text: string;
  /** Links that lead nowhere, as they are written. */
  readonly dead: readonly string[];
}

const link = /(!?)(\[(?:[^[\]]|\[[^\]]*\])*\])\((?!\w+:|#)([^)\s#]+)(#[^)\s]*)?\)/g;

export function absoluteLinks(markdown: string, { repository, ref, folder, kindOf }: LinkTarget): AbsoluteReadme {
  const dead: string[] = [];
  const absolute = (text: string): string =>
    text.replace(link, (whole, image: string, label: string, path: string, anchor = "") => {
      const target = posix.join(folder, path).replace(/\/$/, "");
      const kind = kindOf(target);
      if (kind === undefined || target.startsWith("..")) {
        dead.push(path);
        return whole;
      }
      const view = image === "!" ? "raw" : kind === "folder" ? "tree" : "blob";
      return `${image}${label}(${repository}/${view}/${ref}/${target}${anchor})`;
    });
  // Every second part is a fenced block, whose text is shown as it is.
  const parts = markdown.split(/(^```[\s\S]*?^```$)/m);
  return { text: parts.map((part, at) => (at % 2 === 0 ? absolute(part) : part)).join(""), dead };
}

/** Links that only work inside a repository. */
export function relativeLinks(markdown: string): string[] {
  const parts = markdown.split(/(^```[\s\S]*?^```$)/m).filter((_, at) => at % 2 === 0);
  return parts.flatMap((part) => [...part.matchAll(link)].map(([, , , path = ""]) => path));
}
