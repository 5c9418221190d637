import { describe, expect, test } from "bun:test";
import { barChart } from "../harness/chart.ts";
import { report } from "./figures.ts";
import { xmlProblems } from "./xml.ts";

/** Width of the wall and CPU bar of each contestant, in order. */
function bars(svg: string): number[] {
  return [...svg.matchAll(/<rect class="(?:peer|ours)(?: cpu)?" x="\d+(?:\.\d+)?" y="\d+" width="([\d.]+)"/g)]
    .map((match) => Number(match[1]))
    .filter((width) => width !== 22); // the legend's swatches
}

describe("the chart", () => {
  test("is well-formed", () => {
    expect(xmlProblems(barChart(report({ node: 60, bun: 4 })))).toEqual([]);
  });

  test("escapes what people put into names and titles", () => {
    const nasty = `<script>"&amp;'\u0007\u001b`;
    const svg = barChart(report({ [nasty]: 1, [`${nasty}2`]: 2 }, { title: nasty }));
    expect(xmlProblems(svg)).toEqual([]);
    expect(svg).not.toContain("<script>");
    expect(svg).toContain("&lt;script&gt;&quot;&amp;amp;'");
  });

  test("says value and ratio of each contestant, and who is the baseline", () => {
    const svg = barChart(report({ node: 60, bun: 4 }));
    expect(svg).toContain("60 ms</tspan>  baseline");
    expect(svg).toContain("4.0 ms</tspan>  0.067×");
    expect(svg).toContain("CPU 2.0 ms");
  });

  test("draws bars in proportion to the time, CPU beside wall", () => {
    const [slow, slowCpu, quick, quickCpu] = bars(barChart(report({ slow: 40, quick: 10 })));
    expect(slow! / quick!).toBeCloseTo(4, 1);
    expect(slow! / slowCpu!).toBeCloseTo(2, 1);
    expect(quick! / quickCpu!).toBeCloseTo(2, 1);
  });

  test("keeps far apart values visible with a logarithmic scale, and says so", () => {
    const svg = barChart(report({ slow: 10_000, quick: 0.5 }));
    expect(svg).toContain("logarithmic scale");
    expect(Math.min(...bars(svg))).toBeGreaterThan(10);
    expect(barChart(report({ slow: 40, quick: 10 }))).not.toContain("logarithmic");
  });

  test("has colours for light and dark pages and a ground of its own", () => {
    const svg = barChart(report({ a: 1 }));
    expect(svg).toContain("@media (prefers-color-scheme: dark)");
    expect(svg).toContain('class="card"');
  });

  test("is the same text for the same figures", () => {
    expect(barChart(report({ a: 1, b: 2 }))).toBe(barChart(report({ a: 1, b: 2 })));
  });
});

describe("the XML check itself", () => {
  test.each([
    ["<a><b></a></b>", "</a> closes <b>"],
    ["<a>", "<a> is never closed"],
    ["<a>x & y</a>", '"&" in text'],
    ["<a b=c/>", "malformed tag <a b=c/>"],
    ["<a>\u0007</a>", '"\\u0007" in text'],
  ])("finds what is wrong in %p", (xml, problem) => {
    expect(xmlProblems(xml)).toContain(problem);
  });
});
