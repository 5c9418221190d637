// The one document of `atomic ui`, and the policy that it is served with.
import { createHash } from "node:crypto";
import { element, htmlOf } from "@atomic/workflows/internal/view/page-element";
import { pageStyle } from "@atomic/workflows/internal/view/page-style";
import { liveStyle, runStyle } from "./draw/style.ts";

export interface LivePage {
  readonly html: string;
  /** Nothing but the page's own script and style counts, and nothing is loaded from elsewhere. */
  readonly policy: string;
}

/** @param script What the build makes of `browser/main.ts`. */
export function livePage(project: string, script: string): LivePage {
  const style = pageStyle + runStyle + liveStyle;
  // Only code of our own is between the tags, and it cannot close them.
  if (/<\/(?:script|style)/i.test(script + style))
    throw new Error("The page's script or style would end its own element.");
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>atomic</title>
<link rel="icon" href="${icon}">
<style>${style}</style>
</head>
${htmlOf(element("body", { "data-project": project }, element("div", { id: "page" }, element("noscript", {}, "This page needs JavaScript."))))}
<script type="module">${script}</script>
</html>
`;
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
  return { html, policy };
}

const circle =
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><circle cx='8' cy='8' r='6' fill='%233758c9'/></svg>";
const icon = `data:image/svg+xml,${circle.replaceAll("<", "%3C").replaceAll(">", "%3E")}`;

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
