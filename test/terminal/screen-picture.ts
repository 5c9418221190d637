// A screen as a picture, drawn by a browser: every cell in its place and its colors.
import { installedChromium, launchChromium } from "@atomic/testing/chromium";
import type { Terminal } from "@atomic/testing/terminal";
import type { ScreenCell } from "@atomic/testing/terminal/screen";

const [cellWidth, cellHeight] = [9, 19];
const colours: Readonly<Record<string, string>> = { default: "", black: "#000", white: "#eee" };

/** The temporary project of a test is the reader's. */
const project = /\/\S*\/atomic-\w+\/project(?::main)?/g;

function rowOf(term: Terminal, y: number): readonly ScreenCell[] {
  const cells = Array.from({ length: term.cols }, (_, x) => term.cell(x, y));
  // One character for each cell, so places in the text are places in the row.
  const text = cells.map(({ char }) => (char.length === 1 ? char : "\0")).join("");
  for (const { 0: found, index } of text.matchAll(project)) {
    for (const [at, char] of [..."~/shop".padEnd(found.length)].entries()) {
      cells[index + at] = { ...cells[index + at]!, char };
    }
  }
  return cells;
}

function screenPage(term: Terminal): string {
  const colour = (name: string, otherwise: string): string =>
    colours[name] || (name.startsWith("#") ? name : otherwise);
  const cells = Array.from({ length: term.rows }, (_, y) => rowOf(term, y)).flatMap((row, y) =>
    row.map(({ char, width, fg, bg, bold, inverse }, x) => {
      if (width === 0) return "";
      const [ink, paper] = [colour(fg, "#eeeeee"), colour(bg, "#0a0a0a")];
      const place = `left:${x * cellWidth}px;top:${y * cellHeight}px;width:${width * cellWidth}px`;
      const paint = inverse ? `color:${paper};background:${ink}` : `color:${ink};background:${paper}`;
      const letter = char.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
      return `<i style="${place};${paint}${bold ? ";font-weight:bold" : ""}">${letter}</i>`;
    }),
  );
  const size = `width:${term.cols * cellWidth}px;height:${term.rows * cellHeight}px`;
  const style = `body{margin:0;background:#0a0a0a}div{position:relative;overflow:hidden;${size}}
i{position:absolute;height:${cellHeight}px;overflow:hidden;white-space:pre;font:15px/${cellHeight}px "DejaVu Sans Mono",monospace}`;
  return `<!doctype html><meta charset="utf-8"><style>${style}</style><div>${cells.join("")}</div>`;
}

export async function takePicture(term: Terminal, path: string): Promise<void> {
  const chromium = installedChromium();
  if (!chromium.available) throw new Error(`No picture was taken: ${chromium.reason}`);
  await using browser = await launchChromium();
  const viewport = { width: term.cols * cellWidth, height: term.rows * cellHeight };
  const { page } = await browser.open("about:blank", { viewport });
  await page.setContent(screenPage(term));
  await page.screenshot({ path });
}
