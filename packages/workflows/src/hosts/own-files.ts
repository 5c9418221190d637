import { realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";

/** How calls of tools name files and folders. */
const places = ["file_path", "notebook_path", "path", "paths"];

/** Whether a call of a tool that only looks stays in the folder. What it looks for may be a path, too: `glob` has patterns. */
export async function staysInside(folder: string, tool: string, input: unknown): Promise<boolean> {
  const fields = (typeof input === "object" ? input : undefined) as Readonly<Record<string, unknown>> | undefined;
  const named = (tool === "glob" ? [...places, "pattern"] : places).flatMap((place) => fields?.[place] ?? []);
  const inside = await Promise.all(named.map((path) => typeof path === "string" && isInside(folder, path)));
  return inside.every(Boolean);
}

/** A link that leads out of the folder is not of the folder. */
export async function isInside(folder: string, path: string): Promise<boolean> {
  if (path.startsWith("~")) return false;
  const way = relative(await realPath(folder), await realPath(resolve(folder, path)));
  return !isAbsolute(way) && way.split(/[\\/]/)[0] !== "..";
}

/** Of what does not exist, as far as it does. */
async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
    return dirname(path) === path ? path : join(await realPath(dirname(path)), basename(path));
  }
}
