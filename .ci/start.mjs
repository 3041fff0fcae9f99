// `npm start`: `annals start`, in this very process. package.json gives V8 less than it would take by itself: with half the
// young generation it is as fast under load, and 40 MB smaller. The old one is looked through when it is 2.2 times what was
// alive in it, not 4 times. One thread helps with that: four take the processors of a small machine from the runs meanwhile.
process.argv.splice(2, 0, 'start');
await import('./annals.mjs');
