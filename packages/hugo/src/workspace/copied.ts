import { PARKING } from "./step.ts";

/** Where copied files may lie below `.opencode`; OpenCode's own files and Hugo's state are not among them. */
export const COPIED: RegExp = new RegExp(`^(?:agents|commands|skills|workflows|${PARKING})/`);
