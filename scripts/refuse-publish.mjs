// A package's folder is for development: what strangers get is written elsewhere, and checked there.
console.error(
  "Run `npm run pack` for the tarballs. `npm run release` publishes them (CONTRIBUTING.md), never this folder.",
);
process.exit(1);
