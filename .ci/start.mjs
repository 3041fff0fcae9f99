// `npm start`: `annals start`, in this very process. package.json gives it a larger young generation: most of what is
// streamed is garbage within a second, and is not copied about until then. The old one is looked through when it is 2.2
// times what was alive in it, not 4 times. One thread helps with that: four take the processors of a small machine from
// the runs meanwhile. What Maglev has compiled with is let go of where it was asked for: that one thread comes to it late,
// and keeps some 50 MB of what it has freed.
process.argv.splice(2, 0, 'start');
await import('./annals.mjs');
