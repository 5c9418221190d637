import { realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";

/** The fields in which tool calls name files and folders. */
const places = ["file_path", "notebook_path", "path", "paths"];

/** Whether a tool that only looks stays inside the folder. `glob` has paths in its patterns too. */
export async function staysInside(folder: string, tool: string, input: unknown): Promise<boolean> {
  const fields = (typeof input === "object" ? input : undefined) as Readonly<Record<string, unknown>> | undefined;
  const named = (tool === "glob" ? [...places, "pattern"] : places).flatMap((place) => fields?.[place] ?? []);
  const inside = await Promise.all(named.map((path) => typeof path === "string" && isInside(folder, path)));
  return inside.every(Boolean);
}

/** Whether a path is inside the folder. A link that leads out of the folder is not. */
export async function isInside(folder: string, path: string): Promise<boolean> {
  if (path.startsWith("~")) return false;
  const way = relative(await realPath(folder), await realPath(resolve(folder, path)));
  return !isAbsolute(way) && way.split(/[\\/]/)[0] !== "..";
}

/** Resolves links, for a path that does not exist in the part that does. */
async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
    return dirname(path) === path ? path : join(await realPath(dirname(path)), basename(path));
  }
}
