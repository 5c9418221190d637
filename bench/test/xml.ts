/** Answers what is not well-formed in an XML text: enough of the rules for documents without comments and CDATA. */
export function xmlProblems(xml: string): string[] {
  const problems: string[] = [];
  const open: string[] = [];
  for (const [, markup, content] of xml.matchAll(/<([^<>]*)>|([^<>]+|[<>])/g)) {
    if (content !== undefined) problems.push(...textProblems(content));
    else if (markup!.startsWith("/")) closeTag(markup!.slice(1));
    else if (!/^[a-z]+(\s+[\w:-]+="[^"<]*")*\s*\/?$/i.test(markup!)) problems.push(`malformed tag <${markup}>`);
    else if (!markup!.endsWith("/")) open.push(markup!.split(/\s/, 1)[0]!);
  }
  return [...problems, ...open.map((tag) => `<${tag}> is never closed`)];

  function closeTag(tag: string): void {
    const expected = open.pop();
    if (tag !== expected) problems.push(`</${tag}> closes <${expected}>`);
  }
}

function textProblems(content: string): string[] {
  const bare = content.match(/&(?!(amp|lt|gt|quot|apos|#\d+);)/g) ?? [];
  const control = content.match(/[^\P{Cc}\t\n\r]/gu) ?? [];
  const angle = content.match(/^[<>]$/g) ?? [];
  return [...bare, ...control, ...angle].map((found) => `${JSON.stringify(found)} in text`);
}
