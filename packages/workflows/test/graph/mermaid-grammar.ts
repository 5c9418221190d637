// The part of Mermaid's flowchart grammar that we write, line by line, to be checked by eye:
//
//   flowchart TD                        first line
//     n1["text"]                        a node, in one of the shapes below
//     n1 --> n2                         an arrow, -.-> if dotted, with |"text"| in the middle
//     subgraph g1["text"] … end         nodes inside a frame, properly nested
//
// Text has no quotes, and everything that is not plain stands there by its number: #35;
const text = String.raw`"(?:[^"#<>&\\${"`"}{}|[\]]|#\d+;|<br\/>)*"`;
const shapes = [
  [String.raw`\(\[`, String.raw`\]\)`],
  [String.raw`\[\[`, String.raw`\]\]`],
  [String.raw`\(\(`, String.raw`\)\)`],
  [String.raw`\{\{`, String.raw`\}\}`],
  [String.raw`\[\/`, String.raw`\/\]`],
  [String.raw`\[`, String.raw`\]`],
  [String.raw`\{`, String.raw`\}`],
].map(([open, close]) => `${open}${text}${close}`);
const node = new RegExp(`^(n\\d+)(?:${shapes.join("|")})$`);
const arrow = new RegExp(`^([ng]\\d+) (?:-->|-\\.->)(?:\\|${text}\\|)? (n\\d+)$`);
const frame = new RegExp(`^subgraph (g\\d+)\\[${text}\\]$`);

/** Lines that are not Mermaid, ids that are not declared or declared twice, frames that do not close. */
export function mermaidProblems(chart: string): string[] {
  const [head, ...lines] = chart.trimEnd().split("\n");
  const problems = head === "flowchart TD" ? [] : [`begins with ${head}`];
  const declared = new Set<string>();
  const used: string[] = [];
  let open = 0;
  for (const line of lines.map((each) => each.trim())) {
    const [, declares] = node.exec(line) ?? frame.exec(line) ?? [];
    const [, from, to] = arrow.exec(line) ?? [];
    if (declares !== undefined) {
      if (declared.has(declares)) problems.push(`declared twice: ${line}`);
      declared.add(declares);
      if (declares.startsWith("g")) open += 1;
    } else if (from !== undefined && to !== undefined) used.push(from, to);
    else if (line === "end" && open > 0) open -= 1;
    else problems.push(`not understood: ${line}`);
  }
  if (open > 0) problems.push("a frame is not closed");
  return [...problems, ...used.filter((id) => !declared.has(id)).map((id) => `not declared: ${id}`)];
}
