// The project of the tour: a lemonade stand with a till.

export const stand: Readonly<Record<string, string | object>> = {
  "package.json": { name: "lemonade-stand", private: true, type: "module", scripts: { test: "node --test" } },
  "README.md": "# Lemonade stand\n\nThe till of a lemonade stand. Prices are in cents.\n",
  "src/till.js": "export const prices = { lemonade: 250, cookie: 120 };\n",
  "research/tasks.json": {
    version: "1.0",
    tasks: [
      { id: "total", name: "Add up a cart", status: "pending" },
      { id: "change", name: "Count the change", status: "pending", dependencies: ["total"] },
      { id: "receipt", name: "Print a receipt", status: "pending", dependencies: ["change"] },
    ],
  },
  ".opencode/magnus-opus.json": { tests: { command: ["node", "--test", "test/delivery.test.js"] } },
};

/** What the scripted agents write for each task. Done twice, it would be a syntax error. */
export const written: Readonly<Record<string, string>> = {
  total: `
export function total(cart) {
  return cart.reduce((sum, item) => sum + prices[item], 0);
}
`,
  change: `
export function change(cart, paid) {
  return paid - total(cart);
}
`,
  receipt: `
export function receipt(cart) {
  return [...cart, \`total \${total(cart) / 100}\`].join("\\n");
}
`,
};
