import { expect, test } from "bun:test";
import fc from "fast-check";
import { type MagnusEvent, readEvent } from "../../src/run/event.ts";
import { timelineHtml } from "../../src/timeline/html.ts";
import { timelineText } from "../../src/timeline/text.ts";
import { randomEvents, withPersons } from "../run/arbitrary-events.ts";
import { startEvent, started } from "../run/simulated-run.ts";
import { eventfulRun, runWithOddEvents, waitingRun } from "./eventful-run.ts";

/** What a parser makes of it: the elements with their attributes, in order. */
async function elementsOf(html: string): Promise<readonly { name: string; attributes: Record<string, string> }[]> {
  const elements: { name: string; attributes: Record<string, string> }[] = [];
  const rewriter = new HTMLRewriter().on("*", {
    element: (element) =>
      void elements.push({ name: element.tagName, attributes: Object.fromEntries(element.attributes) }),
  });
  await rewriter.transform(new Response(html)).text();
  return elements;
}

test("the page has no scripts, handlers, forms or URLs", async () => {
  for (const events of [eventfulRun(), runWithOddEvents(), []]) {
    const elements = await elementsOf(timelineHtml(events));
    const names = new Set(elements.map(({ name }) => name));
    for (const name of ["script", "link", "img", "iframe", "object", "embed", "form", "base", "a"])
      expect(names).not.toContain(name);
    const attributes = new Set(elements.flatMap((element) => Object.keys(element.attributes)));
    expect([...attributes].filter((name) => /^on|^(src|href|srcset|data|action|xlink:href)$/.test(name))).toEqual([]);
  }
});

test("the page cannot load anything, even if markup got through", async () => {
  const elements = await elementsOf(timelineHtml(eventfulRun()));
  const policy = elements.find(({ attributes }) => attributes["http-equiv"] === "Content-Security-Policy");
  expect(policy?.attributes.content).toStartWith("default-src 'none'; style-src 'unsafe-inline'");
  expect(timelineHtml(eventfulRun())).not.toMatch(/url\(|@import/);
});

test("the same events give the same page", () => {
  expect(timelineHtml(eventfulRun())).toBe(timelineHtml(eventfulRun()));
});

test("a waiting run has a page, and so do events without a run", () => {
  expect(timelineHtml(waitingRun())).toContain("lacks the user&#39;s approval");
  expect(timelineHtml([])).toContain("These events do not belong to a run.");
});

test("every journal that can be read has a timeline, however it came about", () => {
  const first = startEvent();
  const read = (events: readonly MagnusEvent[]) => events.flatMap((event) => readEvent(event) ?? []);
  const moved = withPersons.map((moves) => moves.flatMap((move) => move(started()) ?? []));
  fc.assert(
    fc.property(fc.oneof(randomEvents, moved), fc.constantFrom(30, 80, undefined), (events, columns) => {
      const all = [first, ...read(events)];
      const text = timelineText(all, columns === undefined ? { colour: true } : { columns, colour: true });
      expect(text).toContain("Phases");
      expect(timelineHtml(all)).toEndWith("</html>\n");
      expect(timelineHtml(all)).not.toMatch(/NaN|undefined|Infinity/);
    }),
    { numRuns: 60 },
  );
});
