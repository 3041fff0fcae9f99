// `npm start`: `annals start`, in this very process.
process.argv.splice(2, 0, 'start');
await import('./annals.mjs');
