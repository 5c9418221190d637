// The folder of @atomic/workflows is for development: its exports lead Bun to the sources. What is published is written elsewhere.
console.error("Run `npm run setup`, then pack or publish .build/packages/workflows instead of this folder.");
process.exit(1);
