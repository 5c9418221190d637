// Imports one plugin in a fresh process: `import.mjs <file> | work <milliseconds> | nothing`.
const [, , what, milliseconds] = process.argv;

function work() {
  const begun = process.cpuUsage();
  for (;;) {
    const { user, system } = process.cpuUsage(begun);
    if (user + system >= Number(milliseconds) * 1000) return;
  }
}

if (what === "work") work();
else if (what !== "nothing" && (await import(what)).default === undefined) throw new Error(`${what} is not a plugin`);
process.exit(); // some leave things open
