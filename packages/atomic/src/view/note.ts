import type { Json } from "@atomic/workflows/run/json";

const longest = 200;

/** What a step last said of itself, in a line. Not yet safe for a terminal; empty if it is nothing for people. */
export function noteText(note: Json | undefined): string {
  if (typeof note === "string") return lastLine(note);
  if (typeof note !== "object" || note === null || Array.isArray(note)) return "";
  const { type, text, tool, input, ok } = note as { readonly [key: string]: Json };
  if (type === "text" && typeof text === "string") return lastLine(text);
  if (type === "tool-started" && typeof tool === "string") return shorten(`${tool} ${detailOf(input)}`.trimEnd());
  if (type === "tool-ended" && typeof tool === "string") return `${tool} ${ok === false ? "failed" : "is done"}`;
  return "";
}

function lastLine(text: string): string {
  return shorten(text.trimEnd().split("\n").at(-1)?.trim() ?? "");
}

/** A command, a path, …: whatever text comes first. */
function detailOf(input: Json | undefined): string {
  if (typeof input === "string") return input;
  if (typeof input !== "object" || input === null) return "";
  return Object.values(input).find((value): value is string => typeof value === "string") ?? "";
}

function shorten(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
