// The rooms of the house: a file imports from its own library or from a lower floor, never in a circle.
const floors = [
  ['domain', 'platform', 'proof'],
  ['event-log', 'json-schema', 'http', 'openai-face', 'workflow'],
  ['postgres', 'projections'],
  ['eventstoredb', 'vault', 'access', 'sealer', 'witness'],
  ['read-models', 'extraction'],
  ['knowledge'],
  ['agent'],
  ['openai-model', 'mcp'],
  ['runs', 'delivery'],
  ['replicas'],
];
const path = (rooms) => `^libs/(${rooms.join('|')})/`;
const rules = floors.flatMap((rooms, floor) =>
  rooms.map((room) => ({
    name: `floor-${floor}-${room}`,
    comment: `libs/${room} may use its own files and lower floors only`,
    severity: 'error',
    from: { path: path([room]) },
    to: { path: ['^libs/', '^apps/'], pathNot: path([room, ...floors.slice(0, floor).flat()]) },
  })),
);

module.exports = {
  forbidden: [
    ...rules,
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'library-by-its-index',
      comment:
        'another library is imported by its name (#domain), which is its index, or by its door for browsers',
      severity: 'error',
      from: { path: '^(?:libs|apps)/([^/]+)/' },
      to: {
        path: '^libs/(?!$1/)[^/]+/src/',
        pathNot: ['^libs/$1/', '/index\\.ts$', '^libs/(?:domain|proof)/src/browser\\.ts$'],
      },
    },
    {
      name: 'not-its-own-index',
      severity: 'error',
      from: { path: '^libs/([^/]+)/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^libs/$1/src/index\\.ts$' },
    },
    {
      name: 'domain-is-pure',
      comment: 'libs/domain has no I/O and no framework',
      severity: 'error',
      from: { path: '^libs/domain/', pathNot: '\\.spec\\.ts$' },
      to: {
        dependencyTypes: ['npm', 'npm-dev', 'core'],
        pathNot: ['node_modules/(croner|re2js|ajv)/', '^(node:)?crypto$'],
      },
    },
    {
      name: 'folds-run-anywhere',
      comment: 'the console folds with libs/projections and libs/workflow: no package, nothing of Node.js',
      severity: 'error',
      from: { path: '^libs/(projections|workflow)/', pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['npm', 'npm-dev', 'core'] },
    },
    {
      name: 'folds-by-the-door-for-browsers',
      severity: 'error',
      from: { path: '^libs/(projections|workflow)/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^libs/domain/src/', pathNot: '/browser\\.ts$' },
    },
    {
      name: 'edge-knows-no-feature',
      comment: 'the HTTP shell is what every feature stands on',
      severity: 'error',
      from: { path: '^apps/server/src/edge/' },
      to: { path: '^apps/server/src/', pathNot: '^apps/server/src/(edge/|version\\.ts$)' },
    },
    {
      name: 'features-are-composed',
      comment: 'a feature is given what it needs; what it offers to other features stands in its shared/',
      severity: 'error',
      from: { path: '^apps/server/src/features/([^/]+)/', pathNot: '\\.spec\\.ts$' },
      to: {
        path: '^apps/server/src/',
        pathNot: '^apps/server/src/(edge/|version\\.ts$|features/($1|[^/]+/shared)/)',
      },
    },
    {
      name: 'clients-stand-alone',
      comment: 'a client is published by itself: the platform and its own files, nothing else',
      severity: 'error',
      from: { path: '^clients/', pathNot: '\\.spec\\.ts$' },
      to: { pathNot: '^clients/typescript/src/' },
    },
    {
      name: 'nobody-imports-the-console',
      severity: 'error',
      from: { pathNot: '^apps/console/' },
      to: { path: '^apps/console/' },
    },
    // numfmt names a file of types that is not in its package; the one that is there is found by the compiler.
    { name: 'unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true, pathNot: '^numfmt$' } },
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    // TSX is not understood: .ci/console-rooms.mjs looks at the console.
    exclude: { path: ['^dist', '\\.tsx$'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['types', 'import', 'node', 'default'],
    },
  },
};
