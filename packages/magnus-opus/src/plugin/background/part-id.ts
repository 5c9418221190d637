import { randomBytes } from "node:crypto";

let parts = 0;

/** OpenCode orders parts by their id, which begins with the time. */
export function partId(): string {
  parts = (parts + 1) % 0x1000;
  const time = (BigInt(Date.now()) * 0x1000n + BigInt(parts)).toString(16).padStart(12, "0").slice(-12);
  return `prt_${time}${randomBytes(7).toString("hex")}`;
}
